// Reports of days, months and years, sealed or as they grow; what was played over time; and when the operator's day begins.
import { html, useState } from "/vendor/htm-preact.js";
import { exponentOf, money } from "/format.js";
import { Line } from "/operator/chart.js";
import { Act, All, Badge, Old, Panel, Part, REASON, Table, Tile, Trouble, jackpotIn, numberOf, time, useRead, whole } from "/operator/parts.js";
import { zone } from "/operator/zone.js";

const PERIODS = [["day", "Day"], ["month", "Month"], ["year", "Year"], ["life", "Life to date"]];
export const percent = (n) => n === null || n === undefined ? "–" : `${n.toFixed(2)} %`;

// 10^-9 minor units as minor units, rounded down as in the report.
const ofNano = (text) => Number(BigInt(text) / 1000000000n);

const sum = (name, title) => ({ name: `${name}_minor`, title, number: true, show: (r) => money(r[`${name}_minor`], r.currency) });
const count = (name, title) => ({ name, title, number: true, show: (r) => whole(r[name]) });
const NAME = [{ name: "game", title: "Game" }, { name: "currency", title: "Currency" }];
const MONEY = [...NAME, count("players", "Players"), count("rounds", "Rounds"), sum("stakes", "Stakes"), sum("wins", "Wins"),
	{ name: "contributions_nano", title: "Contributions", number: true, show: (r) => money(ofNano(r.contributions_nano), r.currency) },
	sum("ggr", "GGR"), sum("bonus_costs", "Bonus costs"), sum("adjustments", "Adjustments"), sum("ngr", "NGR"), count("jackpots", "Jackpots"), sum("jackpots_paid", "Jackpots paid")];
const BOOKED = [{ name: "currency", title: "Currency" }, count("refused", "Bets refused"), count("bonus_rounds", "Bonus spins"), sum("bonus_wins", "Won by them"), sum("deposits", "Deposits"),
	sum("paid_out", "Paid out"), sum("grants", "Grants"), sum("corrections", "Corrections"), count("voids", "Voids"), sum("voided", "Brought by voids")];
export const zState = (z) => z === null ? "" : Math.abs(z) > 4 ? "bad" : Math.abs(z) > 3 ? "gold" : "";
export const RETURNS = [{ name: "game", title: "Game" }, { name: "mode", title: "Mode", number: true }, { name: "currency", title: "Currency" }, count("rounds", "Rounds"), sum("stakes", "Stakes"),
	sum("drawn", "Drawn wins"), { name: "rtp_percent", title: "Return", number: true, show: (r) => html`<b class=${zState(r.z)}>${percent(r.rtp_percent)}</b>` },
	{ name: "theory_percent", title: "Published", number: true, show: (r) => r.theory_percent === null ? "–" : r.theory_percent === r.theory_high_percent ? percent(r.theory_percent) : `${percent(r.theory_percent)} to ${percent(r.theory_high_percent)}` },
	{ name: "z", title: "z", number: true, show: (r) => r.z === null ? "–" : r.z.toFixed(2) },
	{ name: "band_low_percent", title: "95 of 100 such", number: true, show: (r) => r.band_low_percent === null ? "–" : `${percent(r.band_low_percent)} to ${percent(r.band_high_percent)}` }];
const jackpot = (pools) => ({ name: "pool", title: "Jackpot", show: (r) => jackpotIn(pools, r.pool) });
const JACKPOTS = [{ name: "currency", title: "Currency" },
	{ name: "contributions_nano", title: "Contributions", number: true, show: (r) => money(ofNano(r.contributions_nano), r.currency) }, count("hits", "Hits"), sum("paid", "Paid")];
const player = (me) => ({ name: "player", title: "Player", show: (r) => me.permissions.includes("players") ? html`<a href="#players/${numberOf(r.player)}">${r.player}</a>` : r.player });
const NOTED = (me, amount) => [{ name: "time_us", title: "When", show: (r) => time(r.time_us) }, { name: "what", title: "What", show: (r) => r.what.replace("_", " ") }, player(me),
	{ name: "game", title: "Game" }, { name: "round", title: "Round", number: true, show: (r) => r.round || "–" }, ...amount];

// Of a list that the report has cut: how much of it is here, and where the rest is.
function Cut({ report, list, base }) {
	const cut = (report.truncated ?? []).find((t) => t.list === list);
	if (!cut) return null;
	const pages = Math.ceil(cut.entries / cut.shown);
	const links = Array.from({ length: Math.min(pages - 1, 20) }, (_, i) => html` <a class="print-no" href="${base}?format=csv&list=${list}&page=${i + 2}" download>page ${i + 2}</a>`);
	return html`<p class="cut"><b>${whole(cut.shown)} of ${whole(cut.entries)} entries.</b> The others as CSV:${links}${pages > 21 ? ` and so on to page ${whole(pages)}` : ""}.</p>`;
}

