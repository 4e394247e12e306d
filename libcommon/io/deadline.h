/* The end of a process that waits for an answer that does not come: of a Postgres that is frozen,
 * or cut off from this machine while its connection stays open. Such a call has no time-out of its
 * own, and whoever holds a shard meanwhile does neither serve nor release it. One deadline a
 * process, for its main thread. */
#ifndef CARILLON_IO_DEADLINE_H
#define CARILLON_IO_DEADLINE_H

/* From now on the process ends with status 70 after this many seconds, at least 2, unless the
 * deadline is set again or cleared before. Seconds in which the process itself is stopped do not
 * end it. `doing` must stay valid: the last line of the log names it, as in
 *
 *     not back after 4 s of a turn: the process ends
 */
void deadline_set(int seconds, const char *doing);
void deadline_clear(void);

#endif
