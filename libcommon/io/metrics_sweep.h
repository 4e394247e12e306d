/* For series that mirror something else, such as rows of the database: what is not there any more
 * must not be told any more, or its last value would keep an alert firing. */
#ifndef CARILLON_IO_METRICS_SWEEP_H
#define CARILLON_IO_METRICS_SWEEP_H

/* Between the two, call metric_gauge() and metric_set() for each series that there is. The end
 * leaves the other series of this name out of metrics_text(), until metric_gauge() names them
 * again. */
void metrics_sweep_begin(const char *name);
void metrics_sweep_end(const char *name);

#endif
