/* Series and reports: sums of the journal over time (migrations/0013_rollup.sql), and what is made
 * of them (migrations/0014_report.sql). The gateways ask the database to add up new rows; each row
 * counts once, however many gateways ask. A connection of their own keeps this work out of the way
 * of players' reads. */
#ifndef CARILLON_GATEWAY_ADAPTERS_REPORTS_H
#define CARILLON_GATEWAY_ADAPTERS_REPORTS_H

#include "services/gateway/adapters/gateway.h"

#define REPORT_MS 60000 /* a query of a report */

/* Loads the key that signs reports, and makes it where it is missing; opens the connection. Ends
 * the process if the key cannot be used. */
void rollups_begin(struct gateway *gateway);
void rollups_end(void);
void rollups_tick(void); /* every 50 ms */
/* For reports: queries wait here behind the adding up, not behind players. */
struct pg_pool *rollups_pool(void);
/* The reply to a bet: counts it if it was placed. Once a second: adds the counts to the table. */
void bet_mix_count(const Carillon__SpinReply *reply);
void bet_mix_tick(void);
/* Once a second: the exact figures of definitions that have none yet are computed in a thread. */
void par_tick(void);
/* The letters of all currencies by their number, as JSON: {"978":"EUR",..}. */
const char *rollups_currencies(void);

#endif
