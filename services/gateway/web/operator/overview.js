// The overview: is everything in order, how much is played, where the jackpots stand, who has won.
import { html, useEffect, useRef, useState } from "/vendor/htm-preact.js";
import { LEVELS, money } from "/format.js";
import { DeadLetters } from "/operator/letters.js";
import { sentence } from "/operator/ask.js";
import { live } from "/operator/guard.js";
import { Badge, Panel, Part, Table, Tile, Trouble, asOf, jackpotIn, time, useAge, useRead, whole } from "/operator/parts.js";
import { Line } from "/operator/chart.js";
import { Played } from "/operator/reports.js";
import { LastActions, Now, Today } from "/operator/today.js";

const KEPT = 600; // points of the chart, one a second

// Figures of everybody's play are only for operators that may act on pools.
const tellsAll = (status) => status.players !== undefined;

// What the gateway reads again and again and answers from memory, and how many seconds old it may be: the checks run every five.
const PARTS = [["services", "services", 5], ["pools", "pools", 5], ["checks", "reconciliation", 15], ["jackpots", "jackpots", 5], ["winners", "winners", 5]];
const UNREAD = { data: null };

// The age of each part in seconds: what it was when the gateway answered, and what has passed since. jackpots, winners: reads of their own, if the screen shows them.
function useAges(status, jackpots = UNREAD, winners = UNREAD) {
	const answered = useAge(status);
	const own = { jackpots: useAge(jackpots), winners: useAge(winners) };
	const of = status.data?.age_s ?? {};
	const shown = PARTS.filter(([name]) => !(name in own) || own[name] !== null);
	const ages = Object.fromEntries(shown.map(([name]) => [name, Math.max(answered + (of[name] ?? 0), own[name] ?? 0)]));
	return { ages, late: shown.filter(([name, , most]) => ages[name] > most).map(([name]) => name), now_us: status.data ? status.data.time_us + 1e6 * (of.services + answered) : 0 };
}

// From when the figures are. Those that are old are never shown as if they were not.
function AsOf({ status, at: { ages, late, now_us } }) {
	const told = (name) => asOf(now_us - 1e6 * ages[name], ages[name]);
	if (!late.length) return html`<p class="quiet as-of" id="as-of" ...${live(status)}>Figures ${told("services")}</p>`;
	return html`<p class="banner bad" role="alert" id="as-of">These figures are old: ${PARTS.filter(([name]) => late.includes(name)).map(([name, text]) => `${text} ${told(name)}`).join(", ")}. ${status.error ? sentence(status.error) : "The gateway cannot read them now."}</p>`;
}

const rows = (status) => status.journal.reduce((n, j) => n + j.last_seq, 0);

