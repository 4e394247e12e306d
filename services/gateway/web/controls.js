// What the player may do: bet, spin, autospin, go on through a feature, pick, gamble, collect.
import { html, useState } from "/vendor/htm-preact.js";
import { cardName, money } from "/format.js";

const range = (n) => Array.from({ length: n }, (_, i) => i + 1);

function BetPickers({ state, dispatch, locked }) {
	const { game, bet, currency } = state;
	const coins = game.currencies.find((c) => c.currency === currency)?.coins_minor ?? [];
	const choose = (field) => (event) => dispatch({ type: "bet", bet: { [field]: Number(event.target.value) } });
	const option = (value, text) => html`<option value=${value}>${text}</option>`;
	return html`
		<label>Coin value<select id="coin" value=${bet.coin_minor} onChange=${choose("coin_minor")} disabled=${locked}>${coins.map((c) => option(c, money(c, currency)))}</select></label>
		<label>Lines<select id="lines" value=${bet.lines} onChange=${choose("lines")} disabled=${locked}>${range(game.lines_max).map((n) => option(n, n))}</select></label>
		<label>Coins a line<select id="coins" value=${bet.coins} onChange=${choose("coins")} disabled=${locked}>${range(game.coins_max).map((n) => option(n, n))}</select></label>
		<label>Total bet<output id="stake">${money(bet.coin_minor * bet.lines * bet.coins, currency)}</output></label>
		<button id="max" disabled=${locked} onClick=${() => dispatch({ type: "bet", bet: { lines: game.lines_max, coins: game.coins_max } })}>Bet max</button>`;
}

function Autospin({ state, dispatch, autospin, locked }) {
	const [spins, setSpins] = useState(10);
	const [loss, setLoss] = useState(50);
	const [stopOnJackpot, setStop] = useState(true);
	if (state.autospin)
		return html`<button id="autostop" onClick=${() => dispatch({ type: "autospin", spins: 0 })}>Stop ${state.autoplay?.spins ?? 0}/${state.autospin}</button>`;
	const start = () => autospin({ spins, loss_limit_minor: loss * 100, single_win_minor: -1, stop_on_jackpot: stopOnJackpot });
	return html`
		<label>Autospins<input id="autospins" type="number" min="1" max="100" value=${spins} disabled=${locked} onInput=${(e) => setSpins(Number(e.target.value))} /></label>
		<label>Loss limit<input id="loss" type="number" min="0" value=${loss} disabled=${locked} onInput=${(e) => setLoss(Number(e.target.value))} /></label>
		<label class="check"><input type="checkbox" checked=${stopOnJackpot} disabled=${locked} onChange=${(e) => setStop(e.target.checked)} />Stop at a jackpot</label>
		<button id="autostart" disabled=${locked} onClick=${start}>Autospin</button>`;
}

export function Controls({ app }) {
	const { state, dispatch } = app;
	const watching = ["pick", "next"].includes(state.round?.next);
	const locked = state.busy || watching || state.autospin > 0;
	const witches = state.game.witches ?? [];
	return html`<div class="controls">
		<${BetPickers} state=${state} dispatch=${dispatch} locked=${locked} />
		${state.round?.next === "next"
			? html`<button class="main" id="next" disabled=${state.busy} onClick=${() => app.act("next")}>Go on</button>`
			: html`<button class="main" id="spin" disabled=${locked || !state.expect} onClick=${app.spin}>Spin</button>`}
	</div>
	<div class="controls">
		<${Autospin} state=${state} dispatch=${dispatch} autospin=${app.autospin} locked=${locked} />
		<span class="spacer"></span>
		${witches.length ? html`<label>Your witch<select id="witch" value=${state.witch ?? 0} disabled=${locked} onChange=${(e) => app.setting({ witch: Number(e.target.value) })}>
			${witches.map((name, i) => html`<option value=${i}>${name[0].toUpperCase()}${name.slice(1)}</option>`)}</select></label>` : null}
	</div>`;
}

// A vial is picked once; what stands in them was drawn before, whichever are chosen.
export function Vials({ game, round, busy, pick }) {
	const [picked, setPicked] = useState({ cursor: round.cursor, vials: [] });
	const mine = picked.cursor === round.cursor ? picked.vials : [];
	const choose = (vial) => {
		setPicked({ cursor: round.cursor, vials: [...mine, vial] });
		pick(vial);
	};
	return html`<div class="panel" id="vials"><b class="gold">The wizard's table: choose ${round.picks_left} more ${round.picks_left === 1 ? "vial" : "vials"}</b>
		<div class="vials">${range(game.vials ?? 6).map((n) => html`<button class="vial ${mine.includes(n - 1) ? "picked" : ""}" disabled=${busy || mine.includes(n - 1)} onClick=${() => choose(n - 1)}><b>⚗</b>vial ${n}</button>`)}</div></div>`;
}

export function Gamble({ round, currency, busy, act }) {
	const last = round.gambles?.at(-1);
	return html`<div class="panel" id="gamble">
		<b>Double ${money(round.pending_minor, currency)}? </b><span class="quiet">${round.gamble_attempts_left} attempts left${last ? `; last card: ${cardName(last.card)}` : ""}</span>
		<div class="controls"><button id="red" disabled=${busy} onClick=${() => act("gamble", 0)}>♥ Red</button><button id="black" disabled=${busy} onClick=${() => act("gamble", 1)}>♠ Black</button>
		<button id="collect" disabled=${busy} onClick=${() => act("collect")}>Collect</button></div></div>`;
}
