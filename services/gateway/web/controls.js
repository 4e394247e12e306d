// The player's controls: the main button, the bet, bought modes, autospin, the gamble. A control that has nothing to do stays where it is and says why.
import { html, useEffect, useState } from "/vendor/htm-preact.js";
import { Picture } from "/art.js";
import { Dialog, ask } from "/dialog.js";
import { dateTime, decimal, isAmbiguous, money, typedMinor, typedWords } from "/format.js";
import { capital, coinsOf, currencyRefusal, isBought, modeOf, modeRefusal, modeWords, priceOf, publishedReturn, times, totalBet } from "/game.js";
import { Icon } from "/icons.js";
import { named, t } from "/lang.js";
import { sound } from "/sound.js";
import { isWatching } from "/state.js";

const LARGE_PART = 10; // a price above this part of the balance is asked about again
const LOSS_BETS = 100; // of the loss limit that autospin proposes, whatever the currency
const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

export const lockedFor = (state) => !state.token || state.busy || Boolean(state.claim) || isWatching(state.round) || state.autospin > 0;

// Milliseconds until the player may bet again, by the smallest time between two bets; the caller is drawn again when it has passed.
function useGap({ nextBet }) {
	const [, passed] = useState(0);
	const left = Math.max(0, nextBet - Date.now());
	useEffect(() => {
		const timer = left > 0 ? setTimeout(() => passed(nextBet), left) : null;
		return () => clearTimeout(timer);
	}, [nextBet]);
	return left;
}

const gapReason = (ms) => ms > 0 ? t("why.gap", { n: Math.ceil(ms / 1000) }) : null;

// Why the bet cannot be changed or placed now, or null.
export function lockReason(state) {
	if (!state.token) return t("why.login");
	if (state.away) return t("why.away");
	if (state.claim) return t("why.cards");
	if (state.autospin > 0) return t("why.autospin");
	if (state.round?.next === "pick") return t("why.pick");
	if (state.round?.next === "next") return t("why.next");
	return currencyRefusal(state.game, state.currency) ?? (state.busy ? t("why.busy") : null);
}

// A button that keeps the focus and answers a press with the reason when it cannot act. `still`: for a moment it does nothing, and says nothing.
export function Button({ app, why, still, run, class: name = "", children, ...more }) {
	const press = () => still ? undefined : why ? app.dispatch({ type: "say", text: why, bad: true }) : run();
	return html`<button type="button" class=${name} aria-disabled=${why || still ? "true" : undefined} title=${why ?? undefined} onClick=${press} ...${more}>${children}</button>`;
}

// ---- prices that are asked about ----

async function agreed(app, { title, words, price, yes }) {
	if (!await ask(app.dispatch, { title, words, yes })) return false;
	return large(app, price);
}

// A bet collects the open win first. What the page knows of the balance may be late: also a price above it is asked about.
function large(app, price) {
	const { balance_minor, round, pending_minor, currency } = app.latest.current;
	const balance = balance_minor + (round?.next === "gamble" ? pending_minor : 0);
	return LARGE_PART * price <= balance || ask(app.dispatch, { title: t("large.title"), words: [t("large.words", { price: money(price, currency), balance: money(balance, currency) })], yes: t("large.yes", { price: money(price, currency) }) });
}

async function spinAsked(app) {
	const { game, bet } = app.latest.current;
	const mode = modeOf(game, bet.mode);
	if (isBought(mode) && !await large(app, priceOf(bet, mode))) return;
	app.spin();
}

// RULE bewitched 1.5, RULE mona-lisa 1.5
async function maxBet(app) {
	const { game, bet, currency } = app.latest.current;
	const most = { lines: game.lines_max, coins: game.coins_max };
	const price = priceOf({ ...bet, ...most }, modeOf(game, bet.mode));
	const words = [t("max.words", { lines: most.lines, coins: most.coins, coin: money(bet.coin_minor, currency), price: money(price, currency) })];
	if (!await agreed(app, { title: t("max.title"), words, price, yes: t("max.yes", { price: money(price, currency) }) })) return;
	app.dispatch({ type: "bet", bet: most });
	app.spin();
}

