// The overview: is everything in order, how much is played, where the jackpots stand, who has won.
import { html, useEffect, useRef, useState } from "/vendor/htm-preact.js";
import { LEVELS, money } from "/format.js";
import { DeadLetters } from "/operator/letters.js";
import { Badge, Panel, Table, Tile, Trouble, jackpotIn, time, useRead, whole } from "/operator/parts.js";
import { Line } from "/operator/chart.js";
import { Played } from "/operator/reports.js";

const KEPT = 600; // points of the chart, one a second

// Figures of everybody's play are only for operators that may act on pools.
const tellsAll = (status) => status.players !== undefined;

const rows = (status) => status.journal.reduce((n, j) => n + j.last_seq, 0);

// Journal rows a second, from one status to the next.
function useRate(status) {
	const last = useRef(null);
	const [series, setSeries] = useState({ times: [], values: [] });
	useEffect(() => {
		if (!status || !tellsAll(status)) return;
		const now = { rows: rows(status), us: status.time_us };
		const before = last.current;
		if (before && now.us > before.us) {
			const rate = (now.rows - before.rows) / ((now.us - before.us) / 1e6);
			setSeries((old) => ({ times: [...old.times, now.us / 1e6].slice(-KEPT), values: [...old.values, rate].slice(-KEPT) }));
		}
		if (!before || now.us > before.us) last.current = now;
	}, [status]);
	return series;
}

export function Reconciliation({ status }) {
	const r = status.reconciliation;
	if (!r) return html`<p class="quiet">The first check is still running.</p>`;
	return html`${r.holds ? null : html`<p class="banner bad" role="alert">The books do not balance. Stop the games that this affects, and run jackpotctl ledger verify.</p>`}
		<${Table} name="checks" rows=${r.checks} columns=${[
		{ name: "name", title: "Check", show: (c) => c.name.replaceAll("_", " ") },
		{ name: "holds", title: "Holds", show: (c) => html`<${Badge} text=${c.holds === null ? "not known" : c.holds ? "yes" : "NO"} state=${c.holds === null ? "" : c.holds ? "good" : "bad"} />` },
		{ name: "held_us", title: "Last held", show: (c) => time(c.held_us) },
		{ name: "covers", title: "What it says" },
		{ name: "found", title: "Found" }]} />`;
}

function Tiles({ status, rate }) {
	const { reconciliation: r, shards, instances } = status;
	const held = shards.filter((s) => s.held).length;
	const alive = instances.filter((i) => i.alive).length;
	const lag = Math.max(0, ...shards.map((s) => s.lag ?? 0));
	const is = (good) => good ? "good" : "bad";
	return html`<div class="tiles" id="summary">
		<${Tile} name="Books" value=${r ? r.holds ? "in order" : "NOT IN ORDER" : "–"} state=${r ? is(r.holds) : ""} note=${r ? `last held ${time(r.held_us)}` : "the first check is running"} />
		${tellsAll(status) ? html`<${Tile} name="Booked a second" value=${rate === undefined ? "–" : whole(Math.round(rate))} note=${`${whole(rows(status))} rows in all`} />
		<${Tile} name="Players" value=${whole(status.players)} note=${status.players_estimated ? "accounts, about" : "accounts"} />
		<${Tile} name="Jackpots paid" value=${whole(r?.hits_paid)} note=${r ? `${r.claims_open} on the way` : ""} state=${r && r.oldest_claim_s >= 10 ? "bad" : ""} />` : null}
		<${Tile} name="Shards" value=${`${held} of ${shards.length}`} state=${is(held === shards.length)} note="have an owner" />
		<${Tile} name="Instances" value=${`${alive} of ${instances.length}`} state=${is(alive > 0)} note="alive" />
		<${Tile} name="Lag" value=${whole(lag)} state=${is(lag < 10000)} note="rows not read yet" />
	</div>`;
}

function Jackpots({ pools }) {
	return html`<div class="jackpots">${pools.map((pool) => {
		const top = [...pool.rows].filter((r) => r.currency === "EUR").sort((a, b) => b.value_minor - a.value_minor)[0] ?? pool.rows[0];
		return html`<a class="jackpot" href="#jackpots/${pool.pool}" key=${pool.pool}><span>${pool.id}</span>
			<b>${top ? money(top.value_minor, top.currency) : "–"}</b><small class="quiet">${top?.level ? LEVELS[top.level] : top ? `at coin ${money(top.coin_minor, top.currency)}` : ""}</small>
			${pool.status === "live" ? null : html`<${Badge} text=${pool.status} state="gold" />`}</a>`;
	})}</div>`;
}

