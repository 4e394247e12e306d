// What covers the reels for a while: a feature's opening, the vials, the battle, the gamble, a large win, a progressive jackpot.
import { html, useEffect, useLayoutEffect, useRef, useState } from "/vendor/htm-preact.js";
import { bytesOf } from "/api.js";
import { Art, Picture } from "/art.js";
import { Dialog } from "/dialog.js";
import { effects } from "/late.js";
import { RED_SUITS, cardName, cardShort, money, suitOf } from "/format.js";
import { capital, symbolOf } from "/game.js";
import { named, t } from "/lang.js";
import { sound } from "/sound.js";
import { shownWin } from "/state.js";

// ---- vials ----

const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -3, ArrowDown: 3, Home: -99, End: 99 };

// The player picks each vial at most once. The outcome was drawn before the picks. One Tab reaches the vials, arrows move between them.
export function Vials({ game, round, busy, pick, help }) {
	const [picked, setPicked] = useState({ cursor: round.cursor, vials: [] });
	const [at, goTo] = useState(0);
	const list = useRef(null);
	// Those that were picked before the page was loaded, or on another device, and those whose answer is on its way.
	const mine = [...new Set([...bytesOf(round.picked ?? ""), ...picked.cursor === round.cursor ? picked.vials : []])];
	const many = game.vials ?? 6;
	useLayoutEffect(() => { list.current.querySelector("[tabindex='0']")?.focus({ preventScroll: true }); }, []);
	const choose = (vial) => {
		goTo(vial);
		if (busy || mine.includes(vial)) return;
		sound.play("vial");
		setPicked({ cursor: round.cursor, vials: [...mine, vial] });
		pick(vial);
	};
	const move = (event) => {
		if (!(event.key in STEPS)) return;
		event.preventDefault();
		const to = Math.max(0, Math.min(many - 1, at + STEPS[event.key]));
		goTo(to);
		list.current.children[to].focus();
	};
	const name = symbolOf(game, game.symbols.find((symbol) => symbol.kind === "bonus")?.id).name;
	return html`<div class="scene" id="vials" role="group" aria-label=${t("vials")}><div class="scenehead"><b class="gold">${t("vials.choose", { name, n: round.picks_left })}</b><button class="small" onClick=${help}>${t("rules")}</button></div>
		<div class="vials" ref=${list} onKeyDown=${move}>${Array.from({ length: many }, (_, i) => html`<button key=${i} class="vial ${mine.includes(i) ? "picked" : ""}" data-vial=${i} tabindex=${i === at ? 0 : -1} aria-label=${t(mine.includes(i) ? "vial.picked" : "vial", { n: i + 1 })} aria-disabled=${busy || mine.includes(i) ? "true" : undefined} onClick=${() => choose(i)}>
			<${Picture} name=${mine.includes(i) ? "vial-picked" : "vial"} game=${game.id} /></button>`)}</div></div>`;
}

// ---- gamble ----

const SEEN_MS = 900; // so long the card of a right guess lies face up before the next guess

const Card = ({ card }) => html`<span class="card ${RED_SUITS.includes(suitOf(card)) ? "red" : ""}" role="img" aria-label=${cardName(card)}>${cardShort(card)}</span>`;

// If a colour has one suit, the button shows the suit.
function colourName(game, red) {
	const suits = game.gamble.suits.filter((suit) => RED_SUITS.includes(suit) === red);
	return suits.length === 1 ? t(`colour.${suits[0]}`) : t(red ? "colour.red" : "colour.black");
}

// One of the two colours, with its suits.
function Guess({ app, Button, id, red, closed, still }) {
	const { game } = app.state;
	const suits = game.gamble.suits.filter((suit) => RED_SUITS.includes(suit) === red);
	return html`<${Button} app=${app} id=${id} class="guess ${id}" why=${closed} still=${still} run=${() => app.act("gamble", red ? 0 : 1)}><span class="suits">${suits.map((suit) => html`<${Picture} key=${suit} name=${suit} />`)}</span><span>${colourName(game, red)}</span><//>`;
}

// Why the win cannot be gambled now, or null.
export function gambleClosed({ round, currency, game, autospin, busy }) {
	const most = game.gamble.stake_max?.[currency];
	if (most && round.pending_minor > most) return t("gamble.above", { amount: money(most, currency) });
	if (autospin) return t("gamble.autospin");
	return busy ? t("why.busy") : null;
}

// RULE mystic-gem 4.10: shows the attempts left, the stake and the win of a right guess; the face-down card flashes.
export function Gamble({ app, close, Button }) {
	const { state, act } = app;
	const { round, currency, busy, game, cards } = state;
	const scene = useRef(null);
	useLayoutEffect(() => { scene.current.querySelector("#red").focus({ preventScroll: true }); }, []);
	const stake = round.pending_minor;
	const closed = gambleClosed(state);
	const { guessed } = state;
	const guesses = round.gambles?.length ?? 0;
	const [seen, see] = useState(guesses); // guesses whose card has been looked at; a second tap meanwhile is no guess
	useEffect(() => {
		const timer = guesses > seen && !busy ? setTimeout(() => see(guesses), SEEN_MS) : null;
		return () => clearTimeout(timer);
	}, [guesses, busy]);
	const fresh = guesses > seen && !busy && cards.length > 0;
	const latest = guessed || fresh ? cards[0] : null;
	return html`<div class="scene gamble" id="gamble" role="group" aria-label=${t("gamble.title")} ref=${scene}>
		<div class="scenehead"><span>${guessed ? html`<b class=${guessed.bad ? "bad" : "good"} id="guessed">${guessed.text}</b>` : html`<b>${t("gamble.offer", { stake: money(stake, currency), win: money(2 * stake, currency) })}</b> <small class="quiet">${closed && !busy ? closed : t("gamble.attempts", { n: round.gamble_attempts_left })}</small>`}</span><button class="small" id="gamble-close" onClick=${close}>${t("back")}</button></div>
		<div class="table"><${Guess} app=${app} Button=${Button} id="red" red=${true} closed=${closed} still=${busy || fresh} />
		${latest === null ? html`<span class="card large back" aria-hidden="true"><${Picture} name="back" /></span>` : html`<span class="large"><${Card} card=${latest} /></span>`}
		<${Guess} app=${app} Button=${Button} id="black" red=${false} closed=${closed} still=${busy || fresh} /></div>
		<div class="gamblefoot"><div class="lastcards" aria-label=${t("last-cards")}><small class="quiet">${t("last-cards")}</small>${cards.length ? cards.map((card, i) => html`<${Card} key="${i}-${card}" card=${card} />`) : html`<small class="quiet">–</small>`}</div>
		${game.gamble.halve ? html`<${Button} app=${app} id="halve" class="small" why=${closed ?? (stake < 2 ? t("gamble.too-small") : null)} run=${() => act("halve")}>${t("halve")}<//>` : null}</div></div>`;
}