// Buying spins at once. RULE mystic-gem 3.12: a bought mode stays chosen until the player turns it off. RULE mystery-elves 4.5: a feature bought for one
// spin turns off after it.
async function buy(app, mode) {
	const { game, bet, currency } = app.latest.current;
	app.dispatch({ type: "window", name: null });
	if (!isBought(mode)) return app.dispatch({ type: "bet", bet: { mode: mode.id } });
	const price = priceOf(bet, mode);
	const shown = { name: named(mode.name), price: money(price, currency), bet: money(totalBet(bet), currency), times: times(mode.price_hundredths) };
	const words = [t("buy.price", shown), `${modeWords(game, mode)}.`, t(mode.one_spin ? "buy.once" : "buy.stays", shown)];
	if (!await agreed(app, { title: t("buy.title", shown), words, price, yes: t("buy.yes", shown) })) return undefined;
	app.dispatch({ type: "bet", bet: { mode: mode.id } });
	return app.spin();
}

// ---- the main button ----

// It names the feature that it starts.
function goOn(game, phase) {
	if (phase?.respins_left && game.sticky_respins) return t("start-sticky", { symbol: game.sticky_respins.symbol });
	if (phase?.free_spins_left && phase.kind !== "free_spin") return t("start-free-spins");
	return t("continue");
}

// RULE bewitched 6.8, RULE mona-lisa 5.8, RULE mystery-elves 6.3, RULE mystic-gem 5.4, RULE witch-feature 7.7: while autospin runs, the button stops it and
// shows the spins left and their number at the start. RULE mystic-gem 8.6: it stops a win that counts up, and collects one that is open.
function mainOf(app, gap) {
	const { state } = app;
	const { round, steps, game, bet, currency, autospin, autoplay } = state;
	if (!state.token && state.left) return { id: "continue", word: t("continue-as", { player: state.left }), run: app.login, why: state.busy ? t("why.busy") : null };
	if (!state.token) return { id: "login", word: t("login"), run: app.login, why: state.busy ? t("why.busy") : state.config.kind === "live" ? t("why.casino") : null };
	if (autospin) return { id: "autostop", word: t("stop"), note: `${autoplay?.spins ?? 0}/${autospin}`, run: () => app.dispatch({ type: "autospin", spins: 0 }) };
	if (state.guessed) return { id: "seen", word: t("continue"), run: app.skip };
	if (state.counting || state.celebration?.of) return { id: "tally", word: t("collect"), run: app.skip };
	if (state.spinning || state.revealing) return { id: "skip", word: t(state.landing || state.spinning ? "stop" : "skip"), run: app.skip };
	if (state.claim) return { id: "waiting", word: t("spin"), why: t("why.cards") };
	if (round?.next === "next") return { id: "next", word: goOn(game, steps.at(-1)), run: () => app.act("next"), why: state.busy ? t("why.busy") : null };
	if (round?.next === "pick") return { id: "picking", word: t("pick"), why: t("why.pick") };
	if (round?.next === "gamble" && game.gamble) return { id: "collect", word: t("collect"), note: money(round.pending_minor, currency), run: () => app.act("collect"), why: state.busy ? t("why.busy") : null };
	const mode = modeOf(game, bet.mode);
	const refusal = modeRefusal(game, mode, bet, currency);
	const why = lockReason(state) ?? (refusal ? capital(refusal) : state.expect ? null : t("why.busy")) ?? gapReason(gap);
	return { id: "spin", gap, word: t(isBought(mode) ? "buy-spin" : "spin"), run: () => spinAsked(app), why };
}

// One element for all it does, so that the focus stays on it. RULE witch-feature 9.1, RULE mystic-gem 8.2: pressed again, it stops the reels sooner.
export function MainButton({ app }) {
	const gap = useGap(app.state);
	const main = mainOf(app, gap);
	const press = () => {
		if (main.why) return app.dispatch({ type: "say", text: main.why, bad: true });
		sound.play(main.id === "collect" ? "collect" : main.id === "spin" ? "spin" : "press");
		return main.run();
	};
	return html`<button type="button" class="go" data-main id=${main.id} aria-disabled=${main.why ? "true" : undefined} title=${main.why ?? undefined} onClick=${press} onKeyDown=${(event) => event.repeat && event.preventDefault()}>
		${main.gap ? html`<i class="gap" key=${app.state.nextBet} style=${{ animationDuration: `${main.gap}ms` }} aria-hidden="true"></i>` : null}${main.id === "spin" ? html`<${Icon} name="spin" />` : null}<span>${main.word}</span>${main.note ? html`<small>${main.note}</small>` : null}</button>`;
}

// ---- bet ----

