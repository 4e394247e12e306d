// The game on one screen: reels, money and the main button always together. Also the play of a phase on it: turn, stop, tell.
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "/vendor/htm-preact.js";
import { Suit } from "/cards.js";
import { world } from "/art.js";
import { Bet, BonusSpins, BoughtMode, Button, MainButton, Resume, WitchBadge } from "/controls.js";
import { isFocusLost } from "/focus.js";
import { effects } from "/late.js";
import { Icon } from "/icons.js";
import { CARD_SUITS, money } from "/format.js";
import { carriedOf, currencyRefusal, featureName, isBought, listed, modeOf, startBet, totalBet } from "/game.js";
import { named, t } from "/lang.js";
import { launch, leave, mayLeave, mayPay, openCashier } from "/launch.js";
import { anticipated, makeMotion, still } from "/motion.js";
import { Feed, SoundButton } from "/menu.js";
import { Potions } from "/panels.js";
import { since } from "/protect.js";
import { featuresOf, isFeature, jackpotOf, openingOf } from "/phases.js";
import { Counters, Grid, PhaseWords, turningReels, useWinCycle } from "/reels.js";
import { Celebration, Count, Gamble, Intro, Vials, gambleClosed } from "/scenes.js";
import { sound } from "/sound.js";
import { hides, sceneOf, shownMoney, shownWin, stakeOf } from "/state.js";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// ---- a phase on the screen ----

// The least multiple of the bet of each size of win, and how long its amount counts up. What returns no more than was paid is told quietly.
const TIERS = [
	{ least: 100, tier: 4, ms: 5200 }, { least: 40, tier: 3, ms: 3800 }, { least: 15, tier: 2, ms: 2400 }, { least: 1, tier: 1, ms: 650 }, { least: 0, tier: 0, ms: 0 },
];
const SCENE_FROM = 2; // the size from which a win has a scene of its own
const PACE_MS = { normal: 520, turbo: 60 }; // after a phase that is not the last
const INTRO_MS = { normal: 1600, turbo: 500 };
const PLAIN_MS = 650;
const RESPIN_MS = { normal: 480, turbo: 60 };
const TOTAL_MS = { normal: 6000, turbo: 1500 }; // a feature's total, once it has been counted; autospin goes on sooner

const OPENED_BY_RESULT = ["battle", "bonus"]; // their opening has told what they won

const tierOf = (win, bet) => win > bet ? TIERS.find(({ least }) => win >= least * bet) : TIERS.at(-1);

// What the phase unlocked, as a scene, or null. RULE witch-feature 3.8, 3.9, 3.10
function unlockedBy({ game, steps, at, carried }, phase) {
	if (!game.potions || !phase.after) return null;
	const before = steps[at - 1]?.after ?? carriedOf(game, carried, phase.after.stake_minor);
	const fresh = game.potions.features.filter(({ kind }) => phase.after.unlocked.includes(kind) && !before.unlocked.includes(kind));
	if (!fresh.length) return null;
	const needs = fresh.flatMap((feature) => feature.needs.flatMap((n, i) => Array.from({ length: n }, () => game.potions.symbols[i])));
	return { kind: "unlock", title: t("intro.unlocked"), words: listed(fresh.map(({ kind }) => featureName(kind))), symbols: needs };
}

