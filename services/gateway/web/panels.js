// Jackpots, winners, history.
import { html, useState } from "/vendor/htm-preact.js";
import { get } from "/api.js";
import { LEVELS, clock, money } from "/format.js";

function Tile({ pool, row, coin }) {
	const name = row.level ? `${LEVELS[row.level]}` : `Coin ${money(row.coin_minor, row.currency)}`;
	return html`<div class="jackpot ${row.coin_minor === coin && !row.level ? "selected" : ""}" data-pool=${pool.pool} data-row=${row.level || row.coin_minor}>
		<span class="quiet">${name}</span><b>${money(row.value_minor, row.currency)}</b></div>`;
}

export function Jackpots({ pools, currency, coin }) {
	const groups = pools.map((pool) => [pool, pool.rows.filter((row) => row.level || row.currency === currency)
		.sort((a, b) => (a.coin_minor ?? 0) - (b.coin_minor ?? 0) || (a.level ?? 0) - (b.level ?? 0))]).filter(([, rows]) => rows.length);
	return html`<section class="panel" id="jackpots" aria-label="Jackpots"><h2>Live jackpots</h2>${groups.map(([pool, rows]) => html`<div class="jackpots" key=${pool.pool} data-kind=${pool.kind}>
		${rows.map((row) => html`<${Tile} key="${row.currency}-${row.level ?? row.coin_minor}" pool=${pool} row=${row} coin=${coin} />`)}</div>`)}</section>`;
}

export function Winners({ winners }) {
	return html`<section class="panel" aria-label="Winners"><h2>Winners</h2><div id="winners">
		${winners.length === 0 ? html`<p class="quiet">Nobody yet. Somebody will be first.</p>` : winners.map((w) => html`<div class="winner" key="${w.pool}-${w.hit}">
			<b class="gold">${money(w.paid_minor, w.currency)}</b> <span class="quiet">at coin ${money(w.coin_minor, w.currency)}</span><br />
			<span class="quiet">${w.player} · ${clock(w.time_us / 1000)}</span></div>`)}</div></section>`;
}

export function History({ rounds, currency, token }) {
	const [replay, setReplay] = useState(null);
	const show = async (round) => setReplay(await get(`/v1/rounds/${round}`, token).catch((error) => ({ error: error.message })));
	return html`<section class="panel" aria-label="History"><h2>Your last rounds</h2><div class="scroll"><table id="history">
		<thead><tr><th>Round</th><th>Time</th><th class="number">Before</th><th class="number">Bet</th><th class="number">Win</th><th class="number">After</th><th></th></tr></thead>
		<tbody>${rounds.map((r) => html`<tr key=${r.round}><td>${r.round}</td><td>${new Date(r.time).toLocaleString()}</td><td class="number">${money(r.balance_before_minor, currency)}</td>
			<td class="number">${money(r.stake_minor, currency)}</td><td class="number">${money(r.win_minor, currency)}</td><td class="number">${money(r.balance_after_minor, currency)}</td>
			<td><button onClick=${() => show(r.round)}>Replay</button></td></tr>`)}</tbody></table></div>
		${replay ? html`<div id="replay"><h2>Replay of round ${replay.round?.round ?? ""} <button onClick=${() => setReplay(null)}>Close</button></h2>
			${replay.error ? html`<p class="bad">${replay.error}</p>` : html`<table><thead><tr><th>#</th><th>Screen</th><th>Wins</th><th class="number">Amount</th></tr></thead><tbody>
				${(replay.round?.phases ?? []).map((p) => html`<tr><td>${p.index + 1}</td><td>${p.kind}${p.outcome ? `: ${p.outcome} ${p.outcome_value || ""}` : ""}</td>
					<td>${(p.wins ?? []).map((w) => `${w.what}${w.line ? ` ${w.line}` : ""} ×${w.count}`).join(", ")}</td><td class="number">${money(p.win_minor, currency)}</td></tr>`)}</tbody></table>
				<p class="digest quiet">definition ${replay.round?.math_version}</p>`}</div>` : null}</section>`;
}
