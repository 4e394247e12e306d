// Approvals: all that waits for a second person, and how many of it in the menu.
import { html } from "/vendor/htm-preact.js";
import { money } from "/format.js";
import { approveWithdrawal, decideAction } from "/operator/players.js";
import { Changes, dataOf, said, wordOf } from "/operator/words.js";
import { Act, Badge, Panel, REASON, Table, Trouble, jackpotIn, numberOf, time, usePages, useRead } from "/operator/parts.js";

const pathOf = (me) => `/v1/operators/${me.operator}/approvals`;

export function Waiting({ me }) {
	const waiting = useRead(pathOf(me), 5000).data?.waiting;
	return waiting ? html` <span class="count" title="that you may decide">${waiting}</span>` : null;
}

const KINDS = { amount: "Amount", pool: "Jackpot", rate: "Rate", void: "Void", pseudonym: "Player's data", withdrawal: "Withdrawal" };
const spins = (a) => a.action === "bonus spins";

// Of a decision by hand: the beginning of the withdrawal's id, as the list of withdrawals shows it.
const which = (a) => a.withdrawal ? `, withdrawal ${a.withdrawal.slice(0, 12)}` : "";

// What would change, as a sentence.
function matter(a) {
	if (a.kind === "rate") return `${a.currency}: ${a.before_rate === null ? "no rate" : a.before_rate} becomes ${a.rate}`;
	if (a.kind === "pool") return `${wordOf(a.action)}: ${said(a.parameters)}`;
	if (a.kind === "pseudonym") return "Pseudonymise the player";
	if (a.kind === "withdrawal") return `${money(a.amount_minor, a.currency)}${which(a)}`;
	if (a.kind === "void") return `Void round ${a.parameters.round} of ${a.parameters.game}, with jackpots of ${money(a.amount_minor, a.currency)}`;
	return `${wordOf(a.action)}: ${money(a.amount_minor, a.currency)}${which(a)}`;
}

const first = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const why = (a) => (a.reason || "no reason was given").replace(/\.$/, "");

const subject = (a, pools) => a.kind === "pool" ? `jackpot ${jackpotIn(pools, a.pool)}` : a.kind === "rate" ? a.currency : `player ${a.player}`;

// What it does to the balance: a captured withdrawal has left it already.
function change(a) {
	if (a.action === "withdrawal") return -a.amount_minor;
	return a.action.startsWith("withdrawal captured") ? 0 : a.amount_minor;
}

function effect(a) {
	if (a.kind === "pseudonym") return "The text of notes, the reasons of requests and the player's settings are removed for ever; their sessions end. The ledger stays as it is.";
	if (a.kind === "void") return "The stake is returned, and the win and its jackpots are taken back, as far as the balance allows.";
	if (a.kind !== "amount") return `${matter(a)}.`;
	return spins(a) ? `Bonus spins with bets of ${money(a.amount_minor, a.currency)} in all.`
		: `The balance ${money(a.balance_minor, a.currency)} becomes ${money(a.balance_minor + change(a), a.currency)}, if nothing else is booked meanwhile.`;
}

const places = (base) => ({ amount: (a) => `${base}/amounts/${a.id}`, pool: (a) => `${base}/pools/${a.pool}/actions/${a.id}`, rate: (a) => `${base}/fx-rates/${a.id}`,
	void: (a) => `${base}/players/${numberOf(a.player)}/voids/${a.id}`, pseudonym: (a) => `${base}/players/${numberOf(a.player)}/pseudonymise/${a.id}` });

const reasoned = (a) => ["amount", "pseudonym"].includes(a.kind);

function came(a) {
	return (answer) => answer.balance_minor !== undefined ? html`<p>The balance is now <b>${money(answer.balance_minor, a.currency)}</b>.</p>`
		: answer.before ? html`<${Changes} before=${answer.before} after=${answer.after} currency=${dataOf(a.parameters).currency ?? "EUR"} />` : null;
}

const approve = (base, a) => ({ title: `Approve: ${matter(a)}`, verb: "Approve", button: "Approve", path: () => `${places(base)[a.kind](a)}/approve`, shows: came(a), fields: reasoned(a) ? [REASON] : [],
	what: () => `${a.asked_by} asks, for ${subject(a)}: ${why(a)}. ${effect(a)}`, body: (v) => reasoned(a) ? { reason: v.reason } : undefined });

const refuse = (base, a) => ({ danger: true, title: `Refuse: ${matter(a)}`, verb: "Refuse", button: "Refuse", path: () => `${places(base)[a.kind](a)}/refuse`, fields: [REASON],
	what: () => `${a.asked_by} asks, for ${subject(a)}: ${why(a)}. It will not be done.`, body: (v) => ({ reason: v.reason }) });

function Decide({ base, a, again }) {
	if (a.mine) return html`<small class="quiet">You asked. Another one must decide.</small>`;
	const withdrawal = { ...a, booked_us: a.asked_us };
	const byHand = (player) => [a.action === "withdrawal to approve" ? approveWithdrawal(player, withdrawal) : decideAction(player, withdrawal, "capture"), decideAction(player, withdrawal, "release")];
	const actions = a.kind === "withdrawal" ? byHand(`${base}/players/${numberOf(a.player)}`) : [approve(base, a), refuse(base, a)];
	return html`<div class="controls">${actions.map((action) => html`<${Act} action=${action} onDone=${again} /> `)}</div>`;
}

export function Approvals({ me }) {
	const base = `/v1/operators/${me.operator}`;
	const list = usePages(pathOf(me), 3000);
	const pools = useRead("/v1/jackpots").data?.pools;
	const may = (permission) => me.permissions.includes(permission);
	const named = (a) => subject(a, pools);
	return html`<${Panel} title="Approvals" of=${list}><${Trouble} state=${list} /><${Table} name="approvals" rows=${list.data?.approvals} empty="Nothing waits for a second person." columns=${[
		{ name: "asked_us", title: "Since", show: (a) => time(a.asked_us) }, { name: "kind", title: "Kind", csv: (a) => KINDS[a.kind], show: (a) => html`<${Badge} text=${KINDS[a.kind]} />` },
		{ name: "matter", title: "What", csv: matter, show: (a) => first(matter(a)) },
		{ name: "subject", title: "For", csv: named, show: (a) => a.player && may("players") ? html`<a href="#players/${numberOf(a.player)}">${named(a)}</a>` : a.kind === "pool" ? html`<a href="#jackpots/${a.pool}">${named(a)}</a>` : named(a) },
		{ name: "reason", title: "Reason" }, { name: "asked_by", title: "Asked by", show: (a) => a.asked_by.replace(`operator-${me.operator} `, "") }, { name: "expires_us", title: "Until", show: (a) => a.expires_us ? time(a.expires_us) : "" },
		{ name: "act", title: "", csv: () => "", show: (a) => html`<${Decide} base=${base} a=${a} again=${list.again} />` }]} more=${list.pager} /><//>`;
}
