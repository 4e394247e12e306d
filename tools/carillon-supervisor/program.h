/* One supervised program: started, watched, restarted with back-off, stopped. */
#ifndef CARILLON_CARILLON_SUPERVISOR_PROGRAM_H
#define CARILLON_CARILLON_SUPERVISOR_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tools/carillon-supervisor/config.h"

enum sup_state {
	SUP_RUNNING,
	SUP_WAITING, /* dead, to be started at start_at_ms */
	SUP_HELD,    /* dead, and run/hold/<name> says not to start it */
	SUP_STOPPED, /* dead, and to stay so */
};

struct sup_program {
	struct sup_spec spec;
	enum sup_state state;
	pid_t pid;     /* 0 unless running */
	bool leaving;  /* was taken out of the set-up: forgotten once dead */
	bool stopping; /* the stop signal was sent */
	bool killed;   /* SIGKILL was sent after the grace */
	int64_t started_ms;
	int64_t start_at_ms;
	int64_t kill_at_ms;    /* while stopping */
	unsigned quick_deaths; /* deaths within SUP_QUICK_MS of the start, in a row */
	unsigned restarts;
	char last_end[64]; /* how it ended the last time; empty if it never did */
};

/* A program that lived shorter than this died "at once": the next restart waits longer. */
enum { SUP_QUICK_MS = 5000, SUP_FIRST_PAUSE_MS = 50 };

/* Starts it now; on failure (no process to be had) it is tried again by the back-off. */
void sup_program_start(struct sup_program *program, int64_t now_ms);

/* Takes note of its end. `wait_status` is waitpid's. */
void sup_program_ended(struct sup_program *program, int wait_status, int64_t now_ms);

/* Sends the stop signal, or makes sure that it is not started again. */
void sup_program_stop(struct sup_program *program, int64_t now_ms);

/* Does what time brings: a due start (unless held), SIGKILL after the grace. Returns the time of
 * the next thing to do, or INT64_MAX. */
int64_t sup_program_tick(struct sup_program *program, int64_t now_ms);

/* The pause before the next start after `quick_deaths` quick deaths in a row: 0, 50, 100, 200 ...
 * up to `longest_ms`. */
unsigned sup_pause_ms(unsigned quick_deaths, unsigned longest_ms);

const char *sup_state_name(enum sup_state state);

#endif