function makeStage(store, motion) {
	const pace = () => store.current.fast ? "turbo" : "normal";
	const wait = (ms, hurry) => Promise.race([pause(ms), hurry.pressed]);

	async function introduce(intro, hurry) {
		store.dispatch({ type: "intro", intro });
		await wait(INTRO_MS[pace()], hurry);
		store.dispatch({ type: "intro", intro: null });
	}

	// Before a phase: its feature's opening, and the reels that turn for it.
	async function begin(phase, { first, hurry, before }) {
		const { game } = store.current;
		const opening = openingOf(sceneOf(store.current), phase, before ?? store.current.steps.at(-1));
		if (opening && !first) {
			sound.play(phase.kind === "bonus" || phase.kind === "battle" ? "bonus" : "feature");
			await introduce(opening, hurry);
		}
		if (!motion.turning()) motion.roll(turningReels(game, phase), store.current.fast);
		if (motion.turning()) await motion.left();
	}

	async function land(phase, { hurry }) {
		const { game, fast } = store.current;
		await pause(0); // the new cells are drawn
		if (motion.turning()) await motion.stop({ slow: anticipated(game, phase), turbo: fast, hurry: hurry.pressed });
		else if (phase.kind === "hold_respin" && !still()) await wait(RESPIN_MS[pace()], hurry);
		if (phase.landed) sound.play("stop");
	}

	// `plain`: without a scene, because the feature's total comes next.
	async function count(win, from, { bet, hurry, plain }) {
		const { tier, ms: whole } = tierOf(win, bet);
		const ms = plain ? Math.min(whole, PLAIN_MS) : whole;
		if (tier) sound.play(`win${tier}`);
		if (!ms || still()) return;
		const large = tier >= SCENE_FROM && !plain;
		const time = store.current.fast && !large ? ms / 3 : ms;
		store.dispatch({ type: "counting", counting: { from, to: from + win, ms: time } });
		if (large) {
			store.dispatch({ type: "celebration", celebration: { tier, amount: from + win } });
			effects.rain("coins", time);
		}
		await wait(time, hurry);
		store.dispatch({ type: "counting", counting: null });
		if (large) {
			effects.clear();
			store.dispatch({ type: "celebration", celebration: null });
		}
	}

	// After the reels stand: lines, the amount, a jackpot. `ends`: this phase ends a feature, whose total tells of what is large. RULE witch-feature 2.10
	async function tell(phase, { round, last, ends, hurry }) {
		const { bet } = store.current;
		const jackpot = jackpotOf(round, phase);
		if (jackpot) store.dispatch({ type: "jackpot", jackpot });
		const stake = round.stake_minor || totalBet(round.bet ?? bet);
		if (ends && OPENED_BY_RESULT.includes(phase.kind)) return;
		if (phase.win_minor) await count(phase.win_minor, shownWin(store.current) - phase.win_minor, { bet: stake, hurry, plain: ends });
		const opened = unlockedBy(store.current, phase);
		if (opened) {
			sound.play("feature");
			await introduce(opened, hurry);
		}
		if (!last || ends) await wait(PACE_MS[pace()] * (phase.win_minor ? 2 : 1), hurry);
	}

	// A feature is over: what the round has won, until Collect is pressed or the player has had the time to read it.
	async function total(round, hurry) {
		const { bet, steps, fast, autospin } = store.current;
		const { tier, ms } = tierOf(round.win_minor, round.stake_minor || totalBet(round.bet ?? bet));
		sound.play(tier ? `win${tier}` : "stop");
		if (tier >= SCENE_FROM) effects.rain("coins", ms);
		store.dispatch({ type: "celebration", celebration: { tier, amount: round.win_minor, of: featuresOf(sceneOf(store.current), steps) } });
		if (ms && !still()) store.dispatch({ type: "counting", counting: { from: 0, to: round.win_minor, ms } });
		await wait(ms, hurry);
		store.dispatch({ type: "counting", counting: null });
		await wait(TOTAL_MS[fast || autospin ? "turbo" : "normal"], hurry);
		effects.clear();
		store.dispatch({ type: "celebration", celebration: null });
	}
	return { begin, land, tell, total };
}

// Connects the reels on the screen with the play of the phases.
function useStage({ state, latest: store }) {
	const motion = useRef(null);
	useLayoutEffect(() => {
		motion.current = makeMotion(document.getElementById("reels"), sound);
		store.stage = makeStage(store, motion.current);
		return () => { store.stage = null; };
	}, [state.game.id]);
	useLayoutEffect(() => {
		if (state.spinning) motion.current.roll(Array.from({ length: state.game.reels }, (_, reel) => reel), state.fast);
		else if (!state.revealing) motion.current.halt();
	}, [state.spinning, state.revealing]);
	const guess = state.guessed?.guess ?? state.message?.guess;
	useEffect(() => { if (guess) sound.play(guess); }, [state.guessed, state.message]);
}

