// What a jackpot showed over time, with its hits.
import { html, useState } from "/vendor/htm-preact.js";
import { LEVELS, exponentOf, money } from "/format.js";
import { Line } from "/operator/chart.js";
import { Panel, Table, Trouble, time, useRead } from "/operator/parts.js";

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
	const history = useRead(`${base}/history?step=${step}`, 10000);
	const rows = history.data?.rows ?? [];
	const row = rows.find((r) => placeKey(r) === key) ?? rows[0];
	const hits = history.data?.hits ?? [];
	const columns = row ? columnsOf(row, hits.filter((h) => placeKey(h) === placeKey(row)), history.data.to_us) : null;
	const choose = (name, label, now, set, options) => html`<label>${label}<select name=${name} value=${now} onChange=${(e) => set(e.target.value)}>${options.map(([id, text]) => html`<option value=${id}>${text}</option>`)}</select></label>`;
	return html`<${Panel} title="Value over time" id="history"><div class="controls">${rows.length ? choose("row", rows[0].level ? "Level" : "Row", row ? placeKey(row) : "", setKey, rows.map((r) => [placeKey(r), placeName(r)])) : null}
		${choose("step", "When", step, setStep, STEPS)}</div>
		<${Trouble} state=${history} />${history.data && !columns?.times.length ? html`<p class="quiet">Nothing is known of this time yet.</p>` : null}
		${columns ? html`<${Line} label=${`Value, ${row.currency}`} times=${columns.times} values=${columns.values} marks=${columns.marks} height=${200} fits stepped />` : null}
		${history.data ? html`<${Table} name="pool-hits" rows=${[...hits].reverse()} empty="It was not won in this time." columns=${[
			{ name: "time_us", title: "Won", show: (h) => time(h.time_us) }, { name: "hit", title: "Hit", number: true }, { name: "place", title: "Row", csv: placeName, show: placeName },
			{ name: "value_minor", title: "Value", number: true, show: (h) => html`<b class="gold">${money(h.value_minor, h.currency)}</b>` },
			{ name: "paid_minor", title: "Paid", number: true, show: (h) => money(h.paid_minor, h.paid_currency) }, { name: "next_value_minor", title: "Began again at", number: true, show: (h) => money(h.next_value_minor, h.currency) }]} />` : null}<//>`;
}
