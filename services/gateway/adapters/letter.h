/* What a dead letter holds, and whether its message may be sent again. Pure.
 *
 * A message may be sent again if all of this holds: it is a command that the gateway may send, so
 * its owner checks it as ever; it takes effect once, by its own id; nothing that was done since can
 * be undone by it; and the service that owns commands of this kind has itself written the letter.
 * So a service that invents a letter gains nothing: it gets a message that it wrote itself. */
#ifndef CARILLON_GATEWAY_ADAPTERS_LETTER_H
#define CARILLON_GATEWAY_ADAPTERS_LETTER_H

#include "libcommon/base/ids.h"
#include "libcommon/io/kafka.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LETTER_SENT_MAX 15000 /* a longer message is not sent again */

struct letter {
	const char *service; /* who wrote it, by its MAC */
	const char *topic;   /* of the message, or the kind of command */
	const uint8_t *bytes;
	size_t length;
};

struct letter_about {
	enum topic kind;
	const char *what; /* "deposit"; "" where the message does not tell */
	player_id player; /* 0: none */
	uint32_t pool;	  /* 0: none */
	bool money;	  /* it names an amount */
	int64_t amount_minor;
	uint32_t currency;
	/* NULL: it may be sent again. Else a word that says why not (docs/contracts.md, "Dead
	 * letters"). */
	const char *why_not;
};

/* Walks over the bytes and reads only a few fields: the message may be one that crashes a decoder.
 */
struct letter_about letter_read(const struct letter *letter);
/* The service of this name, if messages are sent to it again; else NULL. A constant. */
const char *letter_writer(const char *service);

#endif
