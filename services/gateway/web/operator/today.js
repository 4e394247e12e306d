// What goes on now and today: play a minute, each game's return beside the published one, and what operators did last.
import { html } from "/vendor/htm-preact.js";
import { money } from "/format.js";
import { live } from "/operator/guard.js";
import { Old, Panel, Table, Tile, Trouble, time, useAge, useRead, whole } from "/operator/parts.js";
import { RETURNS, percent, zState } from "/operator/reports.js";

const MINUTE_US = 60e6;
const MOST = 12; // seconds that figures read every three may be old
const add = (points, name) => points.reduce((sum, p) => sum + (p[name] ?? 0), 0);

// The points of the minute before this one and of this one, and how many minutes they cover: from one to two.
function lately(points, now_us) {
	const from = Math.floor(now_us / MINUTE_US - 1) * MINUTE_US;
	return { points: points.filter((p) => p.time_us >= from), minutes: (now_us - from) / MINUTE_US };
}

// now_us: the server's clock.
export function Now({ me, now_us }) {
	const base = `/v1/operators/${me.operator}/series`;
	const minutes = useRead(`${base}?step=minute`, 3000);
	const hours = useRead(`${base}?step=hour`, 15000);
	const age = useAge(minutes);
	if (!minutes.data) return html`<${Trouble} state=${minutes} />`;
	const { points, minutes: n } = lately(minutes.data.points, now_us - 1e6 * age); // as it was then
	const last = hours.data?.points.at(-1);
	const hour = last && now_us - last.time_us < 60 * MINUTE_US ? hours.data.points.filter((p) => p.time_us === last.time_us) : [];
	return html`${age > MOST ? html`<p class="as-of"><${Old} state=${minutes} most=${MOST} /></p>` : null}<div class=${`tiles ${age > MOST ? "old" : ""}`} id="now" ...${live(minutes)}>
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
	if (!report.data) return days.error || report.error ? html`<${Panel} title="Today"><${Trouble} state=${days.error ? days : report} /><//>` : null;
	const rows = [...report.data.returns].sort(byZ);
	const worst = rows.find((r) => r.z !== null);
	const people = (n) => `${whole(n)} ${n === 1 ? "player" : "players"}`;
	return html`<${Panel} title="Today" id="today" of=${report} aside=${html`<${Old} state=${report} most=${120} /><a class="print-no" href="#reports/day-${today}">Report</a>`}>
		<div class="tiles">${report.data.totals.map((t) => html`<${Tile} key=${t.currency} name=${`GGR, ${t.currency}`} value=${money(t.ggr_minor, t.currency)} note=${`${whole(t.rounds)} rounds, ${people(t.players)}, ${money(t.stakes_minor, t.currency)} staked`} />`)}
			${worst ? html`<${Tile} name="Furthest from published" value=${percent(worst.rtp_percent)} state=${zState(worst.z)} note=${`${worst.game}: z ${worst.z.toFixed(2)}`} />` : null}</div>
		<${Table} name="today" rows=${rows.slice(0, 10)} columns=${RETURNS} empty="Nothing was played today." /><//>`;
}

export function LastActions({ me }) {
	const may = me.permissions.includes("audit");
	const audit = useRead(may && `/v1/operators/${me.operator}/audit?limit=8`, 3000);
	if (!may) return null;
	return html`<${Panel} title="Last actions" of=${audit} aside=${html`<${Old} state=${audit} most=${MOST} /><a class="print-no" href="#audit">Audit log</a>`}>${audit.data ? null : html`<${Trouble} state=${audit} />`}<${Table} name="last-actions" rows=${audit.data?.rows} empty="Nobody has done anything yet." columns=${[
		{ name: "time_us", title: "When", show: (r) => time(r.time_us) }, { name: "actor", title: "Who" }, { name: "action", title: "Did" }, { name: "subject", title: "To" },
		{ name: "status", title: "Answer", number: true, show: (r) => html`<span class=${r.status < 300 ? "good" : "bad"}>${r.status}</span>` }]} /><//>`;
}
