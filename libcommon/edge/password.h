/* Hashes and checks passwords of users with Argon2id (libsodium: 64 MiB, two passes). This happens
 * in a thread of its own, because one password takes about 100 ms and the loop must not wait.
 *
 * Call all functions from the loop's thread. password_poll calls `done` there. */
#ifndef CARILLON_EDGE_PASSWORD_H
#define CARILLON_EDGE_PASSWORD_H

#include <stdbool.h>
#include <stddef.h>

#define PASSWORD_HASH_MAX 128 /* a hash as text, with the NUL */
#define PASSWORD_MAX 512      /* bytes of a password */
#define PASSWORD_QUEUE_MAX 16

struct password;

/* ok: the password matches the hash (password_check), or the hash was made (password_make). hash:
 * the new hash, "" after password_check. */
typedef void password_done(void *context, bool ok, const char *hash);

struct password *password_new(void);
/* Waits for the thread. Drops passwords that are still queued, without a call of `done`. */
void password_free(struct password **password);
int password_fd(const struct password *password); /* readable when password_poll has work */
void password_poll(void *password);		  /* a struct password, for edge_adopt */

#define PASSWORD_INVENTED_MAX 21 /* with the NUL */
/* A password of 20 letters and digits, without those that look alike: 99 bits. */
void password_invent(char out[PASSWORD_INVENTED_MAX]);
#define PASSWORD_CHARACTERS_MIN 12
#define PASSWORD_CHARACTERS_MAX 128 /* of up to four bytes */
#define PASSWORD_FOUND_MAX 48
/* True if somebody may choose this password: long enough, not too long, and none of the most used
 * ones. It may consist of any characters. False: what was found and what was expected, never the
 * text itself. */
bool password_fits(const char *text, char found_r[PASSWORD_FOUND_MAX], const char **expected_r);
/* Hashes in the calling thread, for tools. False: there is not enough memory. */
bool password_hash(const char *text, char hash_r[PASSWORD_HASH_MAX]);

/* Both copy the text. False if PASSWORD_QUEUE_MAX passwords are already queued: nothing was
 * added. */
bool password_check(struct password *password, const char *text, const char *hash,
	password_done *done, void *context);
bool password_make(struct password *password, const char *text, password_done *done, void *context);

#endif
