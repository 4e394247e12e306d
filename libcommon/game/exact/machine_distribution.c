/* Computes the distribution of a machine forwards: after each reel, the number of prefixes in each
 * state with each gain and tag. Equal prefixes are one entry, and a state's columns are first
 * merged by their targets, so the work is proportional to thousands of states instead of 10^8
 * windows. */
#include "libcommon/game/reel_machine.h"

#include <stdlib.h>
#include <string.h>

/* key: state << (GAIN_BITS + tag bits) | tag's number << GAIN_BITS | jackpot << 30 | coins. The
 * state is in the highest bits, so sorting groups a state's entries. */
#define GAIN_BITS 31
#define GAIN_MASK ((UINT64_C(1) << GAIN_BITS) - 1)
#define KEY_JACKPOT (UINT64_C(1) << 30)
#define TAGS_MAX 65536

struct entry {
	uint64_t key;
	exact_count count;
};

struct table {
	struct entry *entry;
	uint32_t *slot; /* hash -> entry + 1 */
	size_t count, room;
};

/* The possible sums of tags after some reels, each with a number. */
struct tag_set {
	uint32_t count;
	uint32_t *tag;
};

static uint64_t mixed(uint64_t key)
{
	key *= UINT64_C(0x9e3779b97f4a7c15);
	return key ^ (key >> 29);
}

static bool table_grow(struct table *table)
{
	size_t room = table->room == 0 ? 4096 : table->room * 2;
	struct entry *entry = realloc(table->entry, room * sizeof(*entry));
	uint32_t *slot;

	if (entry == NULL)
		return false;
	table->entry = entry;
	slot = calloc(room * 2, sizeof(*slot));
	if (slot == NULL)
		return false;
	free(table->slot);
	table->slot = slot;
	table->room = room;
	for (size_t i = 0; i < table->count; i++) {
		size_t at = mixed(entry[i].key) & (room * 2 - 1);

		while (slot[at] != 0)
			at = (at + 1) & (room * 2 - 1);
		slot[at] = (uint32_t)i + 1;
	}
	return true;
}

static bool table_add(struct table *table, uint64_t key, exact_count count)
{
	size_t mask = table->room * 2 - 1, at = mixed(key) & mask;

	for (; table->slot[at] != 0; at = (at + 1) & mask)
		if (table->entry[table->slot[at] - 1].key == key) {
			table->entry[table->slot[at] - 1].count += count;
			return true;
		}
	table->slot[at] = (uint32_t)table->count + 1;
	table->entry[table->count++] = (struct entry){ key, count };
	return table->count < table->room || table_grow(table);
}

static void table_clear(struct table *table)
{
	memset(table->slot, 0, table->room * 2 * sizeof(*table->slot));
	table->count = 0;
}

static void table_free(struct table *table)
{
	free(table->entry);
	free(table->slot);
	*table = (struct table){ 0 };
}

/* ---- tags ---- */

