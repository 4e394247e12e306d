/* Redis by hiredis: pipelined commands over one blocking connection with short time limits. Nothing
 * in Redis is authoritative, so no failure here is fatal. While Redis is down, commands are dropped
 * and counted; reconnects are tried after pauses that double from 100 ms to 2 s. */
#ifndef CARILLON_IO_REDIS_LINK_H
#define CARILLON_IO_REDIS_LINK_H

#include <stdbool.h>
#include <stddef.h>

struct redis_link;
struct redisReply;

/* address: "host:port"; fatal only on a malformed address. timeout_ms limits connecting and each
 * wait for a reply. The first use connects, and logs in as CARILLON_REDIS_LOGIN says. */
struct redis_link *redis_link_new(const char *address, int timeout_ms);
/* Queues one command in hiredis' format ("hset %s %s %b"); %b takes pointer and size_t. False when
 * Redis is down: nothing was queued. */
bool redis_link_command(struct redis_link *link, const char *format, ...);
/* Sends the queued commands and reads all replies. on_reply (may be NULL) gets each reply in order;
 * the reply is freed afterwards. An error reply is logged and counted. False when the connection
 * failed: some commands may have been executed. */
typedef void redis_reply(void *context, size_t index, const struct redisReply *reply);
bool redis_link_flush(struct redis_link *link, redis_reply *on_reply, void *context);
/* Is there a connection? If not, and if the pause since the last attempt is over, tries to connect
 * first. */
bool redis_link_up(struct redis_link *link);
void redis_link_free(struct redis_link **link);

#endif
