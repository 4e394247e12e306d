// What covers the reels for a while: a feature's opening, the vials, the battle, the gamble, a large win, a progressive jackpot.
import { html, useEffect, useLayoutEffect, useRef, useState } from "/vendor/htm-preact.js";
import { Art, Picture } from "/art.js";
import { Dialog } from "/dialog.js";
import { effects } from "/effects.js";
import { RED_SUITS, cardName, cardShort, money, suitOf } from "/format.js";
import { capital, symbolOf } from "/game.js";
import { t } from "/lang.js";
import { sound } from "/sound.js";
import { shownWin } from "/state.js";

// ---- vials ----

const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -3, ArrowDown: 3, Home: -99, End: 99 };

// The player picks each vial at most once. The outcome was drawn before the picks. One Tab reaches the vials, arrows move between them.
export function Vials({ game, round, busy, pick, help }) {
	const [picked, setPicked] = useState({ cursor: round.cursor, vials: [] });
	const [at, goTo] = useState(0);
	const list = useRef(null);
	const mine = picked.cursor === round.cursor ? picked.vials : [];
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
			<svg viewBox="0 0 24 36" aria-hidden="true"><path class="glass" d="M9 2h6v10l6 16c1 3-1 6-4 6H7c-3 0-5-3-4-6l6-16z" /><path class="brew brew-${i % 3}" d="M6 21h12l3 8c0 2-1 4-4 4H7c-3 0-4-2-4-4z" /></svg></button>`)}</div></div>`;
}

// ---- gamble ----

const Card = ({ card }) => html`<span class="card ${RED_SUITS.includes(suitOf(card)) ? "red" : ""}" role="img" aria-label=${cardName(card)}>${cardShort(card)}</span>`;

// If a colour has one suit, the button shows the suit.
function colourName(game, red) {
	const suits = game.gamble.suits.filter((suit) => RED_SUITS.includes(suit) === red);
	return suits.length === 1 ? t(`colour.${suits[0]}`) : t(red ? "colour.red" : "colour.black");
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
	const { round, currency, busy, game, cards, message } = state;
	const scene = useRef(null);
	useLayoutEffect(() => { scene.current.querySelector("#red").focus({ preventScroll: true }); }, []);
	const stake = round.pending_minor;
	const closed = gambleClosed(state);
	const latest = round.gambles?.length && cards.length && !busy ? cards[0] : null;
	return html`<div class="scene gamble" id="gamble" role="group" aria-label=${t("gamble.title")} ref=${scene}>
		<div class="scenehead"><b>${t("gamble.offer", { stake: money(stake, currency), win: money(2 * stake, currency) })}</b><button class="small" id="gamble-close" onClick=${close}>${t("back")}</button></div>
		<p class="quiet">${closed && !busy ? closed : t("gamble.attempts", { n: round.gamble_attempts_left })}</p>
		<div class="table">${latest === null ? html`<span class="card large back" aria-hidden="true">?</span>` : html`<span class="large"><${Card} card=${latest} /></span>`}
		<div class="choices"><${Button} app=${app} id="red" class="red" why=${closed} run=${() => act("gamble", 0)}>${colourName(game, true)}<//><${Button} app=${app} id="black" class="black" why=${closed} run=${() => act("gamble", 1)}>${colourName(game, false)}<//>
		${game.gamble.halve ? html`<${Button} app=${app} id="halve" why=${closed ?? (stake < 2 ? t("gamble.too-small") : null)} run=${() => act("halve")}>${t("halve")}<//>` : null}</div></div>
		<div class="lastcards" aria-label=${t("last-cards")}><span class="quiet">${t("last-cards")}</span>${cards.map((card, i) => html`<${Card} key="${i}-${card}" card=${card} />`)}</div>
		<p class=${message?.bad ? "bad" : "good"}>${message?.text ?? ""}</p></div>`;
}

// ---- openings, results, large wins ----

const Witches = ({ game, witch, won }) => html`<div class="duel">${game.witches.map((name, i) => html`<div class="witch ${won === null ? "" : (i === witch) === won ? "wins" : "loses"}" key=${name}><span class="face" aria-hidden="true"><i>${capital(name).charAt(0)}</i><${Picture} name=${name} /></span><b>${capital(name)}</b>${i === witch ? html`<small>${t("yours")}</small>` : null}</div>`)}</div>`;

// A feature begins: its name, what it does, and what started it.
export function Intro({ state }) {
	const { intro, game } = state;
	if (!intro) return null;
	const symbols = intro.symbols.map((id) => game.symbols.find((symbol) => symbol.id === id)).filter(Boolean);
	return html`<div class="scene intro intro-${intro.kind}" id="intro" data-kind=${intro.kind}><h2>${intro.title}</h2>
		${intro.battle ? html`<${Witches} game=${game} witch=${state.witch ?? 0} won=${intro.battle.won} />` : html`<div class="introart">${symbols.map((symbol) => html`<${Art} key=${symbol.id} symbol=${symbol} />`)}</div>`}
		<p>${intro.words}</p></div>`;
}

// A win of many times the bet, with its name and the amount as it counts.
export function Celebration({ state }) {
	const { celebration, currency } = state;
	if (!celebration) return null;
	return html`<div class="celebration tier-${celebration.tier}" id="celebration" data-tier=${celebration.tier}><b>${t(`tier.${celebration.tier}`)}</b><span><${Count} state=${state} currency=${currency} to=${celebration.amount} /></span></div>`;
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
	return html`<${Dialog} id="jackpot" title=${t("jackpot.title")} close=${close}><p class="jackpotname">${t("jackpot.of", { game: game.name })}</p>
		<p class="jackpotsum" id="jackpot-sum" role="status">${paid ? money(paid, currency) : t("jackpot.booking")}</p>
		<p>${t(paid ? "jackpot.booked" : "jackpot.safe")}</p><div class="choices"><button class="main" id="jackpot-done" onClick=${close}>${t("jackpot.collect")}</button></div><//>`;
}
