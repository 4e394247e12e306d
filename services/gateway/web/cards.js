// Jackpot Cards: twelve cards face down over the game; the player turns them until three of one suit are face up. Each request names the pick by its
// number: a retry, a second window or a reload never turns a wrong card. RULE mystic-gem 6.7, 6.8, 6.9
import { html, useEffect, useLayoutEffect, useRef, useState } from "/vendor/htm-preact.js";
import { SILENT_MS, get, hashOf, send } from "/api.js";
import { Picture } from "/art.js";
import { CARD_SUITS, LEVELS, RED_SUITS, money } from "/format.js";
import { capital, modeOf, priceOf } from "/game.js";
import { locale, t } from "/lang.js";
import { gameOfPool } from "/panels.js";
import { refusalWords } from "/protect.js";

const PLACES = 12;
const COLUMNS = 4;
const OF_A_SUIT = 3;
const KNOWN_AFTER_MS = 400; // the engine draws a card round before jackpot-cards knows it
const KNOWN_AT_MOST_MS = 3000;
const NEWS_MS = 7000; // how long the page shows a winner
const GOES_ON_MS = 3500; // autospin shows the prize for so long, then continues
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const idOf = (claim) => `${claim.move}-${claim.index}`;
const MARKS = {
	clubs: "M24 5a8 8 0 0 0-6.6 12.5A8.2 8.2 0 1 0 21.5 30c-.4 5-2 8.5-5 11h15c-3-2.5-4.6-6-5-11a8.2 8.2 0 1 0 4.1-12.5A8 8 0 0 0 24 5z",
	diamonds: "M24 4c4 7.5 9 14 15 20-6 6-11 12.5-15 20-4-7.5-9-14-15-20 6-6 11-12.5 15-20z",
	hearts: "M24 43C14 34 6 27 6 17.5 6 11 11 7 16 7c3.6 0 6.5 2 8 5 1.5-3 4.4-5 8-5 5 0 10 4 10 10.5C42 27 34 34 24 43z",
	spades: "M24 4C17 14 8 19 8 27.5A8 8 0 0 0 21.6 33c-.4 4-2 6.5-4.6 8.5h14c-2.6-2-4.2-4.5-4.6-8.5A8 8 0 0 0 40 27.5C40 19 31 14 24 4z",
};

export const Suit = ({ suit }) => html`<svg class="suit ${suit}" viewBox="0 0 48 48" aria-hidden="true"><path d=${MARKS[suit]} /></svg>`;

// ---- view ----

// A level with its live value and the number of its cards that are face up. RULE mystic-gem 6.2
function Level({ suit, row, found, won, paid, currency }) {
	return html`<div class="rung ${suit} ${won ? "won" : ""}" data-suit=${suit} data-found=${found}><${Suit} suit=${suit} /><span>${t(`suit.${suit}`)}</span>
		<span class="pips" role="img" aria-label=${t("cards.found", { found, of: OF_A_SUIT })}>${Array.from({ length: OF_A_SUIT }, (_, i) => html`<i class=${i < found ? "on" : ""} />`)}</span>
		<b>${won ? money(paid, currency) : row ? money(row.value_minor, row.currency) : "–"}</b></div>`;
}

// All backs are the same: the page knows nothing about a card before it is turned.
function Place({ place, card, won, locked, choose, latest, here, come }) {
	const name = t(card ? "cards.card-open" : "cards.card", { n: place + 1, suit: card ? t(`suit.${card.suit}`) : "" });
	const shown = card ? `open ${RED_SUITS.includes(card.suit) ? "warm" : ""} ${won === card.suit ? "won" : ""} ${latest ? "latest" : ""}` : "";
	return html`<button class="place ${shown}" data-place=${place} data-suit=${card?.suit ?? ""} aria-label=${name} tabindex=${here ? 0 : -1} onFocus=${come} aria-disabled=${card || locked ? "true" : undefined} onClick=${() => card || locked || choose(place)}>
		${card ? html`<${Picture} name=${card.suit} game="house" /><span class="corner"><${Suit} suit=${card.suit} /></span>`
			: html`<${Picture} name="back" game="house" />`}</button>`;
}

// The arrow keys move between the cards as they lie on the screen.
function move(event) {
	const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -COLUMNS, ArrowDown: COLUMNS };
	const from = Number(event.target.closest("[data-place]")?.dataset.place);
	const to = from + (steps[event.key] ?? NaN);
	if (!(to >= 0 && to < PLACES)) return;
	event.preventDefault();
	event.currentTarget.querySelector(`[data-place="${to}"]`).focus();
}

function said(round, found, currency) {
	if (round.won) return t("cards.won", { suit: t(`suit.${round.suit}`), amount: money(round.paid_minor, currency) });
	const last = round.turned.at(-1);
	return last ? t("cards.turned", { suit: t(`suit.${last.suit}`), found: found[last.suit], of: OF_A_SUIT }) : t("cards.begin");
}

