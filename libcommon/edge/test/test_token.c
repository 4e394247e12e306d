/* Tokens: issued tokens are accepted, and no others. */
#include "libcommon/edge/token.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <jwt.h>
#include <sodium.h>
#include <sys/stat.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOW UINT64_C(1700000000)

static const uint8_t KEY[TOKEN_KEY_BYTES] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static const uint8_t OTHER[TOKEN_KEY_BYTES] = { 9 };

static player_id player_of(const char *text)
{
	player_id player = 0;
	assert_true(player_id_parse(text, &player));
	return player;
}

static void test_token_round_trip_and_expiry(void **state)
{
	struct token_key *key = token_key_new(KEY, TOKEN_MAKES);
	char token[TOKEN_MAX], other[TOKEN_MAX];
	uint64_t expires = 0;
	player_id player = 0;
	(void)state;
	assert_int_equal(
		token_issue(key, player_of("1-1234"), NOW, 100, token, &expires), TOKEN_OK);
	assert_int_equal(expires, NOW + 100);
	/* another session of the same second has another token */
	assert_int_equal(
		token_issue(key, player_of("1-1234"), NOW, 100, other, &expires), TOKEN_OK);
	assert_string_not_equal(token, other);
	for (int i = 0; i < 2; i++) { /* the second time from the key's memory */
		assert_int_equal(token_check(key, token, NOW + 99, &player, &expires), TOKEN_OK);
		assert_int_equal(player, player_of("1-1234"));
		assert_int_equal(
			token_check(key, token, NOW + 100, &player, &expires), TOKEN_EXPIRED);
	}
	assert_int_equal(token_issue(key, 0, NOW, 100, token, &expires), TOKEN_MALFORMED);
	token_key_free(&key);
	assert_null(key);
}

static void test_token_forgeries(void **state)
{
	struct token_key *key = token_key_new(KEY, TOKEN_MAKES);
	struct token_key *other = token_key_new(OTHER, TOKEN_MAKES);
	char token[TOKEN_MAX];
	uint64_t expires;
	player_id player = 0;
	(void)state;
	assert_int_equal(token_issue(other, player_of("1-1"), NOW, 100, token, &expires), TOKEN_OK);
	assert_int_equal(token_check(key, token, NOW, &player, &expires), TOKEN_FORGED);
	/* each byte changed in turn */
	assert_int_equal(token_issue(key, player_of("1-1"), NOW, 100, token, &expires), TOKEN_OK);
	assert_int_equal(token_check(key, token, NOW, &player, &expires), TOKEN_OK);
	size_t length = strlen(token);
	for (size_t i = 0; i + 1 < length; i++) { /* the last digit has unused bits */
		char kept = token[i];
		token[i] = kept == 'A' ? 'B' : 'A';
		assert_int_not_equal(token_check(key, token, NOW, &player, &expires), TOKEN_OK);
		token[i] = kept;
	}
	assert_int_equal(player, player_of("1-1"));
	token_key_free(&key);
	token_key_free(&other);
}

static char *jwt_with(const uint8_t bytes[TOKEN_KEY_BYTES], jwt_alg_t alg, const char *issuer,
	const char *subject, long issued, long expires)
{
	jwt_t *jwt = NULL;
	assert_int_equal(jwt_new(&jwt), 0);
	if (issuer != NULL)
		assert_int_equal(jwt_add_grant(jwt, "iss", issuer), 0);
	if (subject != NULL)
		assert_int_equal(jwt_add_grant(jwt, "sub", subject), 0);
	if (issued > 0)
		assert_int_equal(jwt_add_grant_int(jwt, "iat", issued), 0);
	if (expires > 0)
		assert_int_equal(jwt_add_grant_int(jwt, "exp", expires), 0);
	if (alg == JWT_ALG_NONE)
		assert_int_equal(jwt_set_alg(jwt, alg, NULL, 0), 0);
	else
		assert_int_equal(jwt_set_alg(jwt, alg, bytes, TOKEN_KEY_BYTES), 0);
	char *text = jwt_encode_str(jwt);
	jwt_free(jwt);
	assert_non_null(text);
	return text;
}

