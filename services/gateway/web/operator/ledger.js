// The ledger: each identity with when it last held, what the accounts had come to, the days, unfinished rounds, the newest corrections; and the banner that every
// screen shows when the last proof failed, is too old or is not signed.
import { html } from "/vendor/htm-preact.js";
import { money } from "/format.js";
import { live } from "/operator/guard.js";
import { Badge, Panel, Part, Table, Tile, Trouble, numberOf, time, useRead, whole } from "/operator/parts.js";
import { postingsOf } from "/operator/postings.js";
import { wordOf } from "/operator/words.js";

const hours = (s) => s < 7200 ? `${Math.round(s / 60)} min` : s < 172800 ? `${Math.round(s / 3600)} h` : `${Math.round(s / 86400)} days`;
const WARNINGS = {
	broken: () => "The last proof of the ledger found a breach. Stop the games that this affects, and run jackpotctl ledger verify.",
	old: (p) => `The ledger was last proven ${p.held_us ? `${hours(p.age_s)} ago` : "never"}: it should be every ${hours(p.age_max_s)}. Run jackpotctl ledger verify --since-last.`,
	unsigned: () => "The last proof of the ledger is not signed with the key that this installation knows. Somebody may have written it by hand: run jackpotctl ledger verify --since-last.",
};

export function ProofBanner() {
	const proof = useRead("/v1/operator/proof", 15000);
	const warning = proof.data && WARNINGS[proof.data.state];
	return warning ? html`<p class="banner bad" role="alert" id="proof-banner">${warning(proof.data)}</p>` : null;
}

const STATES = { good: ["good", "good"], none: ["not yet", ""], old: ["too old", "bad"], broken: ["BROKEN", "bad"], unsigned: ["not signed", "bad"] };
const SIGNED = { good: "signed", no: "not signed", wrong: "signed by another key", unknown: "signed; the key is not known here" };

function Tiles({ of }) {
	const { proof } = of.data;
	const [text, state] = STATES[proof.state];
	return html`<div class="tiles" id="proof" ...${live(of)}><${Tile} name="Last proof" value=${text} state=${state} note=${SIGNED[proof.signed] ?? "there is none yet"} />
		<${Tile} name="Proven whole" value=${time(proof.held_us)} note=${proof.held_us ? `${hours(proof.age_s)} ago` : ""} state=${proof.state === "old" ? "bad" : ""} />
		<${Tile} name="Last looked at" value=${time(proof.time_us)} note=${proof.rows === null || !proof.time_us ? "" : `${whole(proof.rows)} rows, after ${whole(proof.since)} proven before`} />
		<${Tile} name="Mark" value=${proof.mark || "–"} note=${proof.mark ? "of the proofs since the last" : ""} /></div>`;
}

const holds = (p) => html`<${Badge} text=${p.holds === null ? "left out" : p.holds ? "yes" : "NO"} state=${p.holds === null ? "" : p.holds ? "good" : "bad"} />`;
const dayState = (d) => d.dropped === d.shards ? "dropped" : d.archived === d.shards ? "archived" : d.closed === d.shards ? "closed" : "open";
const moneyOf = (text, currency) => money(Number(text), currency);

export function Ledger({ me }) {
	const base = `/v1/operators/${me.operator}`;
	const ledger = useRead(`${base}/ledger`, 10000);
	const unfinished = useRead(`${base}/unfinished`, 0);
	const l = ledger.data;
	if (!l) return html`<${Trouble} state=${ledger} />`;
	const counts = l.accounts !== null;
	return html`${ledger.error ? html`<${Trouble} state=${ledger} />` : null}<${Part} is=${Tiles} name="The last proof" of=${ledger} />
	<${Panel} title="What the proof shows" of=${ledger}><${Table} name="points" rows=${l.points} empty="No proof yet: run jackpotctl ledger verify --since-last." columns=${[{ name: "point", title: "No.", number: true }, { name: "title", title: "Identity" },
		{ name: "holds", title: "Holds", csv: (p) => p.holds === null ? "left out" : p.holds ? "yes" : "NO", show: (p) => html`${holds(p)} <small class="quiet">${p.why_not}</small>` }, { name: "held_us", title: "Last held", show: (p) => time(p.held_us) },
		...counts ? [{ name: "held_checked", title: "Checked", number: true, show: (p) => whole(p.held_checked) }, { name: "held_rows", title: "Rows", number: true, show: (p) => whole(p.held_rows) }] : []]} /><//>
	<div class="two">${counts ? html`<${Panel} title="Accounts at the last proof" of=${ledger} aside=${html`<a class="print-no" href="#ledger/all">All postings</a>`}><${Table} name="accounts" rows=${l.accounts} keyOf=${(a) => `${a.currency} ${a.account}`} empty="No proof yet." columns=${[{ name: "currency", title: "Currency" },
		{ name: "account", title: "Account", show: (a) => html`<a href=${postingsOf({ account: a.account, currency: a.currency })}>${a.account}</a>` }, { name: "amount_minor", title: "Sum", number: true, show: (a) => html`<span class=${a.amount_minor.startsWith("-") ? "quiet" : ""}>${moneyOf(a.amount_minor, a.currency)}</span>` }]} /><//>` : null}
	<${Panel} title="Days" of=${ledger}><${Table} name="days" rows=${l.days} keyOf=${(d) => d.day} empty="Nothing is booked yet." columns=${[{ name: "day", title: "Day (UTC)", show: (d) => d.dropped === d.shards ? d.day : html`<a href=${postingsOf({ day: d.day })}>${d.day}</a>` }, { name: "state", title: "State", csv: dayState, show: (d) => html`<${Badge} text=${dayState(d)} />` },
		{ name: "proven", title: "Proven", csv: (d) => d.proven ? "yes" : "no", show: (d) => d.proven ? html`<${Badge} text="proven" state="good" />` : html`<small class="quiet">not whole yet</small>` }, ...counts ? [{ name: "rows", title: "Rows", number: true, show: (d) => d.closed === d.shards ? whole(d.rows) : "–" }] : []]} /><//></div>
	<${Panel} title="Unfinished rounds"><${Trouble} state=${unfinished} /><${Table} name="unfinished" rows=${unfinished.data?.unfinished} empty="No round of our players waits to be finished." columns=${[{ name: "currency", title: "Currency" }, { name: "rounds", title: "Rounds", number: true, show: (u) => whole(u.rounds) },
		{ name: "pending_minor", title: "Not collected", number: true, show: (u) => money(u.pending_minor, u.currency) }, { name: "oldest_us", title: "Left alone since", show: (u) => time(u.oldest_us) }]} /><//>
	<${Panel} title="Newest corrections, grants, voids and jackpots" of=${ledger}><${Table} name="entries" rows=${l.entries} empty="None yet." columns=${[{ name: "time_us", title: "When", show: (e) => time(e.time_us) }, { name: "kind", title: "What", show: (e) => wordOf(e.kind) },
		{ name: "player", title: "Player", show: (e) => me.permissions.includes("players") ? html`<a href="#players/${numberOf(e.player)}">${e.player}</a>` : e.player }, { name: "amount_minor", title: "Brought", number: true, show: (e) => money(e.amount_minor, e.currency) },
		{ name: "actor", title: "By" }, { name: "reason", title: "Reason" }]} /><//>`;
}
