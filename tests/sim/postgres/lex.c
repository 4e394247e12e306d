/* SQL into tokens, and what the parsers ask of them. */
#include "tests/sim/postgres/postgres.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct lexer {
	const char *sql, *at;
	struct fpg_token *token;
	int n, room;
};

static void add(struct lexer *lexer, enum fpg_token_kind kind, const char *from, const char *text)
{
	if (lexer->n == lexer->room) {
		int room = lexer->room == 0 ? 256 : lexer->room * 2;
		struct fpg_token *larger = fpg_keep((size_t)room * sizeof(*larger));
		if (lexer->n > 0)
			memcpy(larger, lexer->token, (size_t)lexer->n * sizeof(*larger));
		lexer->token = larger;
		lexer->room = room;
	}
	lexer->token[lexer->n++] = (struct fpg_token){ kind, text, (size_t)(from - lexer->sql) };
}

static const char *lower(const char *from, size_t n)
{
	char *text = fpg_keep_text(from, n);
	for (size_t i = 0; i < n; i++)
		text[i] = (char)tolower((unsigned char)text[i]);
	return text;
}

/* 'it''s', and "names". */
static void quoted(struct lexer *lexer, char mark)
{
	const char *from = lexer->at;
	char *text = fpg_keep(strlen(from) + 1 < 4096 ? strlen(from) + 1 : 65536);
	size_t n = 0;
	for (lexer->at++; *lexer->at != '\0' && n < 65000; lexer->at++) {
		if (*lexer->at == mark && lexer->at[1] != mark)
			break;
		if (*lexer->at == mark)
			lexer->at++;
		text[n++] = *lexer->at;
	}
	lexer->at += *lexer->at == mark;
	add(lexer, mark == '"' ? FPG_T_QUOTED : FPG_T_STRING, from, text);
}

/* $$ .. $$ and $name$ .. $name$; false: it is a parameter. */
static bool dollars(struct lexer *lexer)
{
	const char *from = lexer->at;
	const char *end = from + 1 + strcspn(from + 1, "$ \n\t,);");
	if (isdigit((unsigned char)from[1]) || *end != '$')
		return false;
	char *mark = fpg_keep_text(from, (size_t)(end - from) + 1);
	const char *close = strstr(end + 1, mark);
	if (close == NULL)
		sim_fail("fake Postgres: text after %s has no end:\n%s", mark, lexer->sql);
	add(lexer, FPG_T_STRING, from, fpg_keep_text(end + 1, (size_t)(close - end - 1)));
	lexer->at = close + strlen(mark);
	return true;
}

static bool space(struct lexer *lexer)
{
	const char *at = lexer->at;
	while (isspace((unsigned char)*at))
		at++;
	if (at[0] == '-' && at[1] == '-')
		at += strcspn(at, "\n");
	else if (at[0] == '/' && at[1] == '*') {
		const char *end = strstr(at + 2, "*/");
		at = end == NULL ? at + strlen(at) : end + 2;
	}
	bool moved = at != lexer->at;
	lexer->at = at;
	return moved;
}

static void sign_token(struct lexer *lexer)
{
	static const char *const SIGNS[] = { "::", "<=", ">=", "<>", "!=", "||", "->>", "->", "=>",
		"!~", "@>", NULL };
	for (int i = 0; SIGNS[i] != NULL; i++)
		if (strncmp(lexer->at, SIGNS[i], strlen(SIGNS[i])) == 0) {
			add(lexer, FPG_T_SIGN, lexer->at, SIGNS[i]);
			lexer->at += strlen(SIGNS[i]);
			return;
		}
	add(lexer, FPG_T_SIGN, lexer->at, fpg_keep_text(lexer->at, 1));
	lexer->at++;
}

static size_t number_length(const char *at)
{
	size_t n = strspn(at, "0123456789");
	if (at[n] == '.' && isdigit((unsigned char)at[n + 1]))
		n += 1 + strspn(at + n + 1, "0123456789");
	if (at[n] == 'e' && (isdigit((unsigned char)at[n + 1]) || at[n + 1] == '-'))
		n += 2 + strspn(at + n + 2, "0123456789");
	return n;
}

