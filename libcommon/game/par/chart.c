/* The charts of a PAR sheet as SVG inside the page, drawn from the rows of its tables. */
#include "libcommon/game/par.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 760.0
#define HEIGHT 320.0
#define LEFT 88.0
#define RIGHT 32.0
#define TOP 14.0
#define BOTTOM 44.0

static const char *text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

static double number_of(const json_t *row, const char *name)
{
	return strtod(text_of(row, name), NULL);
}

static const json_t *table_of(const json_t *section, const char *id)
{
	const json_t *table;
	size_t i;

	json_array_foreach(json_object_get(section, "tables"), i,
		table) if (strcmp(text_of(table, "id"), id) == 0) return table;
	return NULL;
}

/* ---- axes ---- */

/* Maps data to the picture; both ends are in the data's unit or its decimal logarithm. */
struct scale {
	double x0, x1, y0, y1;
};

static double x_of(const struct scale *scale, double x)
{
	return LEFT + (x - scale->x0) / (scale->x1 - scale->x0) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct scale *scale, double y)
{
	return HEIGHT - BOTTOM -
	       (y - scale->y0) / (scale->y1 - scale->y0) * (HEIGHT - TOP - BOTTOM);
}

static void open_chart(const char *title, double height, FILE *out)
{
	fprintf(out, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"", WIDTH, height);
	par_escape(title, out);
	fputs("\">\n<title>", out);
	par_escape(title, out);
	fputs("</title>\n", out);
}

static void label(double x, double y, const char *anchor, const char *text, FILE *out)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	par_escape(text, out);
	fputs("</text>\n", out);
}

static void grid_x(const struct scale *scale, double x, const char *text, FILE *out)
{
	fprintf(out, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
		x_of(scale, x), x_of(scale, x), TOP, HEIGHT - BOTTOM);
	label(x_of(scale, x), HEIGHT - BOTTOM + 16, "middle", text, out);
}

static void grid_y(const struct scale *scale, double y, const char *text, FILE *out)
{
	fprintf(out, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
		LEFT, WIDTH - RIGHT, y_of(scale, y), y_of(scale, y));
	label(LEFT - 6, y_of(scale, y) + 4, "end", text, out);
}

/* "0.01", "100", "10^7" */
static void decade_text(int decade, char *text, size_t size)
{
	if (decade >= 0 && decade <= 6)
		snprintf(text, size, "%.0f", pow(10, decade));
	else if (decade < 0 && decade >= -3)
		snprintf(text, size, "%.*f", -decade, pow(10, decade));
	else
		snprintf(text, size, "10^%d", decade);
}

static void one_in_text(int decade, char *text, size_t size)
{
	if (decade == 0)
		snprintf(text, size, "always");
	else if (decade >= -5)
		snprintf(text, size, "1 in %.0f", pow(10, -decade));
	else
		snprintf(text, size, "1 in 10^%d", -decade);
}

/* ---- return by source ---- */

static void parts_chart(const json_t *section, FILE *out)
{
	const json_t *rows = json_object_get(table_of(section, "parts"), "rows"), *row;
	double most = 0, y = 6, height = 26.0 * (double)json_array_size(rows) + 10;
	size_t i;

	json_array_foreach(rows, i, row) most = fmax(most, number_of(row, "return"));
	open_chart("Return by source", height, out);
	json_array_foreach(rows, i, row)
	{
		double width = 430 * number_of(row, "return") / most;

		label(150, y + 15, "end", text_of(row, "source"), out);
		fprintf(out,
			"<rect class=\"bar\" x=\"158\" y=\"%.1f\" width=\"%.1f\" height=\"20\"/>\n",
			y, fmax(width, 1));
		label(164 + fmax(width, 1), y + 15, "start", text_of(row, "percent"), out);
		y += 26;
	}
	fputs("</svg>\n", out);
}

/* ---- distribution ---- */

static void distribution_axes(const struct scale *scale, FILE *out)
{
	char text[32];

	for (int d = (int)ceil(scale->x0); d <= (int)floor(scale->x1); d++) {
		decade_text(d, text, sizeof(text));
		grid_x(scale, d, text, out);
	}
	for (int d = (int)ceil(scale->y0); d <= 0; d += scale->y0 < -10 ? 2 : 1) {
		one_in_text(d, text, sizeof(text));
		grid_y(scale, d, text, out);
	}
	label((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, "middle", "win, times the price", out);
}

static void distribution_bars(const json_t *section, const struct scale *scale, FILE *out)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(table_of(section, "bins"), "rows"), i, row)
	{
		const char *win = text_of(row, "win"), *to = strstr(win, "below ");
		double p = number_of(row, "p"), low = strtod(win, NULL), high, left, right, top;

		if (!to || p <= 0)
			continue;
		high = strtod(to + 6, NULL);
		left = x_of(scale, low > 0 ? fmax(log10(low), scale->x0) : scale->x0);
		right = x_of(scale, fmin(log10(high), scale->x1));
		top = y_of(scale, fmax(log10(p), scale->y0));
		fprintf(out,
			"<rect class=\"bar\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
			left, top, fmax(right - left - 1, 1), HEIGHT - BOTTOM - top);
	}
}

