// What a jackpot showed over time, with its hits; and when it may be won next.
import { html, useState } from "/vendor/htm-preact.js";
import { LEVELS, exponentOf, money } from "/format.js";
import { Line } from "/operator/chart.js";
import { Panel, Table, Trouble, time, useRead, whole } from "/operator/parts.js";

const STEPS = [["minute", "the last day"], ["quarter", "the last week"], ["hour", "the last month"], ["day", "the last year"]];

export const placeKey = (r) => `${r.currency} ${r.level ?? r.coin_minor}`;
export const placeName = (r) => r.level ? LEVELS[r.level] : `${r.currency}, coin ${money(r.coin_minor, r.currency)}`;

// Points and hits of one row or level as columns: a hit is at the value that it paid, and what is shown drops there.
export function columnsOf(row, hits, toUs) {
	const points = [...row.points.map((p) => [p.time_us, p.value_minor, null]),
		...hits.flatMap((h) => [[h.time_us, h.value_minor, h.value_minor], [h.time_us + 1, h.next_value_minor, null]])].sort((a, b) => a[0] - b[0]);
	if (points.length) points.push([toUs, points.at(-1)[1], null]);
	const unit = 10 ** exponentOf(row.currency);
	return { times: points.map(([us]) => us / 1e6), values: points.map(([, minor]) => minor / unit), marks: points.map(([, , minor]) => minor === null ? null : minor / unit) };
}

export function History({ base }) {
	const [step, setStep] = useState("minute");
	const [key, setKey] = useState("");
	const history = useRead(`${base}/history?step=${step}`, 30000);
	const rows = history.data?.rows ?? [];
	const row = rows.find((r) => placeKey(r) === key) ?? rows[0];
	const hits = history.data?.hits ?? [];
	const columns = row ? columnsOf(row, hits.filter((h) => placeKey(h) === placeKey(row)), history.data.to_us) : null;
	const choose = (name, label, now, set, options) => html`<label>${label}<select name=${name} value=${now} onChange=${(e) => set(e.target.value)}>${options.map(([id, text]) => html`<option value=${id}>${text}</option>`)}</select></label>`;
	return html`<${Panel} title="Value over time" id="history" of=${history}><div class="controls">${rows.length ? choose("row", rows[0].level ? "Level" : "Row", row ? placeKey(row) : "", setKey, rows.map((r) => [placeKey(r), placeName(r)])) : null}
		${choose("step", "When", step, setStep, STEPS)}</div>
		<${Trouble} state=${history} />${history.data && !columns?.times.length ? html`<p class="quiet">Nothing is known of this time yet.</p>` : null}
		${columns ? html`<${Line} label=${`Value, ${row.currency}`} times=${columns.times} values=${columns.values} marks=${columns.marks} height=${200} fits stepped />` : null}
		${history.data ? html`<${Table} name="pool-hits" rows=${[...hits].reverse()} empty="It was not won in this time." columns=${[
			{ name: "time_us", title: "Won", show: (h) => time(h.time_us) }, { name: "hit", title: "Hit", number: true }, { name: "place", title: "Row", csv: placeName, show: placeName },
			{ name: "value_minor", title: "Value", number: true, show: (h) => html`<b class="gold">${money(h.value_minor, h.currency)}</b>` },
			{ name: "paid_minor", title: "Paid", number: true, show: (h) => money(h.paid_minor, h.paid_currency) }, { name: "next_value_minor", title: "Began again at", number: true, show: (h) => money(h.next_value_minor, h.currency) }]} />` : null}<//>`;
}

// ---- the next hit

const WHY = { paused: "The jackpot is paused.", unknown_chance: "The exact chance is not known yet.", too_little: "Too little was played to say.", not_played: "Nobody plays what can win it." };
const UNITS = [[31557600, "year", "years"], [86400, "day", "days"], [3600, "h", "h"], [60, "min", "min"]];

// 93784 s as "1 day 2 h": the two largest units.
export function lasting(seconds) {
	const at = UNITS.findIndex(([unit]) => seconds >= unit);
	if (at < 0) return "less than a minute";
	const told = (n, [, one, many]) => `${whole(n)} ${n === 1 ? one : many}`;
	const rest = UNITS[at + 1] ? Math.floor((seconds % UNITS[at][0]) / UNITS[at + 1][0]) : 0;
	return told(Math.floor(seconds / UNITS[at][0]), UNITS[at]) + (rest ? ` ${told(rest, UNITS[at + 1])}` : "");
}

export function Forecast({ base }) {
	const [hours, setHours] = useState("24");
	const forecast = useRead(`${base}/forecast?hours=${hours}`, 30000);
	const then = (name) => ({ name, number: true, csv: (r) => r.next?.[name] ?? "" });
	return html`<${Panel} title="The next hit" id="forecast" of=${forecast}><div class="controls"><label>As played in<select name="hours" value=${hours} onChange=${(e) => setHours(e.target.value)}>
		${[["1", "the last hour"], ["24", "the last day"], ["168", "the last week"]].map(([id, text]) => html`<option value=${id}>${text}</option>`)}</select></label></div>
		<${Trouble} state=${forecast} />${forecast.data ? html`<${Table} name="forecast" rows=${forecast.data.rows} empty="It has no rows." columns=${[
			{ name: "place", title: "Row", csv: placeName, show: placeName }, { name: "value_minor", title: "Now", number: true, show: (r) => html`<b class="gold">${money(r.value_minor, r.currency)}</b>` },
			{ ...then("mean_s"), title: "Expected in", show: (r) => r.next ? html`<b>${lasting(r.next.mean_s)}</b>` : html`<span class="quiet">${WHY[r.status]}</span>` },
			{ ...then("median_s"), title: "Half of all within", show: (r) => r.next ? lasting(r.next.median_s) : "–" },
			{ ...then("high_s"), title: "90 of 100, time", show: (r) => r.next ? `${lasting(r.next.low_s)} to ${lasting(r.next.high_s)}` : "–" },
			{ ...then("value_mean_minor"), title: "Value then", show: (r) => r.next ? money(r.next.value_mean_minor, r.currency) : "–" },
			{ ...then("value_high_minor"), title: "90 of 100, value", show: (r) => r.next ? `${money(r.next.value_low_minor, r.currency)} to ${money(r.next.value_high_minor, r.currency)}` : "–" }]} />
			<p class="quiet">The chance of a round is exact, from the definition; how much is played is taken from ${time(forecast.data.from_us)} until now. A jackpot does not remember: it is not due, however long it was not won.</p>` : null}<//>`;
}
