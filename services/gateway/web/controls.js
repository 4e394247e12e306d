// The player's controls: bet, buy, spin, autospin, continue a feature, pick, gamble, halve, collect.
import { html, useRef, useState } from "/vendor/htm-preact.js";
import { CARD_SUITS, RED_SUITS, cardShort, money } from "/format.js";
import { coinsOf, isBought, modeOf, modeRefusal, modeWords, priceOf, publishedReturn, symbolOf, times, totalBet } from "/game.js";
import { isWatching } from "/state.js";

const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

// A list with buttons for one step down and one step up.
function Picker({ id, label, value, options, text, choose, locked }) {
	const at = options.indexOf(value);
	const step = (by) => html`<button class="step" aria-label="${label}: ${by < 0 ? "lower" : "higher"}" disabled=${locked || !options[at + by]} onClick=${() => choose(options[at + by])}>${by < 0 ? "−" : "+"}</button>`;
	return html`<div class="picker"><label for=${id}>${label}</label><div>${step(-1)}<select id=${id} value=${value} disabled=${locked} onChange=${(event) => choose(Number(event.target.value))}>
		${options.map((option) => html`<option key=${option} value=${option}>${text(option)}</option>`)}</select>${step(1)}</div></div>`;
}

// In a game with fixed lines and coins the player chooses the coin value as the total bet.
function BetPickers({ app, locked }) {
	const { state, dispatch, spin } = app;
	const { game, bet, currency = "EUR" } = state;
	const change = (field) => (value) => dispatch({ type: "bet", bet: { [field]: value } });
	const lines = range(game.lines_min, game.lines_max);
	const coins = range(game.coins_min, game.coins_max);
	const fixed = lines.length === 1 && coins.length === 1;
	const same = (n) => n;
	// RULE bewitched 1.5, RULE mona-lisa 1.5
	const largest = () => {
		dispatch({ type: "bet", bet: { lines: game.lines_max, coins: game.coins_max } });
		spin();
	};
	return html`
		<${Picker} id="coin" label=${fixed ? "Bet" : "Coin value"} value=${bet.coin_minor} options=${coinsOf(game, currency)} locked=${locked} choose=${change("coin_minor")}
			text=${(coin) => money(fixed ? totalBet({ ...bet, coin_minor: coin }) : coin, currency)} />
		${lines.length > 1 ? html`<${Picker} id="lines" label="Lines" value=${bet.lines} options=${lines} text=${same} choose=${change("lines")} locked=${locked} />` : null}
		${coins.length > 1 ? html`<${Picker} id="coins" label="Coins a line" value=${bet.coins} options=${coins} text=${same} choose=${change("coins")} locked=${locked} />` : null}
		${fixed ? html`<span class="quiet fixed">${game.lines_max} lines of ${money(bet.coin_minor * bet.coins, currency)}</span>`
			: html`<button id="max" disabled=${locked || !state.expect} onClick=${largest}>Bet max and spin</button>`}`;
}

// RULE mystic-gem 3.12: a bought mode stays chosen until the player turns it off. RULE mystery-elves 4.5: a feature bought for one spin turns off after
// it; until then autospin cannot start.
function Modes({ state, dispatch, locked }) {
	const { game, bet, currency = "EUR" } = state;
	if (game.modes.length < 2) return null;
	return html`<fieldset class="modes" id="modes"><legend>Mode</legend>${game.modes.map((mode) => {
		const refusal = modeRefusal(game, mode, bet, currency);
		return html`<label class="mode ${bet.mode === mode.id ? "chosen" : ""}" key=${mode.id}><input type="radio" name="mode" value=${mode.id} checked=${bet.mode === mode.id} disabled=${locked || refusal} onChange=${() => dispatch({ type: "bet", bet: { mode: mode.id } })} />
			<span class="title">${mode.name}</span> <b class="gold">${money(priceOf(bet, mode), currency)}</b>
			<span class="quiet">${isBought(mode) ? `${times(mode.price_hundredths)} the bet. ` : ""}${modeWords(game, mode)}.${publishedReturn(mode) ? ` Returns ${publishedReturn(mode)}.` : ""}</span>
			${refusal ? html`<span class="bad">${refusal}</span>` : null}</label>`;
	})}</fieldset>`;
}