/* P(a win of x or more), summed from the largest down so that small ones keep their digits. */
static double *exceedance(const json_t *rows)
{
	size_t count = json_array_size(rows);
	double *above = calloc(count + 1, sizeof(*above));

	for (size_t i = count; above && i-- > 0;)
		above[i] = above[i + 1] + number_of(json_array_get(rows, i), "p");
	return above;
}

static void distribution_line(const json_t *rows, const struct scale *scale, FILE *out)
{
	double *above = exceedance(rows), drawn = -1;

	if (!above)
		return;
	fputs("<path class=\"line\" d=\"", out);
	for (size_t i = 0; i < json_array_size(rows); i++) {
		double x = number_of(json_array_get(rows, i), "x"), at, y;

		if (x <= 0)
			continue;
		at = x_of(scale, log10(x));
		y = y_of(scale, log10(above[i]));
		if (drawn >= 0 && at - drawn < 1 && i + 1 < json_array_size(rows))
			continue; /* invisible between two pixels */
		if (drawn < 0)
			fprintf(out, "M%.1f %.1fH%.1f", LEFT, y, at);
		else
			fprintf(out, "V%.1fH%.1f", y, at);
		drawn = at;
	}
	fputs("\"/>\n", out);
	free(above);
}

static void distribution_chart(const json_t *section, FILE *out)
{
	const json_t *rows = json_object_get(table_of(section, "distribution"), "rows");
	const json_t *row;
	struct scale scale = { .x0 = 300, .x1 = -300, .y0 = 0, .y1 = 0 };
	size_t i;

	json_array_foreach(rows, i, row)
	{
		double x = number_of(row, "x"), p = number_of(row, "p");

		if (x <= 0 || p <= 0)
			continue;
		scale.x0 = fmin(scale.x0, log10(x));
		scale.x1 = fmax(scale.x1, log10(x));
		scale.y0 = fmin(scale.y0, log10(p));
	}
	if (scale.x1 < scale.x0)
		return;
	scale.x0 = floor(scale.x0);
	scale.x1 = fmax(scale.x1 + 0.1, scale.x0 + 1);
	scale.y0 = floor(fmin(scale.y0, -1));
	open_chart("Distribution of wins: probability by win, both axes logarithmic", HEIGHT, out);
	distribution_axes(&scale, out);
	distribution_bars(section, &scale, out);
	distribution_line(rows, &scale, out);
	label(WIDTH - RIGHT - 4, TOP + 12, "end", "line: this win or more; bars: within the range",
		out);
	fputs("</svg>\n", out);
}

/* ---- sessions ---- */

static void funnel(
	const json_t *rows, const char *low, const char *high, const struct scale *scale, FILE *out)
{
	size_t count = json_array_size(rows);

	fputs("<polygon class=\"band\" points=\"", out);
	for (size_t i = 0; i < 2 * count; i++) {
		const json_t *row = json_array_get(rows, i < count ? i : 2 * count - 1 - i);
		double y = fmin(number_of(row, i < count ? high : low), scale->y1);

		fprintf(out, "%.1f,%.1f ", x_of(scale, log10(number_of(row, "spins"))),
			y_of(scale, y));
	}
	fputs("\"/>\n", out);
}

/* A round step that divides the range into about five parts. */
static double step_of(double whole)
{
	static const double FACTORS[] = { 1, 2, 5 };
	double power = pow(10, floor(log10(whole / 5)));

	for (size_t i = 0; i < sizeof(FACTORS) / sizeof(FACTORS[0]); i++)
		if (whole / (FACTORS[i] * power) <= 7)
			return FACTORS[i] * power;
	return 10 * power;
}

static void sessions_chart(const json_t *section, FILE *out)
{
	const json_t *rows = json_object_get(table_of(section, "sessions"), "rows");
	const json_t *first = json_array_get(rows, 0);
	double mean = number_of(first, "mean"), step;
	struct scale scale = { .x0 = 2, .x1 = 6, .y0 = 0 };
	char text[32];

	scale.y1 = fmax(number_of(first, "high_99"), 1.2 * mean);
	step = step_of(scale.y1);
	open_chart("Return of sessions by rounds played: mean, 90 and 99 % bands", HEIGHT, out);
	for (int d = 2; d <= 6; d++) {
		decade_text(d, text, sizeof(text));
		grid_x(&scale, d, text, out);
	}
	for (int i = 0; i * step <= scale.y1; i++) {
		snprintf(text, sizeof(text), "%.0f %%", i * step);
		grid_y(&scale, i * step, text, out);
	}
	funnel(rows, "low_99", "high_99", &scale, out);
	funnel(rows, "low_90", "high_90", &scale, out);
	fprintf(out, "<line class=\"mean\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
		LEFT, WIDTH - RIGHT, y_of(&scale, mean), y_of(&scale, mean));
	label((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, "middle", "rounds", out);
	label(WIDTH - RIGHT - 4, TOP + 12, "end",
		"return of a session: mean, 90 % (inner) and 99 % (outer)", out);
	fputs("</svg>\n", out);
}

void par_chart(const char *chart, const json_t *section, FILE *out)
{
	if (strcmp(chart, "parts") == 0)
		parts_chart(section, out);
	else if (strcmp(chart, "distribution") == 0)
		distribution_chart(section, out);
	else
		sessions_chart(section, out);
}
