// The state of the player's page, and how each event changes it.
import { money } from "/format.js";
import { coinsOf, modeOf, priceOf, startBet, totalBet } from "/game.js";
import { t } from "/lang.js";
import { refusalWords } from "/protect.js";

const CARDS = 5;
const AWARDS = 8;
const NEWS = 5; // told one after the other
export const isWatching = (round) => ["pick", "next"].includes(round?.next);

export const START = {
	// what the server said
	config: null, games: [], offered: null, game: null, figures: [], pools: [], winners: [], history: null, token: null, round: null, carried: null, bonus_spins: [], claim: null,
	balance_seq: 0, balance_epoch: 0,
	// what the player chose
	mode: null, bet: null, bets: {}, fast: false, autospin: 0, stopping: false, nextBet: 0, autoplay_stopped: null,
	// what is shown: `landing` while reels turn, `counting` while a win counts up, `silent` while an answer is late, `guessed` while the last card of a
	// gamble lies on the table
	busy: false, spinning: false, revealing: false, landing: false, counting: null, celebration: null, intro: null, jackpot: null, silent: null, guessed: null,
	view: "game", window: null, question: null, left: null, away: 0, steps: [], at: -1, message: null, said: "", proof: null, feed: "connecting",
	cards: [], awards: [], deck: null, news: [], wonBefore: 0, from: 0, paying: null, shownRound: null, last: false,
};
const AT_REST = { busy: false, spinning: false, revealing: false, landing: false, counting: null, celebration: null, intro: null, silent: null, guessed: null };

// Answers and events may arrive out of order: keep the balance of the later journal row. The same row may come again, when a jackpot is shown late.
function laterBalance({ balance_minor, balance_seq }, { minor, seq }) {
	return seq && seq < balance_seq ? { balance_minor, balance_seq } : { balance_minor: minor, balance_seq: seq ?? 0 };
}

// The members that every answer about play may have.
function withAnswer(state, answer) {
	const next = { ...state, ...AT_REST, busy: state.stopping };
	for (const field of ["player", "currency", "pending_minor", "expect", "secret_hash", "witch", "autoplay", "carried", "bonus_spins"])
		if (answer[field] !== undefined) next[field] = answer[field];
	if (answer.autoplay !== undefined) next.autoplay_stopped = answer.autoplay_stopped ?? null;
	if (answer.balance_minor !== undefined) Object.assign(next, laterBalance(state, { minor: answer.balance_minor, seq: answer.balance_seq }));
	if (answer.cards !== undefined) next.claim = answer.cards?.booked === false ? answer.cards : null;
	if (answer.round !== undefined && (!answer.round || answer.round.game === state.game.id)) next.round = answer.round;
	if (answer.gamble_cards) next.cards = answer.gamble_cards;
	// The gamble is over: the next win does not open it again.
	if (next.window === "gamble" && next.round?.next !== "gamble") next.window = null;
	return next;
}

const notGamble = ({ window }) => window === "gamble" ? null : window;

// The coin values depend on the player's currency, which is known after the login.
const fitting = (state) => coinsOf(state.game, state.currency ?? "EUR").includes(state.bet.coin_minor) ? state : { ...state, bet: startBet(state.game, state.currency ?? "EUR") };

// RULE mystery-elves 4.5: a feature bought for one spin turns off after that spin.
function modeAfter(game, id) {
	return modeOf(game, id).one_spin ? game.modes[0].id : id;
}

function withBought(state, answer) {
	const { round } = answer;
	if (!round || round.game !== state.game.id || round.round === state.round?.round) return state;
	const bet = { ...state.bet, mode: modeAfter(state.game, state.bet.mode) };
	return { ...state, bet, bets: { ...state.bets, [state.game.id]: bet } };
}

// Shows an open round where the player left it, and a closed round at its last screen. RULE bewitched 7.2, RULE mona-lisa 6.2, RULE witch-feature 8.1
function withRound(state, answer) {
	const next = withAnswer({ ...state, round: null }, answer);
	const last = answer.last_round?.game === next.game.id && answer.last_round.phases?.length ? answer.last_round : null;
	const round = next.round ?? last;
	if (!round) return fitting(next);
	const shown = { ...next, steps: round.phases, at: round.phases.length - 1, mode: round.bet.mode };
	const { coin_minor, lines, coins, mode } = round.bet;
	// Spins that are left of autospin are at its own bet.
	if (!next.round && answer.autoplay?.spins) return fitting({ ...shown, round, last: true, bet: { coin_minor, lines, coins, mode: modeAfter(next.game, mode) } });
	if (!next.round) return fitting({ ...shown, round, last: true });
	const back = isWatching(round) || round.next === "gamble" ? { bad: false, text: t("back-in-round", { round: round.round }) } : state.message;
	return { ...shown, bet: { coin_minor, lines, coins, mode: modeAfter(next.game, mode) }, message: back };
}