function Lists({ report, of, me, base }) {
	const pools = useRead("/v1/jackpots").data?.pools;
	const csv = (list) => html`<a class="print-no" href="${base}?format=csv&list=${list}" download>CSV</a>`;
	const panel = (list, title, columns, empty) => html`<${Panel} title=${title} aside=${csv(list)} id="report-${list}" of=${of}><${Cut} report=${report} list=${list} base=${base} /><${Table} name=${`report-${list}`} rows=${report[list]} columns=${columns} empty=${empty} /><//>`;
	return html`${panel("totals", "All games", MONEY.slice(1))}<${Panel} title="Money in and out" of=${of}><${Table} name="report-booked" rows=${report.totals} columns=${BOOKED} /><//>
		${panel("games", "Games", MONEY)}${panel("returns", "Returns", RETURNS)}
		<div class="two">${panel("jackpots", "Jackpots", [jackpot(pools), ...JACKPOTS])}${panel("unfinished", "Won and not collected yet", [...NAME, count("rounds", "Rounds"), sum("pending", "Pending")], "Nothing was pending at the end.")}</div>
		${panel("hits", "Jackpots paid", NOTED(me, [jackpot(pools), sum("amount", "Paid")]), "No jackpot was paid.")}
		${panel("large_wins", "Large wins, of 100 stakes or more", NOTED(me, [sum("stake", "Stake"), sum("win", "Win")]), "There was none.")}
		${panel("adjustments", "Voids, corrections and grants", NOTED(me, [sum("amount", "To the player"), { name: "actor", title: "By" }, { name: "reason", title: "Reason" }]), "There was none.")}`;
}

export function Report({ me, id }) {
	const [period, ...rest] = id.split("-");
	const day = rest.join("-");
	const base = `/v1/operators/${me.operator}/reports/${period}/${day}`;
	const report = useRead(base, 15000);
	if (!report.data) return html`<p class="crumbs"><a href="#reports">Reports</a></p><${Trouble} state=${report} />`;
	const { data } = report;
	const sealed = data.state === "sealed";
	return html`<p class="crumbs"><a href="#reports">Reports</a> / ${period} ${day}</p>
		<${Panel} title=${`${PERIODS.find(([name]) => name === data.report)[1]}: ${data.first_day ? `${data.first_day}${data.first_day === data.last_day ? "" : ` to ${data.last_day}`}` : `until ${data.last_day}`}`}
			aside=${html`<button onClick=${() => print()}>Print</button><a class="print-no" href=${base} download="${period}-${day}.json">JSON</a>`}>
			<p><${Badge} text=${data.state} state=${sealed ? "good" : "gold"} /> ${sealed ? "This period is over and its report is signed: it never changes." : "It still grows, or is not sealed yet."}
			<span class="quiet"> ${data.from_us ? `${time(data.from_us)} to ` : "Until "}${time(data.to_us)}</span></p>
			<p class="print-only">Operator ${me.operator}. Printed by ${me.name}, ${time(Date.now() * 1000)}. Times: ${zone()}.</p><//>
		<${Part} is=${Revenue} name="Revenue" totals=${data.totals} />
		<${Lists} report=${data} of=${report} me=${me} base=${base} />`;
}

const Revenue = ({ totals }) => html`<div class="tiles">${totals.map((t) => html`<${Tile} key=${t.currency} name=${`NGR, ${t.currency}`} value=${money(t.ngr_minor, t.currency)} note=${`${t.rounds === 1 ? "1 round" : `${whole(t.rounds)} rounds`}, ${money(t.stakes_minor, t.currency)} staked`} />`)}</div>`;

function GamingDay({ me, day, again }) {
	const action = { title: "When the day begins", button: "Change", verb: "Change", path: () => `/v1/operators/${me.operator}/gaming-day`,
		fields: [{ name: "zone", label: "Time zone", value: day.zone, example: "Europe/Stockholm", most: 64 }, { name: "start_hour", label: "Hour of the day", value: String(day.start_hour), inputmode: "numeric", most: 2 },
			{ name: "from_day", label: "From this day on", type: "date" }, REASON],
		what: (v) => `Days begin at ${v.start_hour}:00 in ${v.zone}${v.from_day ? ` from ${v.from_day} on` : ""}. Days that have begun stay as they are.`,
		body: (v) => ({ zone: v.zone, start_hour: Number(v.start_hour), from_day: v.from_day, reason: v.reason }) };
	return html`<p>Today is <b>${day.today}</b>; it began ${time(day.began_us)} (${day.start_hour}:00, ${day.zone}). ${me.permissions.includes("money") ? html`<${Act} action=${action} onDone=${again} />` : null}</p>`;
}

