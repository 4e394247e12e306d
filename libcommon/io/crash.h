/* What a process writes when it dies by a fault of its own (SIGSEGV, SIGBUS, SIGILL, SIGFPE or
 * SIGABRT, thus after an assert, too), because a service leaves no core file: the line
 *
 *     died by signal 11 (SIGSEGV) in thread rdk:broker1
 *
 * and the calls that led there, one a line, as program(+0x1234) or library(function+0x1234). They
 * contain no memory. `tests/e2e/lib_frames.py FILE` adds functions and lines. */
#ifndef CARILLON_IO_CRASH_H
#define CARILLON_IO_CRASH_H

/* From now on of every thread. The process still ends by the signal. log_open calls this. Under a
 * sanitizer it does nothing: the sanitizer itself reports more. */
void crash_begin(void);

#endif
