// A player's play: what the page knows, the moves he may make, and how what came of them is shown phase by phase.
import { useEffect, useRef, useState } from "/vendor/htm-preact.js";
import { ApiError, bytesOf, get, hex, post, randomHex } from "/api.js";
import { cardName, money } from "/format.js";
import { startBet } from "/game.js";
import { isFeature, wordsOf } from "/phases.js";

const PACE_MS = { slow: 620, won: 950, fast: 70 }; // between two phases of a round: nothing won, something won, fast play
const REMEMBERED = 16; // moves for which a request is known by its key
const CARDS = 5;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const isWatching = (round) => ["pick", "next"].includes(round?.next);

export const START = {
	config: null, games: [], game: null, figures: [], pools: [], winners: [], history: null, token: null, busy: false, spinning: false, revealing: false, round: null, carried: null,
	steps: [], at: -1, mode: null, message: null, said: "", proof: null, feed: "connecting", autospin: 0, bet: null, bets: {}, fast: false, cards: [], wonBefore: 0, from: 0,
};

// What every answer about play carries, however the round stands.
function withAnswer(state, answer) {
	const next = { ...state, busy: false, spinning: false, revealing: false };
	for (const field of ["player", "currency", "balance_minor", "pending_minor", "expect", "secret_hash", "witch", "autoplay", "carried"])
		if (answer[field] !== undefined) next[field] = answer[field];
	if (answer.round !== undefined && (!answer.round || answer.round.game === state.game.id)) next.round = answer.round;
	return next;
}

// A round that was open is shown where its player left it, a closed one with its last screen.
function withRound(state, answer) {
	const next = withAnswer({ ...state, round: null }, answer);
	const { round } = next;
	if (!round) return next;
	const { coin_minor, lines, coins, mode } = round.bet;
	const back = isWatching(round) || round.next === "gamble" ? { bad: false, text: `You are back in round ${round.round}, where you left it.` } : state.message;
	return { ...next, steps: round.phases, at: round.phases.length - 1, mode, bet: { coin_minor, lines, coins, mode }, message: back };
}

// With too little money for a bet comes what the smallest one is; other refusals say what was found and what is expected.
function saying(error, currency) {
	const { smallest_bet_minor: smallest, error: detail } = error.body ?? {};
	if (smallest) return `${error.message} The smallest bet is ${money(smallest, currency)}.`;
	return detail?.expected ? `${error.message} Found ${detail.found}; expected ${detail.expected}.` : error.message;
}

const REDUCERS = {
	loaded: (state, { config, games, pools, figures }) => ({ ...state, config, games, pools, figures }),
	game(state, { game, answer }) {
		const kept = state.bets[game.id];
		const fresh = { ...state, game, bet: kept ?? startBet(game, state.currency ?? "EUR"), round: null, carried: null, steps: [], at: -1, mode: null, proof: null, message: null, autospin: 0, said: "" };
		if (!answer) return fresh;
		const shown = withRound(fresh, answer);
		return kept && !isWatching(shown.round) ? { ...shown, bet: kept } : shown;
	},
	session: (state, { token, answer }) => withRound({ ...state, token, message: null }, answer),
	busy: (state, { fresh }) => ({ ...state, busy: true, message: null, said: "", spinning: Boolean(fresh), wonBefore: fresh ? 0 : state.round?.win_minor ?? 0, from: fresh ? 0 : state.round?.cursor ?? 0, mode: fresh ? state.bet.mode : state.mode }),
	phase(state, { phase, first }) {
		const before = first ? (phase.index === 0 ? [] : state.steps) : state.steps;
		const steps = [...before.filter((step) => step.index < phase.index), phase];
		return { ...state, spinning: false, revealing: true, steps, at: steps.length - 1 };
	},
	answer: (state, { answer, message, said }) => withAnswer({ ...state, message: message ?? state.message, said: said ?? state.said }, answer),
	failed: (state, { error }) => withAnswer({ ...state, token: error.status === 401 ? null : state.token, message: { bad: true, text: saying(error, state.currency), smallest: Boolean(error.body?.smallest_bet_minor) } }, error.body ?? {}),
	balance: (state, { minor }) => ({ ...state, balance_minor: minor }),
	look: (state, { at }) => ({ ...state, at }),
	proof: (state, { proof }) => ({ ...state, proof }),
	bet(state, { bet }) {
		const next = { ...state.bet, ...bet };
		return { ...state, bet: next, bets: { ...state.bets, [state.game.id]: next } };
	},
	fast: (state) => ({ ...state, fast: !state.fast }),
	card: (state, { card }) => ({ ...state, cards: [card, ...state.cards].slice(0, CARDS) }),
	pools: (state, { pools }) => ({ ...state, pools }),
	winner: (state, { winner }) => ({ ...state, winners: [winner, ...state.winners.filter((w) => w.hit !== winner.hit || w.pool !== winner.pool)].slice(0, 20) }),
	feed: (state, { text }) => ({ ...state, feed: text }),
	autospin: (state, { spins }) => ({ ...state, autospin: spins }),
	history: (state, { rounds }) => ({ ...state, history: rounds }),
};

