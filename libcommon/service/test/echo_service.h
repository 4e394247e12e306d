/* A minimal service for tests of the loop on real servers. It writes each message of
 * jackpot.feed (here called a command) as a row of echo.row, whose primary key is (shard, at),
 * where `at` is the Kafka offset, and sends one fact for it. A command applied twice violates the
 * key; a lost command leaves a gap.
 *
 * Commands are text. "kill.." ends the process by SIGKILL, "bad.." is unreadable, "wait.." returns
 * SERVICE_WAIT for half a second. */
#ifndef CARILLON_SERVICE_TEST_ECHO_SERVICE_H
#define CARILLON_SERVICE_TEST_ECHO_SERVICE_H

#include <stdbool.h>

/* two: the service is called echo-two and consumes wallet.facts to its end first. */
int echo_service_run(int argc, char **argv, bool two);
/* Sends `count` commands "<text> <i>" to each of these shards. A text that begins with "fact" goes
 * to wallet.facts. */
int echo_produce(int shard_first, int shard_last, int count, const char *text);
/* Prints one line for each partition of dead.letters and jackpot.facts, with its end offset, and
 * one line with the reason of each dead letter. */
int echo_inspect(void);
/* Every 50 ms, for this many seconds, runs a query of the pool and a Redis command. Prints how many
 * succeeded and how many failed. Goes on when a server goes down. */
int echo_links(int seconds);

#endif
