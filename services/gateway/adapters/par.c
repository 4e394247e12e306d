/* Computes the exact figures of each definition once, in a thread of its own beside the loop, and
 * keeps them in gateway.par. Several gateways share the work: a definition is claimed before it is
 * computed, and claimed again where nothing came of it. */
#include "services/gateway/adapters/par_sheet.h"
#include "services/gateway/adapters/reports.h"

#include "libcommon/io/clock.h"
#include "libcommon/io/log.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define FIRST_US (10 * SECOND_US) /* after the start: players come first */
#define EVERY_US (10 * SECOND_US)
#define DIGEST_TEXT_MAX 65
#define NICE 10 /* behind players, but not behind all that has lowest priority */

/* Of the thread while it runs, of the loop otherwise. */
static struct {
	char digest[DIGEST_TEXT_MAX];
	char *definition, *sheet;
	atomic_bool done;
	bool running, asking;
	uint64_t next_us;
} par;

static void *compute(void *context)
{
	(void)context;
	(void)setpriority(PRIO_PROCESS, 0, NICE); /* on Linux: of this thread alone */
	par.sheet = par_sheet(par.definition, strlen(par.definition));
	atomic_store(&par.done, true);
	return NULL;
}

/* Signals are the loop's. */
static bool thread_begin(void)
{
	sigset_t all, before;
	pthread_t thread;
	bool good;

	atomic_store(&par.done, false);
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	good = pthread_create(&thread, NULL, compute, NULL) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (good)
		(void)pthread_detach(thread);
	return good;
}

/* ---- one after the other ---- */

static void on_kept(void *context, PGresult *result, const char *error)
{
	(void)context;
	if (result == NULL || PQresultStatus(result) != PGRES_TUPLES_OK)
		log_warn_as("gateway.figures.unwritten",
			"keeping the exact figures of a definition: %s",
			error != NULL ? error : PQresultErrorMessage(result));
	par.asking = false;
}

static void keep(void)
{
	const char *parameters[] = { par.digest, par.sheet };

	par.running = false;
	par.asking = true;
	par.next_us = clock_mono_us();
	if (strncmp(par.sheet, "{\"error\"", 8) == 0)
		log_warn_as("gateway.figures.impossible",
			"the exact figures of the definition %s cannot be computed: %s", par.digest,
			par.sheet);
	pg_pool_query(rollups_pool(), "select gateway.par_keep(decode($1, 'hex'), $2)", 2,
		parameters, REPORT_MS, on_kept, NULL);
	free(par.sheet);
	free(par.definition);
	par.sheet = NULL;
	par.definition = NULL;
}

/* Columns: the digest, the definition; no row: nothing is left to do. */
static void on_claimed(void *context, PGresult *result, const char *error)
{
	(void)context;
	par.asking = false;
	if (result == NULL || PQresultStatus(result) != PGRES_TUPLES_OK) {
		log_warn_as("gateway.figures.unreadable",
			"looking for a definition without exact figures: %s",
			error != NULL ? error : PQresultErrorMessage(result));
		return;
	}
	if (PQntuples(result) == 0 || PQgetlength(result, 0, 0) != DIGEST_TEXT_MAX - 1)
		return;
	(void)snprintf(par.digest, sizeof(par.digest), "%s", PQgetvalue(result, 0, 0));
	par.definition = strdup(PQgetvalue(result, 0, 1));
	if (par.definition == NULL)
		fatal("out of memory");
	par.running = thread_begin();
	if (!par.running) {
		free(par.definition);
		par.definition = NULL;
	}
}

void par_tick(void)
{
	uint64_t now_us = clock_mono_us();

	if (par.next_us == 0)
		par.next_us = now_us + FIRST_US;
	if (par.running && atomic_load(&par.done))
		keep();
	if (par.running || par.asking || now_us < par.next_us)
		return;
	par.asking = true;
	par.next_us = now_us + EVERY_US;
	pg_pool_query(rollups_pool(), "select digest, definition from gateway.par_claim()", 0, NULL,
		REPORT_MS, on_claimed, NULL);
}
