/* The PAR sheet as one HTML file: no scripts, no external files, readable on a phone and on
 * paper. */
#include "libcommon/game/par.h"

#include <ctype.h>
#include <string.h>

static const char *const style =
	":root{color-scheme:light dark;--ink:#1a2230;--quiet:#5b6678;--ground:#fff;--panel:#f4f6fa;"
	"--edge:#d4dae4;--a:#1f5fbf;--b:#c2571a;--band:#1f5fbf22;--good:#12703f;--bad:#b3261e}\n"
	"@media(prefers-color-scheme:dark){:root{--ink:#e6eaf2;--quiet:#97a3b8;--ground:#10141d;"
	"--panel:#1a2130;--edge:#2d3850;--a:#7fb2ff;--b:#f0a35e;--band:#7fb2ff2b;--good:#4cc38a;"
	"--bad:#ff8a80}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0 auto;max-width:76rem;padding:1rem;background:var(--ground);color:var(--ink);"
	"font:15px/1.5 system-ui,\"Segoe UI\",Roboto,sans-serif;overflow-wrap:anywhere}\n"
	"h1{font-size:1.7rem;margin:.3rem 0}h2{font-size:1.35rem;margin:2.5rem 0 .5rem;"
	"border-bottom:2px solid var(--edge);padding-bottom:.2rem}h3{font-size:1.05rem;"
	"margin:1.8rem 0 .4rem}p{margin:.4rem 0;max-width:60rem}.quiet{color:var(--quiet)}\n"
	"a{color:var(--a)}nav ul{margin:.3rem 0;padding-left:1.2rem;columns:16rem}\n"
	".scroll{overflow-x:auto;margin:.6rem 0 1.1rem;max-width:100%;display:inline-block;"
	"vertical-align:top}.chart{overflow-x:auto}@media(min-width:60rem){.scroll{margin-right:"
	"2rem}}\n"
	"table{border-collapse:collapse;font-size:.85rem;overflow-wrap:normal}\n"
	"caption{text-align:left;font-weight:600;padding:.2rem 0}\n"
	"th,td{padding:.2rem .55rem;border-bottom:1px solid var(--edge);text-align:left;"
	"vertical-align:top}thead th{background:var(--panel);border-bottom:2px solid var(--edge);"
	"vertical-align:bottom}td.n,th.n{text-align:right}td.n{font-variant-numeric:tabular-nums;"
	"white-space:nowrap}td.short{white-space:nowrap}td.long{overflow-wrap:anywhere;min-width:14rem;max-width:34rem;"
	"font:.8rem/1.4 ui-monospace,Consolas,monospace}tfoot td{font-weight:600;border-top:2px solid "
	"var(--edge)}tbody tr:nth-child(even){background:var(--panel)}\n"
	".dense td,.dense th{padding:.02rem .5rem;font-size:.75rem}\n"
	".facts td+td{overflow-wrap:anywhere}\n"
	".good{color:var(--good);font-weight:600}.bad{color:var(--bad);font-weight:600}\n"
	"svg{display:block;width:100%;min-width:34rem;max-width:52rem;height:auto;margin:.6rem 0}\n"
	"svg text{fill:var(--ink);font:12px system-ui,sans-serif}.grid{stroke:var(--edge);"
	"stroke-width:1}.axis{stroke:var(--quiet);stroke-width:1}.bar{fill:var(--a);opacity:.55}"
	".line{fill:none;stroke:var(--b);stroke-width:2}.mean{fill:none;stroke:var(--a);"
	"stroke-width:2}.band{fill:var(--band)}\n"
	"footer{margin-top:3rem;border-top:2px solid var(--edge);padding-top:.5rem}\n"
	"@media print{body{max-width:none;font-size:10pt;padding:0}.scroll{overflow:visible}"
	"table{font-size:7pt}th,td,.dense td,"
	".dense th{padding:.04rem .2rem}.dense td,.dense th{font-size:6pt}td.short{white-space:normal}h2{break-before:page}h2.first{break-before:"
	"auto}h3,caption{break-after:avoid}tr,svg{break-inside:avoid}a{color:inherit}"
	"thead{display:table-header-group}tfoot{display:table-row-group}}\n"
	"@media(max-width:40rem){body{padding:.6rem;font-size:14px}td.long{min-width:9rem}th,td{padding:.2rem .35rem}}\n";