// Something always has the focus: if what had it is gone, the main button gets it.
function useFocusKept() {
	useEffect(() => {
		// Not at once: while Tab moves the focus, nothing has it for a moment.
		const timer = setTimeout(() => {
			if (isFocusLost()) document.querySelector("[data-main]")?.focus({ preventScroll: true });
		});
		return () => clearTimeout(timer);
	});
}

const KEYS = ["Space", "Enter", "NumpadEnter"];

// Space and Enter press the main button while no other control has the focus. A button that was pressed with a pointer keeps the focus, and yet Space is
// the main button's; one that was reached by the keyboard keeps its Space.
function useKeys() {
	useEffect(() => {
		let pointed = null; // the button that the pointer pressed last
		let points = false; // since then nothing was reached by the keyboard
		const press = ({ target }) => { [pointed, points] = [target.closest("button"), true]; };
		const pressed = (event) => {
			const [main, control] = [document.querySelector("[data-main]"), event.target.closest("button, input, select, textarea, summary, dialog, a")];
			if (event.key === "Tab" || event.key.startsWith("Arrow")) [pointed, points] = [null, false];
			if (!KEYS.includes(event.code) || event.repeat || event.defaultPrevented) return;
			const left = control?.matches("button") && control !== main && !control.closest("dialog") && (control === pointed || (points && !control.closest(".scene"))); // a scene gives the focus itself
			if (control && !(left && event.code === "Space")) return;
			event.preventDefault();
			main?.focus({ preventScroll: true });
			main?.click();
		};
		addEventListener("pointerdown", press, true);
		addEventListener("keydown", pressed);
		return () => {
			removeEventListener("pointerdown", press, true);
			removeEventListener("keydown", pressed);
		};
	}, []);
}

// ---- the top ----

// RULE bewitched 8.6, RULE mona-lisa 7.6: the player leaves by going to the lobby. RULE mystic-gem 8.2: not while the reels spin, during a gamble or in a feature.
export function leaveReason({ busy, autospin, claim, token, round }) {
	if (busy) return t("why.busy");
	if (autospin > 0) return t("why.autospin");
	if (claim) return t("why.cards");
	if (!token || !round) return null;
	if (["pick", "next"].includes(round.next)) return t("why.feature");
	return round.next === "gamble" && round.gambles?.length > 0 ? t("why.gamble") : null;
}

async function goHome({ settle, latest }) {
	if (!launch) return void (location.hash = "");
	await settle();
	if (!latest.current.claim) leave();
}

const hoursOf = (ms) => `${Math.floor(ms / 3600e3)}:${String(Math.floor(ms / 60e3) % 60).padStart(2, "0")}`;

// The time of day, and how long the session has lasted.
function Clock({ token }) {
	const [now, tick] = useState(new Date());
	useEffect(() => {
		const timer = setInterval(() => tick(new Date()), 5000);
		return () => clearInterval(timer);
	}, []);
	return html`<time id="clock" title=${t("session.clock")}>${now.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false })}${token ? html` <b id="session-clock">${hoursOf(Math.max(0, now - since()))}</b>` : null}</time>`;
}

