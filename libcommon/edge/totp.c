#include "libcommon/edge/totp.h"

#include "libcommon/io/log.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <stddef.h>

#define DIGITS 6
#define MODULUS 1000000
#define SHA1_BYTES 20

uint32_t totp_code(const uint8_t secret[TOTP_SECRET_BYTES], uint64_t step)
{
	uint8_t counter[8], digest[EVP_MAX_MD_SIZE];
	unsigned length = 0;

	for (size_t i = 0; i < sizeof(counter); i++)
		counter[i] = (uint8_t)(step >> (56 - 8 * i));
	if (HMAC(EVP_sha1(), secret, TOTP_SECRET_BYTES, counter, sizeof(counter), digest,
		    &length) == NULL ||
		length != SHA1_BYTES)
		fatal("HMAC-SHA-1 of a one-time code failed: found %u bytes, expected %d", length,
			SHA1_BYTES);
	/* Dynamic truncation, RFC 4226 5.3. */
	const uint8_t *at = digest + (digest[SHA1_BYTES - 1] & 15);
	uint32_t number = (uint32_t)(at[0] & 127) << 24 | (uint32_t)at[1] << 16 |
			  (uint32_t)at[2] << 8 | at[3];
	return number % MODULUS;
}

static bool code_read(const char *text, uint32_t *code_r)
{
	*code_r = 0;
	for (size_t i = 0; i < DIGITS; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		*code_r = 10 * *code_r + (uint32_t)(text[i] - '0');
	}
	return text[DIGITS] == '\0';
}

bool totp_check(const uint8_t secret[TOTP_SECRET_BYTES], const char *text, uint64_t now_s,
	uint64_t last_step, uint64_t *step_r)
{
	uint64_t now = now_s / TOTP_STEP_S;
	uint32_t code;

	if (!code_read(text, &code))
		return false;
	for (uint64_t step = now == 0 ? 0 : now - 1; step <= now + 1; step++) {
		if (step <= last_step || totp_code(secret, step) != code)
			continue;
		*step_r = step;
		return true;
	}
	return false;
}

void totp_base32(const uint8_t secret[TOTP_SECRET_BYTES], char out[TOTP_BASE32_MAX])
{
	size_t n = 0;
	uint32_t bits = 0, have = 0;

	for (size_t i = 0; i < TOTP_SECRET_BYTES; i++) {
		bits = bits << 8 | secret[i];
		for (have += 8; have >= 5; have -= 5)
			out[n++] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[bits >> (have - 5) & 31];
	}
	out[n] = '\0'; /* 160 bits are 32 digits exactly */
}