/* The claims of `like`, with another `own` or with more, signed with these bytes. */
static char *signed_again(const uint8_t *bytes, const char *like, const char *own, const char *more)
{
	jwt_t *jwt = NULL;
	assert_int_equal(jwt_decode(&jwt, like, NULL, 0), 0);
	if (own != NULL) {
		assert_int_equal(jwt_del_grants(jwt, "own"), 0);
		assert_int_equal(jwt_add_grant(jwt, "own", own), 0);
	}
	if (more != NULL)
		assert_int_equal(jwt_add_grant(jwt, "more", more), 0);
	assert_int_equal(jwt_set_alg(jwt, JWT_ALG_HS256, bytes, TOKEN_KEY_BYTES), 0);
	char *text = jwt_encode_str(jwt);
	jwt_free(jwt);
	assert_non_null(text);
	return text;
}

static void test_token_checking_key_makes_none(void **state)
{
	/* As scripts/lib.sh derives it: printf '%s checks tokens' HEX | sha256sum. */
	static const char derived[] =
		"9728bf8a8bb0587a68aefc5891426ced69d3a24ec43153f6a692326a18fb14cd";
	uint8_t checking[TOKEN_KEY_BYTES], expected[TOKEN_KEY_BYTES];
	char token[TOKEN_MAX], mine[TOKEN_MAX];
	uint64_t expires = 0;
	player_id player = 0;
	(void)state;
	token_checking_key(KEY, checking);
	assert_int_equal(sodium_hex2bin(expected, sizeof(expected), derived, strlen(derived), NULL,
				 NULL, NULL),
		0);
	assert_memory_equal(checking, expected, sizeof(checking));
	struct token_key *gateway = token_key_new(KEY, TOKEN_MAKES);
	struct token_key *reader = token_key_new(checking, TOKEN_CHECKS);
	assert_int_equal(
		token_issue(gateway, player_of("1-7"), NOW, 100, token, &expires), TOKEN_OK);
	assert_int_equal(token_check(reader, token, NOW, &player, &expires), TOKEN_OK);
	assert_int_equal(player, player_of("1-7"));
	assert_int_equal(
		token_issue(reader, player_of("1-7"), NOW, 100, mine, &expires), TOKEN_MALFORMED);
	/* The same claims, other ones, and none of the proof, signed with all that a reader has. */
	char *const cases[] = { signed_again(checking, token, NULL, "claim"),
		signed_again(checking, token, "00112233445566778899aabbccddeeff", NULL),
		signed_again(checking, token, "", NULL),
		jwt_with(checking, JWT_ALG_HS256, "carillon", "1-7", (long)NOW, (long)NOW + 50) };
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (token_check(gateway, cases[i], NOW, &player, &expires) != TOKEN_FORGED)
			fail_msg("case %zu: expected to be forged", i);
		free(cases[i]);
	}
	char *again = signed_again(checking, token, NULL, NULL);
	assert_string_equal(again, token); /* or the cases above show nothing */
	free(again);
	assert_int_equal(token_check(gateway, token, NOW, &player, &expires), TOKEN_OK);
	token_key_free(&gateway);
	token_key_free(&reader);
}

static void test_token_other_algorithms_and_claims(void **state)
{
	const long now = (long)NOW;
	const struct {
		jwt_alg_t alg;
		const char *issuer, *subject;
		long issued, expires;
		bool taken;
	} cases[] = {
		{ JWT_ALG_HS256, "carillon", "1-5", now, now + 50, true },
		{ JWT_ALG_NONE, "carillon", "1-5", now, now + 50, false },
		{ JWT_ALG_HS384, "carillon", "1-5", now, now + 50, false },
		{ JWT_ALG_HS512, "carillon", "1-5", now, now + 50, false },
		{ JWT_ALG_HS256, "other", "1-5", now, now + 50, false },
		{ JWT_ALG_HS256, NULL, "1-5", now, now + 50, false },
		{ JWT_ALG_HS256, "carillon", NULL, now, now + 50, false },
		{ JWT_ALG_HS256, "carillon", "5", now, now + 50, false },
		{ JWT_ALG_HS256, "carillon", "1-0", now, now + 50, false },
		{ JWT_ALG_HS256, "carillon", "1-5", 0, now + 50, false },
		{ JWT_ALG_HS256, "carillon", "1-5", now, 0, false },
		{ JWT_ALG_HS256, "carillon", "1-5", now + 120, now + 150, false },
	};
	struct token_key *key = token_key_new(KEY, TOKEN_MAKES);
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		player_id player = 0;
		uint64_t expires = 0;
		char *text = jwt_with(KEY, cases[i].alg, cases[i].issuer, cases[i].subject,
			cases[i].issued, cases[i].expires);
		enum token_status status = token_check(key, text, NOW, &player, &expires);
		if ((status == TOKEN_OK) != cases[i].taken)
			fail_msg("case %zu: %s", i, token_status_text(status));
		free(text);
	}
	token_key_free(&key);
}

