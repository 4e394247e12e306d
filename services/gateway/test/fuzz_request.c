/* Any bytes as the body of a request: it is accepted completely or rejected with a description, and
 * no access leaves the structs. The first byte selects the table. */
#include "services/gateway/adapters/parse.h"
#include "services/gateway/core/requests.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct field *const tables[] = { demo_fields, account_fields, session_fields,
		money_fields, correction_fields, block_fields, round_fields, action_fields,
		settings_fields, pool_action_fields };
	union {
		struct account_body account;
		struct money_body money;
		struct block_body block;
		struct round_body round;
		struct action_body action;
		struct settings_body settings;
		struct pool_action_body pool_action;
	} body;
	struct problem problem;
	if (size < 1)
		return 0;
	const struct field *fields = tables[data[0] % (sizeof(tables) / sizeof(tables[0]))];
	char *text = malloc(size);
	if (text == NULL)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	memset(&body, 0, sizeof(body));
	memset(&problem, 0, sizeof(problem));
	if (!parse_body(text, size - 1, fields, &body, &problem)) {
		if (problem.code == NULL || problem.message == NULL || problem.where[0] == '\0')
			abort();
	} else if (fields == round_fields) {
		if (body.round.nonce.length < 16 || body.round.nonce.length > FIELD_BYTES_MAX ||
			strlen(body.round.game) > SLUG_MAX || body.round.expect < 1)
			abort();
	} else if (fields == action_fields) {
		(void)action_check(&body.action, &problem);
	} else if (fields == settings_fields) {
		(void)settings_check(&body.settings, &problem);
	}
	int64_t number;
	(void)number_read(text, 1, MOVE_MAX, &number);
	(void)key_ok(text);
	free(text);
	return 0;
}
