/* SCRAM-SHA-256 (RFC 5802, RFC 7677) from the client's side. librdkafka has its own, but that of
 * Debian 12 sends a nonce that Kafka refuses from version 3.9 on (it is right from 2.6.1 on). Pure
 * but for the nonce. A listener that does not know the password learns nothing, and is found out.
 */
#ifndef CARILLON_IO_KAFKA_SCRAM_H
#define CARILLON_IO_KAFKA_SCRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KAFKA_SCRAM_KEY_BYTES = 32, KAFKA_SCRAM_TEXT_MAX = 512 };
/* The least that Kafka takes. Our passwords are random, with 192 bits: nobody guesses them. */
enum { KAFKA_SCRAM_ITERATIONS = 4096 };

struct kafka_scram {
	char nonce[32], first[KAFKA_SCRAM_TEXT_MAX], final[2 * KAFKA_SCRAM_TEXT_MAX];
	uint8_t theirs[KAFKA_SCRAM_KEY_BYTES]; /* what proves that the other side knows it too */
};

/* The first message, in scram_r->first. nonce: NULL for a random one. False: there is none. */
bool kafka_scram_begin(struct kafka_scram *scram_r, const char *user, const char *nonce);
/* From the answer to it the second message, in scram->final. False: the answer is none of SCRAM, or
 * not to us. */
bool kafka_scram_prove(struct kafka_scram *scram, const char *password, const char *answer);
/* Does the last answer show that the other side knows the password? */
bool kafka_scram_check(const struct kafka_scram *scram, const char *answer);

/* What a server keeps in the place of a password is derived from this. */
bool kafka_scram_key(const char *password, const uint8_t *salt, size_t n, int iterations,
	uint8_t key_r[KAFKA_SCRAM_KEY_BYTES]);

#endif