// RULE bewitched 6.8, RULE mona-lisa 5.8, RULE witch-feature 9.7: each stop is a number (0: none) or a switch. Start and Cancel close the window. The
// window shows only the stops that the game has.
function Autospin({ state, dispatch, autospin, locked }) {
	const window = useRef(null);
	const shut = () => { window.current.open = false; };
	const [form, setForm] = useState({ spins: 10, loss: 50, single: 0, jackpot: true, feature: false });
	const { game } = state;
	const rules = game.autoplay;
	if (!rules) return null;
	const put = (field, read = (e) => Number(e.target.value)) => (event) => setForm({ ...form, [field]: read(event) });
	const check = (field) => put(field, (event) => event.target.checked);
	const start = () => shut() || autospin({ spins: form.spins, loss_limit_minor: form.loss > 0 ? Math.round(form.loss * 100) : -1, single_win_minor: form.single > 0 ? Math.round(form.single * 100) : -1,
		stop_on_jackpot: rules.jackpot_stop && form.jackpot, ...(rules.feature_stop ? { stop_on_feature: form.feature } : {}) });
	return html`<details class="autoplay" id="autoplay" ref=${window}><summary>Autospin${state.autospin ? `: ${state.autoplay?.spins ?? 0} of ${state.autospin} left` : ""}</summary><div class="controls">
		<label>Spins<input id="autospins" type="number" min="1" max=${rules.spins_max} value=${form.spins} disabled=${locked} onInput=${put("spins")} /></label>
		<label>Loss limit<input id="loss" type="number" min="0" value=${form.loss} disabled=${locked} onInput=${put("loss")} /></label>
		<label>Stop at a win of<input id="single" type="number" min="0" value=${form.single} disabled=${locked} onInput=${put("single")} /></label>
		${rules.jackpot_stop ? html`<label class="check"><input type="checkbox" checked=${form.jackpot} disabled=${locked} onChange=${check("jackpot")} />Stop at a jackpot</label>` : null}
		${rules.feature_stop ? html`<label class="check"><input type="checkbox" checked=${form.feature} disabled=${locked} onChange=${check("feature")} />Stop at a feature</label>` : null}
		<button id="autostart" disabled=${locked || modeOf(game, state.bet.mode).one_spin} onClick=${start}>Start autospin</button><button id="autocancel" onClick=${shut}>Cancel</button></div></details>`;
}

// The main button names the feature that it starts.
function goOn(game, phase) {
	if (phase?.respins_left && game.sticky_respins) return `Start ${game.sticky_respins.symbol} spins`;
	if (phase?.free_spins_left && phase.kind !== "free_spin") return "Start free spins";
	return "Continue";
}

// RULE bewitched 6.8, RULE mona-lisa 5.8, RULE mystery-elves 6.3, RULE mystic-gem 5.4, RULE witch-feature 7.7: the stop button shows
// the spins left and their number at the start.
function MainButton({ app, locked }) {
	const { state, act, spin, dispatch } = app;
	const { round, steps, game, bet, currency, autospin, autoplay } = state;
	if (autospin) return html`<button class="main" id="autostop" onClick=${() => dispatch({ type: "autospin", spins: 0 })}>Stop <small>${autoplay?.spins ?? 0}/${autospin}</small></button>`;
	if (round?.next === "next") return html`<button class="main" id="next" disabled=${state.busy} onClick=${() => act("next")}>${goOn(game, steps.at(-1))}</button>`;
	const mode = modeOf(game, bet.mode);
	const word = isBought(mode) ? "Buy spin" : "Spin";
	return html`<button class="main" id="spin" disabled=${locked || !state.expect || modeRefusal(game, mode, bet, currency)} onClick=${spin}>${word}</button>`;
}

// The oldest grant of bonus spins for this game.
function BonusSpins({ state, spin, locked }) {
	const { game, currency } = state;
	const grant = (state.bonus_spins ?? []).find((one) => one.game === game.id);
	if (!grant) return null;
	const bet = { coin_minor: grant.coin_minor, lines: grant.lines, coins: grant.coins };
	return html`<div class="grant" id="bonus-spins"><span><b class="gold">${grant.left} bonus ${grant.left === 1 ? "spin" : "spins"}</b> <span class="quiet">at a bet of ${money(priceOf(bet, modeOf(game, null)), currency ?? "EUR")}, free of charge, until ${new Date(grant.expires_us / 1000).toLocaleString()}</span></span>
		<button id="bonus-spin" disabled=${locked} onClick=${() => spin(grant)}>Bonus spin</button></div>`;
}

