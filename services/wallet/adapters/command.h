/* Decodes commands to the wallet into the core's structs. The decoder checks the form of
 * everything that arrives: lengths, ranges, presence. The core refuses what is well formed but not
 * allowed, as a row. */
#ifndef CARILLON_WALLET_ADAPTERS_COMMAND_H
#define CARILLON_WALLET_ADAPTERS_COMMAND_H

#include "libcommon/io/arena.h"
#include "services/wallet/core/wallet.h"

#include "wallet.pb-c.h"

#define COMMAND_URL_MAX 256
#define COMMAND_REASON_MAX 512 /* bytes of an operator's reason, and of their name */

enum command_kind {
	COMMAND_PROPOSAL = 0,
	COMMAND_OUTSIDE,
	COMMAND_AWARD,
	COMMAND_UNKNOWN, /* a body that this build does not know: refused as a row */
};

struct command {
	enum command_kind kind;
	player_id player;
	const Carillon__Envelope *envelope; /* NULL when it is missing */
	const char *reply_to;		    /* "": nobody waits for a reply */
	uint64_t correlation;
	union {
		struct wallet_proposal proposal;
		struct wallet_outside outside;
		struct wallet_award award;
	};
};

enum command_status { COMMAND_OK = 0, COMMAND_UNREADABLE };

/* *command_r and all it points to live in the arena. On UNREADABLE, why_r (why_size bytes) says
 * what is wrong, where, what was found and what is expected. */
enum command_status command_read(const uint8_t *bytes, size_t length, struct arena *arena,
	struct command *command_r, char *why_r, size_t why_size);

#endif
