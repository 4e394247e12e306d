// Beside the reels: jackpots, potions, winners, history.
import { html, useEffect, useState } from "/vendor/htm-preact.js";
import { get } from "/api.js";
import { Art, loadWorld } from "/art.js";
import { Suit } from "/cards.js";
import { CARD_SUITS, LEVELS, clock, money } from "/format.js";
import { carriedOf, featureName, symbolOf, totalBet } from "/game.js";
import { Course, Screen } from "/reels.js";

function Tile({ pool, row, coin }) {
	const name = row.level ? `${LEVELS[row.level]}` : `Coin ${money(row.coin_minor, row.currency)}`;
	return html`<div class="jackpot ${row.coin_minor === coin && !row.level ? "selected" : ""} ${row.level ? "level" : ""}" data-pool=${pool.pool} data-row=${row.level || row.coin_minor}>
		<span class="quiet">${row.level ? html`<${Suit} suit=${CARD_SUITS[row.level - 1]} /> ` : null}${name}</span><b>${money(row.value_minor, row.currency)}</b></div>`;
}

// The jackpots that the current game can win. RULE bewitched 4.7, RULE mona-lisa 4.10, RULE mystic-gem 6.2: the counter of the selected coin value stands out.
export function Jackpots({ pools, game, currency, coin }) {
	const numbers = [game.jackpot?.pool_number, game.cards?.eligible ? game.cards.set_number : null].filter(Boolean);
	const groups = pools.filter((pool) => numbers.includes(pool.pool)).map((pool) => [pool, pool.rows.filter((row) => row.level || row.currency === currency)
		.sort((a, b) => (a.coin_minor ?? 0) - (b.coin_minor ?? 0) || (a.level ?? 0) - (b.level ?? 0))]).filter(([, rows]) => rows.length);
	if (!groups.length) return null;
	return html`<section class="panel" id="jackpots" aria-label="Jackpots"><h2>Live jackpots</h2>
		${groups.map(([pool, rows]) => html`<div class="jackpots" key=${pool.pool} data-kind=${pool.kind}>
		${rows.map((row) => html`<${Tile} key="${row.currency}-${row.level ?? row.coin_minor}" pool=${pool} row=${row} coin=${coin} />`)}</div>`)}</section>`;
}

// RULE witch-feature 3.14: the collection and unlocked features of the current bet value; while a round is shown, at the shown phase.
export function Potions({ state }) {
	const { game, bet, steps, at, carried, spinning } = state;
	if (!game.potions) return null;
	const stake = totalBet(bet);
	const shown = spinning ? null : steps[at]?.after;
	const mine = shown?.stake_minor === stake ? shown : carriedOf(game, carried, stake);
	const symbols = game.potions.symbols.map((id) => symbolOf(game, id));
	const flasks = mine.potions.flatMap((n, i) => Array.from({ length: n }, () => symbols[i]));
	const playing = new Set(spinning ? [] : steps[at]?.features ?? []);
	return html`<div class="potions" id="potions"><div class="collection" role="img" aria-label="Collected at this bet: ${flasks.map((s) => s.name).join(", ") || "nothing"}">
		${[0, 1, 2].map((i) => html`<span class="slot">${flasks[i] ? html`<${Art} symbol=${flasks[i]} />` : null}</span>`)}</div>
		${game.potions.features.map(({ kind, needs }) => html`<div class="feature ${mine.unlocked.includes(kind) ? "" : "locked"} ${playing.has(kind) ? "playing" : ""}" key=${kind} data-feature=${kind}>
			<span class="needs">${needs.flatMap((n, i) => Array.from({ length: n }, () => html`<${Art} symbol=${symbols[i]} />`))}</span><span>${featureName(kind)}</span><span class="quiet">${mine.unlocked.includes(kind) ? "unlocked" : "locked"}</span></div>`)}</div>`;
}

export function Winners({ winners, pools, games }) {
	const named = (id) => games.find((game) => game.pool === id)?.name ?? featureName(id.replaceAll("-", "_"));
	const game = (number) => named(pools.find((pool) => pool.pool === number)?.id ?? "jackpot");
	return html`<section class="panel" aria-label="Winners"><h2>Winners</h2><div id="winners">
		${winners.length === 0 ? html`<p class="quiet">No winners yet.</p>` : winners.map((w) => html`<div class="winner" key="${w.pool}-${w.hit}">
			<b class="gold">${money(w.paid_minor, w.currency)}</b> <span class="quiet">${w.level ? html`Jackpot Cards, <${Suit} suit=${CARD_SUITS[w.level - 1]} /> ${LEVELS[w.level]}` : `${game(w.pool)}, coin ${money(w.coin_minor, w.currency)}`}</span><br />
			<span class="quiet">${w.player} · ${clock(w.time_us / 1000)}</span></div>`)}</div></section>`;
}

// A past round, screen by screen, as the engine replays it from its record.
function Replay({ replay, token, close }) {
	const [at, choose] = useState(0);
	const { round } = replay;
	const steps = round?.phases ?? [];
	useEffect(() => choose(0), [round?.round]);
	if (replay.error) return html`<div id="replay"><p class="bad">${replay.error} <button onClick=${close}>Close</button></p></div>`;
	const scene = { game: replay.game, currency: replay.currency, witch: 0, mode: round.bet.mode };
	return html`<div id="replay"><h2>Replay of round ${round.round}, ${replay.game.name} <button onClick=${close}>Close</button></h2>
		<${Screen} scene=${scene} phase=${steps[at]} name="replay-" />
		<${Course} scene=${scene} steps=${steps} at=${at} choose=${choose} name="replay-" />
		<p class="digest quiet">bet ${money(round.stake_minor, replay.currency)}, definition ${round.math_version}</p></div>`;
}

// RULE bewitched 8.5, 8.7, RULE mona-lisa 7.5, 7.7: the history, and a replay with a button that closes it.
export function History({ rounds, games, currency, token }) {
	const [replay, setReplay] = useState(null);
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
	const name = (id) => games.find((game) => game.id === id)?.name ?? id;
	return html`<section class="panel" aria-label="History"><h2>Your last rounds</h2><div class="scroll"><table id="history">
		<thead><tr><th>Round</th><th>Game</th><th>Time</th><th class="number">Before</th><th class="number">Bet</th><th class="number">Win</th><th class="number">After</th><th></th></tr></thead>
		<tbody>${rounds.map((r) => html`<tr key=${r.round}><td>${r.round}</td><td>${name(r.game)}</td><td>${new Date(r.time).toLocaleString()}</td><td class="number">${money(r.balance_before_minor, currency)}</td>
			<td class="number">${money(r.stake_minor, currency)}</td><td class="number ${r.win_minor ? "gold" : ""}">${money(r.win_minor, currency)}</td><td class="number">${money(r.balance_after_minor, currency)}</td>
			<td><button aria-label="Replay of round ${r.round}" onClick=${() => show(r.round)}>Replay</button></td></tr>`)}</tbody></table></div>
		${replay ? html`<${Replay} replay=${replay} token=${token} close=${() => setReplay(null)} />` : null}</section>`;
}
