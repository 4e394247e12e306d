// What goes on now and today: play a minute, each game's return beside the published one, and what operators did last.
import { html } from "/vendor/htm-preact.js";
import { money } from "/format.js";
import { Panel, Table, Tile, time, useRead, whole } from "/operator/parts.js";
import { RETURNS, percent, zState } from "/operator/reports.js";

const MINUTE_US = 60e6;
const add = (points, name) => points.reduce((sum, p) => sum + (p[name] ?? 0), 0);

// The points of the minute before this one and of this one, and how many minutes they cover: from one to two.
function lately(points) {
	const now = Date.now() * 1000;
	const from = Math.floor(now / MINUTE_US - 1) * MINUTE_US;
	return { points: points.filter((p) => p.time_us >= from), minutes: (now - from) / MINUTE_US };
}

export function Now({ me }) {
	const base = `/v1/operators/${me.operator}/series`;
	const minutes = useRead(`${base}?step=minute`, 3000);
	const hours = useRead(`${base}?step=hour`, 15000);
	if (!minutes.data) return null;
	const { points, minutes: n } = lately(minutes.data.points);
	const last = hours.data?.points.at(-1);
	const hour = last && Date.now() * 1000 - last.time_us < 60 * MINUTE_US ? hours.data.points.filter((p) => p.time_us === last.time_us) : [];
	return html`<div class="tiles" id="now">
		<${Tile} name="Rounds a minute" value=${whole(Math.round(add(points, "rounds") / n))} note="in the last two minutes" />
		<${Tile} name="Players this hour" value=${hours.data ? whole(add(hour, "players")) : "–"} note="who have bet" />
		${points.length ? [...new Set(points.map((p) => p.currency))].map((currency) => {
			const mine = points.filter((p) => p.currency === currency);
			return html`<${Tile} key=${currency} name=${`Staked a minute, ${currency}`} value=${money(Math.round(add(mine, "stakes_minor") / n), currency)}
				note=${`won ${money(Math.round(add(mine, "wins_minor") / n), currency)}`} />`;
		}) : null}</div>`;
}

// The furthest from what is published comes first.
const byZ = (a, b) => Math.abs(b.z ?? 0) - Math.abs(a.z ?? 0) || b.rounds - a.rounds;

export function Today({ me }) {
	const base = `/v1/operators/${me.operator}/reports`;
	const days = useRead(`${base}?period=day`, 60000);
	const today = days.data?.gaming_day.today;
	const report = useRead(today && `${base}/day/${today}`, 60000);
	if (!report.data) return null;
	const rows = [...report.data.returns].sort(byZ);
	const worst = rows[0];
	return html`<${Panel} title="Today" id="today" aside=${html`<a class="print-no" href="#reports/day-${today}">Report</a>`}>
		<div class="tiles">${report.data.totals.map((t) => html`<${Tile} key=${t.currency} name=${`GGR, ${t.currency}`} value=${money(t.ggr_minor, t.currency)} note=${`${whole(t.rounds)} rounds of ${whole(t.players)} players, ${money(t.stakes_minor, t.currency)} staked`} />`)}
			${worst ? html`<${Tile} name="Furthest from published" value=${percent(worst.rtp_percent)} state=${zState(worst.z)} note=${`${worst.game}: z ${worst.z === null ? "–" : worst.z.toFixed(2)}`} />` : null}</div>
		<${Table} name="today" rows=${rows.slice(0, 10)} columns=${RETURNS} empty="Nothing was played today." /><//>`;
}

export function LastActions({ me }) {
	const may = me.permissions.includes("audit");
	const audit = useRead(may && `/v1/operators/${me.operator}/audit?limit=8`, 3000);
	if (!may || !audit.data) return null;
	return html`<${Panel} title="Last actions" aside=${html`<a class="print-no" href="#audit">Audit log</a>`}><${Table} name="last-actions" rows=${audit.data.rows} empty="Nobody has done anything yet." columns=${[
		{ name: "time_us", title: "When", show: (r) => time(r.time_us) }, { name: "actor", title: "Who" }, { name: "action", title: "Did" }, { name: "subject", title: "To" },
		{ name: "status", title: "Answer", number: true, show: (r) => html`<span class=${r.status < 300 ? "good" : "bad"}>${r.status}</span>` }]} /><//>`;
}