void par_escape(const char *text, FILE *out)
{
	for (; *text; text++)
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			fputc(*text, out);
		}
}

static const char *text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

/* ---- tables ---- */

#define LONG_TEXT 48
#define SHORT_TEXT 32 /* is not broken */

static bool is_number(const char *text)
{
	return isdigit((unsigned char)text[text[0] == '-' ? 1 : 0]) &&
	       strspn(text, "0123456789.%/e+- ") == strlen(text);
}

/* Numbers are right-aligned; quotients and digests may break anywhere. */
static const char *class_of(const char *text, bool facts)
{
	if (strlen(text) > LONG_TEXT && !strchr(text, ' '))
		return " class=\"long\"";
	if (strcmp(text, "in band") == 0)
		return " class=\"good\"";
	if (strcmp(text, "OUT OF BAND") == 0)
		return " class=\"bad\"";
	if (facts)
		return "";
	if (is_number(text))
		return " class=\"n\"";
	return strlen(text) <= SHORT_TEXT ? " class=\"short\"" : "";
}

/* Whole numbers of five digits or more in groups of three, separated by a narrow no-break space. */
static void put_number(const char *text, FILE *out)
{
	size_t whole = strspn(text, "0123456789");

	for (size_t i = 0; i < whole; i++) {
		if (i > 0 && whole > 4 && (whole - i) % 3 == 0)
			fputs("&#8239;", out);
		fputc(text[i], out);
	}
	fputs(text + whole, out);
}

static void put_text(const char *text, FILE *out)
{
	size_t whole = strspn(text, "0123456789");

	if (text[whole] == 0 || (text[whole] == '.' && is_number(text)))
		put_number(text, out);
	else
		par_escape(text, out);
}

static void put_row(const json_t *columns, const json_t *row, bool facts, FILE *out)
{
	const json_t *column;
	size_t i;

	fputs("<tr>", out);
	json_array_foreach(columns, i, column)
	{
		const char *text = text_of(row, text_of(column, "id"));

		if (json_is_true(json_object_get(column, "exact")))
			continue;
		fprintf(out, "<td%s>", class_of(text, facts));
		put_text(text, out);
		fputs("</td>", out);
	}
	fputs("</tr>\n", out);
}

