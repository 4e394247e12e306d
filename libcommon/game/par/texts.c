/* Numbers of the PAR sheet as text. */
#include "libcommon/game/rational.h"
#include "libcommon/game/par.h"

#include <stdarg.h>
#include <stdlib.h>

static const char *keep(struct par_texts *texts, json_t *text)
{
	if (!text || json_array_append_new(texts->kept, text) != 0)
		par_refuse("out of memory");
	return json_string_value(text);
}

/* Takes ownership of `text`. */
static const char *keep_text(struct par_texts *texts, char *text)
{
	const char *kept = keep(texts, json_string(text));

	free(text);
	return kept;
}

const char *par_figure(struct par_texts *texts, const mpq_t x)
{
	return keep_text(texts, rational_decimals(x, DIGITS));
}

const char *par_percent(struct par_texts *texts, const mpq_t x)
{
	char *percent = rational_percent(x, 6);
	const char *kept = keep(texts, json_sprintf("%s %%", percent));

	free(percent);
	return kept;
}

const char *par_fraction(struct par_texts *texts, const mpq_t x)
{
	return keep(texts, json_fraction(x));
}

const char *par_one_in(struct par_texts *texts, const mpq_t x)
{
	double one = mpq_sgn(x) > 0 ? 1 / mpq_get_d(x) : 0;

	if (one == 0)
		return "never";
	return one < 1e15 ? keep_text(texts, one_in(x, 2)) : par_text(texts, "%.5e", one);
}

const char *par_whole(struct par_texts *texts, const mpz_t x)
{
	return keep_text(texts, mpz_get_str(NULL, 10, x));
}

const char *par_hundredths(struct par_texts *texts, uint32_t hundredths)
{
	return par_text(texts, "%u.%02u", hundredths / 100, hundredths % 100);
}

const char *par_text(struct par_texts *texts, const char *format, ...)
{
	va_list arguments;
	json_t *text;

	va_start(arguments, format);
	text = json_vsprintf(format, arguments);
	va_end(arguments);
	return keep(texts, text);
}

const char *par_label(struct par_texts *texts, const char *id)
{
	char label[EXACT_NAME_MAX];
	size_t i = 0;

	for (; id[i] && i + 1 < sizeof(label); i++)
		label[i] = id[i];
	label[i] = 0;
	while (i-- > 0)
		if (label[i] == '_')
			label[i] = ' ';
	return keep(texts, json_string(label));
}

void par_prove(const char *what, const mpq_t table, const mpq_t analysis)
{
	char *found, *expected;

	if (mpq_equal(table, analysis))
		return;
	found = rational_decimals(table, DIGITS);
	expected = rational_decimals(analysis, DIGITS);
	par_refuse("%s sum to %s, but the analysis says %s: please report this error", what, found,
		expected);
}

const char *par_reels(struct par_texts *texts, const struct game *game, uint32_t reels)
{
	const char *text = "";

	for (uint32_t r = 0; r < game->reels; r++)
		if (reels >> r & 1)
			text = par_text(texts, "%s%s%u", text, *text ? ", " : "", r + 1);
	return text;
}
