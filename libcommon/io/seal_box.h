/* Seals parcels for other instances and opens theirs. A box holds the instance's keys, its own
 * boot, and the instances that carillon.instance lists. No I/O; one thread.
 *
 * The box opens a parcel only if the boot of its sender is listed, if the parcel is for our own
 * boot, and only once. So an attacker gains nothing by resending a recorded parcel, even after the
 * sender or the receiver has restarted. */
#ifndef CARILLON_IO_SEAL_BOX_H
#define CARILLON_IO_SEAL_BOX_H

#include "libcommon/io/seal_keys.h"

#define SEAL_PEERS_MAX 256
#define SEAL_SERVICE_PEERS_MAX 64 /* of one service */
#define SEAL_URL_BYTES 256

enum seal_status {
	SEAL_OK = 0,
	SEAL_MALFORMED, /* too short, or of another format */
	SEAL_RECEIVER,	/* for another boot: of another instance, or an earlier one of ours */
	SEAL_UNLISTED,	/* its sender's boot is not listed (yet, or no longer) */
	SEAL_NO_KEY,	/* the two services share no key of this number */
	SEAL_FORGED,	/* not sealed with the key, or changed since */
	SEAL_REPLAYED,	/* accepted before, or older than the window */
	SEAL_FORBIDDEN, /* opened, but its sender may not send this (libcommon/service/permit.h) */
	SEAL_STATUS_N
};
/* "replayed": for a metric's label. */
const char *seal_status_name(enum seal_status status);

struct seal_peer {
	char service[SEAL_NAME_BYTES], url[SEAL_URL_BYTES];
	uint64_t boot;	    /* 0: the place is free */
	bool current;	    /* false: a former boot; its window is kept in case it comes back */
	uint64_t listed;    /* the count of listings when it was last listed */
	uint64_t listed_us; /* when */
	struct seal_window window;
};

/* The caller sets `keys`, and may read `keys`, `service` and `boot`. The rest is private. */
struct seal_box {
	char service[SEAL_NAME_BYTES];
	uint64_t boot, counter, listings;
	uint8_t salt[SEAL_SALT_BYTES];
	struct seal_keys keys;
	struct seal_peer peers[SEAL_PEERS_MAX];
	size_t peers_n;
};

/* Makes the boot of an instance that starts now: the time, followed by random bits, so that two
 * instances that start together differ. */
uint64_t seal_boot(uint64_t wall_us, uint32_t random);
/* Starts a box that lists only its own instance: an instance may send to itself. */
void seal_box_begin(struct seal_box *box, const char *service, const char *url, uint64_t boot,
	const uint8_t salt[SEAL_SALT_BYTES]);
/* Lists a live instance. Call it for each instance at every reading of carillon.instance. A new
 * boot at a known address replaces the former one, unless another service was listed there in the
 * last 3 s; it never replaces our own. now_us: monotonic. Ignores boot 0 (an instance of an older
 * build) and names that are too long. */
void seal_box_list(
	struct seal_box *box, const char *service, const char *url, uint64_t boot, uint64_t now_us);

/* Seals content for the instance at this address; out has room for n + SEAL_MORE_BYTES. Returns the
 * length, or 0 if the instance is not listed or there is no key for its service. */
size_t seal_box_close(struct seal_box *box, const char *url, const uint8_t *content, size_t n,
	uint64_t now_us, uint8_t *out);

struct seal_opened {
	const char *from,
		*from_url;	/* its sender: service and address; valid until the next listing */
	const uint8_t *content; /* in the parcel */
	size_t n;
	int64_t age_us; /* by our clock and its sender's; may be negative */
};
/* Opens a parcel in place. Sets *opened_r only on SEAL_OK. */
enum seal_status seal_box_open(struct seal_box *box, uint8_t *parcel, size_t n, uint64_t now_us,
	struct seal_opened *opened_r);

#endif