// If the balance is too low for the bet, the message names the smallest bet.
function saying(error, currency) {
	const smallest = error.body?.smallest_bet_minor;
	return smallest ? `${refusalWords(error, currency)} ${t("smallest-bet-is", { amount: money(smallest, currency) })}` : refusalWords(error, currency);
}

const WINNERS = 20; // that the page lists
const sameWin = (one) => (other) => other.hit === one.hit && other.pool === one.pool;

export const REDUCERS = {
	loaded: (state, { config, games, pools }) => ({ ...state, config, games, pools }),
	// What the player's operator offers: the lobby shows no other game.
	offered: (state, { games }) => ({ ...state, offered: games.map(({ id }) => id) }),
	figures: (state, { figures }) => ({ ...state, figures }),
	game(state, { game, answer }) {
		const kept = state.bets[game.id] && { ...state.bets[game.id], mode: game.modes[0].id }; // who comes back buys nothing unasked
		const fresh = { ...state, game, bet: kept ?? startBet(game, state.currency ?? "EUR"), round: null, carried: null, steps: [], at: -1, mode: null, proof: null, message: null, autospin: 0, said: "", claim: null, deck: null, cards: [], awards: [], last: false, jackpot: null };
		if (!answer) return fresh;
		const shown = withRound(fresh, answer);
		return kept && !isWatching(shown.round) ? { ...shown, bet: kept } : shown;
	},
	session: (state, { token, answer }) => withRound({ ...state, token, shownRound: null, awards: [], balance_seq: 0, balance_epoch: 0, message: null, left: null }, answer),
	// The session ended by itself or elsewhere; `left` is the demo player who may continue.
	ended(state, { player, idle }) {
		const live = state.config.kind === "live";
		const words = idle ? t(live ? "session-ended-live" : "session-ended") : t(live ? "session-over-live" : "session-over");
		return { ...state, ...AT_REST, token: null, window: notGamble(state), left: live ? null : player, away: 0, autospin: 0, stopping: false, claim: null, deck: null, message: { bad: true, text: words } };
	},
	// The player logged out. An open round is kept.
	loggedOut: (state) => ({ ...state, ...AT_REST, token: null, player: undefined, left: null, away: 0, autospin: 0, stopping: false, claim: null, deck: null, round: null, steps: [], at: -1, shownRound: null, window: null, balance_minor: undefined, pending_minor: undefined, message: { bad: false, text: [t("logged-out"), isWatching(state.round) ? t("logged-out-open") : "", state.config.kind === "live" ? "" : t("logged-out-play")].filter(Boolean).join(" ") } }),
	// When the game takes the player back; 0: it has.
	away: (state, { until }) => ({ ...state, away: until, ...AT_REST, busy: until > 0, message: until ? null : state.message }),
	// `quiet`: the page asks by itself, and what the player is told stays.
	busy: (state, { fresh, free, quiet }) => ({ ...state, busy: true, message: quiet ? state.message : null, said: quiet ? state.said : "", last: quiet && state.last, jackpot: quiet ? state.jackpot : null, spinning: Boolean(fresh), window: fresh ? notGamble(state) : state.window, paying: fresh ? payingOf(state, free) : null, wonBefore: fresh ? 0 : state.round?.win_minor ?? 0, from: fresh ? 0 : state.round?.cursor ?? 0, mode: fresh ? (free ? null : state.bet.mode) : state.mode, nextBet: fresh ? Date.now() + (state.config?.bet_gap_ms ?? 0) : state.nextBet }),
	phase(state, { phase, first, round }) {
		const before = first ? (phase.index === 0 ? [] : state.steps) : state.steps;
		const steps = [...before.filter((step) => step.index < phase.index), phase];
		return { ...state, spinning: false, revealing: true, landing: true, silent: null, shownRound: round, steps, at: steps.length - 1 };
	},
	answer: (state, { answer, message, said }) => withAnswer({ ...withBought(state, answer), message: message ?? state.message, said: said ?? state.said }, answer),
	failed: (state, { error }) => withAnswer({ ...state, nextBet: 0, message: { bad: true, text: saying(error, state.currency), smallest: Boolean(error.body?.smallest_bet_minor), limit: error.body?.error?.limit, money: error.code === "insufficient_funds" } }, error.body ?? {}),
	// A wallet restored from a backup continues at an earlier row in a new epoch.
	balance(state, { minor, seq, epoch = state.balance_epoch }) {
		const restored = state.balance_epoch && epoch > state.balance_epoch;
		return { ...state, ...laterBalance(restored ? { balance_seq: 0 } : state, { minor, seq }), balance_epoch: epoch };
	},
	look: (state, { at }) => ({ ...state, at }),
	proof: (state, { proof }) => ({ ...state, proof }),
	bet(state, { bet }) {
		const next = { ...state.bet, ...bet };
		return { ...state, bet: next, bets: { ...state.bets, [state.game.id]: next } };
	},
	fast: (state) => ({ ...state, fast: !state.fast }),
	card: (state, { card }) => ({ ...state, cards: [card, ...state.cards].slice(0, CARDS) }),
	// Jackpot Cards: a late event never turns a card face down again.
	turned(state, { round }) {
		const { deck } = state;
		if (deck?.round.id !== round.id) return round.booked ? state : { ...state, deck: { round, promised: round.secret_hash, busy: false, booked: false, fault: null } };
		return round.turned.length < deck.round.turned.length || (deck.round.won && !round.won) ? state : { ...state, deck: { ...deck, round } };
	},
	deck: (state, { deck }) => ({ ...state, deck: deck && { ...state.deck, ...deck } }),
	// One after the other; `null`: the first has been shown.
	news: (state, { winner }) => ({ ...state, news: winner ? [...state.news, winner].slice(-NEWS) : state.news.slice(1) }),
	pools: (state, { pools }) => ({ ...state, pools }),
	// Winners from before the page was opened; they are older than those that it has heard of since.
	winners: (state, { winners }) => ({ ...state, winners: [...state.winners, ...winners.filter((one) => !state.winners.some(sameWin(one)))].slice(0, WINNERS) }),
	winner: (state, { winner }) => ({ ...state, winners: [winner, ...state.winners.filter((one) => !sameWin(winner)(one))].slice(0, WINNERS) }),
	feed: (state, { text }) => ({ ...state, feed: text }),
	// From the press until the server knows of it, nothing else may begin.
	autospin: (state, { spins }) => state.autospin > 0 && !spins ? { ...state, autospin: 0, stopping: true, busy: true } : { ...state, autospin: spins },
	stopped: (state) => state.stopping ? { ...state, stopping: false, busy: false } : state,
	history: (state, { rounds }) => ({ ...state, history: rounds }),
	landed: (state) => ({ ...state, landing: false }),
	counting: (state, { counting }) => ({ ...state, counting }),
	celebration: (state, { celebration }) => ({ ...state, celebration }),
	intro: (state, { intro }) => ({ ...state, intro }),
	// A progressive jackpot: the amount is known once it is booked, which may be before the reels stand or after.
	jackpot: (state, { jackpot }) => ({ ...state, jackpot }),
	award: (state, { award }) => ({ ...state, awards: [award, ...state.awards].slice(0, AWARDS) }),
	silent: (state, { silent }) => ({ ...state, silent }),
	view: (state, { view }) => ({ ...state, view }),
	window: (state, { name }) => ({ ...state, window: name }),
	ask: (state, { question }) => ({ ...state, question }),
	say: (state, { text, bad = false, plain = false }) => ({ ...state, message: { bad, text, plain } }),
	guessed: (state, { guessed }) => ({ ...state, guessed }),
	calm: (state, { ms }) => ({ ...state, nextBet: Math.max(state.nextBet, Date.now() + ms) }),
	// Another language: what has been said was in the old one.
	words: (state) => ({ ...state, said: "", message: null }),
};

