/* A run on several threads. Blocks are handed out in order, and a finished block waits until all
 * earlier blocks are merged, so the result is the same as with one thread. */
#include "libcommon/game/montecarlo.h"

#include <pthread.h>
#include <stdlib.h>

#define THREADS_MAX 256u

struct waiting {
	uint64_t block;
	struct fast_stats stats;
	struct waiting *next;
};

struct run {
	const struct fast_sim *sim;
	uint64_t seed, rounds;
	enum fast_path path;
	bool (*watch)(void *context, uint64_t done);
	void *context;
	pthread_mutex_t lock; /* guards all below */
	uint64_t next_block, merged_blocks;
	bool stopped, failed;
	struct waiting *waiting; /* rising blocks */
	struct fast_stats *stats;
};

static uint64_t rounds_of(const struct run *run, uint64_t block)
{
	uint64_t before = block * FAST_BLOCK_ROUNDS;
	uint64_t left = run->rounds > before ? run->rounds - before : 0;

	return left < FAST_BLOCK_ROUNDS ? left : FAST_BLOCK_ROUNDS;
}

static void put(struct run *run, struct waiting *done)
{
	struct waiting **at = &run->waiting;

	while (*at != NULL && (*at)->block < done->block)
		at = &(*at)->next;
	done->next = *at;
	*at = done;
	while (run->waiting != NULL && run->waiting->block == run->merged_blocks) {
		struct waiting *first = run->waiting;

		fast_stats_merge(run->stats, &first->stats);
		run->merged_blocks++;
		run->waiting = first->next;
		free(first);
	}
	if (run->watch != NULL && !run->stopped)
		run->stopped = !run->watch(run->context, run->stats->rounds);
}

/* The next block to play, or false. The caller holds the lock. */
static bool take(struct run *run, uint64_t *block_r)
{
	if (run->stopped || run->failed || rounds_of(run, run->next_block) == 0)
		return false;
	*block_r = run->next_block++;
	return true;
}

static void *work(void *argument)
{
	struct run *run = argument;
	struct fast_player *player = fast_player_new(run->sim, run->path);
	uint64_t block;

	pthread_mutex_lock(&run->lock);
	run->failed = run->failed || player == NULL;
	while (take(run, &block)) {
		struct waiting *done;

		pthread_mutex_unlock(&run->lock);
		done = malloc(sizeof(*done));
		if (done != NULL) {
			done->block = block;
			fast_block(player, run->seed, block, rounds_of(run, block), &done->stats);
		}
		pthread_mutex_lock(&run->lock);
		run->failed = run->failed || done == NULL;
		if (done != NULL)
			put(run, done);
	}
	pthread_mutex_unlock(&run->lock);
	fast_player_free(&player);
	return NULL;
}

enum fast_status fast_run(const struct fast_sim *sim, uint64_t seed, uint64_t rounds,
	uint32_t threads, enum fast_path path, bool (*watch)(void *context, uint64_t done),
	void *context, struct fast_stats *stats_r)
{
	struct run run = { .sim = sim,
		.seed = seed,
		.rounds = rounds,
		.path = path,
		.watch = watch,
		.context = context,
		.stats = stats_r };
	pthread_t thread[THREADS_MAX];
	uint32_t started = 0;

	*stats_r = (struct fast_stats){ 0 };
	pthread_mutex_init(&run.lock, NULL);
	while (started + 1 < threads && started + 1 < THREADS_MAX &&
		pthread_create(&thread[started], NULL, work, &run) == 0)
		started++;
	(void)work(&run); /* this thread plays too, alone if no other thread could start */
	for (uint32_t i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
	while (run.waiting != NULL) { /* blocks after a failed block */
		struct waiting *first = run.waiting;

		run.waiting = first->next;
		free(first);
	}
	pthread_mutex_destroy(&run.lock);
	return run.failed ? FAST_NO_MEMORY : FAST_OK;
}