// A list with buttons for one step down and one step up.
function Picker({ app, id, label, value, options, text, choose, locked }) {
	const at = options.indexOf(value);
	const why = (by) => locked ?? (options[at + by] === undefined ? t(by < 0 ? "why.lowest" : "why.highest", { what: label }) : null);
	const step = (by) => html`<${Button} app=${app} class="step" aria-label=${t(by < 0 ? "lower" : "higher", { what: label })} why=${why(by)} run=${() => choose(options[at + by])}>${by < 0 ? "−" : "+"}<//>`;
	return html`<div class="picker"><label for=${id}>${label}</label><div>${step(-1)}<select id=${id} value=${value} disabled=${Boolean(locked)} onChange=${(event) => choose(Number(event.target.value))}>
		${options.map((option) => html`<option key=${option} value=${option}>${text(option)}</option>`)}</select>${step(1)}</div></div>`;
}

const isFixed = (game) => game.lines_min === game.lines_max && game.coins_min === game.coins_max;

// The bet of one spin, with a step down and up; the button between opens all choices of the bet.
export function Bet({ app }) {
	const { game, bet, currency = "EUR" } = app.state;
	const why = lockReason(app.state);
	const coins = coinsOf(game, currency);
	const at = coins.indexOf(bet.coin_minor);
	const mode = modeOf(game, bet.mode);
	const step = (by) => {
		const end = coins[at + by] === undefined ? t(by < 0 ? "why.lowest" : "why.highest", { what: t("bet") }) : null;
		return html`<${Button} app=${app} class="step" id=${by < 0 ? "bet-down" : "bet-up"} aria-label=${t(by < 0 ? "lower" : "higher", { what: t("bet") })} why=${why ?? end} run=${() => app.dispatch({ type: "bet", bet: { coin_minor: coins[at + by] } })}>${by < 0 ? "−" : "+"}<//>`;
	};
	return html`<div class="betbox">${step(-1)}<button type="button" id="bet-open" class="meter" aria-haspopup="dialog" onClick=${() => app.dispatch({ type: "window", name: "bet" })}><span>${t(isBought(mode) ? "price" : "total-bet")}</span><output id="stake">${money(coins.length ? priceOf(bet, mode) : null, currency)}</output></button>${step(1)}</div>`;
}

// In a game with fixed lines and coins the player chooses the coin value as the total bet.
export function BetWindow({ app, close }) {
	const { state, dispatch } = app;
	const { game, bet, currency = "EUR" } = state;
	const locked = lockReason(state);
	const change = (field) => (value) => dispatch({ type: "bet", bet: { [field]: value } });
	const lines = range(game.lines_min, game.lines_max);
	const coins = range(game.coins_min, game.coins_max);
	const fixed = isFixed(game);
	const same = (n) => n;
	const most = () => { close(); maxBet(app); };
	return html`<${Dialog} id="bet" title=${t("your-bet")} close=${close}>
		${locked ? html`<p class="bad">${locked}</p>` : null}
		<div class="pickers">
		<${Picker} app=${app} id="coin" label=${fixed ? t("bet") : t("coin-value")} value=${bet.coin_minor} options=${coinsOf(game, currency)} locked=${locked} choose=${change("coin_minor")}
			text=${(coin) => money(fixed ? totalBet({ ...bet, coin_minor: coin }) : coin, currency)} />
		${lines.length > 1 ? html`<${Picker} app=${app} id="lines" label=${t("lines")} value=${bet.lines} options=${lines} text=${same} choose=${change("lines")} locked=${locked} />` : null}
		${coins.length > 1 ? html`<${Picker} app=${app} id="coins" label=${t("coins-a-line")} value=${bet.coins} options=${coins} text=${same} choose=${change("coins")} locked=${locked} />` : null}</div>
		<p>${t("bet-made-of", { lines: bet.lines, line: money(bet.coin_minor * bet.coins, currency), total: money(totalBet(bet), currency) })}</p>
		<${Witch} app=${app} id="witch" />
		<div class="choices">${fixed ? null : html`<${Button} app=${app} id="max" why=${locked ?? (state.expect ? null : t("why.busy"))} run=${most}>${t("max-bet")}<//>`}<button class="main" onClick=${close}>${t("done")}</button></div><//>`;
}

