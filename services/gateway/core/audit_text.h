/* What a line of the audit log holds, as people and programs read it. Pure. */
#ifndef CARILLON_GATEWAY_CORE_AUDIT_TEXT_H
#define CARILLON_GATEWAY_CORE_AUDIT_TEXT_H

#include <stddef.h>

/* Bytes that `out_r` needs for a content of this length. */
#define AUDIT_TEXT_ROOM(length) (2 * (length) + 1)

/* Copies JSON; each member "currency" whose value is a number becomes the currency's code, so that
 * the amounts beside it can be read. An unknown number stays. */
void audit_text_currencies(const char *json, char *out_r);

#endif
