// What protects the player: limits, pauses, the session's clock and result, a reminder of both, logout.
import { html, useEffect, useRef, useState } from "/vendor/htm-preact.js";
import { get, post, send } from "/api.js";
import { Dialog, ask as question } from "/dialog.js";
import { clock, dateTime, decimal, money, typedAmount, typedMinor, typedWords } from "/format.js";
import { session as kept } from "/kept.js";
import { has, t } from "/lang.js";

const DAY_S = 86400;
const PAUSES = [["break", 900], ["break", 3600], ["break", DAY_S], ["time_out", 7 * DAY_S], ["time_out", 30 * DAY_S], ["exclusion", 180 * DAY_S], ["exclusion", 365 * DAY_S]];
const REMINDERS = [900, 1800, 3600, 7200, 0];
const isMoney = (name) => ["deposit", "loss", "wager"].includes(name);
const isPause = (name) => ["break", "time_out", "exclusion"].includes(name);
export const since = () => Number(kept.get("since")) || Date.now();

export function duration(seconds) {
	if (seconds >= 2 * DAY_S) return t("days", { n: Math.round(seconds / DAY_S) });
	return seconds >= 7200 ? t("hours", { n: Math.round(seconds / 3600) }) : t("minutes", { n: Math.round(seconds / 60) });
}

const shown = (name, value, currency) => value === null || value === undefined ? t("limit.none") : isMoney(name) ? money(value, currency) : duration(value);
const titleOf = ({ name, period }) => t(`limit.${name}`, { period: period && period !== "session" ? t(`period.${period}`) : "" });

// ---- limits ----

function Limit({ entry, currency, set, busy, sure }) {
	const { name, limit, used, renews, pending, pending_from: from } = entry;
	const [text, put] = useState("");
	const [fault, setFault] = useState(null);
	const [saved, tell] = useState(false);
	const change = async (value) => {
		tell(false);
		if (!await set(entry, value)) return;
		put("");
		tell(true);
	};
	const read = () => isMoney(name) ? typedMinor(text, currency) : Number(text) > 0 ? Math.round(60 * Number(text)) : null;
	async function save(event) {
		event.preventDefault();
		const value = read();
		setFault(value === null ? isMoney(name) && typedAmount(text, currency).why === "ambiguous" ? typedWords(text, currency) : t("limit.wrong") : null);
		if (value === 0 && !await sure(titleOf(entry), t("limit.zero", { limit: shown(name, 0, currency) }))) return;
		if (value !== null) change(value);
	}
	const id = `limit-${name}-${entry.period ?? ""}`;
	return html`<form class="limit" data-limit=${name} data-period=${entry.period ?? ""} onSubmit=${save}><b>${titleOf(entry)}</b>
		<span class="quiet">${t("limit.now", { limit: shown(name, limit, currency) })}${used !== null && limit !== null ? ` ${t("limit.used", { used: shown(name, used, currency), left: shown(name, Math.max(0, limit - used), currency) })}` : ""}${renews && limit !== null ? ` ${t("limit.renews", { time: dateTime(renews / 1000) })}` : ""}</span>
		${from ? html`<span class="warn">${t("limit.pending", { limit: shown(name, pending, currency), time: dateTime(from / 1000) })}</span>` : null}
		<div class="limitform"><label for=${id} class="unseen">${titleOf(entry)}</label><input id=${id} inputmode="decimal" placeholder=${isMoney(name) ? limit === null ? currency : decimal(limit, currency) : t("limit.in-minutes")} value=${text} onInput=${(e) => put(e.target.value)} />
		<button disabled=${busy}>${t("limit.set")}</button>${limit === null ? null : html`<button type="button" disabled=${busy} onClick=${() => change(-1)}>${t("limit.remove")}</button>`}</div>
		${isMoney(name) && text.trim() ? html`<span class="quiet" data-understood>${typedWords(text, currency)}</span>` : null}
		<span role="status" class="good">${saved && !busy ? t("limit.saved") : ""}</span>${fault ? html`<span class="bad" role="alert">${fault}</span>` : null}</form>`;
}

// A pause is asked about: it cannot be taken back.
function Pauses({ start, busy, running }) {
	const [chosen, choose] = useState(null);
	const asked = useRef(null); // the question comes below the window's edge where it is small
	useEffect(() => { asked.current?.scrollIntoView({ block: "nearest" }); }, [chosen]);
	if (running) return html`<p class="warn" id="pause">${t("pause.running", { name: t(`limit.${running.name}`), time: running.renews ? dateTime(running.renews / 1000) : "–" })}</p>`;
	return html`<div class="quick pauses">${PAUSES.map(([name, seconds]) => html`<button key="${name}-${seconds}" aria-pressed=${chosen?.[1] === seconds} onClick=${() => choose([name, seconds])}>${duration(seconds)}</button>`)}</div>
		${chosen ? html`<div ref=${asked} key=${chosen[1]}><p>${t("pause.ask", { time: duration(chosen[1]) })}</p><button class="main" id="pause-yes" disabled=${busy} onClick=${() => start(...chosen)}>${t("pause.yes", { time: duration(chosen[1]) })}</button></div>` : null}`;
}

