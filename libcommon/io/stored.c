/* Stored values that are not what they must be. */
#include "libcommon/io/stored.h"

#include "libcommon/base/utf8.h"
#include "libcommon/io/log.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

static struct stored_fault *noting; /* of the innermost try; NULL: none */

void stored_try(struct stored_fault *fault)
{
	fault->text[0] = '\0';
	fault->outer = noting;
	noting = fault;
}

bool stored_good(void)
{
	return noting == NULL || noting->text[0] == '\0';
}

bool stored_tried(struct stored_fault *fault)
{
	assert(noting == fault);
	noting = fault->outer;
	fault->outer = NULL;
	return fault->text[0] == '\0';
}

void stored_wrong(const char *format, ...)
{
	char text[STORED_TEXT_MAX];
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (noting == NULL)
		fatal("%s", text);
	if (noting->text[0] == '\0')
		(void)snprintf(noting->text, sizeof(noting->text), "%s", text);
	utf8_whole(noting->text); /* Postgres stores it; what was found in it may be cut */
}