export function Controls({ app }) {
	const { state, dispatch, skip } = app;
	const { game, bet, currency } = state;
	const locked = lockedFor(state);
	const mode = modeOf(game, bet.mode);
	return html`<div class="controls bar">
		<${BetPickers} app=${app} locked=${locked} />
		<div class="go"><div class="price"><span class="quiet">${isBought(mode) ? "Price" : "Total bet"}</span><output id="stake">${money(priceOf(bet, mode), currency ?? "EUR")}</output></div>
		${/* RULE bewitched 8.2, RULE mona-lisa 7.2, RULE witch-feature 9.1: Skip shows the same result sooner; the space bar does the same. */ null}
		<button id="skip" disabled=${!state.revealing} onClick=${skip}>Skip</button>
		<${MainButton} app=${app} locked=${locked} /></div>
	</div>
	<${BonusSpins} state=${state} spin=${app.bonusSpin} locked=${locked} />
	<${Modes} state=${state} dispatch=${dispatch} locked=${locked} />
	<div class="more"><${Autospin} state=${state} dispatch=${dispatch} autospin=${app.autospin} locked=${locked} />
		<${Witch} app=${app} id="witch" /></div>`;
}

export const lockedFor = (state) => !state.token || state.busy || Boolean(state.claim) || isWatching(state.round) || state.autospin > 0;

// RULE bewitched 2.6: shown beside the reels and in the paytable.
export function Witch({ app, id }) {
	const { state } = app;
	const witches = state.game.witches ?? [];
	if (!witches.length) return null;
	return html`<label class="witch">Your witch<select id=${id} value=${state.witch ?? 0} disabled=${lockedFor(state)} onChange=${(e) => app.setting({ witch: Number(e.target.value) })}>
		${witches.map((name, i) => html`<option value=${i}>${name[0].toUpperCase()}${name.slice(1)}</option>`)}</select></label>`;
}

// The player picks each vial at most once. The outcome was drawn before the picks.
export function Vials({ game, round, busy, pick }) {
	const [picked, setPicked] = useState({ cursor: round.cursor, vials: [] });
	const mine = picked.cursor === round.cursor ? picked.vials : [];
	const choose = (vial) => {
		setPicked({ cursor: round.cursor, vials: [...mine, vial] });
		pick(vial);
	};
	return html`<div class="overlay" id="vials" role="group" aria-label="Vials"><b class="gold">${symbolOf(game, game.symbols.find((s) => s.kind === "bonus")?.id).name}: choose ${round.picks_left} more ${round.picks_left === 1 ? "vial" : "vials"}</b>
		<div class="vials">${range(1, game.vials ?? 6).map((n) => html`<button class="vial ${mine.includes(n - 1) ? "picked" : ""}" aria-label="vial ${n}" disabled=${busy || mine.includes(n - 1)} onClick=${() => choose(n - 1)}>
			<svg viewBox="0 0 24 36" aria-hidden="true"><path class="glass" d="M9 2h6v10l6 16c1 3-1 6-4 6H7c-3 0-5-3-4-6l6-16z" /><path class="brew" d="M6 21h12l3 8c0 2-1 4-4 4H7c-3 0-4-2-4-4z" /></svg><span>${n}</span></button>`)}</div></div>`;
}

const Card = ({ card, hidden }) => html`<span class="card ${hidden ? "hidden" : RED_SUITS.includes(CARD_SUITS[Math.floor(card / 13)]) ? "red" : ""}">${hidden ? "?" : cardShort(card)}</span>`;

// If a colour has one suit, the button shows the suit.
function colourName(game, red) {
	const suits = game.gamble.suits.filter((suit) => RED_SUITS.includes(suit) === red);
	const name = red ? "Red" : "Black";
	return suits.length === 1 ? `${name} ${suits[0].replace(/s$/, "")}` : name;
}

// RULE mystic-gem 4.10: shows the attempts left, the stake and the win of a right guess; the face-down card flashes.
export function Gamble({ state, act }) {
	const { round, currency, busy, game, cards } = state;
	const stake = round.pending_minor;
	const most = game.gamble.stake_max?.[currency];
	const closed = most && stake > most ? `You can gamble up to ${money(most, currency)}.` : state.autospin ? "You cannot gamble while autospin runs." : null;
	return html`<div class="gamble" id="gamble" role="group" aria-label="Double or collect">
		<div class="cards" aria-label="Last cards"><${Card} hidden=${true} />${cards.map((card, i) => html`<${Card} key="${i}-${card}" card=${card} />`)}</div>
		<div class="offer"><b>Double ${money(stake, currency)} to ${money(2 * stake, currency)}?</b> <span class="quiet">${closed ?? `${round.gamble_attempts_left} attempts left`}</span></div>
		<div class="controls"><button id="red" class="red" disabled=${busy || closed} onClick=${() => act("gamble", 0)}>${colourName(game, true)}</button><button id="black" class="black" disabled=${busy || closed} onClick=${() => act("gamble", 1)}>${colourName(game, false)}</button>
		${game.gamble.halve ? html`<button id="halve" disabled=${busy || closed || stake < 2} onClick=${() => act("halve")}>Halve</button>` : null}
		<button id="collect" disabled=${busy} onClick=${() => act("collect")}>Collect</button></div></div>`;
}