// The price of the bet and the win that it collects from the last round, until the whole answer is shown.
function payingOf({ game, bet, round }, free) {
	return { price: free ? 0 : priceOf(bet, modeOf(game, bet.mode)), collected: round?.next === "gamble" ? round.pending_minor : 0 };
}

export function shownMoney({ balance_minor: balance, pending_minor: pending = 0, spinning, revealing, paying }) {
	return (spinning || revealing) && paying ? { balance: balance + paying.collected - paying.price, pending: pending - paying.collected } : { balance, pending };
}

// The last phase is not told while its reels turn, and its win not before it has been counted.
export const hides = ({ landing, spinning, counting, celebration }) => Boolean(landing || spinning || counting || celebration);

export const sceneOf = (state) => ({ game: state.game, currency: state.currency ?? "EUR", witch: state.witch ?? 0, mode: state.mode });

// What was paid, that a win is held against: up to it, it is a return, not a win. Of a bonus spin, for which nothing was paid, the bet.
export const stakeOf = ({ busy, round, bet, game }) => (!busy && round?.stake_minor) || (!busy && round?.bet ? totalBet(round.bet) : priceOf(bet, modeOf(game, bet.mode)));

// The win shown so far: the sum of the phases whose reels stand while they are revealed, then the server's total.
export function shownWin(state) {
	const { round, steps, revealing, wonBefore, from, spinning, landing } = state;
	if (spinning) return 0;
	const standing = landing ? steps.slice(0, -1) : steps;
	if (revealing) return standing.filter((step) => step.index >= from).reduce((sum, step) => sum + step.win_minor, wonBefore);
	return (round?.win_minor ?? 0) + (round?.jackpots ?? []).reduce((sum, jackpot) => sum + jackpot.paid_minor, 0);
}