export function Reports({ me }) {
	const [period, setPeriod] = useState("day");
	const [day, setDay] = useState("");
	const [before, setBefore] = useState([]);
	const path = `/v1/operators/${me.operator}/reports?period=${period}`;
	const list = useRead(before.length ? `${path}&before=${before.at(-1)}` : path, 10000);
	const wanted = day || list.data?.gaming_day.today;
	return html`<${Panel} title="Reports" of=${list}>${list.data ? html`<${Part} is=${GamingDay} name="The gaming day" me=${me} day=${list.data.gaming_day} again=${list.again} />` : null}
		<div class="controls"><label>Period<select name="period" value=${period} onChange=${(e) => { setPeriod(e.target.value); setBefore([]); }}>${PERIODS.map(([name, title]) => html`<option value=${name}>${title}</option>`)}</select></label>
			<label>Day in it<input type="date" name="day" value=${wanted ?? ""} onInput=${(e) => setDay(e.target.value)} /></label>
			<button class="main" disabled=${!wanted} onClick=${() => { location.hash = `reports/${period}-${wanted}`; }}>Show</button></div>
		<${Trouble} state=${list} /><${Table} name="reports" rows=${list.data?.reports} empty="No report of this period is sealed yet. Show one as it grows." columns=${[
			{ name: "day", title: "First day", show: (r) => html`<a href="#reports/${r.period}-${r.day}">${r.day}</a>` }, { name: "sealed_us", title: "Sealed", show: (r) => time(r.sealed_us) },
			{ name: "signature", title: "", show: (r) => html`<${Badge} text=${r.signature ? "signed" : "not signed yet"} state=${r.signature ? "good" : "gold"} />` },
			{ name: "digest", title: "Digest", show: (r) => html`<code title=${r.digest}>${r.digest.slice(0, 16)}</code>` }]}
			more=${html`${before.length ? html`<button class="plain" onClick=${() => setBefore((old) => old.slice(0, -1))}>Newer</button>` : null}${list.data?.next ? html`<button class="plain" onClick=${() => setBefore((old) => [...old, list.data.next])}>Older</button>` : null}${before.length || list.data?.next ? html`<${All} path=${path} />` : null}`} /><//>`;
}

// ---- what was played, for the overview

const STEPS = [["minute", "the last hour", 3600], ["hour", "the last day", 86400], ["day", "the last month", 31 * 86400]];
const inMoney = (name) => (p) => p[name] / 10 ** exponentOf(p.currency);
const MEASURES = [["rounds", "Rounds", (p) => p.rounds], ["stakes", "Stakes", inMoney("stakes_minor")], ["wins", "Wins", inMoney("wins_minor")], ["rtp", "Return in percent", (p) => p.rtp_percent ?? 0],
	["jackpots", "Jackpots", (p) => p.jackpots], ["players", "Players", (p) => p.players ?? 0]];

export function Played({ me }) {
	const [step, setStep] = useState("minute");
	const [measure, setMeasure] = useState("rounds");
	const [currency, setCurrency] = useState("");
	const [game, setGame] = useState("");
	const games = useRead("/v1/games");
	const series = useRead(`/v1/operators/${me.operator}/series?step=${step}&limit=2000${game && `&game=${game}`}`, 5000);
	const points = series.data?.points ?? [];
	const currencies = [...new Set(points.map((p) => p.currency))];
	const shown = points.filter((p) => p.currency === (currency || currencies[0]));
	const [, title, value] = MEASURES.find(([name]) => name === measure);
	const choose = (name, label, now, set, options) => html`<label>${label}<select name=${name} value=${now} onChange=${(e) => set(e.target.value)}>${options.map(([key, text]) => html`<option value=${key}>${text}</option>`)}</select></label>`;
	return html`<${Panel} title="Played" id="played" of=${series} aside=${html`<${Old} state=${series} most=${20} />`}><div class="controls">${choose("measure", "What", measure, setMeasure, MEASURES.filter(([name]) => step !== "minute" || name !== "players"))}
		${choose("step", "When", step, (next) => { setStep(next); if (next === "minute" && measure === "players") setMeasure("rounds"); }, STEPS)}
		${choose("game", "Game", game, setGame, [["", "all games"], ...(games.data?.games ?? []).map((g) => [g.id, g.name])])}
		${currencies.length > 1 ? choose("currency", "Currency", currency || currencies[0], setCurrency, currencies.map((c) => [c, c])) : null}</div>
		<${Trouble} state=${series} />${series.data && shown.length === 0 ? html`<p class="quiet">Nothing was played in this time.</p>` : null}
		<${Line} label=${title} times=${shown.map((p) => p.time_us / 1e6)} values=${shown.map(value)} height=${180} span=${STEPS.find(([name]) => name === step)[2]} /><//>`;
}
