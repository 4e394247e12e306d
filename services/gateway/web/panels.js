// Beside the reels and in windows: potions, winners, the proof, history with replay.
import { html, useEffect, useState } from "/vendor/htm-preact.js";
import { get } from "/api.js";
import { Art, loadWorld } from "/art.js";
import { Suit } from "/cards.js";
import { Dialog } from "/dialog.js";
import { CARD_SUITS, clock, dateTime, money } from "/format.js";
import { carriedOf, featureName, symbolOf, totalBet } from "/game.js";
import { named, t } from "/lang.js";
import { Course, Screen } from "/reels.js";

// RULE witch-feature 3.14: the collection and unlocked features of the current bet value; while a round is shown, at the shown phase.
export function Potions({ state }) {
	const { game, bet, steps, at, carried, spinning, landing } = state;
	if (!game.potions) return null;
	const stake = totalBet(bet);
	const shown = spinning ? null : steps[landing ? at - 1 : at]?.after;
	const mine = shown?.stake_minor === stake && !state.last ? shown : carriedOf(game, carried, stake);
	const symbols = game.potions.symbols.map((id) => symbolOf(game, id));
	const flasks = mine.potions.flatMap((n, i) => Array.from({ length: n }, () => symbols[i]));
	const playing = new Set(spinning || landing ? [] : steps[at]?.features ?? []);
	const open = (kind) => mine.unlocked.includes(kind);
	return html`<div class="potions" id="potions"><div class="collection" role="img" aria-label=${t("collected", { names: flasks.map((s) => named(s.name)).join(", ") || t("nothing") })}>
		${[0, 1, 2].map((i) => html`<span class="slot">${flasks[i] ? html`<${Art} symbol=${flasks[i]} />` : null}</span>`)}</div>
		${game.potions.features.map(({ kind, needs }) => html`<div class="feature ${open(kind) ? "" : "locked"} ${playing.has(kind) ? "playing" : ""}" key=${kind} data-feature=${kind}>
			<span class="needs">${needs.flatMap((n, i) => Array.from({ length: n }, () => html`<${Art} symbol=${symbols[i]} />`))}</span><span>${featureName(kind)}</span><span class="quiet lock">${t(open(kind) ? "unlocked" : "locked")}</span></div>`)}</div>`;
}

// The name of the game that a pool belongs to.
export const gameOfPool = (pools, games, number) => {
	const id = pools.find((pool) => pool.pool === number)?.id ?? "jackpot";
	return named(games.find((game) => game.pool === id)?.name ?? featureName(id.replaceAll("-", "_")));
};

export function Winners({ winners, pools, games }) {
	return html`<section class="panel" aria-label=${t("winners")}><h2>${t("winners")}</h2><div id="winners">
		${winners.length === 0 ? html`<p class="quiet">${t("no-winners")}</p>` : winners.map((w) => html`<div class="winner" key="${w.pool}-${w.hit}">
			<b class="gold">${money(w.paid_minor, w.currency)}</b> <span class="quiet">${w.level ? html`Jackpot Cards, <${Suit} suit=${CARD_SUITS[w.level - 1]} /> ${t(`suit.${CARD_SUITS[w.level - 1]}`)}` : `${gameOfPool(pools, games, w.pool)}, ${t("coin", { coin: money(w.coin_minor, w.currency) })}`}</span><br />
			<span class="quiet">${w.player} · ${clock(w.time_us / 1000)}</span></div>`)}</div></section>`;
}

export function Proof({ proof, round }) {
	const drawn = round?.cards?.draw;
	if (!proof) return html`<p class="quiet digest">${t("proof.none")}</p>`;
	return html`<p class="digest" id="proof"><span class=${proof.ok ? "good" : "bad"}>${proof.ok ? "✓" : "✗"} ${t("proof.round", { round: proof.round })}</span>
		<span class="quiet"> ${t(proof.ok ? "proof.matches" : "proof.differs")} ${proof.promised}</span>
		${drawn && round.round === proof.round ? html`<span class="quiet"> · ${t("proof.cards", { value: drawn.value, below: drawn.below, threshold: round.cards.threshold })}</span>` : null}</p>`;
}

// ---- history ----

const PAGE = 20;