function Proof({ deck }) {
	const { promised, proof, round } = deck;
	return html`<p class="digest" id="cards-proof">${proof === undefined ? html`<span class="quiet">${t("cards.hash")} ${promised}</span>`
		: html`<span class=${proof ? "good" : "bad"}>${proof ? "✓" : "✗"} ${t(proof ? "cards.matches" : "cards.differs", { secret: round.secret })}</span> <span class="quiet">${promised}</span>`}</p>`;
}

export function CardRound({ app, cards }) {
	const { state, dispatch } = app;
	const { deck, pools, autospin, autoplay } = state;
	const { round, busy, booked, fault, late } = deck;
	const dialog = useRef(null);
	const leave = useRef(null);
	const [here, come] = useState(0); // the card that Tab reaches; arrows move on
	const rows = new Map((pools.find((pool) => pool.pool === round.pool)?.rows ?? []).map((row) => [CARD_SUITS[row.level - 1], row]));
	const at = new Map(round.turned.map((card) => [card.position, card]));
	const found = Object.fromEntries(CARD_SUITS.map((suit) => [suit, round.turned.filter((card) => card.suit === suit).length]));
	useLayoutEffect(() => {
		dialog.current.showModal();
		dialog.current.querySelector(".place:not(.open)")?.focus();
	}, [round.id]);
	useEffect(() => { if (booked) leave.current.focus(); }, [booked]);
	return html`<dialog class="cardround" id="cards" ref=${dialog} onClose=${() => dialog.current?.showModal()} data-id=${round.id} data-state=${booked ? "booked" : round.won ? "won" : busy ? "busy" : "ready"} aria-label=${t("cards.name")} onCancel=${(event) => event.preventDefault()}>
		<div class="cardhead"><h2>${t("cards.name")}</h2><details id="cards-rules"><summary aria-label=${t("rules")}>i</summary><div>${cardsWords({ game: state.game, currency: round.currency, price: priceOf(state.bet, modeOf(state.game, state.bet.mode)) }).map((text) => html`<p key=${text}>${text}</p>`)}</div></details>${autospin ? html`<span class="quiet" id="paused">${t("cards.paused", { left: autoplay?.spins ?? 0, of: autospin })}</span><button id="cards-stop" onClick=${() => dispatch({ type: "autospin", spins: 0 })}>${t("stop")}</button>` : null}</div>
		<div class="rungs">${CARD_SUITS.map((suit) => html`<${Level} key=${suit} suit=${suit} row=${rows.get(suit)} found=${found[suit]} won=${round.won && round.suit === suit} paid=${round.paid_minor} currency=${round.currency} />`)}</div>
		<p class="saying ${round.won ? "gold" : ""}" id="cards-said" role="status">${said(round, found, round.currency)}${booked ? ` ${t("cards.booked")}` : ""}</p>
		<div class="places" role="group" aria-label=${t("cards.twelve")} onKeyDown=${move}>${Array.from({ length: PLACES }, (_, place) => html`<${Place} key=${place} place=${place} here=${place === here} come=${() => come(place)} card=${at.get(place)} won=${round.won ? round.suit : ""} latest=${place === round.turned.at(-1)?.position} locked=${busy || round.won} choose=${cards.pick} />`)}</div>
		<div class="cardfoot">${late ? html`<p class="warn" id="cards-late" role="status">${t("cards.late")}</p>` : null}${fault ? html`<p class="bad" role="alert">${fault} <button onClick=${cards.again}>${t("try-again")}</button></p>` : null}
			${round.won ? html`<button class="main" id="cards-close" ref=${leave} disabled=${!booked} onClick=${cards.close}>${t(booked ? "cards.back" : "cards.booking")}</button>` : null}
			<${Proof} deck=${deck} /></div><${News} state=${state} dispatch=${dispatch} /></dialog>`;
}

// The jackpot that these cards won stands beside them, and that of the round has had a window of its own.
const isOwn = (news, { deck, round }) => news.level ? Boolean(deck?.round.won && news.paid_minor === deck.round.paid_minor)
	: Boolean(round?.jackpots?.some((one) => one.pool === news.pool && one.paid_minor === news.paid_minor));

// Tells everybody who won a jackpot, one after the other; winners see their own beside the cards or in a window of its own. RULE mystic-gem 6.16
export function News({ state: { news: [news], deck, round, jackpot, pools, games }, dispatch }) {
	const shown = news && !jackpot && !isOwn(news, { deck, round });
	useEffect(() => {
		if (!news || jackpot) return undefined;
		const timer = setTimeout(() => dispatch({ type: "news", winner: null }), shown ? NEWS_MS : 0);
		return () => clearTimeout(timer);
	}, [news, shown]);
	const words = () => news.level ? t("news.cards", { player: capital(news.player), level: t(`suit.${CARD_SUITS[news.level - 1]}`) }) : t("news.pool", { player: capital(news.player), game: gameOfPool(pools, games, news.pool) });
	return html`<div class="news ${shown ? "" : "unseen"}" id="news" role="status">${shown ? html`${news.level ? html`<${Suit} suit=${CARD_SUITS[news.level - 1]} />` : null} <span>${words()} <b class="gold">${money(news.paid_minor, news.currency)}</b></span>` : null}</div>`;
}

