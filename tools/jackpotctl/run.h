/* What the commands of the table do: each takes its arguments and options, opens the database at
 * the address of its row, and returns the exit status. */
#ifndef CARILLON_JACKPOTCTL_RUN_H
#define CARILLON_JACKPOTCTL_RUN_H

#include "tools/jackpotctl/command.h"

int run_verify(const struct call *call);
int run_close_day(const struct call *call);
int run_close(const struct call *call);
int run_reconcile(const struct call *call);
int run_rollups_verify(const struct call *call);
int run_rollups_rebuild(const struct call *call);
int run_replay(const struct call *call);
int run_fold(const struct call *call);
int run_report(const struct call *call); /* of the period that is the row's second word */
int run_export(const struct call *call);
int run_report_verify(const struct call *call);
int run_status(const struct call *call);
int run_commands(const struct call *call);
int run_commands_release(const struct call *call);
int run_quarantine_list(const struct call *call);
int run_quarantine_show(const struct call *call);
int run_quarantine_release(const struct call *call);
int run_trace(const struct call *call);
int run_game_stop(const struct call *call);
int run_game_start(const struct call *call);
int run_game_list(const struct call *call);
int run_dead_list(const struct call *call);
int run_dead_send(const struct call *call);
int run_dead_settle(const struct call *call);
int run_offer_games(const struct call *call);
int run_offer_currencies(const struct call *call);
int run_offer_list(const struct call *call);
int run_player_export(const struct call *call);
int run_user_add(const struct call *call);
int run_user_reset(const struct call *call);
int run_user_roles(const struct call *call);
int run_user_list(const struct call *call);
int run_key_add(const struct call *call);
int run_key_rotate(const struct call *call);
int run_key_end(const struct call *call);
int run_key_list(const struct call *call);
int run_webhooks_list(const struct call *call);
int run_webhooks_test(const struct call *call);
int run_webhooks_dead(const struct call *call);
int run_webhooks_resend(const struct call *call);
int run_keys_draw(const struct call *call);
int run_keys_cards(const struct call *call);
int run_keys_heads(const struct call *call);

#endif
