/* carillon-watch: tells Prometheus what no service knows of itself.
 *
 * Every few seconds it reads the database (which instances live, shards without an owner, pools,
 * returns of the games), the file systems, the ages of keys and of the ledger's last proof, and
 * asks whether Redis and Kafka answer. It serves that on /metrics, and writes the addresses of all
 * instances to a file that Prometheus reads. It changes nothing, and play never waits for it.
 *
 * docs/monitoring.md lists the metrics. */
#include "libcommon/io/clock.h"
#include "libcommon/io/health.h"
#include "libcommon/io/log.h"
#include "libcommon/io/metrics.h"
#include "tools/carillon-watch/watch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXIT_USAGE 2
/* What costs more is read in every sixth turn. */
#define SLOWLY_TURNS 6
#define EVERY_MS_MAX 60000

static const char usage[] =
	"usage: carillon-watch --listen=ADDRESS:PORT [--dsn=DSN] [--targets=FILE] [--heads=FOLDER]\n"
	"                      [--keys=FOLDER] [--disk=PATH].. [--redis=HOST:PORT] [--kafka=HOST:PORT]\n"
	"                      [--every-ms=N]\n"
	"--dsn: a role that may read all tables. Default: CARILLON_PG_RO_DSN. --targets: the file of\n"
	"addresses for Prometheus. --heads: the folder of the signed heads, where jackpotctl notes its\n"
	"proofs. --disk: at most 7 times. --every-ms: pause between two readings, 100 to 60000; default 5000.\n";

static _Noreturn void wrong(const char *found, const char *expected)
{
	fprintf(stderr, "carillon-watch: found '%s', expected %s\n%s", found, expected, usage);
	exit(EXIT_USAGE);
}

static bool option_take(const char *argument, const char *name, const char **value_r)
{
	size_t n = strlen(name);
	if (strncmp(argument, name, n) != 0 || argument[n] != '=')
		return false;
	*value_r = argument + n + 1;
	return true;
}

static int64_t every_ms(const char *text)
{
	char *end;
	long ms = strtol(text, &end, 10);
	if (*end != '\0' || ms < 100 || ms > EVERY_MS_MAX)
		wrong(text, "--every-ms=100 to 60000");
	return ms;
}

static struct watch_options options_read(int argc, char **argv)
{
	struct watch_options options = { .every_ms = 5000 };
	size_t disks = 0;
	_Static_assert(WATCH_DISKS_MAX == 7, "in the usage, too");
	options.dsn = getenv("CARILLON_PG_RO_DSN");
	for (int i = 1; i < argc; i++) {
		const char *value;
		if (strcmp(argv[i], "--help") == 0) {
			fputs(usage, stdout);
			exit(0);
		}
		if (option_take(argv[i], "--disk", &value)) {
			if (disks == WATCH_DISKS_MAX)
				wrong(argv[i], "at most 7 disks");
			options.disks[disks++] = value;
		} else if (option_take(argv[i], "--every-ms", &value)) {
			options.every_ms = every_ms(value);
		} else if (!option_take(argv[i], "--listen", &options.listen) &&
			   !option_take(argv[i], "--dsn", &options.dsn) &&
			   !option_take(argv[i], "--targets", &options.targets) &&
			   !option_take(argv[i], "--heads", &options.heads) &&
			   !option_take(argv[i], "--keys", &options.keys) &&
			   !option_take(argv[i], "--redis", &options.redis) &&
			   !option_take(argv[i], "--kafka", &options.kafka)) {
			wrong(argv[i], "one of the options below");
		}
	}
	if (options.listen == NULL || strchr(options.listen, ':') == NULL)
		wrong(options.listen == NULL ? "" : options.listen, "--listen=ADDRESS:PORT");
	if (options.dsn == NULL || options.dsn[0] == '\0')
		wrong("", "--dsn=DSN, or CARILLON_PG_RO_DSN");
	return options;
}

int main(int argc, char **argv)
{
	struct watch_options options = options_read(argc, argv);
	log_open("watch", "watch", LOG_INFO);
	(void)signal(SIGPIPE, SIG_IGN);
	struct metric *read_at = metric_gauge("carillon_watch_read_time_seconds", NULL,
		"When the database was last read completely, since 1970 UTC.");
	struct health *health = health_start(options.listen);
	log_info("watching; metrics on %s", health_address(health));
	health_ready(health, true, NULL);
	for (unsigned turn = 0;; turn++) {
		health_tick(health);
		if (watch_rows(&options, turn % SLOWLY_TURNS == 0))
			metric_set(read_at, (int64_t)(clock_wall_us() / 1000000u));
		watch_files(&options);
		health_tick(health);
		watch_probes(&options);
		for (int64_t slept = 0; slept < options.every_ms; slept += 100) {
			(void)usleep(100000);
			health_tick(health);
		}
	}
}
