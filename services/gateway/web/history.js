// The player's history: rounds and money, by filters, page by page; a replay of each round, and a link to it for support.
import { html, useEffect, useRef, useState } from "/vendor/htm-preact.js";
import { get } from "/api.js";
import { loadWorld } from "/art.js";
import { Dialog } from "/dialog.js";
import { dateTime, money } from "/format.js";
import { wonBy } from "/game.js";
import { named, t } from "/lang.js";
import { framed, launch } from "/launch.js";
import { gameOfPool } from "/panels.js";
import { gambleWords } from "/phases.js";
import { refusalWords } from "/protect.js";
import { Course, Screen } from "/reels.js";

const PAGE = 20;
const KINDS = ["round", "jackpot", "card_prize", "double", "bonus_spins", "money"]; // to choose from
const DAY_MS = 86400e3;

// Only the game itself may be in another site's frame: from there the proof opens in a window of its own.
const proofOf = (round) => `/fairness/#round=${round}${launch ? `&game=${launch.game}` : ""}`;

// Opens the operator's console at this round of this player; only the operator's own people can log in there.
const supportLink = (player, round) => `${location.origin}/operator/#players/${String(player).split("-").pop()}/${round}`;

// ---- replay ----

function SupportLink({ player, round }) {
	const field = useRef(null);
	const [copied, setCopied] = useState(false);
	const copy = async () => {
		field.current.select();
		await navigator.clipboard?.writeText(field.current.value).catch(() => {}); // a frame may not; the text is selected
		setCopied(true);
	};
	return html`<div class="supportlink"><label for="support-link">${t("h.link")}</label><input id="support-link" ref=${field} readonly value=${supportLink(player, round)} onFocus=${(e) => e.target.select()} />
		<button id="support-copy" onClick=${copy}>${t(copied ? "h.copied" : "h.copy")}</button></div>`;
}

// A past round, screen by screen, as the engine replays it from its record.
function Replay({ replay, close, player }) {
	const [at, choose] = useState(0);
	const { round } = replay;
	const steps = round?.phases ?? [];
	useEffect(() => choose(0), [round?.round]);
	if (replay.error) return html`<div id="replay"><p class="bad">${replay.error}</p><button onClick=${close}>${t("back-to-history")}</button></div>`;
	const scene = { game: replay.game, currency: replay.currency, witch: replay.witch, mode: round.bet.mode };
	return html`<div id="replay"><div class="replayhead"><span class="replaymark">${t("replay")}</span><h3>${t("replay-of", { round: round.round, game: named(replay.game.name) })}</h3><button id="replay-close" onClick=${close}>${t("back-to-history")}</button></div>
		<${Screen} scene=${scene} phase=${steps[at]} name="replay-" />
		<${Course} scene=${scene} steps=${steps} at=${at} choose=${choose} name="replay-" />
		${round.gambles?.length ? html`<ol class="doubles" id="replay-doubles">${round.gambles.map((step, i) => html`<li key=${i} class=${step.won ? "good" : "bad"}>${gambleWords(step, replay.currency)}</li>`)}</ol>` : null}
		<p>${t("replay-bet", { bet: money(round.stake_minor, replay.currency), win: money(round.win_minor, replay.currency) })}</p>
		<details id="replay-more"><summary>${t("h.support")}</summary><p class="digest quiet">${t("h.math", { version: round.math_version })}</p><${SupportLink} player=${player} round=${round.round} /></details></div>`;
}

// ---- the list ----

function What({ entry, games, pools }) {
	const game = games.find(({ id }) => id === entry.game);
	const name = named(game?.name ?? entry.game);
	const mode = entry.mode ? named(game?.modes[entry.mode]?.name ?? t("h.was-bought")) : "";
	const part = entry.kind === "round" ? name : t(`h.kind.${entry.kind}`);
	const more = [entry.kind !== "round" && entry.game ? name : "", entry.kind === "jackpot" && entry.pool && !entry.game ? gameOfPool(pools, games, entry.pool) : "", entry.round ? t("h.number", { n: entry.round }) : "",
		mode, entry.doubled_minor ? t(entry.doubled_minor > 0 ? "h.doubled-won" : "h.doubled-lost") : "", entry.bonus_spin ? t("h.bonus-spin") : "", entry.void ? t("h.void") : "", entry.kind === "round" && !entry.closed ? t("h.open") : ""].filter(Boolean);
	return html`<b>${part}</b> <span class="quiet">${more.join(" · ")}</span>`;
}

