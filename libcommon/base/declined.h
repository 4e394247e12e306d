/* Remembers the commands that the service refused without writing a row. The sender of such a
 * command is told that it has no effect. So the service drops every copy of the command that
 * arrives later. It remembers only the last few thousand commands, because only copies that are
 * already on their way can still arrive: the sender stops repeating when it gets the refusal. Pure.
 */
#ifndef CARILLON_BASE_DECLINED_H
#define CARILLON_BASE_DECLINED_H

#include <stdbool.h>
#include <stdint.h>

#define DECLINED_BUCKETS 1024u
#define DECLINED_EACH 8u

/* All zero: empty. */
struct declined {
	uint64_t key[DECLINED_BUCKETS][DECLINED_EACH]; /* 0: none */
	uint8_t next[DECLINED_BUCKETS];
};

/* Remembers a refused command by its sender (the URL for the answer), the sender's number for it,
 * and its player or pool. A command without a sender is not remembered, because nobody received a
 * refusal. */
void declined_note(
	struct declined *declined, const char *asker, uint64_t correlation, int64_t subject);
/* Was this command refused? The chance that another command is taken for a refused one is about
 * 2^-50. */
bool declined_has(
	const struct declined *declined, const char *asker, uint64_t correlation, int64_t subject);

#endif
