/* Counts connections and requests by address and network. */
#include "libcommon/edge/crowds.h"

#include <sodium.h>

#include <stdlib.h>
#include <string.h>

#define WAYS 8
#define TOKEN INT64_C(1000000) /* a request, in millionths */
#define ENTRIES_MIN 1024u

enum scale { ADDRESS, NETWORK, SCALES };

struct crowd {
	struct address who; /* cut to its bits */
	uint8_t scale;
	bool used;
	uint32_t connections;
	int64_t micro; /* tokens x 10^6 */
	uint64_t us;   /* the time of `micro` and of the last use */
};

struct crowds {
	struct crowd_limits limits[SCALES];
	uint8_t key[ADDRESS_HASH_KEY_BYTES]; /* so that nobody can choose addresses that share a
						set */
	uint32_t sets;			     /* a power of two */
	struct crowd *table;		     /* sets x WAYS */
};

struct crowds *crowds_new(const struct crowd_limits *address, const struct crowd_limits *network,
	uint32_t connections_max)
{
	struct crowds *crowds = calloc(1, sizeof(*crowds));
	uint32_t entries = ENTRIES_MIN;
	if (crowds == NULL)
		return NULL;
	/* An address and a network each, half of the table free: sets hardly ever fill up. */
	while (entries < 4 * connections_max)
		entries *= 2;
	crowds->limits[ADDRESS] = *address;
	crowds->limits[NETWORK] = *network;
	crowds->sets = entries / WAYS;
	crowds->table = calloc(entries, sizeof(crowds->table[0]));
	randombytes_buf(crowds->key, sizeof(crowds->key));
	if (crowds->table == NULL)
		crowds_free(&crowds);
	return crowds;
}

void crowds_free(struct crowds **crowds)
{
	if (*crowds != NULL)
		free((*crowds)->table);
	free(*crowds);
	*crowds = NULL;
}

static struct address cut(const struct address *client, enum scale scale)
{
	return scale == ADDRESS ? address_network(client, 32, CROWD_ADDRESS_IPV6)
				: address_network(client, CROWD_NETWORK_IPV4, CROWD_NETWORK_IPV6);
}

static struct crowd *set_of(
	const struct crowds *crowds, const struct address *who, enum scale scale)
{
	uint32_t at = address_hash(who, (uint8_t)scale, crowds->key);
	return &crowds->table[(size_t)(at & (crowds->sets - 1)) * WAYS];
}

static struct crowd *find(
	const struct crowds *crowds, const struct address *client, enum scale scale)
{
	struct address who = cut(client, scale);
	struct crowd *set = set_of(crowds, &who, scale);
	for (size_t i = 0; i < WAYS; i++)
		if (set[i].used && set[i].scale == scale &&
			memcmp(&set[i].who, &who, sizeof(who)) == 0)
			return &set[i];
	return NULL;
}

/* The crowd's entry, new if need be. NULL when all of its set hold connections: it is then not
 * limited, because a full table must not lock anybody out. */
static struct crowd *take(
	struct crowds *crowds, const struct address *client, enum scale scale, uint64_t now_us)
{
	struct crowd *found = find(crowds, client, scale);
	if (found != NULL)
		return found;
	struct address who = cut(client, scale);
	struct crowd *set = set_of(crowds, &who, scale);
	for (size_t i = 0; i < WAYS; i++)
		if (set[i].connections == 0 &&
			(found == NULL || !set[i].used || (found->used && set[i].us < found->us)))
			found = &set[i];
	if (found != NULL)
		*found = (struct crowd){ .who = who,
			.scale = (uint8_t)scale,
			.used = true,
			.micro = (int64_t)crowds->limits[scale].burst * TOKEN,
			.us = now_us };
	return found;
}

bool crowds_enter(struct crowds *crowds, const struct address *client, uint64_t now_us)
{
	struct crowd *entered[SCALES] = { NULL };
	bool room = true;
	for (enum scale scale = ADDRESS; scale < SCALES && room; scale++) {
		uint32_t most = crowds->limits[scale].connections;
		struct crowd *crowd = take(crowds, client, scale, now_us);
		room = crowd == NULL || most == 0 || crowd->connections < most;
		if (room && crowd != NULL) {
			/* At once: an entry with connections is not given to another crowd. */
			crowd->connections++;
			entered[scale] = crowd;
		}
	}
	for (enum scale scale = ADDRESS; scale < SCALES && !room; scale++)
		if (entered[scale] != NULL)
			entered[scale]->connections--;
	return room;
}

void crowds_leave(struct crowds *crowds, const struct address *client)
{
	for (enum scale scale = ADDRESS; scale < SCALES; scale++) {
		struct crowd *crowd = find(crowds, client, scale);
		if (crowd != NULL && crowd->connections > 0)
			crowd->connections--;
	}
}

static void refill(struct crowd *crowd, const struct crowd_limits *limits, uint64_t now_us)
{
	uint64_t passed = now_us > crowd->us ? now_us - crowd->us : 0;
	int64_t most = (int64_t)limits->burst * TOKEN;
	/* rate x microseconds is millionths of a token; an hour fills every bucket. */
	int64_t more = passed > UINT64_C(3600000000) ? most : (int64_t)passed * limits->rate_per_s;
	crowd->micro = more >= most - crowd->micro ? most : crowd->micro + more;
	crowd->us = now_us;
}

bool crowds_request(
	struct crowds *crowds, const struct address *client, uint64_t now_us, uint32_t *retry_s_r)
{
	struct crowd *crowd[SCALES] = { NULL };
	for (enum scale scale = ADDRESS; scale < SCALES; scale++) {
		const struct crowd_limits *limits = &crowds->limits[scale];
		if (limits->rate_per_s == 0)
			continue;
		crowd[scale] = take(crowds, client, scale, now_us);
		if (crowd[scale] == NULL)
			continue;
		refill(crowd[scale], limits, now_us);
		if (crowd[scale]->micro < TOKEN) {
			int64_t missing = TOKEN - crowd[scale]->micro;
			*retry_s_r = 1 + (uint32_t)(missing / limits->rate_per_s / TOKEN);
			return false;
		}
	}
	for (enum scale scale = ADDRESS; scale < SCALES; scale++)
		if (crowd[scale] != NULL)
			crowd[scale]->micro -= TOKEN;
	return true;
}

uint32_t crowds_of(const struct crowds *crowds, const struct address *client)
{
	const struct crowd *crowd = find(crowds, client, ADDRESS);
	return crowd == NULL ? 0 : crowd->connections;
}