// RULE mystery-elves 1.3, RULE mystic-gem 1.7, RULE witch-feature 9.4: the game's number and the time.
function Top({ app }) {
	const { state, dispatch } = app;
	const { game, round, spinning, revealing } = state;
	return html`<div class="top">
		${launch && !mayLeave() ? null : html`<${Button} app=${app} id="home" class="icon" aria-label=${t("lobby")} why=${leaveReason(state)} run=${() => goHome(app)}><${Icon} name="home" /><//>`}
		<h1 class="gamename">${named(game.name)}</h1>${state.config.kind === "live" ? null : html`<span class="kind" id="kind">${t("play-money")}</span>`}
		<span class="spacer"></span>
		<span class="status"><${Clock} token=${state.token} /><span class="facts quiet"><${Feed} feed=${state.feed} />${state.token ? html`<span id="player" title=${state.player}>${state.player}</span>` : null}<span>${t("round-no")} <b id="round">${spinning ? "…" : (revealing ? null : round?.round) ?? state.shownRound ?? "–"}</b></span></span></span>
		<${SoundButton} />
		<button type="button" id="rules" class="icon" aria-label=${t("rules")} aria-haspopup="dialog" onClick=${() => dispatch({ type: "window", name: "rules" })}>i</button>
		<button type="button" id="menu" class="icon" aria-label=${t("menu")} aria-haspopup="dialog" onClick=${() => dispatch({ type: "window", name: "menu" })}><${Icon} name="menu" /></button></div>`;
}

function Tile({ pool, row, coin }) {
	const chosen = row.coin_minor === coin && !row.level;
	const name = row.level ? t(`suit.${CARD_SUITS[row.level - 1]}`) : t(chosen ? "jackpot-at" : "coin", { coin: money(row.coin_minor, row.currency) });
	return html`<div class="jackpot ${chosen ? "selected" : ""} ${row.level ? "level" : ""}" data-pool=${pool.pool} data-row=${row.level || row.coin_minor}>
		<span>${row.level ? html`<${Suit} suit=${CARD_SUITS[row.level - 1]} /> ` : null}${name}</span><b>${money(row.value_minor, row.currency)}</b></div>`;
}

// The jackpots that the current game can win. RULE bewitched 4.7, RULE mona-lisa 4.10, RULE mystic-gem 6.2: the counter of the selected coin value stands out.
export function jackpotsOf({ pools, game, currency = "EUR" }) {
	const numbers = [game.jackpot?.pool_number, game.cards?.eligible ? game.cards.set_number : null].filter(Boolean);
	return pools.filter((pool) => numbers.includes(pool.pool)).map((pool) => [pool, pool.rows.filter((row) => row.level || row.currency === currency)
		.sort((a, b) => (a.coin_minor ?? 0) - (b.coin_minor ?? 0) || (a.level ?? 0) - (b.level ?? 0))]).filter(([, rows]) => rows.length);
}

// A press opens what they are and how they are won; with keys, the menu does.
function Jackpots({ state, open }) {
	const groups = jackpotsOf(state);
	if (!groups.length) return null;
	return html`<section id="jackpots" aria-label=${t("jackpots")} onClick=${open}>${groups.map(([pool, rows]) => html`<div class="jackpots" key=${pool.pool} data-kind=${pool.kind}>
		${rows.map((row) => html`<${Tile} key="${row.currency}-${row.level ?? row.coin_minor}" pool=${pool} row=${row} coin=${state.bet.coin_minor} />`)}</div>`)}</section>`;
}

// ---- under the reels ----

// RULE bewitched 7.3, RULE mona-lisa 6.3: after a lost connection the game waits for some seconds; this is the countdown.
function Away({ until }) {
	const left = () => Math.max(0, Math.ceil((until - Date.now()) / 1000));
	const [seconds, tick] = useState(left());
	useEffect(() => {
		const timer = setInterval(() => tick(left()), 250);
		return () => clearInterval(timer);
	}, [until]);
	return html`<span class="bad" role="timer" id="away">${t("away", { seconds })}</span>`;
}

// What is known while an answer is late.
const Silent = ({ silent, state }) => html`<span class="warn" id="silent">${t(silent.bet ? "silent.bet" : "silent.move", { balance: money(shownMoney(state).balance, state.currency) })}</span>`;

// One place for what just happened: a refusal, a message, else the words of the phase.
function Say({ app, scene, phase }) {
	const { state, dispatch } = app;
	const { game, silent, away } = state;
	const message = state.guessed ?? state.message;
	const smallest = () => dispatch({ type: "bet", bet: { coin_minor: startBet(game, state.currency).coin_minor, lines: game.lines_min, coins: game.coins_min, mode: game.modes[0].id } });
	const rest = state.token ? currencyRefusal(game, state.currency) ?? t("choose-and-spin") : t(state.config.kind === "live" ? "login-first" : "play-first");
	const told = !hides(state);
	return html`<div class="say ${message || silent || away ? "spoken" : ""}"><${PhaseWords} scene=${scene} phase=${told ? phase : null} id="phase" rest=${state.celebration || state.counting ? "" : told ? rest : t("good-luck")} />
		<div class="message" role="status" id="message">${away ? html`<${Away} until=${away} />` : silent ? html`<${Silent} silent=${silent} state=${state} />`
		: message ? html`<span class=${message.plain ? "" : message.bad ? "bad" : "good"}>${message.text}</span>` : null}
		${message?.smallest ? html` <button class="small" id="smallest" onClick=${smallest}>${t("set-smallest")}</button>` : null}${message?.money && mayPay() ? html` <button class="small" id="deposit" onClick=${openCashier}>${t("cashier")}</button>` : null}</div></div>`;
}

// RULE bewitched 2.9, RULE mona-lisa 2.7: where the player chooses lines and coins, amounts are shown in coins too.
function Meters({ state }) {
	const { currency, game, bet, token } = state;
	const chosen = game.lines_min !== game.lines_max || game.coins_min !== game.coins_max;
	const coins = (minor) => chosen && bet.coin_minor && minor !== undefined ? html`<small class="coins">${t("n-coins", { n: Math.floor(minor / bet.coin_minor) })}</small>` : null;
	const lost = state.guessed?.bad; // what the card on the table has lost, though the round is not shown yet
	const win = lost ? 0 : shownWin(state);
	const counted = state.celebration?.of ? { ...state, counting: null } : state; // a total counts in its scene; here it stands already
	const { balance, pending: open } = shownMoney(state);
	const pending = lost ? 0 : open;
	return html`<div class="meters">
		<div class="meter"><span>${t("balance")}${state.config.kind === "live" ? "" : html`<span class="unlessroomy">, ${t("play-money")}</span>`}</span><b id="balance">${token ? money(balance, currency) : "–"}</b>${token ? coins(balance) : null}</div>
		<div class="meter"><span>${t("win")}</span><div id="win" class=${win > stakeOf(state) ? "gold" : ""}><${Count} state=${counted} currency=${currency ?? "EUR"} to=${counted.counting || lost ? win : undefined} /></div>${coins(counted.counting ? counted.counting.from : win)}
		<small class="open ${pending ? "" : "held"}" aria-hidden=${pending ? undefined : "true"}>${t("open")} <span id="pending">${money(pending ?? 0, currency ?? "EUR")}</span></small></div></div>`;
}

function Bar({ app }) {
	const { state, dispatch } = app;
	const { game, bet, round, fast } = state;
	const open = (name) => () => dispatch({ type: "window", name });
	const gamble = game.gamble && round?.next === "gamble" && !state.busy && state.token;
	const bought = isBought(modeOf(game, bet.mode));
	return html`<div class="bar">
		<${Meters} state=${state} />
		<${Bet} app=${app} />
		<div class="buttons">
		${gamble ? html`<${Button} app=${app} key="double" id="double" class="round" why=${gambleClosed(state)} run=${open("gamble")}><${Icon} name="double" /><span>${t("double")}</span><//>`
			: game.autoplay ? html`<button type="button" key="auto" id="auto" class="round" aria-haspopup="dialog" onClick=${open("auto")}><${Icon} name="auto" /><span>${t("auto")}</span></button>` : null}
		<${MainButton} app=${app} />
		${state.config.turbo ? html`<button type="button" id="fast" class="round" aria-pressed=${fast} onClick=${() => dispatch({ type: "fast" })}><${Icon} name="turbo" /><span>${t("turbo")}</span></button>` : null}
		${game.modes.length > 1 ? html`<button type="button" id="buy" class="round ${bought ? "chosen" : ""}" aria-haspopup="dialog" onClick=${open("buy")}><${Icon} name="buy" /><span>${bought ? named(modeOf(game, bet.mode).name) : t("buy")}</span></button>` : null}</div></div>`;
}

// ---- the stage ----

function Covers({ app, gambling }) {
	const { state, dispatch } = app;
	const { game, round } = state;
	const picking = round?.next === "pick" && state.token && !state.revealing && !state.spinning;
	return html`${picking ? html`<${Vials} game=${game} round=${round} busy=${state.busy} pick=${(i) => app.act("pick", i)} help=${() => dispatch({ type: "window", name: "rules" })} />` : null}
		${gambling ? html`<${Gamble} app=${app} Button=${Button} close=${() => dispatch({ type: "window", name: null })} />` : null}
		<${Intro} state=${state} /><${Celebration} state=${state} />`;
}

// What the lines that are drawn now win, on the reels. Only for the eye: the message below says it for all.
function WinPlate({ items, phase, currency, stake }) {
	const shown = items.length === 1 ? items[0].amount_minor : phase.win_minor;
	return shown ? html`<div class="winplate ${Math.max(shown, phase.win_minor) <= stake ? "return" : ""}" key="${phase.index}-${shown}" aria-hidden="true">${money(shown, currency)}</div>` : null;
}

// The game's name on its plaque, where a tall window leaves room above the reels.
const Plaque = ({ game, title }) => html`<div class="plaque" aria-hidden="true"><img src=${title} alt="" /><b>${named(game.name)}</b></div>`;

export function Stage({ app, chosen }) {
	const { state } = app;
	const { game, steps, at, landing, round } = state;
	const canvas = useRef(null);
	useStage(app);
	useFocusKept();
	useKeys();
	useEffect(() => { effects.attach(canvas.current); }, []);
	const phase = steps[at];
	const scene = sceneOf(state);
	const lost = round?.gambles?.at(-1)?.won === false;
	const screen = useMemo(() => lost && phase ? { ...phase, wins: [] } : phase, [phase, lost]); // a win that was gambled away is not marked
	const cycled = useWinCycle(screen, landing || state.spinning, chosen);
	const gambling = state.window === "gamble" && game.gamble && round?.next === "gamble" && !state.revealing && !state.spinning;
	const look = world(game.id);
	useEffect(() => { sound.bed(phase && isFeature(phase) && state.revealing ? `${game.id}-feature` : game.id); }, [game.id, phase?.kind, state.revealing]);
	return html`<section class="game" id="play" aria-label=${named(game.name)} data-game=${game.id} data-state=${state.busy ? "busy" : "ready"} data-speed=${state.fast ? "fast" : "normal"} data-scene=${phase && isFeature(phase) ? phase.kind : "base"}>
		${look.background ? html`<img class="backdrop" src=${look.background} alt="" />` : null}
		<${Top} app=${app} />
		<${Jackpots} state=${state} open=${() => app.dispatch({ type: "window", name: "jackpots" })} />
		<div class="info"><${WitchBadge} app=${app} /><${Potions} state=${state} /><${Counters} scene=${scene} phase=${phase} landing=${landing || state.spinning} id="counters" /></div>
		<div class="stage"><${Grid} game=${game} phase=${screen} landing=${landing || state.spinning} items=${cycled} id="reels" moving=${Boolean(state.token)} frame=${look.frame}>${cycled.length && !hides(state) ? html`<${WinPlate} items=${cycled} phase=${phase} currency=${state.currency} stake=${stakeOf(state)} />` : null}<${Plaque} game=${game} title=${look.title} /><${Covers} app=${app} gambling=${gambling} /><//>
			<canvas class="effects" ref=${canvas} aria-hidden="true"></canvas></div>
		<${Resume} app=${app} /><${BonusSpins} app=${app} /><${BoughtMode} app=${app} />
		<${Say} app=${app} scene=${scene} phase=${phase} />
		<${Bar} app=${app} />
		<p class="unseen" role="status" id="said">${state.said}</p>
	</section>`;
}