// Journal rows a second, from one status to the next.
function useRate(status) {
	const last = useRef(null);
	const [series, setSeries] = useState({ times: [], values: [] });
	useEffect(() => {
		if (!Array.isArray(status?.journal) || !tellsAll(status)) return;
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

// old: the checks have not run for some seconds.
export function Reconciliation({ status, old }) {
	const r = status.reconciliation;
	if (!r) return html`<p class="quiet">The first check is still running.</p>`;
	return html`${r.holds ? null : html`<p class="banner bad" role="alert">The books do not balance. Stop the games that this affects, and run jackpotctl ledger verify.</p>`}
		<${Table} name="checks" rows=${r.checks} columns=${[
		{ name: "name", title: "Check", show: (c) => c.name.replaceAll("_", " ") },
		{ name: "holds", title: "Holds", show: (c) => html`<${Badge} text=${c.holds === null ? "not known" : c.holds ? old ? "held" : "yes" : "NO"} state=${c.holds === null || old && c.holds ? "" : c.holds ? "good" : "bad"} />` },
		{ name: "held_us", title: "Last held", show: (c) => time(c.held_us) },
		{ name: "covers", title: "What it says" },
		{ name: "found", title: "Found" }]} />`;
}

function Tiles({ of, rate, late }) {
	const status = of.data;
	const { reconciliation: r, shards, instances } = status;
	const held = shards.filter((s) => s.held).length;
	const alive = instances.filter((i) => i.alive).length;
	const lag = Math.max(0, ...shards.map((s) => s.lag ?? 0));
	const old = late.includes("services");
	const is = (good) => old ? "" : good ? "good" : "bad";
	return html`<div class=${`tiles ${old ? "old" : ""}`} id="summary" ...${live(of)}>
		<${Tile} name="Books" value=${r ? r.holds ? "in order" : "NOT IN ORDER" : "–"} state=${r && !late.includes("checks") ? is(r.holds) : ""} note=${r ? `last held ${time(r.held_us)}` : "the first check is running"} />
		${tellsAll(status) ? html`<${Tile} name="Booked a second" value=${old || rate === undefined ? "–" : whole(Math.round(rate))} note=${`${whole(rows(status))} rows in all`} />
		<${Tile} name="Players" value=${whole(status.players)} note=${status.players_estimated ? "accounts, about" : "accounts"} />
		<${Tile} name="Jackpots paid" value=${whole(r?.hits_paid)} note=${r ? `${r.claims_open} on the way` : ""} state=${r && r.oldest_claim_s >= 10 && !late.includes("checks") ? "bad" : ""} />` : null}
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
	const at = useAges(status, jackpots, winners);
	return html`${status.data ? html`<${Part} is=${AsOf} name="The age of the figures" status=${status} at=${at} />
			<${Part} is=${Tiles} name="The summary" of=${status} rate=${series.values.at(-1)} late=${at.late} />` : html`<${Trouble} state=${status} />`}
		<${Part} is=${Now} name="What is played now" me=${me} now_us=${at.now_us || Date.now() * 1000} />
		${status.data && tellsAll(status.data) ? html`<${Panel} title="Booked a second" of=${status}><${Line} label="Rows a second" times=${series.times} values=${series.values} /><//>` : null}
		<${Part} is=${Played} name="Played" me=${me} /><${Part} is=${Today} name="Today" me=${me} />
		<${Panel} title="Jackpots" of=${jackpots}>${jackpots.data ? html`<${Jackpots} pools=${jackpots.data.pools} />` : html`<${Trouble} state=${jackpots} />`}<//>
		<div class="two"><${Panel} title="Last winners" of=${winners}>${winners.data ? null : html`<${Trouble} state=${winners} />`}<${Table} name="winners" rows=${winners.data?.winners} empty="Nobody has won a jackpot yet." columns=${[
			{ name: "time_us", title: "When", show: (w) => time(w.time_us) }, { name: "pool", title: "Jackpot", csv: (w) => jackpotIn(jackpots.data?.pools, w.pool), show: (w) => html`<a href="#jackpots/${w.pool}">${jackpotIn(jackpots.data?.pools, w.pool)}</a>` },
			{ name: "paid_minor", title: "Paid", number: true, show: (w) => html`<b class="gold">${money(w.paid_minor, w.currency)}</b>` }, { name: "player", title: "Player" }]} /><//>
		${status.data ? html`<${Panel} title="Reconciliation" of=${status}><${Reconciliation} status=${status.data} old=${at.late.includes("checks")} /><//>` : null}</div><${Part} is=${LastActions} name="Last actions" me=${me} />`;
}

export function Health({ me }) {
	const status = useRead("/v1/operator/status", 1000);
	const at = useAges(status);
	if (!status.data) return html`<${Trouble} state=${status} />`;
	const { shards, instances } = status.data;
	const old = at.late.includes("services");
	return html`<${Part} is=${AsOf} name="The age of the figures" status=${status} at=${at} /><${Panel} title="Instances" of=${status}><${Table} name="instances" rows=${instances} columns=${[
		{ name: "name", title: "Name", show: (i) => html`<span class=${i.alive ? "" : "bad"}>${i.name}</span>` }, { name: "service", title: "Service" },
		{ name: "alive", title: "Alive", csv: (i) => old ? "not known" : i.alive, show: (i) => old ? html`<${Badge} text="not known" />` : html`<${Badge} text=${i.alive ? "alive" : "gone"} state=${i.alive ? "good" : "bad"} />` },
		{ name: "pid", title: "Process", number: true }, { name: "started_us", title: "Since", show: (i) => time(i.started_us) },
		{ name: "age_ms", title: "Heartbeat", number: true, show: (i) => old ? html`<span class="quiet">as of ${time(status.data.time_us)}</span>` : i.age_ms < 100000 ? `${whole(Math.max(0, i.age_ms))} ms` : "–" }, { name: "health", title: "Health" }]} /><//>
	${tellsAll(status.data) && me.permissions.includes("letters") ? html`<${Part} is=${DeadLetters} name="Dead letters" me=${me} />` : null}
	<${Panel} title="Reconciliation" of=${status}><${Reconciliation} status=${status.data} old=${at.late.includes("checks")} /><//>
	<${Panel} title="Shards" of=${status}><${Table} name="shards" rows=${shards} columns=${[
		{ name: "service", title: "Service" }, { name: "shard", title: "Shard", number: true }, { name: "owner", title: "Owner", show: (s) => html`<span class=${s.held ? "" : "bad"}>${s.held ? s.owner : "none"}</span>` },
		{ name: "epoch", title: "Epoch", number: true }, { name: "lease_ms", title: "Lease ms", number: true, show: (s) => old ? "–" : s.lease_ms > -10000 ? whole(s.lease_ms) : "over" },
		...(tellsAll(status.data) ? [{ name: "offset_1", title: "Position", number: true, show: (s) => `${whole(s.offset_1)}${s.offset_2 ? ` / ${whole(s.offset_2)}` : ""}` }] : []),
		{ name: "lag", title: "Lag", number: true, show: (s) => whole(s.lag) }, { name: "deaths", title: "Deaths", number: true }]} /><//>`;
}