// What came, or went: of a round its win, of all else the signed amount.
function amountOf(entry, currency) {
	if (entry.kind === "round") return money(wonBy(entry), currency);
	if (entry.kind === "bonus_spins" || entry.kind === "bonus_spins_ended") return "";
	return `${entry.amount_minor > 0 && entry.kind !== "withdrawal_paid" ? "+" : ""}${money(entry.amount_minor, currency)}`;
}

const won = (entry) => entry.kind === "round" ? wonBy(entry) > 0 && wonBy(entry) >= entry.stake_minor : ["jackpot", "card_prize"].includes(entry.kind) || (entry.kind === "double" && entry.amount_minor > 0);

function Row({ entry, games, pools, currency, show }) {
	const round = entry.kind === "round";
	return html`<tr data-kind=${entry.kind} data-round=${entry.round || undefined}><td class="what"><${What} entry=${entry} games=${games} pools=${pools} /></td><td class="time">${dateTime(entry.time_us / 1000)}</td>
		<td class="number before" data-label=${t("h.before")}>${money(entry.balance_before_minor, currency)}</td><td class="number bet" data-label=${t("h.bet")}>${round ? money(entry.stake_minor, currency) : ""}</td>
		<td class="number amount ${won(entry) ? "gold" : ""}" data-label=${t(round ? "win" : "h.amount")}>${amountOf(entry, currency)}</td><td class="number after" data-label=${t("h.after")}>${money(entry.balance_after_minor, currency)}</td>
		<td class="do">${round ? html`<button aria-label=${t("replay-round", { round: entry.round })} onClick=${() => show(entry.round)}>${t("replay")}</button>` : null}
			${round && entry.closed ? html` <a class="button" href=${proofOf(entry.round)} target=${framed ? "_blank" : undefined} rel=${framed ? "opener" : undefined} aria-label=${t("prove-round", { round: entry.round })}>${t("prove")}</a>` : null}</td></tr>`;
}

function List({ entries, ...rest }) {
	return html`<div class="scroll"><table id="history"><thead><tr><th>${t("h.what")}</th><th>${t("h.time")}</th><th class="number">${t("h.before")}</th><th class="number">${t("h.bet")}</th><th class="number">${t("h.win")}</th><th class="number">${t("h.after")}</th><th></th></tr></thead>
		<tbody>${entries.map((entry) => html`<${Row} key="${entry.kind}-${entry.seq}" entry=${entry} ...${rest} />`)}</tbody></table></div>`;
}

// ---- filters ----

const NONE = { game: "", kind: "", wins: false, from: "", to: "" };

// A day of the player's own calendar.
const midnight = (day) => { const [y, m, d] = day.split("-").map(Number); return new Date(y, m - 1, d).getTime(); };
const today = () => new Date(Date.now() - new Date().getTimezoneOffset() * 60000).toISOString().slice(0, 10);

function queryOf(only, before) {
	const query = new URLSearchParams({ limit: PAGE });
	if (before) query.set("before", before);
	if (only.game) query.set("game", only.game);
	if (only.kind) query.set("kind", only.kind);
	if (only.wins) query.set("wins", "true");
	if (only.from) query.set("from_us", midnight(only.from) * 1000);
	if (only.to) query.set("to_us", new Date(midnight(only.to) + 1.5 * DAY_MS).setHours(0, 0, 0, 0) * 1000 - 1);
	return query;
}

const roomy = matchMedia("(min-width: 700px) and (min-height: 500px)");