// ---- openings, results, large wins ----

const Witches = ({ game, witch, won }) => html`<div class="duel">${game.witches.map((name, i) => html`<div class="duelist ${won === null ? "" : (i === witch) === won ? "victor" : "loses"}" key=${name}><span class="face" aria-hidden="true"><i>${capital(name).charAt(0)}</i><${Picture} name=${name} /></span><b>${capital(name)}</b><small>${i === witch ? t("yours") : "\u00a0"}</small></div>`)}</div>`;

// A feature begins: its name, what it does, and what started it.
export function Intro({ state }) {
	const { intro, game } = state;
	if (!intro) return null;
	const symbols = intro.symbols.map((id) => game.symbols.find((symbol) => symbol.id === id)).filter(Boolean);
	return html`<div class="scene intro intro-${intro.kind}" id="intro" data-kind=${intro.kind}><h2>${intro.title}</h2>${intro.count ? html`<b class="introcount" aria-hidden="true">${intro.count}</b>` : null}
		${intro.battle ? html`<${Witches} game=${game} witch=${state.witch ?? 0} won=${intro.battle.won} />` : html`<div class="introart">${symbols.map((symbol, i) => html`<${Art} key=${i} symbol=${symbol} />`)}</div>`}
		<p>${intro.words}</p></div>`;
}

const NAMED_FROM = 2; // the least size of a win that has a name

// A win of many times the bet, or what a feature has won in all (`of`): its name and the amount as it counts.
export function Celebration({ state }) {
	const { celebration, currency } = state;
	if (!celebration) return null;
	const { tier, amount, of } = celebration;
	return html`<div class="celebration tier-${tier} ${of ? "total" : ""}" id="celebration" data-tier=${tier}>${tier >= NAMED_FROM ? html`<i class="rays" aria-hidden="true"></i>` : null}
		${of ? html`<em>${of}</em>` : null}<b>${t(tier >= NAMED_FROM ? `tier.${tier}` : tier ? "total-win" : "total-return")}</b><span><${Count} state=${state} currency=${currency} to=${amount} /></span></div>`;
}

// An amount that counts up while the state says so; at rest it is exact. Screen readers are not told the steps.
export function Count({ state, currency, to }) {
	const place = useRef(null);
	const { counting } = state;
	const exact = to ?? shownWin(state);
	useLayoutEffect(() => {
		if (!counting) return undefined;
		const began = performance.now();
		let frame = requestAnimationFrame(function step(now) {
			const part = Math.min(1, (now - began) / counting.ms);
			if (place.current) place.current.textContent = money(Math.floor(counting.from + (counting.to - counting.from) * part), currency);
			if (part < 1) frame = requestAnimationFrame(step);
		});
		return () => {
			cancelAnimationFrame(frame);
			if (place.current) place.current.textContent = money(exact, currency);
		};
	}, [counting]);
	useLayoutEffect(() => { if (!counting && place.current) place.current.textContent = money(exact, currency); });
	return html`<b ref=${place}></b>`;
}

const COINS = 16;

// A progressive jackpot: a window that stays until the player closes it. Its amount comes with the booking.
export function JackpotScene({ state, dispatch }) {
	const { jackpot, currency, round, game, awards } = state;
	const known = [...awards.filter((award) => award.round === jackpot?.round), ...round?.round === jackpot?.round ? round?.jackpots ?? [] : []];
	const paid = jackpot?.paid || known.find((one) => one.index === jackpot?.index && one.paid_minor)?.paid_minor || 0;
	useEffect(() => {
		if (!jackpot) return;
		sound.play("jackpot");
		effects.rain("coins", 6000);
	}, [Boolean(jackpot)]);
	if (!jackpot) return null;
	const close = () => dispatch({ type: "jackpot", jackpot: null });
	return html`<${Dialog} id="jackpot" title=${t("jackpot.title")} close=${close}><i class="rays" aria-hidden="true"></i><div class="fall" aria-hidden="true">${Array.from({ length: COINS }, (_, i) => html`<${Picture} key=${i} name="coin" />`)}</div>
		<p class="jackpotword" aria-hidden="true">${t("jackpot.word")}</p><p class="jackpotname">${t("jackpot.of", { game: named(game.name) })}</p>
		<p class="jackpotsum" id="jackpot-sum" role="status">${paid ? money(paid, currency) : t("jackpot.booking")}</p>
		<p>${t(paid ? "jackpot.booked" : "jackpot.safe")}</p><div class="choices"><button class="main" id="jackpot-done" onClick=${close}>${t("jackpot.collect")}</button></div><//>`;
}