void fpg_lex(struct fpg_parser *parser, const char *sql)
{
	struct lexer lexer = { .sql = sql, .at = sql };
	for (;;) {
		size_t n;
		unsigned char c;
		while (space(&lexer))
			continue;
		c = (unsigned char)*lexer.at;
		if (c == '\0')
			break;
		if (c == '\'' || c == '"') {
			quoted(&lexer, (char)c);
		} else if (c == '$') {
			if (dollars(&lexer))
				continue;
			n = 1 + strspn(lexer.at + 1, "0123456789");
			add(&lexer, FPG_T_PARAM, lexer.at, fpg_keep_text(lexer.at + 1, n - 1));
			lexer.at += n;
		} else if (isdigit(c)) {
			n = number_length(lexer.at);
			add(&lexer, FPG_T_NUMBER, lexer.at, fpg_keep_text(lexer.at, n));
			lexer.at += n;
		} else if (isalpha(c) || c == '_') {
			for (n = 1; isalnum((unsigned char)lexer.at[n]) || lexer.at[n] == '_';)
				n++;
			add(&lexer, FPG_T_WORD, lexer.at, lower(lexer.at, n));
			lexer.at += n;
		} else {
			sign_token(&lexer);
		}
	}
	add(&lexer, FPG_T_END, lexer.at, "");
	add(&lexer, FPG_T_END, lexer.at, "");
	add(&lexer, FPG_T_END, lexer.at, "");
	*parser = (struct fpg_parser){ .sql = sql, .token = lexer.token };
}

void fpg_not_known(const struct fpg_parser *parser, const char *what)
{
	const struct fpg_token *token = &parser->token[parser->at];
	if (parser->define)
		fpg_raise("0A000", "%s at \"%.60s\" is not known", what, parser->sql + token->at);
	sim_fail("fake Postgres: %s at \"%.60s\": this statement is not known to it:\n%s", what,
		parser->sql + token->at, parser->sql);
}

bool fpg_is(const struct fpg_parser *parser, const char *text)
{
	const struct fpg_token *token = &parser->token[parser->at];
	return (token->kind == FPG_T_WORD || token->kind == FPG_T_SIGN) &&
	       strcmp(token->text, text) == 0;
}

bool fpg_is_2(const struct fpg_parser *parser, const char *first, const char *second)
{
	const struct fpg_token *token = &parser->token[parser->at + 1];
	return fpg_is(parser, first) && (token->kind == FPG_T_WORD || token->kind == FPG_T_SIGN) &&
	       strcmp(token->text, second) == 0;
}

bool fpg_take(struct fpg_parser *parser, const char *text)
{
	bool is = fpg_is(parser, text);
	parser->at += is;
	return is;
}

void fpg_expect(struct fpg_parser *parser, const char *text)
{
	if (!fpg_take(parser, text))
		fpg_not_known(parser, text);
}

const char *fpg_name(struct fpg_parser *parser)
{
	const struct fpg_token *token = &parser->token[parser->at];
	if (token->kind != FPG_T_WORD && token->kind != FPG_T_QUOTED)
		fpg_not_known(parser, "a name is expected");
	parser->at++;
	return token->text;
}

const char *fpg_qualified(struct fpg_parser *parser)
{
	const char *first = fpg_name(parser);
	if (!fpg_take(parser, "."))
		return first;
	const char *second = fpg_name(parser);
	char *both = fpg_keep(strlen(first) + strlen(second) + 2);
	(void)strcat(strcat(strcat(both, first), "."), second);
	return both;
}

bool fpg_reserved(const char *word)
{
	static const char *const WORDS[] = { "from", "where", "order", "limit", "offset", "on",
		"join", "left", "inner", "cross", "full", "right", "union", "except", "intersect",
		"group", "having", "for", "set", "returning", "values", "using", "as", "and", "or",
		"not", "then", "else", "when", "end", "is", "in", "between", "like", "asc", "desc",
		"nulls", "select", "with", "do", "natural", "lateral", "window", "fetch", NULL };
	for (int i = 0; WORDS[i] != NULL; i++)
		if (strcmp(WORDS[i], word) == 0)
			return true;
	return false;
}
