#include "services/wallet/adapters/heads.h"

#include "libcommon/io/chain_head.h"
#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"
#include "services/wallet/adapters/heads_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(DIGEST_BYTES == CHAIN_DIGEST_BYTES, "a head holds a digest of the chain");

#define REST_US 1000000

static struct {
	int fd; /* 0: no heads are written */
	char path[SETTING_TEXT_MAX + 128];
	char key_path[SETTING_TEXT_MAX + 64];
	struct chain_key key;
	uint64_t next_us; /* by the monotonic clock */
} heads;

static void key_take(const char *folder)
{
	char path[SETTING_TEXT_MAX + 64];
	char error[CHAIN_ERROR_MAX];

	(void)snprintf(
		heads.key_path, sizeof(heads.key_path), "%s/wallet/" CHAIN_KEY_FILE, common.keys);
	(void)sodium_mlock(&heads.key, sizeof(heads.key)); /* where the system lets us */
	if (!chain_key_load(heads.key_path, &heads.key, error))
		fatal("CARILLON_KEYS: %s", error);
	(void)snprintf(path, sizeof(path), "%s/" CHAIN_PUBLIC_FILE, folder);
	if (!chain_public_write(path, &heads.key, error))
		fatal("WALLET_HEADS: %s", error);
}

/* `jackpotctl keys rotate heads` replaces the key's file in one step. */
static void key_take_again(void)
{
	struct chain_key key;
	char error[CHAIN_ERROR_MAX];

	if (access(heads.key_path, F_OK) != 0)
		return; /* loading would create another key */
	if (!chain_key_load(heads.key_path, &key, error)) {
		log_error_as("wallet.keys.unreadable",
			"ALARM CARILLON_KEYS: %s; heads are still signed with the earlier key",
			error);
		return;
	}
	if (memcmp(key.public_key, heads.key.public_key, sizeof(key.public_key)) != 0)
		log_info("heads of the chain are signed with a new key");
	heads.key = key;
	sodium_memzero(&key, sizeof(key));
}

/* A line that a crash cut off was never synced: the file ends after the last complete line. */
static void tail_truncate(int fd)
{
	char tail[CHAIN_HEAD_LINE_MAX];
	off_t end = lseek(fd, 0, SEEK_END);
	off_t from = end > (off_t)sizeof(tail) ? end - (off_t)sizeof(tail) : 0;
	ssize_t n = pread(fd, tail, (size_t)(end - from), from);

	while (n > 0 && tail[n - 1] != '\n')
		n--;
	if (from + n < end && ftruncate(fd, from + n) != 0)
		fatal("WALLET_HEADS: %s: cannot cut off an incomplete line: %s", heads.path,
			strerror(errno));
}

void heads_start(struct service *service, const char *folder, const char *copy)
{
	if (folder[0] == '\0') {
		log_warn_as("wallet.heads.off",
			"WALLET_HEADS is empty: no signed heads of the chain are written");
		return;
	}
	if (mkdir(folder, 0755) != 0 && errno != EEXIST)
		fatal("WALLET_HEADS: cannot make the folder %s: %s", folder, strerror(errno));
	key_take(folder);
	(void)snprintf(
		heads.path, sizeof(heads.path), "%s/%s.heads", folder, service_instance(service));
	heads.fd = open(heads.path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (heads.fd < 0)
		fatal("WALLET_HEADS: cannot open %s: %s", heads.path, strerror(errno));
	tail_truncate(heads.fd);
	heads_copy_start(folder, copy, service_instance(service));
}

/* Appends all of the text or nothing. */
static bool append(const char *text, size_t length)
{
	off_t end = lseek(heads.fd, 0, SEEK_END);
	ssize_t n = write(heads.fd, text, length);

	if (n == (ssize_t)length && fsync(heads.fd) == 0)
		return true;
	log_error_as("wallet.heads.unwritten",
		"ALARM %s: cannot write signed heads of the chain: %s", heads.path,
		n >= 0 && n < (ssize_t)length ? "no space" : strerror(errno));
	if (n > 0 && ftruncate(heads.fd, end) != 0)
		fatal("%s: cannot cut off an incomplete line: %s", heads.path, strerror(errno));
	return false;
}

/* Formats the line of a shard; 0: its chain has not grown since its last head. Between two
 * transactions, batch and digest are those of the last commit. */
static size_t line_of(const struct wallet_shard *shard, char line[CHAIN_HEAD_LINE_MAX])
{
	struct chain_head head = { .shard = shard->shard,
		.batch = shard->batch,
		.seq = shard->committed_seq,
		.time_us = clock_wall_us() };

	if (shard->batch == shard->head_batch)
		return 0;
	memcpy(head.digest, shard->digest, sizeof(head.digest));
	return chain_head_format(&head, &heads.key, line);
}

static struct wallet_shard *shard_at(struct service *service, size_t i, bool *end_r)
{
	struct service_shard *held = service_shard_at(service, i);

	*end_r = held == NULL;
	return held == NULL ? NULL : held->state;
}

void heads_due(struct service *service, uint64_t interval_us, uint64_t mono_us)
{
	static char text[SHARDS_MAX * CHAIN_HEAD_LINE_MAX];
	struct wallet_shard *shard;
	size_t length = 0;
	bool end = false;

	if (heads.fd == 0 || mono_us < heads.next_us)
		return;
	heads.next_us = mono_us + interval_us;
	key_take_again();
	for (size_t i = 0; i < SHARDS_MAX && !end; i++) {
		shard = shard_at(service, i, &end);
		if (shard != NULL)
			length += line_of(shard, text + length);
	}
	if (length == 0) /* the first batch after an idle time need not wait */
		heads.next_us = mono_us + REST_US;
	if (length == 0 || !append(text, length))
		return;
	heads_copy_due();
	end = false;
	for (size_t i = 0; i < SHARDS_MAX && !end; i++) {
		shard = shard_at(service, i, &end);
		if (shard != NULL)
			shard->head_batch = shard->batch;
	}
}

void heads_end(struct wallet_shard *shard)
{
	char line[CHAIN_HEAD_LINE_MAX];
	size_t length;

	if (heads.fd == 0 || !wallet_shard_settled(shard))
		return;
	key_take_again();
	length = line_of(shard, line);
	if (length == 0 || !append(line, length))
		return;
	heads_copy_due();
	shard->head_batch = shard->batch;
}