export function LimitsWindow({ app, close }) {
	const { token, currency = "EUR" } = app.state;
	const [state, put] = useState({ limits: null, busy: false, error: null });
	const ask = async (request) => {
		put((old) => ({ ...old, busy: true, error: null }));
		try {
			put({ limits: (await request()).limits, busy: false, error: null });
			return true;
		} catch (error) {
			put((old) => ({ ...old, busy: false, error: refusalWords(error, currency) }));
			return false;
		}
	};
	useEffect(() => { ask(() => get("/v1/limits", token)); }, []);
	const sent = async (body) => {
		const answer = await post("/v1/limits", body, token);
		return answer.limits ? answer : get("/v1/limits", token); // it was set, but could not be listed
	};
	const set = ({ name, period }, limit) => ask(() => sent({ name, ...(period ? { period } : {}), limit }));
	const sure = (title, words) => question(app.dispatch, { title, words: [words], yes: t("limit.set") });
	const start = (name, limit) => ask(() => sent({ name, limit }));
	const { limits, busy, error } = state;
	return html`<${Dialog} id="limits" title=${t("limits")} close=${close}><p>${t("limits.words")}</p>
		${error ? html`<p class="bad" role="alert">${error}</p>` : null}
		${limits ? limits.filter(({ name }) => !isPause(name)).map((entry) => html`<${Limit} key="${entry.name}-${entry.period}" entry=${entry} currency=${currency} set=${set} busy=${busy} sure=${sure} />`) : error ? null : html`<p class="quiet">${t("loading")}</p>`}
		<h3>${t("pause")}</h3><p>${t("pause.words")}</p>${limits ? html`<${Pauses} start=${start} busy=${busy} running=${limits.find(({ name }) => isPause(name))} />` : null}<//>`;
}

// What a refusal says of the limit that refused it.
function limitWords({ name, period, limit, left, renews }, currency) {
	const values = { limit: titleOf({ name, period }), amount: shown(name, limit, currency), left: left === null ? "–" : shown(name, left, currency), time: renews ? dateTime(renews / 1000) : "–" };
	return t(isPause(name) ? "limit.refused-pause" : "limit.refused", values);
}

// A refusal in the player's language, by its code, else by its status. What the page has no words for is told in the server's.
export function refusalWords({ code, status, message, body }, currency) {
	const detail = body?.error;
	if (detail?.limit) return limitWords(detail.limit, currency);
	const known = [`error.${code}`, `error.${status}`].find(has);
	if (known) return t(known);
	return detail?.expected ? `${message} ${t("found-expected", detail)}` : message;
}

// ---- session ----

function Result({ session, currency }) {
	return html`<table><tbody><tr><th>${t("session.since")}</th><td class="number">${clock(session.since_us / 1000)} (${duration((session.time_us - session.since_us) / 1e6)})</td></tr>
		<tr><th>${t("session.rounds")}</th><td class="number">${session.rounds}</td></tr><tr><th>${t("session.staked")}</th><td class="number">${money(session.staked_minor, currency)}</td></tr>
		<tr><th>${t("session.returned")}</th><td class="number">${money(session.returned_minor, currency)}</td></tr><tr><th>${t("session.net")}</th><td class="number"><b id="net" class=${session.net_minor < 0 ? "bad" : "good"}>${session.net_minor > 0 ? "+" : ""}${money(session.net_minor, currency)}</b></td></tr></tbody></table>
		${session.whole ? null : html`<p class="quiet">${t("session.part")}</p>`}`;
}

// The session's time and result, how often to be reminded of them, and the way out. It opens by itself when the reminder is due.
export function SessionWindow({ app, close, logout, due, remindAfter }) {
	const { token, currency } = app.state;
	const [state, put] = useState({ session: null, error: null });
	const ask = (request) => request().then((session) => {
		remindAfter(session.reality_check_s);
		put({ session, error: null });
	}, (error) => put({ session: null, error: refusalWords(error, currency) }));
	useEffect(() => { ask(() => get("/v1/session", token)); }, []);
	const { session, error } = state;
	return html`<${Dialog} id="session" title=${t(due ? "session.reminder" : "session")} close=${close}>
		${error ? html`<p class="bad" role="alert">${error}</p>` : session ? html`<${Result} session=${session} currency=${session.currency ?? currency} />` : html`<p class="quiet">${t("loading")}</p>`}
		${session ? html`<div class="picker"><label for="remind">${t("session.remind")}</label><select id="remind" value=${session.reality_check_s} onChange=${(e) => ask(() => send("/v1/session", { reality_check_s: Number(e.target.value) }, token))}>
			${[...new Set([...REMINDERS, session.reality_check_s])].sort((a, b) => a - b).map((seconds) => html`<option key=${seconds} value=${seconds}>${seconds ? duration(seconds) : t("session.never")}</option>`)}</select></div>` : null}
		<div class="choices"><button id="logout-all" onClick=${() => logout(true)}>${t("logout-all")}</button><button id="logout" onClick=${() => logout(false)}>${t("logout")}</button><button class="main" id="session-on" onClick=${close}>${t("session.on")}</button></div><//>`;
}

// Reminds of the session's time and result between two rounds, after the interval that the server keeps for the player; autospin waits meanwhile. Returns
// whether a reminder is due, and how the window tells a new interval.
export function useReminder({ state, latest, dispatch }) {
	const [due, setDue] = useState(false);
	const every = useRef(0); // seconds; 0: never
	useEffect(() => {
		if (!state.token) return undefined;
		if (!kept.get("since")) kept.put("since", Date.now());
		get("/v1/session", state.token).then((session) => { every.current = session.reality_check_s; }, () => {});
		const timer = setInterval(() => {
			const { spinning, revealing, window: open, question, deck, jackpot } = latest.current;
			const last = Number(kept.get("reminded")) || since();
			if (!every.current || Date.now() - last < 1000 * every.current || spinning || revealing || open || question || deck || jackpot) return;
			kept.put("reminded", Date.now());
			setDue(true);
			dispatch({ type: "window", name: "session" });
		}, 200);
		return () => clearInterval(timer);
	}, [state.token]);
	useEffect(() => { if (state.window !== "session") setDue(false); }, [state.window]);
	return { due, remindAfter: (seconds) => { every.current = seconds; } };
}
