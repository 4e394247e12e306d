/* The wallet's Prometheus metrics. */
#include "services/wallet/adapters/app.h"

#include <stdio.h>

static const char *const kind_names[WALLET_KINDS_SEEN] = {
	[WALLET_KIND_OPEN] = "open",
	[WALLET_KIND_BET] = "bet",
	[WALLET_KIND_RELEASE] = "release",
	[WALLET_KIND_GAMBLE] = "gamble",
	[WALLET_KIND_HALVE] = "halve",
	[WALLET_KIND_COLLECT] = "collect",
	[WALLET_KIND_VOID] = "void",
	[WALLET_KIND_SETTING] = "setting",
	[WALLET_KIND_DEPOSIT] = "deposit",
	[WALLET_KIND_WITHDRAWAL] = "withdrawal",
	[WALLET_KIND_CORRECTION] = "correction",
	[WALLET_KIND_GRANT] = "grant",
	[WALLET_KIND_AWARD] = "award",
	[WALLET_KIND_BLOCK] = "block",
	[WALLET_KIND_BONUS_SPINS] = "spins",
	[WALLET_KIND_BONUS_SPINS_END] = "spins_end",
	[WALLET_KIND_HOLD] = "hold",
	[WALLET_KIND_CAPTURE] = "capture",
	[WALLET_KIND_HOLD_RELEASE] = "hold_release",
	[WALLET_KIND_GRANT_BACK] = "grant_back",
	[WALLET_KIND_LIMIT] = "limit",
	[0] = "unknown",
};
static const char *const refusal_names[WALLET_REFUSALS_N] = { "none", "funds", "limit", "blocked",
	"late", "pending", "account", "content", "tally", "kind", "claim", "amount", "spins",
	"hold", "limit_loss", "limit_wager", "rate", "limit_time", "limit_deposit", "excluded",
	"voided", "claim_open" };

void wallet_metrics_open(struct wallet_metrics *metrics)
{
	char labels[64];

	for (size_t i = 0; i < sizeof(kind_names) / sizeof(kind_names[0]); i++) {
		if (kind_names[i] == NULL)
			continue;
		(void)snprintf(labels, sizeof(labels), "kind=\"%s\"", kind_names[i]);
		metrics->rows[i] = metric_counter(
			"carillon_wallet_rows_total", labels, "Accepted journal rows by kind");
	}
	for (size_t i = 1; i < WALLET_REFUSALS_N; i++) {
		if (refusal_names[i] == NULL)
			continue;
		(void)snprintf(labels, sizeof(labels), "refusal=\"%s\"", refusal_names[i]);
		metrics->refusals[i] = metric_counter("carillon_wallet_refusals_total", labels,
			"Refused journal rows by refusal");
	}
	metrics->spent = metric_counter("carillon_wallet_repeats_total", NULL,
		"Commands whose move number or id was used before; the reply is the row that "
		"used it");
	metrics->awards_again = metric_counter("carillon_wallet_award_repeats_total", NULL,
		"Awards for claims that were already paid");
	metrics->ahead = metric_counter("carillon_wallet_alarms_total", "alarm=\"move_ahead\"",
		"Events that must never happen");
	metrics->content_alarm = metric_counter("carillon_wallet_alarms_total",
		"alarm=\"id_with_other_content\"", "Events that must never happen");
	metrics->claim_alarm = metric_counter("carillon_wallet_alarms_total",
		"alarm=\"award_without_claim\"", "Events that must never happen");
	metrics->claims_open =
		metric_gauge("carillon_wallet_claims_open", NULL, "Claims without an award");
	metrics->claims_oldest_us = metric_gauge("carillon_wallet_claim_oldest_us", NULL,
		"Age of the oldest open claim on a progressive; above 10 s is an alarm");
	metrics->accounts = metric_gauge("carillon_wallet_accounts", NULL, "Accounts in memory");
	metrics->quarantined = metric_gauge("carillon_wallet_quarantined", NULL,
		"Players in quarantine, because something stored about them cannot be read");
	metrics->batch_rows =
		metric_counter("carillon_wallet_batches_total", NULL, "Batch rows written");
	metrics->write_us = metric_histogram_us(
		"carillon_wallet_write_us", NULL, "Time to write the rows of one transaction");
}

void wallet_metrics_row(struct wallet_metrics *metrics, const struct wallet_row *row)
{
	size_t kind = row->kind < sizeof(kind_names) / sizeof(kind_names[0]) &&
				      kind_names[row->kind] != NULL
			      ? row->kind
			      : 0;

	if (row->refusal == WALLET_REFUSAL_NONE)
		metric_add(metrics->rows[kind], 1);
	else
		metric_add(metrics->refusals[row->refusal], 1);
	if (row->refusal == WALLET_REFUSAL_CONTENT)
		metric_add(metrics->content_alarm, 1);
	if (row->refusal == WALLET_REFUSAL_CLAIM)
		metric_add(metrics->claim_alarm, 1);
}