export const sceneOf = (state) => ({ game: state.game, currency: state.currency ?? "EUR", witch: state.witch ?? 0, mode: state.mode });

// What the round has won as far as it is shown: while its phases are revealed, theirs; then the server's own count.
export function shownWin(state) {
	const { round, steps, revealing, wonBefore, from, spinning } = state;
	if (spinning) return 0;
	if (revealing) return steps.filter((step) => step.index >= from).reduce((sum, step) => sum + step.win_minor, wonBefore);
	return (round?.win_minor ?? 0) + (round?.jackpots ?? []).reduce((sum, jackpot) => sum + jackpot.paid_minor, 0);
}

// The secret of a closed round must hash to what was promised before its nonce was sent.
async function prove(promised, round) {
	if (!round?.closed || !round.secret || !promised) return null;
	const digest = hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytesOf(round.secret))));
	return { round: round.round, ok: digest === promised, promised };
}

function gambleNews(before, answer, currency) {
	const step = answer.round?.gambles?.at(-1);
	if (!step || (before?.gambles?.length ?? 0) >= answer.round.gambles.length) return null;
	const name = cardName(step.card);
	return step.won ? { bad: false, text: `The ${name}: right. ${money(step.pending_minor, currency)} to collect.` } : { bad: true, text: `The ${name}: wrong. ${money(step.stake_minor, currency)} lost.` };
}

// For those who listen instead of looking: once, when all has been shown.
function summary(state, answer) {
	const { round } = answer;
	const last = round?.phases?.at(-1);
	if (!last) return "";
	const next = { pick: "Choose a vial.", next: "Go on when you are ready.", gamble: "Double or collect." }[round.next] ?? "";
	return `${wordsOf({ ...sceneOf(state), currency: answer.currency }, last)}. Round win ${money(round.win_minor, answer.currency)}. ${next}`;
}