/* Titles are aligned like the first row's cells. */
static void put_titles(const json_t *table, bool facts, FILE *out)
{
	const json_t *first = json_array_get(json_object_get(table, "rows"), 0), *column;
	size_t i;

	fputs("<thead><tr>", out);
	json_array_foreach(json_object_get(table, "columns"), i, column)
	{
		bool right = !facts && is_number(text_of(first, text_of(column, "id")));

		if (json_is_true(json_object_get(column, "exact")))
			continue;
		fprintf(out, "<th scope=\"col\"%s>", right ? " class=\"n\"" : "");
		par_escape(text_of(column, "title"), out);
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n", out);
}

static void put_table(const json_t *table, FILE *out)
{
	const json_t *columns = json_object_get(table, "columns"), *row;
	const json_t *total = json_object_get(table, "total");
	bool dense = json_is_true(json_object_get(table, "dense"));
	bool facts = json_is_true(json_object_get(table, "facts"));
	size_t i;

	if (json_is_true(json_object_get(table, "whole")))
		return;
	fprintf(out, "<div class=\"scroll\" tabindex=\"0\"><table%s>\n<caption>",
		dense	? " class=\"dense\""
		: facts ? " class=\"facts\""
			: "");
	par_escape(text_of(table, "caption"), out);
	fputs("</caption>\n", out);
	put_titles(table, facts, out);
	fputs("<tbody>\n", out);
	json_array_foreach(json_object_get(table, "rows"), i, row)
		put_row(columns, row, facts, out);
	fputs("</tbody>\n", out);
	if (total) {
		fputs("<tfoot>", out);
		put_row(columns, total, facts, out);
		fputs("</tfoot>\n", out);
	}
	fputs("</table></div>\n", out);
}

/* ---- sections ---- */

static void put_section(const char *group, const json_t *section, FILE *out)
{
	const char *chart = json_string_value(json_object_get(section, "chart"));
	const json_t *item;
	size_t i;

	fprintf(out, "<section id=\"%s-%s\">\n<h3>", group, text_of(section, "id"));
	par_escape(text_of(section, "title"), out);
	fputs("</h3>\n", out);
	json_array_foreach(json_object_get(section, "words"), i, item)
	{
		fputs("<p>", out);
		par_escape(json_string_value(item), out);
		fputs("</p>\n", out);
	}
	if (chart) {
		fputs("<div class=\"chart\">", out);
		par_chart(chart, section, out);
		fputs("</div>\n", out);
	}
	json_array_foreach(json_object_get(section, "tables"), i, item) put_table(item, out);
	fputs("</section>\n", out);
}

static void put_sections(const char *group, const json_t *sections, FILE *out)
{
	const json_t *section;
	size_t i;

	json_array_foreach(sections, i, section) put_section(group, section, out);
}

static void put_links(const char *group, const json_t *sections, FILE *out)
{
	const json_t *section;
	size_t i;

	fputs("<ul>\n", out);
	json_array_foreach(sections, i, section)
	{
		fprintf(out, "<li><a href=\"#%s-%s\">", group, text_of(section, "id"));
		par_escape(text_of(section, "title"), out);
		fputs("</a></li>\n", out);
	}
	fputs("</ul>\n", out);
}

static void put_contents(const json_t *document, FILE *out)
{
	const json_t *mode;
	size_t i;

	fputs("<nav aria-label=\"Contents\">\n", out);
	put_links("game", json_object_get(document, "sections"), out);
	json_array_foreach(json_object_get(document, "modes"), i, mode)
	{
		fprintf(out, "<details><summary><a href=\"#%s\">", text_of(mode, "mode"));
		par_escape(text_of(mode, "title"), out);
		fprintf(out, " (%s)</a></summary>\n", text_of(mode, "mode"));
		put_links(text_of(mode, "mode"), json_object_get(mode, "sections"), out);
		fputs("</details>\n", out);
	}
	fputs("<details><summary>Strips</summary>\n", out);
	put_links("strips", json_object_get(document, "appendix"), out);
	fputs("</details>\n</nav>\n", out);
}

static void put_foot(const json_t *document, FILE *out)
{
	fputs("<footer>\n<p>Definition (SHA-256 of the canonical form): <code>", out);
	par_escape(text_of(document, "math_version"), out);
	fputs("</code></p>\n<p class=\"quiet\">Check it with <code>slotmath check</code> on the "
	      "definition file, and a played round, which carries the same digest, with <code>slotmath "
	      "replay</code> on its proof. The sheet holds no date: the same definition gives the same "
	      "bytes.</p>\n</footer>\n",
		out);
}

void par_html(const json_t *document, FILE *out)
{
	const json_t *mode;
	size_t i;

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
	      "name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>PAR sheet: ",
		out);
	par_escape(text_of(document, "name"), out);
	fprintf(out,
		"</title>\n<style>\n%s</style>\n</head>\n<body>\n<header>\n<h1>PAR sheet: ", style);
	par_escape(text_of(document, "name"), out);
	fputs("</h1>\n<p class=\"quiet\">", out);
	par_escape(text_of(document, "game"), out);
	fprintf(out, ", definition version %lld, math version <code>",
		(long long)json_integer_value(json_object_get(document, "definition_version")));
	par_escape(text_of(document, "math_version"), out);
	fputs("</code></p>\n</header>\n", out);
	put_contents(document, out);
	fputs("<main>\n<h2 class=\"first\" id=\"game\">The game</h2>\n", out);
	put_sections("game", json_object_get(document, "sections"), out);
	json_array_foreach(json_object_get(document, "modes"), i, mode)
	{
		fprintf(out, "<h2 id=\"%s\">", text_of(mode, "mode"));
		par_escape(text_of(mode, "title"), out);
		fprintf(out, " <small class=\"quiet\">%s</small></h2>\n", text_of(mode, "mode"));
		put_sections(text_of(mode, "mode"), json_object_get(mode, "sections"), out);
	}
	fputs("<h2 id=\"strips\">Strips</h2>\n", out);
	put_sections("strips", json_object_get(document, "appendix"), out);
	fputs("</main>\n", out);
	put_foot(document, out);
	fputs("</body>\n</html>\n", out);
}