static void test_token_shapes(void **state)
{
	static const char *const cases[] = { "", ".", "..", "...", "a.b", "a.b.c", "a.b.c.d",
		"ä.b.c", "eyJhbGciOiJIUzI1NiJ9..", "eyJhbGciOiJIUzI1NiJ9.e30.", " a.b.c",
		"a.b.c\n" };
	struct token_key *key = token_key_new(KEY, TOKEN_MAKES);
	char huge[5000];
	player_id player = 0;
	uint64_t expires = 0;
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_not_equal(token_check(key, cases[i], NOW, &player, &expires), TOKEN_OK);
	memset(huge, 'a', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	huge[10] = huge[20] = '.';
	assert_int_equal(token_check(key, huge, NOW, &player, &expires), TOKEN_MALFORMED);
	token_key_free(&key);
}

static void test_token_key_file(void **state)
{
	static const struct {
		const char *content;
		enum token_status status;
	} cases[] = {
		{ "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n", TOKEN_OK },
		{ "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", TOKEN_OK },
		{ "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e", TOKEN_NO_KEY },
		{ "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20",
			TOKEN_NO_KEY },
		{ "", TOKEN_NO_KEY },
		{ "not hex", TOKEN_NO_KEY },
	};
	char folder[] = "/tmp/carillon-token-XXXXXX";
	char path[64];
	char error[TOKEN_ERROR_MAX];
	struct token_key *key;
	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/token.key", folder);
	assert_int_equal(token_key_read(folder, TOKEN_MAKES, &key, error), TOKEN_NO_KEY);
	assert_non_null(strstr(error, "expected"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		FILE *file = fopen(path, "w");
		assert_non_null(file);
		(void)fputs(cases[i].content, file);
		(void)fclose(file);
		assert_int_equal(token_key_read(folder, TOKEN_MAKES, &key, error), cases[i].status);
		token_key_free(&key);
	}
	(void)remove(path);
	(void)remove(folder);
}

#define HEX_A "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define HEX_B "aa0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

/* Another time of change each, whatever the file system's resolution. */
static void key_file_put(const char *path, const char *content)
{
	static time_t changed = 1000;
	struct timespec times[2] = { { .tv_sec = changed + 1 }, { .tv_sec = changed + 1 } };
	FILE *file = fopen(path, "w");
	changed++;
	assert_non_null(file);
	(void)fputs(content, file);
	(void)fclose(file);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void test_token_keys_follow_one_another(void **state)
{
	char folder[] = "/tmp/carillon-token-XXXXXX";
	char path[64], error[TOKEN_ERROR_MAX], token[3][TOKEN_MAX];
	struct token_key *key;
	player_id player;
	uint64_t expires;
	bool changed;
	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/token.key", folder);
	key_file_put(path, HEX_A "\n");
	assert_int_equal(token_key_read(folder, TOKEN_MAKES, &key, error), TOKEN_OK);
	assert_int_equal(
		token_issue(key, player_of("1-1"), NOW, 100, token[0], &expires), TOKEN_OK);
	assert_true(token_key_again(key, &changed, error) && !changed);
	/* The next key is known, and signs later. */
	(void)snprintf(token[2], TOKEN_MAX, "0 " HEX_A " 0\n1 " HEX_B " %" PRIu64 "\n", NOW + 10);
	key_file_put(path, token[2]);
	assert_true(token_key_again(key, &changed, error) && changed);
	assert_int_equal(
		token_issue(key, player_of("1-1"), NOW, 100, token[2], &expires), TOKEN_OK);
	assert_int_equal(
		token_issue(key, player_of("1-2"), NOW + 10, 100, token[1], &expires), TOKEN_OK);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(token_check(key, token[i], NOW + 10, &player, &expires), TOKEN_OK);
	assert_int_equal(token_issued_s(key, token[1]), NOW + 10);
	assert_int_equal(token_issued_s(key, "another"), 0);
	/* What cannot be read changes nothing; a key that has gone ends its tokens. */
	key_file_put(path, "1 " HEX_B " 0\nnonsense\n");
	assert_false(token_key_again(key, &changed, error));
	assert_non_null(strstr(error, "line 2"));
	assert_int_equal(token_check(key, token[0], NOW + 10, &player, &expires), TOKEN_OK);
	key_file_put(path, "1 " HEX_B " 0\n");
	assert_true(token_key_again(key, &changed, error) && changed);
	assert_int_equal(token_check(key, token[0], NOW + 10, &player, &expires), TOKEN_FORGED);
	assert_int_equal(token_check(key, token[2], NOW + 10, &player, &expires), TOKEN_FORGED);
	assert_int_equal(token_check(key, token[1], NOW + 10, &player, &expires), TOKEN_OK);
	token_key_free(&key);
	(void)remove(path);
	(void)remove(folder);
}

/* Lines are counted with the empty ones, and keys without them. */
static void test_token_key_too_many(void **state)
{
	char folder[] = "/tmp/carillon-token-XXXXXX";
	char path[64], content[16 * TOKEN_KEYS_MAX * TOKEN_KEY_BYTES], error[TOKEN_ERROR_MAX];
	struct token_key *key;
	size_t n = 1;
	(void)state;
	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/token.key", folder);
	(void)snprintf(content, sizeof(content), "\n");
	for (size_t i = 0; i < TOKEN_KEYS_MAX; i++)
		n += (size_t)snprintf(content + n, sizeof(content) - n, "%zu " HEX_A " 0\n", i);
	key_file_put(path, content);
	assert_int_equal(token_key_read(folder, TOKEN_MAKES, &key, error), TOKEN_OK);
	token_key_free(&key);
	(void)snprintf(content + n, sizeof(content) - n, "8 " HEX_A " 0\n");
	key_file_put(path, content);
	assert_int_equal(token_key_read(folder, TOKEN_MAKES, &key, error), TOKEN_NO_KEY);
	assert_non_null(strstr(error, "line 10: found a further line, expected at most 8 keys"));
	(void)remove(path);
	(void)remove(folder);
}

static void test_token_seal(void **state)
{
	struct token_key *key = token_key_new(KEY, TOKEN_MAKES);
	struct token_key *other = token_key_new(OTHER, TOKEN_MAKES);
	uint8_t seal[TOKEN_SEAL_BYTES];

	(void)state;
	token_seal(key, 1000, "a page of 1", seal);
	assert_true(token_sealed(key, "a page of 1", seal));
	assert_false(token_sealed(key, "a page of 2", seal));
	assert_false(token_sealed(key, "a page of 1 ", seal));
	assert_false(token_sealed(other, "a page of 1", seal));
	for (size_t i = 0; i < TOKEN_SEAL_BYTES; i++) {
		seal[i] ^= 1;
		assert_false(token_sealed(key, "a page of 1", seal));
		seal[i] ^= 1;
	}
	token_key_free(&key);
	token_key_free(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_token_round_trip_and_expiry),
		cmocka_unit_test(test_token_forgeries),
		cmocka_unit_test(test_token_checking_key_makes_none),
		cmocka_unit_test(test_token_other_algorithms_and_claims),
		cmocka_unit_test(test_token_shapes),
		cmocka_unit_test(test_token_seal),
		cmocka_unit_test(test_token_key_file),
		cmocka_unit_test(test_token_key_too_many),
		cmocka_unit_test(test_token_keys_follow_one_another),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
