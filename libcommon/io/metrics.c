/* The registry of metrics: a list that only grows, under a lock. The values are atomic, so counting
 * takes no lock. */
#include "libcommon/io/metrics.h"

#include "libcommon/io/log.h"
#include "libcommon/io/metrics_sweep.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum metric_kind { COUNTER, GAUGE, HISTOGRAM };

static const uint64_t BOUNDS[] = { 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000,
	20000, 50000, 100000, 200000, 500000, 1000000, 2000000, 5000000, 10000000 };
#define BOUNDS_N (sizeof(BOUNDS) / sizeof(BOUNDS[0]))

struct metric {
	struct metric *next;
	enum metric_kind kind;
	char *name, *labels, *help;
	bool unseen, gone;	/* metrics_sweep.h; under the lock */
	_Atomic uint64_t value; /* counter; gauge in two's complement; sum of a histogram */
	_Atomic uint64_t
		buckets[BOUNDS_N + 1]; /* count of each bucket alone; the text adds them up */
};

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static struct metric *registry;

static char *copy(const char *text)
{
	char *out = strdup(text);
	if (out == NULL)
		fatal("metrics: out of memory");
	return out;
}

static struct metric *metric_new(
	enum metric_kind kind, const char *name, const char *labels, const char *help)
{
	struct metric *metric = calloc(1, sizeof(*metric));
	if (metric == NULL)
		fatal("metrics: out of memory");
	metric->kind = kind;
	metric->name = copy(name);
	metric->labels = copy(labels);
	metric->help = copy(help);
	return metric;
}

/* The same name and labels give the same metric. Series of one name are adjacent, as the text
 * format requires. */
static struct metric *metric_get(
	enum metric_kind kind, const char *name, const char *labels, const char *help)
{
	const char *wanted = labels == NULL ? "" : labels;
	(void)pthread_mutex_lock(&registry_lock);
	struct metric *same_name = NULL;
	struct metric *last = NULL;
	struct metric *found = NULL;
	for (struct metric *m = registry; m != NULL && found == NULL; m = m->next) {
		last = m;
		if (strcmp(m->name, name) != 0)
			continue;
		same_name = m;
		if (m->kind != kind)
			fatal("metrics: %s: found two kinds of metric, expected one", name);
		if (strcmp(m->labels, wanted) == 0)
			found = m;
	}
	if (found == NULL) {
		struct metric *after = same_name != NULL ? same_name : last;
		found = metric_new(kind, name, wanted, help);
		found->next = after != NULL ? after->next : NULL;
		if (after != NULL)
			after->next = found;
		else
			registry = found;
	}
	found->unseen = found->gone = false;
	(void)pthread_mutex_unlock(&registry_lock);
	return found;
}

void metrics_sweep_begin(const char *name)
{
	(void)pthread_mutex_lock(&registry_lock);
	for (struct metric *m = registry; m != NULL; m = m->next)
		if (strcmp(m->name, name) == 0)
			m->unseen = true;
	(void)pthread_mutex_unlock(&registry_lock);
}

void metrics_sweep_end(const char *name)
{
	(void)pthread_mutex_lock(&registry_lock);
	for (struct metric *m = registry; m != NULL; m = m->next)
		if (strcmp(m->name, name) == 0)
			m->gone = m->unseen;
	(void)pthread_mutex_unlock(&registry_lock);
}

struct metric *metric_counter(const char *name, const char *labels, const char *help)
{
	return metric_get(COUNTER, name, labels, help);
}

struct metric *metric_gauge(const char *name, const char *labels, const char *help)
{
	return metric_get(GAUGE, name, labels, help);
}

struct metric *metric_histogram_us(const char *name, const char *labels, const char *help)
{
	return metric_get(HISTOGRAM, name, labels, help);
}

void metric_add(struct metric *metric, uint64_t n)
{
	(void)atomic_fetch_add_explicit(&metric->value, n, memory_order_relaxed);
}

