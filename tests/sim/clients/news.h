/* Notifications: its real core (services/notifications/core) fed from the facts on Kafka as
 * services/notifications/adapters/feeds.c feeds it, and what it would tell compared with the
 * ledger. */
#ifndef CARILLON_SIM_CLIENTS_NEWS_H
#define CARILLON_SIM_CLIENTS_NEWS_H

#include <stdbool.h>
#include <stddef.h>

void news_begin(void);
void news_step(void); /* takes what has come */
bool news_settled(char *what, size_t room);
void news_end(void);

#endif
