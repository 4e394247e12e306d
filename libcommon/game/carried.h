/* Carried state: the collectibles and unlocked features (struct round_state) that a player keeps
 * from round to round, separately for each bet value. A bet value is a total bet; bet values with
 * nothing carried have no entry. The state is kept small, because the record of each move contains
 * it: an entry takes eight bytes in memory and seven in the encoding. Pure. RULE witch-feature
 * 3.12, 3.13 */
#ifndef CARILLON_GAME_CARRIED_H
#define CARILLON_GAME_CARRIED_H

#include "libcommon/base/money.h"
#include "libcommon/game/game.h"
#include "libcommon/game/round.h"

#define CARRIED_MAX GAME_COINS_MAX
#define CARRIED_BYTES_MAX (1 + CARRIED_MAX * 7)

/* Opaque; all zero for a new player. */
struct carried {
	uint32_t count;
	uint64_t entry[CARRIED_MAX]; /* total bet << 8 | packed state, rising */
};

/* A state in one byte: two bits a colour (red lowest), two for the unlocked steps. */
uint8_t round_state_pack(const struct round_state *state);
/* False, and nothing changed, for a byte that is not a state: more than two collectibles. */
bool round_state_unpack(uint8_t byte, struct round_state *state_r);

/* The state that a round at this total bet begins with. The stored state may be older than the
 * definition: this function leaves out steps and collectibles that the game no longer has. */
struct round_state carried_state(
	const struct carried *carried, const struct game *game, struct money total);
/* The total bet of entry i, 0 .. count - 1, rising. */
struct money carried_total(const struct carried *carried, uint32_t i);
/* Stores the state after a round at this total bet. If there is no room, it drops a bet value
 * that the game no longer offers in the currency. False, and nothing changed, if there is no
 * room and the game still offers every stored bet value. The loader refuses games for which this
 * could happen: those with collectibles and more than CARRIED_MAX bet values in a currency (a
 * player has one currency). */
bool carried_set(struct carried *carried, const struct game *game, uint32_t currency,
	struct money total, const struct round_state *state) CARILLON_MUST_CHECK;

/* Canonical bytes; `out` holds CARRIED_BYTES_MAX. Returns the length; 0: nothing is carried. */
size_t carried_encode(const struct carried *carried, uint8_t *out);
/* False, and nothing changed, for bytes that carried_encode cannot have made. */
bool carried_decode(const uint8_t *bytes, size_t count, struct carried *carried_r);

#endif
