/* A small registry of counters, gauges and histograms in Prometheus' text format, served by the
 * health thread. Updates are atomic and lock-free. */
#ifndef CARILLON_IO_METRICS_H
#define CARILLON_IO_METRICS_H

#include <stddef.h>
#include <stdint.h>

struct metric;

/* name: "carillon_rounds_total"; labels: "kind=\"bet\"" or NULL. Call once at the start and keep
 * the pointer; never NULL. */
struct metric *metric_counter(const char *name, const char *labels, const char *help);
struct metric *metric_gauge(const char *name, const char *labels, const char *help);
struct metric *metric_histogram_us(const char *name, const char *labels, const char *help);
void metric_add(struct metric *metric, uint64_t n);
void metric_set(struct metric *metric, int64_t value);
void metric_observe_us(struct metric *metric, uint64_t us);
/* All metrics as text, allocated with malloc; the caller frees it. */
char *metrics_text(size_t *length_r);

#endif