void metric_set(struct metric *metric, int64_t value)
{
	atomic_store_explicit(&metric->value, (uint64_t)value, memory_order_relaxed);
}

void metric_observe_us(struct metric *metric, uint64_t us)
{
	size_t i = 0;
	while (i < BOUNDS_N && us > BOUNDS[i])
		i++;
	(void)atomic_fetch_add_explicit(&metric->buckets[i], 1, memory_order_relaxed);
	(void)atomic_fetch_add_explicit(&metric->value, us, memory_order_relaxed);
}

struct text {
	char *bytes;
	size_t length, room;
};

__attribute__((format(printf, 2, 3))) static void text_add(
	struct text *text, const char *format, ...)
{
	for (;;) {
		va_list arguments;
		va_start(arguments, format);
		int n = vsnprintf(
			text->bytes + text->length, text->room - text->length, format, arguments);
		va_end(arguments);
		if (n >= 0 && (size_t)n < text->room - text->length) {
			text->length += (size_t)n;
			return;
		}
		char *more = realloc(text->bytes, text->room * 2);
		if (more == NULL)
			fatal("metrics: out of memory");
		text->bytes = more;
		text->room *= 2;
	}
}

static void text_help(struct text *text, const struct metric *metric)
{
	static const char *const KINDS[] = { "counter", "gauge", "histogram" };
	text_add(text, "# HELP %s ", metric->name);
	for (const char *at = metric->help; *at != '\0'; at++) {
		if (*at == '\\')
			text_add(text, "\\\\");
		else if (*at == '\n')
			text_add(text, "\\n");
		else
			text_add(text, "%c", *at);
	}
	text_add(text, "\n# TYPE %s %s\n", metric->name, KINDS[metric->kind]);
}

static void text_series(struct text *text, const struct metric *metric, const char *suffix)
{
	bool labelled = metric->labels[0] != '\0';
	text_add(text, "%s%s%s%s%s", metric->name, suffix, labelled ? "{" : "", metric->labels,
		labelled ? "}" : "");
}

static void text_histogram(struct text *text, struct metric *metric)
{
	uint64_t count = 0;
	const char *comma = metric->labels[0] != '\0' ? "," : "";
	for (size_t i = 0; i <= BOUNDS_N; i++) {
		count += atomic_load_explicit(&metric->buckets[i], memory_order_relaxed);
		text_add(text, "%s_bucket{%s%s", metric->name, metric->labels, comma);
		if (i < BOUNDS_N)
			text_add(text, "le=\"%" PRIu64 "\"} %" PRIu64 "\n", BOUNDS[i], count);
		else
			text_add(text, "le=\"+Inf\"} %" PRIu64 "\n", count);
	}
	text_series(text, metric, "_sum");
	text_add(
		text, " %" PRIu64 "\n", atomic_load_explicit(&metric->value, memory_order_relaxed));
	text_series(text, metric, "_count");
	text_add(text, " %" PRIu64 "\n", count);
}

char *metrics_text(size_t *length_r)
{
	struct text text = { .bytes = malloc(16384), .room = 16384 };
	const char *previous = "";
	if (text.bytes == NULL)
		fatal("metrics: out of memory");
	text.bytes[0] = '\0';
	(void)pthread_mutex_lock(&registry_lock);
	for (struct metric *m = registry; m != NULL; m = m->next) {
		uint64_t value = atomic_load_explicit(&m->value, memory_order_relaxed);
		if (m->gone)
			continue;
		if (strcmp(previous, m->name) != 0)
			text_help(&text, m);
		previous = m->name;
		if (m->kind == HISTOGRAM) {
			text_histogram(&text, m);
			continue;
		}
		text_series(&text, m, "");
		if (m->kind == GAUGE)
			text_add(&text, " %" PRId64 "\n", (int64_t)value);
		else
			text_add(&text, " %" PRIu64 "\n", value);
	}
	(void)pthread_mutex_unlock(&registry_lock);
	*length_r = text.length;
	return text.bytes;
}