export function BuyWindow({ app, close }) {
	const { state } = app;
	const { game, bet, currency = "EUR" } = state;
	const locked = lockReason(state);
	return html`<${Dialog} id="modes" title=${t("modes")} close=${close}><p>${t("modes-at", { bet: money(totalBet(bet), currency) })}</p>
		<div class="modelist">${game.modes.map((mode) => {
			const refusal = modeRefusal(game, mode, bet, currency);
			return html`<${Button} app=${app} key=${mode.id} class="mode ${bet.mode === mode.id ? "chosen" : ""}" data-mode=${mode.id} aria-pressed=${bet.mode === mode.id} why=${locked ?? (refusal ? capital(refusal) : null)} run=${() => buy(app, mode)}>
				<span class="title">${named(mode.name)}</span> <b class="gold">${money(priceOf(bet, mode), currency)}</b>
				<span class="quiet">${isBought(mode) ? `${t("times-the-bet", { times: times(mode.price_hundredths) })} ` : ""}${modeWords(game, mode)}.${publishedReturn(mode) ? ` ${t("returns", { percent: publishedReturn(mode) })}` : ""}</span>
				${refusal ? html`<span class="bad">${capital(refusal)}</span>` : null}<//>`;
		})}</div><//>`;
}

// ---- autospin ----

const SPINS = [10, 25, 50, 100];

// RULE bewitched 6.8, RULE mona-lisa 5.8, RULE witch-feature 9.7: each stop is an amount (empty: none) or a switch. Start and Cancel close the window. The
// window shows only the stops that the game has.
export function AutoWindow({ app, close }) {
	const { state, autospin } = app;
	const { game, bet, currency = "EUR" } = state;
	const [form, setForm] = useState({ spins: 10, loss: decimal(LOSS_BETS * priceOf(bet, modeOf(game, bet.mode)), currency), single: "", jackpot: true, feature: false });
	const [fault, setFault] = useState(null);
	const rules = game.autoplay;
	const put = (field) => (event) => setForm({ ...form, [field]: event.target.value });
	const check = (field) => (event) => setForm({ ...form, [field]: event.target.checked });
	const mode = modeOf(game, bet.mode);
	const locked = lockReason(state) ?? (mode.one_spin ? t("why.one-spin") : null);
	const shown = { n: Number(form.spins) || 0, name: named(mode.name), price: money(priceOf(bet, mode), currency), most: money((Number(form.spins) || 0) * priceOf(bet, mode), currency) };
	const amount = (text) => text.trim() === "" ? -1 : typedMinor(text, currency) || null;
	const read = (text) => text.trim() ? html`<small class="quiet">${typedWords(text, currency)}</small>` : null;
	async function start(event) {
		event.preventDefault();
		const spins = Number(form.spins);
		const [loss, single] = [amount(String(form.loss)), amount(String(form.single))];
		if (!Number.isInteger(spins) || spins < 1 || spins > rules.spins_max) return setFault(t("auto.spins-wrong", { most: rules.spins_max }));
		if (loss === null || single === null) return setFault([form.loss, form.single].filter(isAmbiguous).map((text) => typedWords(text, currency))[0] ?? t("auto.amount-wrong"));
		if (locked) return setFault(locked);
		close();
		if (isBought(mode) && !await large(app, priceOf(bet, mode))) return undefined;
		return autospin({ spins, loss_limit_minor: loss, single_win_minor: single, stop_on_jackpot: rules.jackpot_stop && form.jackpot, ...(rules.feature_stop ? { stop_on_feature: form.feature } : {}) });
	}
	return html`<${Dialog} id="autoplay" title=${t("autospin")} close=${close}><form onSubmit=${start} novalidate>
		<div class="quick">${SPINS.filter((n) => n <= rules.spins_max).map((n) => html`<button type="button" aria-pressed=${Number(form.spins) === n} onClick=${() => setForm({ ...form, spins: n })}>${n}</button>`)}</div>
		<div class="pickers"><label>${t("auto.spins")}<input id="autospins" type="number" inputmode="numeric" min="1" max=${rules.spins_max} value=${form.spins} onInput=${put("spins")} /></label>
		<label>${t("auto.loss", { currency })}<input id="loss" inputmode="decimal" value=${form.loss} onInput=${put("loss")} />${read(form.loss)}</label>
		<label>${t("auto.single", { currency })}<input id="single" inputmode="decimal" value=${form.single} placeholder=${t("none")} onInput=${put("single")} />${read(form.single)}</label></div>
		${rules.jackpot_stop ? html`<label class="check"><input type="checkbox" id="stop-jackpot" checked=${form.jackpot} onChange=${check("jackpot")} />${t("auto.jackpot")}</label>` : null}
		${rules.feature_stop ? html`<label class="check"><input type="checkbox" id="stop-feature" checked=${form.feature} onChange=${check("feature")} />${t("auto.feature")}</label>` : null}
		<p class=${isBought(mode) ? "" : "quiet"}>${t(isBought(mode) ? "auto.bought" : "auto.price", shown)}</p>
		${fault ?? locked ? html`<p class="bad" role="alert">${fault ?? locked}</p>` : null}
		<div class="choices"><button type="button" id="autocancel" onClick=${close}>${t("cancel")}</button><button class="main" id="autostart" aria-disabled=${locked ? "true" : undefined}>${t(isBought(mode) ? "auto.start-for" : "auto.start", shown)}</button></div></form><//>`;
}

