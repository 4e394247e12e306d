#include "tools/slotmath/cards_set.h"

#include "libcommon/base/currency.h"
#include "libcommon/jackpot/io/card_sets.h"
#include "tools/slotmath/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FILE_MAX (16 * 1024)

static const char *const suits[CARDS_LEVELS] = { "clubs", "diamonds", "hearts", "spades" };

/* Uses the loader of the services, so it refuses the same sets as they do. */
static void load(const char *path, struct card_set_config *config_r)
{
	char text[FILE_MAX], error[CARD_SETS_ERROR_MAX];
	FILE *file = fopen(path, "rb");
	size_t length;

	if (!file)
		refuse("SET: found '%s' (%s), expected a file, or the name of one in --sets", path,
			strerror(errno));
	length = fread(text, 1, sizeof(text), file);
	fclose(file);
	if (length == sizeof(text))
		refuse("%s: found %zu bytes or more, expected fewer", path, sizeof(text));
	if (!card_sets_parse(path, text, length, config_r, error))
		refuse("%s", error);
}

void cards_set_read(const char *path, struct cards_set *set_r)
{
	static struct card_set_config config;

	load(path, &config);
	memset(set_r, 0, sizeof(*set_r));
	snprintf(set_r->id, sizeof(set_r->id), "%s", config.id);
	set_r->number = config.number;
	for (size_t i = 0; i < CARDS_LEVELS; i++)
		set_r->level[i] = (struct cards_level){ suits[i], config.seed_minor[i],
			config.wager_ppm[i], config.weight[i] };
	for (size_t i = 0; i < config.odds_count; i++) {
		const struct currency *known = currency_by_number(config.odds[i].currency);
		struct cards_currency *currency = &set_r->currency[set_r->currency_count++];

		snprintf(currency->code, sizeof(currency->code), "%s", known->code);
		currency->exponent = known->exponent;
		currency->in = (int64_t)config.odds[i].in;
		currency->of = (int64_t)config.odds[i].of;
	}
}
