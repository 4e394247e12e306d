/* The smallest service there can be, for tests of the loop on real servers: it writes each command
 * it consumes as a row of echo.row, whose primary key is (shard, offset), and sends one fact for
 * each. Whatever the loop applies twice breaks the key, what it loses is missing.
 *
 * Commands are text: "kill.." ends the process by SIGKILL, "bad.." cannot be read, "wait.." waits
 * until half a second after it was first offered. */
#ifndef CARILLON_SERVICE_TEST_ECHO_SERVICE_H
#define CARILLON_SERVICE_TEST_ECHO_SERVICE_H

#include <stdbool.h>

/* two: consumes wallet.facts to its end first, and is then called echo-two. */
int echo_service_run(int argc, char **argv, bool two);
/* Sends `count` commands "<text> <i>" to each of these shards; a text that begins with "fact" goes
 * to wallet.facts instead. */
int echo_produce(int shard_first, int shard_last, int count, const char *text);
/* Prints one line for each message of dead.letters and jackpot.facts: how many, and the letters'
 * reasons. */
int echo_inspect(void);
/* Once every 50 ms for so many seconds a query of the pool and a command to Redis; prints how many
 * were answered and how many failed. Never ends because a server does. */
int echo_links(int seconds);

#endif
