/* Redis by hiredis: pipelined commands over one blocking connection with short time limits. Redis
 * is no truth: nothing here is ever fatal. While it is away commands are dropped and counted, and a
 * new connection is tried with a pause of 100 ms, doubling to 2 s. */
#ifndef CARILLON_IO_REDIS_LINK_H
#define CARILLON_IO_REDIS_LINK_H

#include <stdbool.h>
#include <stddef.h>

struct redis_link;
struct redisReply;

/* address: "host:port"; fatal only when it is no address. timeout_ms bounds connecting and each
 * wait for an answer. Connects at the first use. */
struct redis_link *redis_link_new(const char *address, int timeout_ms);
/* Queues one command, by hiredis' format ("hset %s %s %b"); %b takes pointer and size_t. False when
 * Redis is away: nothing was queued. */
bool redis_link_command(struct redis_link *link, const char *format, ...);
/* Sends what is queued and reads all answers; each is given to on_reply in order (may be NULL),
 * freed afterwards. An answer that is an error is logged and counted. False when the connection
 * failed: some of the commands may have been carried out. */
typedef void redis_reply(void *context, size_t index, const struct redisReply *reply);
bool redis_link_flush(struct redis_link *link, redis_reply *on_reply, void *context);
/* Is there a connection at this moment? Tries to connect if the pause is over. */
bool redis_link_up(struct redis_link *link);
void redis_link_free(struct redis_link **link);

#endif