static int by_tag(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static uint32_t unique(uint32_t *tag, uint32_t count)
{
	uint32_t kept = 0;

	qsort(tag, count, sizeof(*tag), by_tag);
	for (uint32_t i = 0; i < count; i++)
		if (kept == 0 || tag[kept - 1] != tag[i])
			tag[kept++] = tag[i];
	return kept;
}

static uint32_t tag_number(const struct tag_set *set, uint32_t tag)
{
	const uint32_t *found = bsearch(&tag, set->tag, set->count, sizeof(tag), by_tag);

	return (uint32_t)(found - set->tag);
}

static uint32_t bits_of(uint32_t count)
{
	uint32_t bits = 0;

	while (count > UINT32_C(1) << bits)
		bits++;
	return bits;
}

/* ---- one reel ---- */

/* The target of equal columns of a state. */
struct branch {
	uint64_t key; /* next state, gain and number of the tag, in one word for comparison */
	uint32_t next, gain, own;
	uint64_t weight;
};

#define BRANCH_SLOTS 1024 /* a power of two, at least twice the columns of a strip */

struct passage {
	const struct machine_reel_states *reel;
	struct tag_set from, own, to;
	uint32_t from_bits, to_bits;
	uint32_t *own_number; /* [column] */
	uint32_t *sum_number; /* [number in from * own.count + number in own] */
	struct branch *branch;
	uint32_t *slot; /* hash -> branch + 1; slots of them */
	uint32_t slots;
};

static void passage_close(struct passage *passage)
{
	free(passage->own.tag);
	free(passage->own_number);
	free(passage->sum_number);
	free(passage->branch);
	free(passage->slot);
}

/* Tables of one reel; passage->to.tag goes on to be the next reel's from. */
static bool passage_open(struct passage *passage, const struct machine_reel_states *reel)
{
	size_t sums;

	passage->reel = reel;
	for (passage->slots = BRANCH_SLOTS; passage->slots < 2 * reel->columns;)
		passage->slots *= 2;
	passage->own.tag = malloc(reel->columns * sizeof(uint32_t));
	passage->own_number = malloc(reel->columns * sizeof(uint32_t));
	passage->branch = malloc(reel->columns * sizeof(struct branch));
	passage->slot = calloc(passage->slots, sizeof(uint32_t));
	if (passage->own.tag == NULL || passage->own_number == NULL || passage->branch == NULL ||
		passage->slot == NULL)
		return false;
	memcpy(passage->own.tag, reel->tag, reel->columns * sizeof(uint32_t));
	passage->own.count = unique(passage->own.tag, reel->columns);
	for (uint32_t c = 0; c < reel->columns; c++)
		passage->own_number[c] = tag_number(&passage->own, reel->tag[c]);
	sums = (size_t)passage->own.count * passage->from.count;
	if (sums > TAGS_MAX * (size_t)16)
		return false;
	passage->to.tag = malloc(sums * sizeof(uint32_t));
	passage->sum_number = malloc(sums * sizeof(uint32_t));
	if (passage->to.tag == NULL || passage->sum_number == NULL)
		return false;
	for (size_t i = 0; i < sums; i++)
		passage->to.tag[i] = passage->from.tag[i / passage->own.count] +
				     passage->own.tag[i % passage->own.count];
	passage->to.count = unique(passage->to.tag, (uint32_t)sums);
	passage->from_bits = bits_of(passage->from.count);
	passage->to_bits = bits_of(passage->to.count);
	for (size_t i = 0; i < sums; i++)
		passage->sum_number[i] =
			tag_number(&passage->to, passage->from.tag[i / passage->own.count] +
							 passage->own.tag[i % passage->own.count]);
	return bits_of(reel->states) + passage->from_bits + GAIN_BITS <= 64;
}

/* The targets of a state's columns, with equal ones merged. */
static uint32_t branches_of(struct passage *passage, uint32_t state)
{
	const struct machine_reel_states *reel = passage->reel;
	const uint32_t *next = &reel->next[(size_t)state * reel->columns];
	const uint32_t *gain = &reel->gain[(size_t)state * reel->columns];
	uint32_t kept = 0;

	for (uint32_t c = 0; c < reel->columns; c++) {
		uint32_t own = passage->own_number[c];
		uint64_t key = mixed((uint64_t)next[c] << 32 | gain[c]) ^ own;
		uint32_t at = (uint32_t)(mixed(key) >> 20) & (passage->slots - 1);
		struct branch *branch;

		for (; passage->slot[at] != 0; at = (at + 1) & (passage->slots - 1)) {
			branch = &passage->branch[passage->slot[at] - 1];
			if (branch->next == next[c] && branch->gain == gain[c] &&
				branch->own == own)
				break;
		}
		if (passage->slot[at] == 0) {
			passage->branch[kept] = (struct branch){
				.key = at, .next = next[c], .gain = gain[c], .own = own
			};
			passage->slot[at] = ++kept;
		}
		passage->branch[passage->slot[at] - 1].weight += reel->weight[c];
	}
	for (uint32_t b = 0; b < kept; b++)
		passage->slot[passage->branch[b].key] = 0;
	return kept;
}

/* Moves all entries of one state along its branches. A spin wins the progressive at most once, so
 * the jackpot's bit is set and never added. */
static bool state_pass(
	struct passage *passage, const struct entry *entry, size_t count, struct table *to)
{
	uint64_t tag_mask = (UINT64_C(1) << passage->from_bits) - 1;
	uint32_t branches =
		branches_of(passage, (uint32_t)(entry->key >> GAIN_BITS >> passage->from_bits));

	for (size_t i = 0; i < count; i++) {
		uint64_t gain = entry[i].key & GAIN_MASK;
		const uint32_t *number =
			&passage->sum_number[(entry[i].key >> GAIN_BITS & tag_mask) *
					     passage->own.count];

		for (uint32_t b = 0; b < branches; b++) {
			const struct branch *branch = &passage->branch[b];
			uint64_t sum = (gain + (branch->gain & ~MACHINE_JACKPOT)) |
				       ((branch->gain & MACHINE_JACKPOT) != 0 ? KEY_JACKPOT : 0);
			uint64_t place =
				(uint64_t)branch->next << passage->to_bits | number[branch->own];

			if (!table_add(
				    to, place << GAIN_BITS | sum, entry[i].count * branch->weight))
				return false;
		}
	}
	return true;
}

/* Entries in order of their states: counted, then placed. */
static struct entry *by_state(const struct table *table, uint32_t states, uint32_t shift)
{
	size_t *place = calloc(states + 1, sizeof(*place));
	struct entry *sorted = malloc((table->count + 1) * sizeof(*sorted));

	if (place != NULL && sorted != NULL) {
		for (size_t i = 0; i < table->count; i++)
			place[(table->entry[i].key >> GAIN_BITS >> shift) + 1]++;
		for (uint32_t s = 0; s < states; s++)
			place[s + 1] += place[s];
		for (size_t i = 0; i < table->count; i++)
			sorted[place[table->entry[i].key >> GAIN_BITS >> shift]++] =
				table->entry[i];
	} else {
		free(sorted);
		sorted = NULL;
	}
	free(place);
	return sorted;
}

static bool reel_pass(struct passage *passage, struct table *from, struct table *to)
{
	struct entry *entry = by_state(from, passage->reel->states, passage->from_bits);
	const size_t count = from->count;
	bool passed = entry != NULL;

	for (size_t i = 0, end = 0; passed && i < count; i = end) {
		uint64_t state = entry[i].key >> GAIN_BITS >> passage->from_bits;

		while (end < count && entry[end].key >> GAIN_BITS >> passage->from_bits == state)
			end++;
		passed = state_pass(passage, &entry[i], end - i, to);
	}
	free(entry);
	return passed;
}

/* ---- the result ---- */

/* By the key, a byte at a time from the lowest: keys are (tag's number, jackpot, coins). */
static bool sort_by_key(struct table *table, uint32_t bits)
{
	struct entry *other = malloc(table->room * sizeof(*other));

	if (other == NULL)
		return false;
	for (uint32_t shift = 0; shift < bits; shift += 8) {
		size_t place[257] = { 0 };
		struct entry *swap = table->entry;

		for (size_t i = 0; i < table->count; i++)
			place[(table->entry[i].key >> shift & 0xff) + 1]++;
		if (place[(table->entry[0].key >> shift & 0xff) + 1] == table->count)
			continue;
		for (uint32_t b = 0; b < 256; b++)
			place[b + 1] += place[b];
		for (size_t i = 0; i < table->count; i++)
			other[place[table->entry[i].key >> shift & 0xff]++] = table->entry[i];
		table->entry = other;
		other = swap;
	}
	free(other);
	return true;
}

static struct machine_outcome *outcomes_of(struct table *table, const struct tag_set *tags)
{
	struct machine_outcome *out = malloc((table->count + 1) * sizeof(*out));

	if (out == NULL || !sort_by_key(table, GAIN_BITS + bits_of(tags->count))) {
		free(out);
		return NULL;
	}
	for (size_t i = 0; i < table->count; i++) {
		uint64_t key = table->entry[i].key;

		out[i] = (struct machine_outcome){
			.win = key & (KEY_JACKPOT - 1),
			.tag = tags->tag[key >> GAIN_BITS],
			.jackpots = (key & KEY_JACKPOT) != 0,
			.count = table->entry[i].count,
		};
	}
	return out;
}

struct machine_outcome *reel_machine_distribution(
	const struct reel_machine *machine, size_t *count_r)
{
	struct table table[2] = { { 0 } };
	struct tag_set tags = { 1, calloc(1, sizeof(uint32_t)) };
	struct machine_outcome *out = NULL;
	bool passed = tags.tag != NULL && table_grow(&table[0]) && table_grow(&table[1]) &&
		      table_add(&table[0], 0, 1);

	for (uint32_t r = 0; passed && r < machine->reels; r++) {
		struct passage passage = { .from = tags };

		table_clear(&table[(r + 1) % 2]);
		passed = passage_open(&passage, &machine->reel[r]) &&
			 reel_pass(&passage, &table[r % 2], &table[(r + 1) % 2]);
		passage_close(&passage);
		free(tags.tag);
		tags = passage.to;
	}
	if (passed) {
		out = outcomes_of(&table[machine->reels % 2], &tags);
		*count_r = table[machine->reels % 2].count;
	}
	free(tags.tag);
	table_free(&table[0]);
	table_free(&table[1]);
	return out;
}
