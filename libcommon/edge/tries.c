/* Counts wrong credentials by address. */
#include "libcommon/edge/tries.h"

#include "libcommon/edge/crowds.h"

#include <sodium.h>

#include <stdlib.h>
#include <string.h>

#define WAYS 8
#define SETS (TRIES_ADDRESSES / WAYS)
#define SECOND_US UINT64_C(1000000)

struct tried {
	struct address who; /* cut to its bits */
	bool used;
	uint32_t wrong;	   /* within the minute */
	uint32_t waits;	   /* waits in a row, each twice as long as the one before */
	uint64_t since_us; /* of the minute */
	uint64_t last_us;  /* the last wrong credential */
	uint64_t until_us; /* the end of the last wait */
};

struct tries {
	uint32_t wrong_max;
	uint64_t waits_until_us; /* after this nobody waits */
	uint8_t key[ADDRESS_HASH_KEY_BYTES];
	struct tried table[SETS][WAYS];
};

struct tries *tries_new(uint32_t wrong_max)
{
	struct tries *tries = calloc(1, sizeof(*tries));
	if (tries == NULL)
		return NULL;
	tries->wrong_max = wrong_max;
	randombytes_buf(tries->key, sizeof(tries->key));
	return tries;
}

void tries_free(struct tries **tries)
{
	free(*tries);
	*tries = NULL;
}

static struct address cut(const struct address *client)
{
	return address_network(client, 32, CROWD_ADDRESS_IPV6);
}

static size_t set_of(const struct tries *tries, const struct address *who)
{
	return address_hash(who, 0, tries->key) % SETS;
}

uint32_t tries_wait_s(const struct tries *tries, const struct address *client, uint64_t now_us)
{
	if (now_us >= tries->waits_until_us)
		return 0;
	struct address who = cut(client);
	const struct tried *set = tries->table[set_of(tries, &who)];
	for (size_t i = 0; i < WAYS; i++)
		if (set[i].used && set[i].until_us > now_us &&
			memcmp(&set[i].who, &who, sizeof(who)) == 0)
			return (uint32_t)((set[i].until_us - now_us + SECOND_US - 1) / SECOND_US);
	return 0;
}

static uint64_t free_from_us(const struct tried *tried)
{
	return !tried->used			  ? 0
	       : tried->until_us > tried->last_us ? tried->until_us
						  : tried->last_us;
}

/* The address's entry, new if need be. */
static struct tried *take(struct tries *tries, const struct address *who, uint64_t now_us)
{
	struct tried *set = tries->table[set_of(tries, who)];
	struct tried *first = &set[0];
	for (size_t i = 0; i < WAYS; i++) {
		if (set[i].used && memcmp(&set[i].who, who, sizeof(*who)) == 0)
			return &set[i];
		if (free_from_us(&set[i]) < free_from_us(first))
			first = &set[i];
	}
	*first = (struct tried){ .who = *who, .used = true, .since_us = now_us };
	return first;
}

static uint32_t next_wait_s(const struct tried *tried)
{
	uint32_t wait_s = TRIES_FIRST_S;
	for (uint32_t i = 0; i < tried->waits && wait_s < TRIES_LONGEST_S; i++)
		wait_s *= 2;
	return wait_s < TRIES_LONGEST_S ? wait_s : TRIES_LONGEST_S;
}

uint32_t tries_wrong(struct tries *tries, const struct address *client, uint64_t now_us)
{
	struct address who = cut(client);
	if (tries->wrong_max == 0)
		return 0;
	struct tried *tried = take(tries, &who, now_us);
	if (now_us >= free_from_us(tried) + TRIES_FORGOTTEN_S * SECOND_US)
		tried->waits = 0;
	if (now_us >= tried->since_us + TRIES_MINUTE_S * SECOND_US) {
		tried->since_us = now_us;
		tried->wrong = 0;
	}
	tried->last_us = now_us;
	if (++tried->wrong < tries->wrong_max)
		return 0;
	uint32_t wait_s = next_wait_s(tried);
	tried->wrong = 0;
	tried->waits++;
	tried->until_us = tried->since_us = now_us + wait_s * SECOND_US;
	if (tried->until_us > tries->waits_until_us)
		tries->waits_until_us = tried->until_us;
	return wait_s;
}
