/* Reads the input of a service's --verify: messages (proto/proof.proto), each preceded by its
 * length in four bytes, big-endian. */
#ifndef CARILLON_IO_PROOF_STREAM_H
#define CARILLON_IO_PROOF_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PROOF_MESSAGE_MAX (4u << 20) /* bytes of one message; definitions are the longest */
#define PROOF_ERROR_MAX 256

/* The exit status of a service's --verify, if it is not 0. */
#define PROOF_EXIT_DIFFERS 1
#define PROOF_EXIT_USAGE 2
#define PROOF_EXIT_KEYLESS 3 /* the keys cannot be read */

/* Takes one message. False: error (PROOF_ERROR_MAX bytes) says what was found and expected. */
typedef bool proof_take(void *of, const uint8_t *bytes, size_t length, char *error);

/* Reads all messages of `in` and hands each to `take`. False, with a line on standard error that
 * begins with `program`: the input is damaged, or a message was refused. */
bool proof_stream_read(FILE *in, const char *program, proof_take *take, void *of);
/* The path of a key file: `given` if not NULL; else SERVICE/NAME in the folder of keys, or NAME
 * there if that does not exist. That folder is CARILLON_KEYS; else keys in CARILLON_DATA or in the
 * current folder. An empty service: a key that belongs to no service. */
const char *proof_key_path(
	const char *given, const char *service, const char *name, char *path, size_t size);

#endif
