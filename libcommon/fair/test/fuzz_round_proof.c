/* Fuzzes the reader and the judge of a round's file: whatever is in the file, it is refused with a
 * reason, or judged with a report that is JSON. */
#include "libcommon/fair/round_proof.h"
#include "libcommon/game/definition_load.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define GAMES 2

static const struct game *games(size_t i)
{
	static const char *const paths[GAMES] = {
		"services/spin-engine/games/bewitched/definition.json",
		"services/spin-engine/games/witch-feature/definition.json",
	};
	static struct game *loaded[GAMES];
	char error[DEFINITION_ERROR_MAX];

	if (!loaded[i]) {
		loaded[i] = calloc(1, sizeof(*loaded[i]));
		assert(loaded[i]);
		if (definition_load_flags(paths[i], DEFINITION_UNPROVEN | DEFINITION_SIMULATED,
			    loaded[i], error) != DEFINITION_OK) {
			fprintf(stderr, "%s\n", error);
			abort();
		}
	}
	return loaded[i];
}

static void judge(const struct round_proof *proof, const struct game *game)
{
	char *report;
	enum round_proof_status status = round_proof_check(proof, game, &report);

	if (status == ROUND_PROOF_AGREES || status == ROUND_PROOF_DIFFERS) {
		json_t *json = json_loads(report, 0, NULL);

		assert(json_is_object(json));
		assert(json_is_true(json_object_get(json, "agrees")) ==
			(status == ROUND_PROOF_AGREES));
		json_decref(json);
	} else {
		assert(!report);
	}
	free(report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[ROUND_PROOF_ERROR_MAX] = "";
	struct round_proof proof;

	if (!round_proof_read((const char *)data, size, &proof, error)) {
		assert(error[0] && !proof.root);
		return 0;
	}
	for (size_t i = 0; i < GAMES; i++)
		judge(&proof, games(i));
	round_proof_free(&proof);
	return 0;
}
