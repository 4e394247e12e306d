/* The topics of an installation, and who writes and reads them: what docs/contracts.md and the
 * architecture name. One partition a shard. */
#ifndef CARILLON_KAFKA_TOPICS_TOPICS_H
#define CARILLON_KAFKA_TOPICS_TOPICS_H

#include <stdint.h>

enum { TOPIC_PARTITIONS_MAX = 256 };

struct topic_spec {
	const char *name;
	const char *retention_ms;    /* how long a message is kept */
	const char *retention_bytes; /* and how much of a partition at most */
	const char *segment_bytes;   /* only whole segments are deleted */
};

/* Two days: everything here can be published again from the journal. jackpot.facts is the record of
 * winners that clients resume from: 90 days. */
static const struct topic_spec topic_specs[] = {
	{ "wallet.facts", "172800000", "2147483648", "134217728" },
	{ "jackpot.feed", "172800000", "1073741824", "134217728" },
	{ "jackpot.facts", "7776000000", "2147483648", "134217728" },
	{ "dead.letters", "172800000", "1073741824", "134217728" },
};

/* Topics of earlier versions: nothing reads them. What is left there are questions, whose senders
 * ask again. */
static const char *const topics_former[] = { "spin.commands", "wallet.commands",
	"jackpot.commands" };

enum { TOPIC_COUNT = (int)(sizeof(topic_specs) / sizeof(topic_specs[0])) };

/* What each service may do, and no more; nobody else has a user. There are no groups and no
 * transactions; to write without duplicates (idempotence) needs no right of its own. */
enum topic_verb { TOPIC_WRITE, TOPIC_READ };

struct topic_grant {
	const char *service;
	enum topic_verb verb;
	const char *topic;
};

static const struct topic_grant topic_grants[] = {
	{ "wallet", TOPIC_WRITE, "wallet.facts" },
	{ "wallet", TOPIC_WRITE, "jackpot.feed" },
	{ "wallet", TOPIC_WRITE, "dead.letters" },
	{ "spin-engine", TOPIC_READ, "wallet.facts" },
	{ "spin-engine", TOPIC_WRITE, "dead.letters" },
	{ "progressive-pool", TOPIC_READ, "jackpot.feed" },
	{ "progressive-pool", TOPIC_WRITE, "jackpot.facts" },
	{ "progressive-pool", TOPIC_WRITE, "dead.letters" },
	{ "jackpot-cards", TOPIC_READ, "jackpot.feed" },
	{ "jackpot-cards", TOPIC_WRITE, "jackpot.facts" },
	{ "jackpot-cards", TOPIC_WRITE, "dead.letters" },
	{ "payments", TOPIC_WRITE, "dead.letters" },
	{ "gateway", TOPIC_READ, "dead.letters" },
	{ "notifications", TOPIC_READ, "wallet.facts" },
	{ "notifications", TOPIC_READ, "jackpot.facts" },
};

enum { GRANT_COUNT = (int)(sizeof(topic_grants) / sizeof(topic_grants[0])) };

#endif
