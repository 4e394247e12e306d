/* The logs of the programs, log/<name>.log in the data folder. A program writes to its log by
 * itself; the supervisor keeps it within a bound. A log that has grown beyond it is copied to
 * log/<name>.log.1, in place of an older one, and emptied. The program goes on writing to the same
 * open file, so that this works for every program, whatever it is: services, Postgres, Redis,
 * Kafka. A line that is written while the log is emptied may be cut or lost. */
#ifndef CARILLON_CARILLON_SUPERVISOR_LOG_H
#define CARILLON_CARILLON_SUPERVISOR_LOG_H

#include <stdint.h>

enum { SUP_LOG_BYTES_DEFAULT = 64 * 1024 * 1024, SUP_LOG_BYTES_MIN = 1024 };

enum sup_log_status {
	SUP_LOG_OK = 0,
	SUP_LOG_EMPTIED,
	SUP_LOG_NOT_COPIED, /* errno says why. The log is as it was; there is no older one any more,
			       so that a full disk has some room again */
};

/* Opens log/<name>.log for adding. -1: errno says why not. */
int sup_log_open(const char *name);
/* Empties the log if it has more than `bytes_max`. A log that does not exist is in order. */
enum sup_log_status sup_log_bound(const char *name, int64_t bytes_max);

#endif
