#include "libcommon/io/in_hand.h"

#include "libcommon/base/ids.h"
#include "libcommon/io/log.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORM UINT64_C(0x3244414e48524143) /* "CARHAND2" */
#define PATH_BYTES 4096
#define EVENTS_MAX ((size_t)SHARDS_MAX * IN_HAND_TOPICS)

/* The form of the file. A process that dies leaves what it has written, in this order: the kernel
 * keeps the pages. */
struct file {
	uint64_t form;
	_Atomic uint64_t taken;	   /* since the last clear; the last IN_HAND_MAX of them are kept */
	_Atomic uint64_t trying;   /* 1 + the place in `events` of what is being tried; 0: none */
	_Atomic uint64_t deciding; /* 1: `decided` is being decided */
	struct in_hand_command decided;
	struct in_hand_command commands[IN_HAND_MAX];
	struct {
		int64_t offset;
		uint64_t deaths; /* in tries of it, in a row */
	} events[EVENTS_MAX];
};

struct in_hand {
	struct file *file;
};

static int file_open(const char *folder, const char *instance)
{
	char path[PATH_BYTES];
	int n = snprintf(path, sizeof(path), "%s/%s.hand", folder, instance);
	if (n < 0 || (size_t)n >= sizeof(path))
		fatal("CARILLON_HAND: found a path of %d bytes, expected at most %d", n,
			PATH_BYTES - 1);
	if (mkdir(folder, 0700) != 0 && errno != EEXIST)
		fatal("CARILLON_HAND: folder %s: %s", folder, strerror(errno));
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(struct file)) != 0)
		fatal("CARILLON_HAND: file %s: %s", path, strerror(errno));
	return fd;
}

/* The process before this one died in a try. */
static void death_count(struct file *file)
{
	uint64_t trying = atomic_load(&file->trying);
	if (trying >= 1 && trying <= EVENTS_MAX)
		file->events[trying - 1].deaths++;
	atomic_store(&file->trying, 0);
}

struct in_hand *in_hand_open(const char *folder, const char *instance)
{
	struct in_hand *hand = calloc(1, sizeof(*hand));
	if (hand == NULL)
		fatal("commands in hand: out of memory");
	int fd = file_open(folder, instance);
	hand->file = mmap(NULL, sizeof(*hand->file), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (hand->file == MAP_FAILED)
		fatal("CARILLON_HAND: cannot map the file of %s: %s", instance, strerror(errno));
	(void)close(fd);
	if (hand->file->form != FORM) {
		memset(hand->file, 0, sizeof(*hand->file));
		hand->file->form = FORM;
	}
	death_count(hand->file);
	return hand;
}

size_t in_hand_left(const struct in_hand *hand, const struct in_hand_command **commands_r)
{
	uint64_t taken = atomic_load(&hand->file->taken);
	*commands_r = hand->file->commands;
	return taken < IN_HAND_MAX ? (size_t)taken : IN_HAND_MAX;
}

const struct in_hand_command *in_hand_left_deciding(const struct in_hand *hand)
{
	return atomic_load(&hand->file->deciding) != 0 ? &hand->file->decided : NULL;
}

void in_hand_take(struct in_hand *hand, const struct in_hand_command *command)
{
	uint64_t taken = atomic_load_explicit(&hand->file->taken, memory_order_relaxed);
	hand->file->commands[taken % IN_HAND_MAX] = *command;
	atomic_store_explicit(&hand->file->taken, taken + 1, memory_order_release);
}

void in_hand_decide(struct in_hand *hand, const struct in_hand_command *command)
{
	atomic_store_explicit(&hand->file->deciding, 0, memory_order_release);
	if (command == NULL)
		return;
	hand->file->decided = *command;
	atomic_store_explicit(&hand->file->deciding, 1, memory_order_release);
}

void in_hand_clear(struct in_hand *hand)
{
	atomic_store_explicit(&hand->file->deciding, 0, memory_order_release);
	atomic_store_explicit(&hand->file->taken, 0, memory_order_release);
}

unsigned in_hand_try(struct in_hand *hand, const struct in_hand_event *event)
{
	size_t at = (size_t)event->shard * IN_HAND_TOPICS + event->topic;
	assert(at < EVENTS_MAX);
	if (hand->file->events[at].offset != event->offset) {
		hand->file->events[at].deaths = 0;
		hand->file->events[at].offset = event->offset;
	}
	atomic_store_explicit(&hand->file->trying, at + 1, memory_order_release);
	return (unsigned)hand->file->events[at].deaths;
}

void in_hand_tried(struct in_hand *hand)
{
	atomic_store_explicit(&hand->file->trying, 0, memory_order_release);
}

void in_hand_close(struct in_hand **hand)
{
	if (*hand == NULL)
		return;
	(void)munmap((*hand)->file, sizeof(*(*hand)->file));
	free(*hand);
	*hand = NULL;
}