export function useGame() {
	const [state, show] = useState(START);
	// What has been dispatched counts at once, also for what goes on between two renderings.
	const latest = useRef(START);
	const dispatch = (action) => {
		latest.current = REDUCERS[action.type](latest.current, action);
		show(latest.current);
	};
	const promises = useRef({}); // round -> hash given before it
	const skipping = useRef(null); // ends the pause between two phases, and all after it

	async function loadHistory() {
		const { token } = latest.current;
		if (token) dispatch({ type: "history", rounds: (await get("/v1/rounds?limit=15", token)).rounds });
	}

	function skip() {
		skipping.current?.();
	}

	async function reveal(round, from) {
		const phases = (round?.phases ?? []).filter((phase) => phase.index >= from);
		let skipped = false;
		for (const [i, phase] of phases.entries()) {
			dispatch({ type: "phase", phase, first: i === 0 });
			if (i === phases.length - 1 || skipped) continue;
			const ms = latest.current.fast ? PACE_MS.fast : phase.win_minor || phase.free_spins_awarded || isFeature(phases[i + 1]) !== isFeature(phase) ? PACE_MS.won : PACE_MS.slow;
			const pressed = new Promise((resolve) => { skipping.current = () => { skipped = true; resolve(); }; });
			await Promise.race([pause(ms), pressed]);
		}
		skipping.current = null;
	}

	// The state beside the refusal is where play goes on; the move itself is in the history.
	function done(error) {
		dispatch({ type: "answer", answer: error.body, message: { bad: false, text: `Move ${error.body.error.found} was done already; its answer had been lost.` } });
		loadHistory().catch(() => {});
		return error.body;
	}

	// Another window of the same player may have moved on: the refusal carries the present state, and one more try is his wish still. But where a reply
	// was lost and the move is done, it is not: the engine says so, as long as it knows the request; after that many moves nobody tries for him.
	async function play(request, from, again = true) {
		dispatch({ type: "busy", fresh: from === 0 });
		const { expect, secret_hash: before, round: old } = latest.current;
		try {
			const answer = await request();
			const { round } = answer;
			if (round && promises.current[round.round] === undefined && before) promises.current[round.round] = before;
			await reveal(round, from);
			const news = gambleNews(from === 0 ? null : old, answer, answer.currency ?? latest.current.currency);
			if (news) dispatch({ type: "card", card: round.gambles.at(-1).card });
			dispatch({ type: "answer", answer, message: news, said: news ? "" : summary(latest.current, answer) });
			const proof = await prove(promises.current[round?.round], round);
			if (proof) dispatch({ type: "proof", proof });
			loadHistory().catch(() => {});
			return answer;
		} catch (error) {
			if (!(error instanceof ApiError)) console.error(error);
			if (error.code === "already_done") return done(error);
			dispatch({ type: "failed", error });
			if (error.code !== "move_spent" || !again || from !== 0 || error.body.expect - expect > REMEMBERED) return null;
		}
		return play(request, from, false);
	}

	const spin = () => play(() => {
		const { expect, bet, token, autospin, game, autoplay } = latest.current;
		const body = { game: game.id, expect, bet, nonce: randomHex(16) };
		if (autospin > 0 && autoplay?.id) body.autoplay = autoplay.id;
		return post("/v1/rounds", body, token);
	}, 0);

	const act = (action, choice) => {
		const { round, game } = latest.current;
		const from = round?.cursor ?? 0;
		return play(() => {
			const { expect, token } = latest.current;
			const body = { game: game.id, expect, action, cursor: from };
			if (choice !== undefined) body.choice = choice;
			return post(`/v1/rounds/${round.round}/actions`, body, token);
		}, from);
	};

	async function setting(change) {
		dispatch({ type: "busy" });
		try {
			const { expect, token, game } = latest.current;
			const answer = await post("/v1/settings", { game: game.id, expect, ...change }, token);
			dispatch({ type: "answer", answer });
			return answer;
		} catch (error) {
			if (error.code === "already_done") return done(error);
			dispatch({ type: "failed", error });
			return null;
		}
	}

	// The client sends each spin; the server enforces count, limits and pauses. A feature, a refusal or a stop ends it.
	async function autospin(settings) {
		const started = await setting({ autoplay: { id: randomHex(16), ...settings } });
		if (!started) return;
		dispatch({ type: "autospin", spins: settings.spins });
		for (;;) {
			const { autoplay, autospin: wanted } = latest.current;
			if (!wanted || !autoplay?.spins) break;
			const answer = await spin();
			if (!answer || isWatching(answer.round)) break;
			await pause(latest.current.fast ? 80 : 400);
		}
		dispatch({ type: "autospin", spins: 0 });
		if (latest.current.autoplay?.spins) await setting({ autoplay: { ...latest.current.autoplay, spins: 0 } });
	}

	async function login() {
		dispatch({ type: "busy" });
		try {
			const answer = await post("/v1/demo/sessions", {});
			sessionStorage.setItem("token", answer.token);
			dispatch({ type: "session", token: answer.token, answer: await get(`/v1/state?game=${latest.current.game.id}`, answer.token) });
		} catch (error) {
			dispatch({ type: "failed", error });
		}
	}

	// A token of a former visit that is good for nothing any more is forgotten.
	async function stateOf(id) {
		const token = latest.current.token ?? sessionStorage.getItem("token");
		if (!token) return null;
		try {
			return { token, answer: await get(`/v1/state?game=${id}`, token) };
		} catch (error) {
			if (error.status !== 401) throw error;
			sessionStorage.removeItem("token");
			return null;
		}
	}

	async function open(id) {
		try {
			const [game, session] = await Promise.all([get(`/v1/games/${id}`), stateOf(id)]);
			dispatch({ type: "game", game, answer: session?.answer });
			if (session && !latest.current.token) dispatch({ type: "session", ...session });
		} catch (error) {
			dispatch({ type: "failed", error });
		}
	}

	return { state, dispatch, latest, spin, act, setting, autospin, login, open, skip, loadHistory };
}

// The space bar does what the main button offers, wherever no control has the keyboard.
export function useSpaceBar({ latest, spin, act, skip }) {
	useEffect(() => {
		const pressed = (event) => {
			if (event.code !== "Space" || event.repeat || event.target.closest("button, input, select, textarea, summary, dialog, a")) return;
			event.preventDefault();
			const { revealing, busy, token, round, autospin } = latest.current;
			if (revealing) skip();
			else if (busy || !token || autospin || round?.next === "pick") return;
			else if (round?.next === "next") act("next");
			else spin();
		};
		addEventListener("keydown", pressed);
		return () => removeEventListener("keydown", pressed);
	}, []);
}
