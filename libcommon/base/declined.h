/* The commands that were declined without a row, so that nothing remembers them: they had no effect
 * and their asker was told so. A repeat that was on its way meanwhile must not take effect after
 * all, so it is dropped. Holds the last few thousand: an asker repeats a command for seconds only.
 * Pure. */
#ifndef CARILLON_BASE_DECLINED_H
#define CARILLON_BASE_DECLINED_H

#include <stdbool.h>
#include <stdint.h>

#define DECLINED_BUCKETS 1024u
#define DECLINED_EACH 8u

/* Zeroed: empty. */
struct declined {
	uint64_t key[DECLINED_BUCKETS][DECLINED_EACH]; /* 0: none */
	uint8_t next[DECLINED_BUCKETS];
};

/* Remembers a command by its asker (the URL for its answer), the asker's number for it, and its
 * player or pool. Without an asker nobody was told anything, and nothing is remembered. */
void declined_note(
	struct declined *declined, const char *asker, uint64_t correlation, int64_t subject);
/* Was this command declined? Another command counts as declined once in 2^50 or so. */
bool declined_has(
	const struct declined *declined, const char *asker, uint64_t correlation, int64_t subject);

#endif
