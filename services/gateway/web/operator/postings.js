// The postings of the ledger, to walk: from an account, a day or a player to the rows that make the sums, and on to the round. The address says which:
// #ledger/currency=EUR&account=JACKPOT:1
import { html } from "/vendor/htm-preact.js";
import { CODE_MAX, money } from "/format.js";
import { Badge, Panel, Table, Trouble, numberOf, time, usePages } from "/operator/parts.js";
import { wordOf } from "/operator/words.js";

const ACCOUNTS = ["PLAYER", "PENDING", "HOUSE", "CASH", "WITHDRAWAL", "PROMO", "VOID_RECEIVABLE"];
const FILTERS = ["account", "currency", "day", "player"];

export const postingsOf = (filter) => `#ledger/${Object.entries(filter).filter(([, value]) => value).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&") || "all"}`;

export function Postings({ me, id }) {
	const asked = new URLSearchParams(id);
	const filter = Object.fromEntries(FILTERS.map((name) => [name, asked.get(name) ?? ""]));
	const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value)).toString();
	const postings = usePages(`/v1/operators/${me.operator}/postings?limit=100${query && `&${query}`}`);
	const choose = (name) => (event) => { location.hash = postingsOf({ ...filter, ...(name === "player" ? { day: "" } : name === "day" ? { player: "" } : {}), [name]: event.target.value.trim() }); };
	const players = me.permissions.includes("players");
	const accounts = filter.account && !ACCOUNTS.includes(filter.account) ? [...ACCOUNTS, filter.account] : ACCOUNTS;
	return html`<p class="crumbs"><a href="#ledger">Ledger</a></p>
	<${Panel} title=${filter.player ? `Postings of player ${me.operator}-${filter.player}` : "Postings"} id="postings"><div class="controls">
		<label>Account<select name="account" value=${filter.account} onChange=${choose("account")}><option value="">all</option>${accounts.map((name) => html`<option value=${name}>${name}</option>`)}</select></label>
		<label>Currency<input name="currency" maxlength=${CODE_MAX} autocomplete="off" placeholder="all" value=${filter.currency} onChange=${choose("currency")} /></label>
		<label>Day (UTC)<input name="day" type="date" value=${filter.day} onChange=${choose("day")} /></label>
		<label>Player<input name="player" inputmode="numeric" autocomplete="off" placeholder="all" value=${filter.player} onChange=${choose("player")} /></label></div>
		<${Trouble} state=${postings} /><${Table} name="postings" rows=${postings.data?.postings} keyOf=${(p) => `${p.shard} ${p.seq} ${p.leg}`}
			empty=${postings.data?.next_cursor ? "Nothing on this page; there are more pages." : "Nothing was posted."} more=${postings.pager} columns=${[
			{ name: "time_us", title: "When", show: (p) => time(p.time_us) }, { name: "kind", title: "What", csv: (p) => p.kind, show: (p) => p.close === null ? wordOf(p.kind) : html`<${Badge} text="daily close" />` },
			{ name: "player", title: "Player", show: (p) => p.player && players ? html`<a href="#players/${numberOf(p.player)}">${p.player}</a>` : p.player },
			{ name: "round", title: "Round", number: true, show: (p) => p.round && players ? html`<a href="#players/${numberOf(p.player)}/${p.round}">${p.round}</a>` : p.round },
			{ name: "game", title: "Game" }, { name: "account", title: "Account", show: (p) => html`<a href=${postingsOf({ ...filter, account: p.account, currency: p.currency })}>${p.account}</a>` },
			{ name: "amount_minor", title: "Amount", number: true, show: (p) => html`<span class=${p.amount_minor < 0 ? "quiet" : ""}>${money(p.amount_minor, p.currency)}</span>` },
			{ name: "seq", title: "Row", number: true, csv: (p) => `${p.shard}/${p.seq}`, show: (p) => `${p.shard} / ${p.seq}` }]} /><//>`;
}
