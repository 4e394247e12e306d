/* The cursor of a feature: how far the player has watched, and what they picked. Money moves only
 * at the end, and no draw depends on the cursor. */
#include "services/spin-engine/core/player.h"
#include "services/spin-engine/core/player_move.h"

#include <string.h>

void player_stream(const struct play_round *round, const uint8_t round_key[PLAYER_KEY_BYTES],
	struct rng *rng_r)
{
	rng_init(rng_r, round_key);
	if (round->forced_count > 0)
		rng_force(rng_r, round->forced, round->forced_count);
}

bool player_next_phase(const struct player_game *play, const struct game *game,
	const uint8_t round_key[PLAYER_KEY_BYTES], struct phase *phase_r)
{
	struct rng rng;

	if (!player_feature_open(play))
		return false;
	player_stream(&play->round, round_key, &rng);
	return round_replay(game, &play->round.bet, &play->round.before, &rng,
		       play->state.open.cursor, phase_r) == ROUND_OK;
}

/* Stores a pick of the bonus at the cursor. A vial can be picked once, so a repeated request counts
 * once. */
static bool take_pick(struct player_game *play, uint32_t choice)
{
	struct open_round *open = &play->state.open;
	struct play_round *round = &play->round;

	for (uint32_t i = 0; i < open->picks; i++)
		if (open->pick[i] == choice)
			return false;
	open->pick[open->picks++] = (uint8_t)choice;
	if (round->pick_count < PLAYER_PICKS_MAX)
		round->pick[round->pick_count++] = (uint8_t)choice;
	play->version++;
	return true;
}

void player_pick_all(struct player_game *play, uint32_t needed)
{
	for (uint32_t choice = 0; play->state.open.picks < needed; choice++)
		(void)take_pick(play, choice);
}

/* Shows the current phase and later ones, up to the next that needs the player, at most `limit`.
 * The bet played the whole round, so the replay cannot end early. */
static void advance(struct player_game *play, const struct game *game,
	const uint8_t round_key[PLAYER_KEY_BYTES], uint32_t limit)
{
	struct open_round *open = &play->state.open;
	uint32_t from = open->cursor;
	struct round round;
	struct phase phase;
	struct rng rng;

	player_stream(&play->round, round_key, &rng);
	if (round_begin(game, &play->round.bet, &play->round.before, &rng, &round) != ROUND_OK)
		return;
	while (round_next(&round, &phase) == ROUND_OK) {
		if (phase.index < from)
			continue;
		if (phase.index > from &&
			(phase.needs_player != NEEDS_NOTHING || phase.index - from >= limit))
			break;
		open->cursor = phase.index + 1;
		if (phase.jackpot_hit)
			play->round.claims_shown = phase.claim_index;
	}
	open->picks = 0;
	memset(open->pick, 0, sizeof(open->pick));
	play->version++;
}

void player_watch_all(struct player_game *play, const struct game *game,
	const uint8_t round_key[PLAYER_KEY_BYTES])
{
	struct phase phase;

	while (player_next_phase(play, game, round_key, &phase)) {
		if (phase.needs_player == NEEDS_PICKS)
			player_pick_all(play, phase.picks_needed);
		advance(play, game, round_key, GAME_ROUND_PHASES_MAX);
	}
}

static enum player_outcome refuse(struct player_error *error, enum player_refusal refusal,
	const char *field, int64_t found, int64_t min, int64_t max)
{
	*error = (struct player_error){ refusal, 0, field, found, min, max };
	return PLAYER_REFUSE;
}

static enum player_outcome step_witch(struct player_game *play, const struct game *game,
	uint32_t witch, struct player_error *error_r)
{
	if (play->state.witch_chosen && play->state.witch == witch)
		return PLAYER_ANSWER;
	if (!game_state_set_witch(game, &play->state, witch))
		return refuse(
			error_r, REFUSED_WITCH, "witch", witch, 0, (int64_t)game->witch_count - 1);
	play->version++;
	return PLAYER_ANSWER;
}

/* Applies a pick. Before the last pick the cursor stays. PLAYER_STEP: the phase may be shown. */
static enum player_outcome step_pick(struct player_game *play, const struct phase *phase,
	const struct player_command *command, struct player_error *error_r)
{
	if (phase->needs_player != NEEDS_PICKS)
		return refuse(error_r, REFUSED_NO_PICK, "action", 0, 1, 0);
	if (command->choice >= phase->picks_offered)
		return refuse(error_r, REFUSED_CHOICE, "choice", command->choice, 0,
			(int64_t)phase->picks_offered - 1);
	if (play->state.open.picks < phase->picks_needed)
		(void)take_pick(play, command->choice);
	return play->state.open.picks < phase->picks_needed ? PLAYER_ANSWER : PLAYER_STEP;
}

enum player_outcome player_step(const struct player *player, struct player_game *play,
	const struct game *game, const struct player_command *command,
	const struct player_entropy *entropy, uint32_t *from_r, struct player_proposal *proposal_r,
	struct player_error *error_r)
{
	struct player_game trial = *play;
	struct phase phase;
	enum player_outcome outcome;

	if (command->verb == VERB_WITCH)
		return step_witch(play, game, command->choice, error_r);
	*from_r = play->state.open.cursor;
	if (!player_next_phase(play, game, entropy->round_key, &phase))
		return refuse(error_r, REFUSED_CURSOR, "cursor", command->cursor,
			play->state.open.cursor, play->state.open.cursor);
	if (command->verb == VERB_PICK) {
		outcome = step_pick(&trial, &phase, command, error_r);
		if (outcome != PLAYER_STEP) {
			if (outcome == PLAYER_ANSWER)
				*play = trial;
			return outcome;
		}
	} else if (phase.needs_player == NEEDS_PICKS) {
		return refuse(error_r, REFUSED_PICK_NEEDED, "action", 0, 1, 0);
	}
	advance(&trial, game, entropy->round_key, PLAYER_SHOW_MAX);
	if (!player_feature_open(&trial) &&
		player_propose_end(player, play, &trial, game, command, entropy, proposal_r))
		return PLAYER_PROPOSE;
	*play = trial;
	return PLAYER_ANSWER;
}
