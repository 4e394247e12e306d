/* Encrypts and authenticates the parcels that go over nanomsg, with XChaCha20-Poly1305 (libsodium).
 * Pure: the caller passes keys, counters and times.
 *
 * A sealed parcel is a head of SEAL_HEAD_BYTES, which is authenticated but not encrypted, then the
 * encrypted content, then a tag. The head:
 *
 *     1 byte   format, 1
 *     1 byte   0
 *     2 bytes  number of the key
 *     8 bytes  boot of the sender    (which start of which instance, below)
 *     8 bytes  boot of the receiver
 *     8 bytes  counter of the sender
 *     8 bytes  time of sealing, microseconds since 1970
 *    16 bytes  salt of the sender's boot
 *
 * Numbers are little-endian. A boot is a number that identifies one start of one instance; it rises
 * with each start. Salt and counter are the nonce: a sender draws its salt once for each boot and
 * never uses a counter twice. */
#ifndef CARILLON_IO_SEAL_H
#define CARILLON_IO_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEAL_KEY_BYTES 32
#define SEAL_SALT_BYTES 16
#define SEAL_HEAD_BYTES 52
#define SEAL_TAG_BYTES 16
#define SEAL_MORE_BYTES (SEAL_HEAD_BYTES + SEAL_TAG_BYTES) /* how much sealing adds */
#define SEAL_WINDOW 1024

struct seal_head {
	uint32_t key;	   /* its number, at most 65535 */
	uint64_t from, to; /* boots */
	uint64_t counter;  /* 1, 2, .. */
	uint64_t time_us;
	uint8_t salt[SEAL_SALT_BYTES];
};

/* Seals n bytes into out, which has room for n + SEAL_MORE_BYTES. Returns the length. */
size_t seal_close(const uint8_t key[SEAL_KEY_BYTES], const struct seal_head *head,
	const uint8_t *content, size_t n, uint8_t *out);
/* Reads the head; nothing in it is proven yet. False: too short, or of another format. */
bool seal_head_read(const uint8_t *parcel, size_t n, struct seal_head *head_r);
/* Decrypts the parcel in place and returns its content, which points into the parcel and is
 * SEAL_MORE_BYTES shorter. NULL: the parcel was not sealed with this key, or was changed since. */
const uint8_t *seal_open(const uint8_t key[SEAL_KEY_BYTES], uint8_t *parcel, size_t n);

/* Which counters of a sender have been accepted: the newest one, and one bit for each of the
 * SEAL_WINDOW counters before it. */
struct seal_window {
	uint64_t newest;
	uint64_t seen[SEAL_WINDOW / 64];
};
/* Accepts a counter. False: it was accepted before, or is older than the window. */
bool seal_window_take(struct seal_window *window, uint64_t counter);

#endif