// Autospin that a reload interrupted. RULE mystic-gem 5.4, RULE witch-feature 9.1
export function Resume({ app }) {
	const { state } = app;
	const left = state.autoplay?.spins ?? 0;
	if (!state.token || state.autospin || !left || state.busy || state.claim || isWatching(state.round)) return null;
	return html`<div class="strip" id="resume"><span>${t("auto.left", { n: left })}</span><button id="autoresume" class="main" onClick=${app.resumeAutospin}>${t("auto.resume")}</button><button id="autoend" onClick=${app.stopAutospin}>${t("auto.end")}</button></div>`;
}

// A bought mode that stays chosen, and the way out of it. RULE mystic-gem 3.12
export function BoughtMode({ app }) {
	const { game, bet, currency = "EUR", autospin } = app.state;
	const mode = modeOf(game, bet.mode);
	if (!isBought(mode) || mode.one_spin || autospin) return null;
	const base = game.modes[0];
	return html`<div class="strip" id="bought-mode"><span>${t("buy.on", { name: named(mode.name), price: money(priceOf(bet, mode), currency) })}</span>
		<${Button} app=${app} id="base-game" why=${lockReason(app.state)} run=${() => buy(app, base)}>${named(base.name)}<//></div>`;
}

// The oldest grant of bonus spins for this game.
export function BonusSpins({ app }) {
	const { game, currency, bonus_spins: grants } = app.state;
	const grant = (grants ?? []).find((one) => one.game === game.id);
	const gap = gapReason(useGap(app.state));
	if (!grant || app.state.round?.next === "gamble") return null;
	const bet = { coin_minor: grant.coin_minor, lines: grant.lines, coins: grant.coins };
	const words = t("bonus.words", { bet: money(priceOf(bet, modeOf(game, null)), currency ?? "EUR"), until: dateTime(grant.expires_us / 1000) });
	return html`<div class="strip" id="bonus-spins"><span><b class="gold">${t("bonus.spins", { n: grant.left })}</b> <span class="quiet">${words}</span></span>
		<${Button} app=${app} id="bonus-spin" class="main" why=${lockReason(app.state) ?? gap} run=${() => app.bonusSpin(grant)}>${t("bonus.spin")}<//></div>`;
}

// RULE bewitched 2.6: with the bet and in the paytable.
export function Witch({ app, id }) {
	const { state } = app;
	const witches = state.game.witches ?? [];
	if (!witches.length) return null;
	return html`<div class="picker"><label for=${id}>${t("your-witch")}</label><div><select id=${id} value=${state.witch ?? 0} disabled=${lockedFor(state)} onChange=${(e) => app.setting({ witch: Number(e.target.value) })}>
		${witches.map((name, i) => html`<option value=${i}>${capital(name)}</option>`)}</select></div></div>`;
}

// The player's witch beside the reels; it opens the choice.
export function WitchBadge({ app }) {
	const { witch, game: { witches } } = app.state;
	if (!witches?.length) return null;
	const name = witches[witch ?? 0];
	return html`<button type="button" id="witch-badge" class="witchbadge" aria-haspopup="dialog" aria-label="${t("your-witch")}: ${capital(name)}" onClick=${() => app.dispatch({ type: "window", name: "witch" })}><${Picture} name=${name} /><span>${capital(name)}</span></button>`;
}

export function WitchWindow({ app, close }) {
	const { state } = app;
	const choose = (i) => { close(); if (i !== (state.witch ?? 0)) app.setting({ witch: i }); };
	return html`<${Dialog} id="witchwindow" title=${t("your-witch")} close=${close}><p>${t("h.battle-choice")}</p>
		<div class="witches">${state.game.witches.map((name, i) => html`<${Button} app=${app} key=${name} data-witch=${i} aria-pressed=${i === (state.witch ?? 0)} why=${lockReason(state)} run=${() => choose(i)}><${Picture} name=${name} /><span>${capital(name)}</span><//>`)}</div><//>`;
}