// ---- actions ----

export function useCards({ state, latest, dispatch, ended }) {
	// Without a session the page shows the login instead of the cards; after the login the cards come back.
	const failed = (error) => error.code === "session_idle" ? ended() : dispatch({ type: "failed", error });
	const { claim, token } = state;
	const id = claim ? idOf(claim) : null;
	const put = (deck) => dispatch({ type: "deck", deck });
	const mine = (wanted) => latest.current.deck?.round.id === wanted;

	// Shows the cards that are already face up, as soon as they can be had: without them the player cannot go on. RULE mystic-gem 6.15
	async function fetchRound(wanted) {
		for (let i = 0; latest.current.claim && idOf(latest.current.claim) === wanted; i++) {
			try {
				const { rounds } = await get("/v1/cards", latest.current.token);
				const round = rounds.find((one) => one.id === wanted);
				if (round) return dispatch({ type: "turned", round });
			} catch (error) {
				if (error.status === 401) return failed(error);
				dispatch({ type: "say", text: refusalWords(error), bad: true });
			}
			await pause(Math.min(KNOWN_AFTER_MS * (i + 1), KNOWN_AT_MOST_MS));
		}
	}

	async function pick(position) {
		const { deck } = latest.current;
		if (deck.busy || deck.round.won) return;
		put({ busy: true, fault: null, late: false });
		const waiting = setTimeout(() => mine(deck.round.id) && put({ late: true }), SILENT_MS);
		try {
			const { card_round: round } = await send(`/v1/cards/${deck.round.id}/picks`, { pick: deck.round.next_pick, position }, latest.current.token);
			dispatch({ type: "turned", round });
		} catch (error) {
			// Another window turned this card: the refusal carries the current cards.
			if (error.body?.card_round) dispatch({ type: "turned", round: error.body.card_round });
			else if (error.status === 401) failed(error);
			else if (mine(deck.round.id)) put({ fault: refusalWords(error) });
		}
		clearTimeout(waiting);
		if (mine(deck.round.id)) put({ busy: false, late: false });
	}

	// The service books the prize without a request; the game takes bets again after that. RULE mystic-gem 6.10
	async function waitForPrize(wanted) {
		const { round, promised } = latest.current.deck;
		put({ proof: round.secret ? await hashOf(round.secret) === promised : false });
		for (let i = 0; mine(wanted) && !latest.current.deck.booked; i++) {
			try {
				const answer = await get(`/v1/state?game=${latest.current.game.id}`, latest.current.token);
				if (mine(wanted) && !answer.cards) {
					// Keep the closed round on the screen.
					dispatch({ type: "answer", answer: { ...answer, round: undefined } });
					put({ booked: true });
				}
			} catch (error) {
				if (error.status === 401) return failed(error);
			}
			await pause(Math.min(150 * (i + 1), 1500));
		}
		// RULE mystic-gem 5.3
		if (latest.current.autospin) setTimeout(() => mine(wanted) && close(), GOES_ON_MS);
	}

	const close = () => dispatch({ type: "deck", deck: null });
	const again = () => {
		put({ fault: null });
		fetchRound(latest.current.deck.round.id);
	};

	useEffect(() => { if (id && token && !mine(id)) fetchRound(id); }, [id, token]);
	const won = state.deck?.round.won ? state.deck.round.id : null;
	useEffect(() => { if (won) waitForPrize(won); }, [won]);
	return { pick, close, again };
}

// ---- rules ----

// The chance that a round of this price starts Jackpot Cards, as "1 in n", by the odds of the set. RULE mystic-gem 6.12
function oneIn({ game, currency, price }) {
	const odds = game.cards.odds?.[currency];
	if (!odds) return null;
	const [part, whole] = [BigInt(odds.in) * BigInt(price), BigInt(odds.of)];
	return part >= whole ? t("cards.certain") : t("h.one-in", { n: new Intl.NumberFormat(locale()).format((whole + part / 2n) / part) });
}

export function cardsWords({ game, currency, price }) {
	const odds = oneIn({ game, currency, price });
	const chance = odds ? t("cards.r-odds", { price: money(price, currency), odds }) : "";
	return [t("cards.r-four"), `${t("cards.r-starts")}${chance}${t("cards.r-certain")}`, t("cards.r-turn"), t("cards.r-prize"), t("cards.r-drawn"), t("cards.r-hash"), t("cards.r-lost")];
}
