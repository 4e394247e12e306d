/* The ChaCha20 stream (RFC 8439) with a nonce of zeros. chacha20.c calls libsodium; portable_hash.h
 * has the same stream in plain C. */
#ifndef CARILLON_BASE_CHACHA20_H
#define CARILLON_BASE_CHACHA20_H

#include <stddef.h>
#include <stdint.h>

#define CHACHA20_KEY_BYTES 32
#define CHACHA20_BLOCK_BYTES 64

/* Writes `bytes` bytes of the stream from block number `block` on. `bytes` is a multiple of
 * CHACHA20_BLOCK_BYTES, and the block counter must not pass 2^32 - 1. */
void chacha20_stream(
	uint8_t *out, size_t bytes, const uint8_t key[CHACHA20_KEY_BYTES], uint32_t block);

#endif
