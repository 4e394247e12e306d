/* The cipher of sealed parcels, as a quick stand-in: the simulator is measured by how much it has
 * tried, and what the real one is worth is shown elsewhere (libcommon/io/test/test_seal.c). The
 * content stays as it is; the tag depends on every byte of key, nonce, head and content. */
#include "tests/sim/fake.h"

#include <sodium.h>
#include <string.h>

FAKE(crypto_aead_xchacha20poly1305_ietf_encrypt);
FAKE(crypto_aead_xchacha20poly1305_ietf_decrypt);

#define TAG crypto_aead_xchacha20poly1305_ietf_ABYTES
#define KEY crypto_aead_xchacha20poly1305_ietf_KEYBYTES
#define NONCE crypto_aead_xchacha20poly1305_ietf_NPUBBYTES

static uint64_t mixed(uint64_t state, const uint8_t *bytes, size_t n)
{
	uint64_t word;
	size_t i = 0;
	for (; i + 8 <= n; i += 8) {
		memcpy(&word, bytes + i, 8);
		state = (state ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		state ^= state >> 29;
	}
	for (; i < n; i++)
		state = (state ^ bytes[i]) * UINT64_C(0x100000001b3);
	return state ^ n;
}

static void tag_of(uint8_t tag[TAG], const uint8_t *content, size_t n, const uint8_t *head,
	size_t head_n, const uint8_t *nonce, const uint8_t *key)
{
	uint64_t words[2];
	uint64_t state = mixed(mixed(1, key, KEY), nonce, NONCE);
	words[0] = mixed(mixed(state, head, head_n), content, n);
	words[1] = words[0] * UINT64_C(0xff51afd7ed558ccd);
	memcpy(tag, words, TAG);
}

int __wrap_crypto_aead_xchacha20poly1305_ietf_encrypt(unsigned char *c, unsigned long long *clen,
	const unsigned char *m, unsigned long long mlen, const unsigned char *ad,
	unsigned long long adlen, const unsigned char *nsec, const unsigned char *npub,
	const unsigned char *k)
{
	(void)nsec;
	if (mlen > 0)
		memmove(c, m, mlen);
	tag_of(c + mlen, c, mlen, ad, adlen, npub, k);
	*clen = mlen + TAG;
	return 0;
}

int __wrap_crypto_aead_xchacha20poly1305_ietf_decrypt(unsigned char *m, unsigned long long *mlen,
	unsigned char *nsec, const unsigned char *c, unsigned long long clen,
	const unsigned char *ad, unsigned long long adlen, const unsigned char *npub,
	const unsigned char *k)
{
	uint8_t tag[TAG];
	(void)nsec;
	if (clen < TAG)
		return -1;
	tag_of(tag, c, clen - TAG, ad, adlen, npub, k);
	if (memcmp(tag, c + clen - TAG, TAG) != 0)
		return -1;
	if (m != c)
		memmove(m, c, clen - TAG);
	*mlen = clen - TAG;
	return 0;
}