// A past round, screen by screen, as the engine replays it from its record.
function Replay({ replay, close }) {
	const [at, choose] = useState(0);
	const { round } = replay;
	const steps = round?.phases ?? [];
	useEffect(() => choose(0), [round?.round]);
	if (replay.error) return html`<div id="replay"><p class="bad">${replay.error}</p><button onClick=${close}>${t("back-to-history")}</button></div>`;
	const scene = { game: replay.game, currency: replay.currency, witch: 0, mode: round.bet.mode };
	return html`<div id="replay"><div class="replayhead"><span class="replaymark">${t("replay")}</span><h3>${t("replay-of", { round: round.round, game: named(replay.game.name) })}</h3><button id="replay-close" onClick=${close}>${t("back-to-history")}</button></div>
		<${Screen} scene=${scene} phase=${steps[at]} name="replay-" />
		<${Course} scene=${scene} steps=${steps} at=${at} choose=${choose} name="replay-" />
		<p class="digest quiet">${t("replay-bet", { bet: money(round.stake_minor, replay.currency), version: round.math_version })}</p></div>`;
}

function Rows({ rounds, games, currency, show }) {
	const name = (id) => named(games.find((game) => game.id === id)?.name ?? id);
	return html`<div class="scroll"><table id="history"><thead><tr><th>${t("h.round")}</th><th>${t("h.game")}</th><th>${t("h.time")}</th><th class="number">${t("h.before")}</th><th class="number">${t("h.bet")}</th><th class="number">${t("h.win")}</th><th class="number">${t("h.after")}</th><th></th></tr></thead>
		<tbody>${rounds.map((r) => html`<tr key=${r.round}><td>${r.round}</td><td>${name(r.game)}</td><td>${dateTime(r.time)}</td><td class="number">${money(r.balance_before_minor, currency)}</td>
			<td class="number">${money(r.stake_minor, currency)}</td><td class="number ${r.win_minor ? "gold" : ""}">${money(r.win_minor, currency)}</td><td class="number">${money(r.balance_after_minor, currency)}</td>
			<td><button aria-label=${t("replay-round", { round: r.round })} onClick=${() => show(r.round)}>${t("replay")}</button></td></tr>`)}</tbody></table></div>`;
}

// RULE bewitched 8.5, 8.7, RULE mona-lisa 7.5, 7.7, RULE witch-feature 9.6: the player's rounds, page by page, and a replay of each. The filters hold
// for the pages that are loaded.
export function History({ games, currency, token, close }) {
	const [pages, setPages] = useState({ rounds: [], next: undefined, error: null });
	const [only, setOnly] = useState({ game: "", wins: false });
	const [replay, setReplay] = useState(null);
	async function more() {
		try {
			const { rounds, next, archived } = await get(`/v1/rounds?limit=${PAGE}${pages.next ? `&before=${pages.next}` : ""}`, token);
			setPages((old) => ({ rounds: [...old.rounds, ...rounds], next, archived, error: null }));
		} catch (error) {
			setPages((old) => ({ ...old, error: error.message }));
		}
	}
	useEffect(() => { more(); }, []);
	async function show(number) {
		try {
			const { round } = await get(`/v1/rounds/${number}`, token);
			const game = await get(`/v1/games/${round.game}`);
			await loadWorld(game, false);
			setReplay({ round, game, currency });
		} catch (error) {
			setReplay({ error: error.message });
		}
	}
	const shown = pages.rounds.filter((round) => (!only.game || round.game === only.game) && (!only.wins || round.win_minor > 0));
	return html`<${Dialog} id="historywindow" title=${t("history")} close=${close} wide=${true}>
		${replay ? html`<${Replay} replay=${replay} close=${() => setReplay(null)} />` : html`<div class="choices start">
		<label>${t("h.game")} <select id="only-game" value=${only.game} onChange=${(e) => setOnly({ ...only, game: e.target.value })}><option value="">${t("all-games")}</option>${games.map((game) => html`<option value=${game.id}>${named(game.name)}</option>`)}</select></label>
		<label class="check"><input id="only-wins" type="checkbox" checked=${only.wins} onChange=${(e) => setOnly({ ...only, wins: e.target.checked })} />${t("only-wins")}</label></div>
		${pages.error ? html`<p class="bad" role="alert">${pages.error} <button onClick=${more}>${t("try-again")}</button></p>` : null}
		<${Rows} rounds=${shown} games=${games} currency=${currency} show=${show} />
		<p class="quiet">${t("h.shown", { n: shown.length, of: pages.rounds.length })} ${pages.archived ? t("h.archived") : ""}</p>
		${pages.next ? html`<button id="history-more" onClick=${more}>${t("h.more")}</button>` : null}`}<//>`;
}