function Filters({ only, choose, games }) {
	const put = (part) => choose({ ...only, ...part });
	return html`<details class="filters" open=${roomy.matches}><summary>${t("h.filters")}</summary><div class="choices start" id="filters">
		<label>${t("h.game")} <select id="only-game" value=${only.game} onChange=${(e) => put({ game: e.target.value })}><option value="">${t("all-games")}</option>${games.map((game) => html`<option value=${game.id}>${named(game.name)}</option>`)}</select></label>
		<label>${t("h.what")} <select id="only-kind" value=${only.kind} onChange=${(e) => put({ kind: e.target.value })}><option value="">${t("h.all")}</option>${KINDS.map((kind) => html`<option value=${kind}>${t(`h.only.${kind}`)}</option>`)}</select></label>
		<label>${t("h.from")} <input id="only-from" type="date" max=${only.to || today()} value=${only.from} onChange=${(e) => put({ from: e.target.value })} /></label>
		<label>${t("h.to")} <input id="only-to" type="date" min=${only.from || undefined} max=${today()} value=${only.to} onChange=${(e) => put({ to: e.target.value })} /></label>
		<label class="check"><input id="only-wins" type="checkbox" checked=${only.wins} onChange=${(e) => put({ wins: e.target.checked })} />${t("only-wins")}</label></div></details>`;
}

// ---- the window ----

const EMPTY = { entries: [], next: undefined, busy: true, error: null };

// The pages of the chosen filters; what comes late, of filters that are no longer chosen, is dropped.
function usePages(only, token) {
	const [pages, put] = useState(EMPTY);
	const asked = useRef(0);
	const more = async (before) => {
		const number = ++asked.current;
		put((old) => before ? { ...old, busy: true, error: null } : EMPTY);
		try {
			const page = await get(`/v1/history?${queryOf(only, before)}`, token);
			if (number === asked.current) put((old) => ({ ...page, entries: [...before ? old.entries : [], ...page.entries], busy: false, error: null }));
		} catch (error) {
			if (number === asked.current) put((old) => ({ ...old, busy: false, error: refusalWords(error) }));
		}
	};
	useEffect(() => { more(); }, [only]);
	return [pages, more];
}

function Foot({ pages, more }) {
	const { entries, next, busy, error, archived, searched_until_us: until } = pages;
	return html`${error ? html`<p class="bad" role="alert">${error} <button id="history-again" onClick=${() => more(next)}>${t("try-again")}</button></p>` : null}
		<p class="quiet" id="history-foot" role="status">${busy ? t("loading") : until ? t("h.searched", { time: dateTime(until / 1000) }) : entries.length === 0 ? t("h.nothing") : ""} ${archived && !busy ? t("h.archived") : ""}</p>
		${next && !error ? html`<button id="history-more" disabled=${busy} onClick=${() => more(next)}>${t(until ? "h.search-on" : "h.more")}</button>` : null}`;
}

// RULE bewitched 8.5, 8.7, RULE mona-lisa 7.5, 7.7, RULE witch-feature 9.6: the player's past, page by page, and a replay of each round.
export function History({ games, pools, currency, token, player, close }) {
	const [only, choose] = useState(NONE);
	const [pages, more] = usePages(only, token);
	const [replay, setReplay] = useState(null);
	async function show(number) {
		try {
			const { round, witch } = await get(`/v1/rounds/${number}`, token);
			const game = await get(`/v1/games/${round.game}`);
			await loadWorld(game, false);
			setReplay({ round, witch, game, currency });
		} catch (error) {
			setReplay({ error: refusalWords(error) });
		}
	}
	return html`<${Dialog} id="historywindow" title=${t("history")} close=${close} wide=${true}>
		${replay ? html`<${Replay} replay=${replay} player=${player} close=${() => setReplay(null)} />` : html`<${Filters} only=${only} choose=${choose} games=${games} />
		<${List} entries=${pages.entries} games=${games} pools=${pools} currency=${currency} show=${show} />
		<${Foot} pages=${pages} more=${more} />`}<//>`;
}