export function Overview({ me }) {
	const status = useRead("/v1/operator/status", 1000);
	const jackpots = useRead("/v1/jackpots", 1000);
	const winners = useRead("/v1/winners?limit=10", 3000);
	const series = useRate(status.data);
	if (!status.data) return html`<${Trouble} state=${status} />`;
	const old = Date.now() - status.at > 5000;
	return html`${old ? html`<p class="banner bad" role="alert">No answer for ${Math.round((Date.now() - status.at) / 1000)} s: these figures are old.</p>` : null}
		<${Tiles} status=${status.data} rate=${series.values.at(-1)} />
		${tellsAll(status.data) ? html`<${Panel} title="Booked a second"><${Line} label="Rows a second" times=${series.times} values=${series.values} /><//>` : null}
		<${Played} me=${me} />
		<${Panel} title="Jackpots">${jackpots.data ? html`<${Jackpots} pools=${jackpots.data.pools} />` : html`<${Trouble} state=${jackpots} />`}<//>
		<div class="two"><${Panel} title="Last winners"><${Table} name="winners" rows=${winners.data?.winners} empty="Nobody has won a jackpot yet." columns=${[
			{ name: "time_us", title: "When", show: (w) => time(w.time_us) }, { name: "pool", title: "Jackpot", csv: (w) => jackpotIn(jackpots.data?.pools, w.pool), show: (w) => html`<a href="#jackpots/${w.pool}">${jackpotIn(jackpots.data?.pools, w.pool)}</a>` },
			{ name: "paid_minor", title: "Paid", number: true, show: (w) => html`<b class="gold">${money(w.paid_minor, w.currency)}</b>` }, { name: "player", title: "Player" }]} /><//>
		<${Panel} title="Reconciliation"><${Reconciliation} status=${status.data} /><//></div>`;
}

export function Health({ me }) {
	const status = useRead("/v1/operator/status", 1000);
	if (!status.data) return html`<${Trouble} state=${status} />`;
	const { shards, instances } = status.data;
	return html`${status.error ? html`<${Trouble} state=${status} />` : null}<${Panel} title="Instances"><${Table} name="instances" rows=${instances} columns=${[
		{ name: "name", title: "Name", show: (i) => html`<span class=${i.alive ? "" : "bad"}>${i.name}</span>` }, { name: "service", title: "Service" },
		{ name: "alive", title: "Alive", show: (i) => html`<${Badge} text=${i.alive ? "alive" : "gone"} state=${i.alive ? "good" : "bad"} />` },
		{ name: "pid", title: "Process", number: true }, { name: "started_us", title: "Since", show: (i) => time(i.started_us) },
		{ name: "age_ms", title: "Heartbeat", number: true, show: (i) => i.age_ms < 100000 ? `${whole(Math.max(0, i.age_ms))} ms` : "–" }, { name: "health", title: "Health" }]} /><//>
	${tellsAll(status.data) && me.permissions.includes("letters") ? html`<${DeadLetters} me=${me} />` : null}
	<${Panel} title="Reconciliation"><${Reconciliation} status=${status.data} /><//>
	<${Panel} title="Shards"><${Table} name="shards" rows=${shards} columns=${[
		{ name: "service", title: "Service" }, { name: "shard", title: "Shard", number: true }, { name: "owner", title: "Owner", show: (s) => html`<span class=${s.held ? "" : "bad"}>${s.held ? s.owner : "none"}</span>` },
		{ name: "epoch", title: "Epoch", number: true }, { name: "lease_ms", title: "Lease ms", number: true, show: (s) => s.lease_ms > -10000 ? whole(s.lease_ms) : "over" },
		...(tellsAll(status.data) ? [{ name: "offset_1", title: "Position", number: true, show: (s) => `${whole(s.offset_1)}${s.offset_2 ? ` / ${whole(s.offset_2)}` : ""}` }] : []),
		{ name: "lag", title: "Lag", number: true, show: (s) => whole(s.lag) }, { name: "deaths", title: "Deaths", number: true }]} /><//>`;
}

