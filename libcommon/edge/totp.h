/* Time-based one-time codes (TOTP, RFC 6238) as authenticator apps make them: HMAC-SHA-1, steps of
 * 30 s, six digits. */
#ifndef CARILLON_EDGE_TOTP_H
#define CARILLON_EDGE_TOTP_H

#include <stdbool.h>
#include <stdint.h>

#define TOTP_SECRET_BYTES 20
#define TOTP_BASE32_MAX 33 /* the secret in base 32, with the NUL */
#define TOTP_STEP_S 30

/* The code of a step, 0 to 999999. */
uint32_t totp_code(const uint8_t secret[TOTP_SECRET_BYTES], uint64_t step);
/* True if `text` is the code of the current step, the one before or the one after, and that step is
 * later than last_step, so that no code is accepted twice. The caller stores *step_r as the new
 * last_step. */
bool totp_check(const uint8_t secret[TOTP_SECRET_BYTES], const char *text, uint64_t now_s,
	uint64_t last_step, uint64_t *step_r);
/* The secret as authenticator apps take it (RFC 4648, without padding). */
void totp_base32(const uint8_t secret[TOTP_SECRET_BYTES], char out[TOTP_BASE32_MAX]);

#endif
