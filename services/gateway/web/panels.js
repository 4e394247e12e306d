// Beside the reels and in windows: potions, winners, the proof.
import { html } from "/vendor/htm-preact.js";
import { Art } from "/art.js";
import { Suit } from "/cards.js";
import { CARD_SUITS, clock, money } from "/format.js";
import { carriedOf, featureName, symbolOf, totalBet } from "/game.js";
import { named, t } from "/lang.js";

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
			<b class="gold">${money(w.paid_minor, w.currency)}</b> <span class="quiet">${w.level ? html`${t("cards.name")}, <${Suit} suit=${CARD_SUITS[w.level - 1]} /> ${t(`suit.${CARD_SUITS[w.level - 1]}`)}` : `${gameOfPool(pools, games, w.pool)}, ${t("coin", { coin: money(w.coin_minor, w.currency) })}`}</span><br />
			<span class="quiet">${w.player} · ${clock(w.time_us / 1000)}</span></div>`)}</div></section>`;
}

const BEST = 5;

// The dearest symbols at the current bet; the whole paytable is in the rules.
export function BestPays({ state, open }) {
	const { game, bet, currency = "EUR" } = state;
	const most = (symbol) => Math.max(0, ...Object.keys(symbol.pays ?? {}).map(Number));
	const best = game.symbols.filter((symbol) => symbol.kind === "line" && symbol.pays).sort((a, b) => b.pays[most(b)] - a.pays[most(a)]).slice(0, BEST);
	return html`<section class="panel pays" aria-label=${t("paytable")}><h2>${t("paytable")}</h2>
		${best.map((symbol) => html`<div class="bestpay" key=${symbol.id}><${Art} symbol=${symbol} /><span>${most(symbol)} × ${named(symbol.name)}</span><b class="gold">${money(symbol.pays[most(symbol)] * bet.coin_minor * bet.coins, currency)}</b></div>`)}
		<button type="button" class="small" onClick=${open}>${t("rules-and-paytable")}</button></section>`;
}

export function Proof({ proof, round }) {
	const drawn = round?.cards?.draw;
	if (!proof) return html`<p class="quiet digest">${t("proof.none")}</p>`;
	return html`<details class="proof" id="proof"><summary class=${proof.ok ? "good" : "bad"}>${proof.ok ? "✓" : "✗"} ${t(proof.ok ? "proof.checked" : "proof.failed", { round: proof.round })}</summary>
		<p class="digest quiet">${t(proof.ok ? "proof.matches" : "proof.differs")} ${proof.promised}${drawn && round.round === proof.round ? ` · ${t("proof.cards", { value: drawn.value, below: drawn.below, threshold: round.cards.threshold })}` : ""}</p></details>`;
}
