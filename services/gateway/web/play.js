// Sends the player's moves and shows their results phase by phase.
import { useRef, useState } from "/vendor/htm-preact.js";
import { ApiError, SILENT_MS, get, hashOf, post, randomHex, send } from "/api.js";
import { loadSheet, loadWorld } from "/art.js";
import { keepPromise } from "/fairness/promises.js";
import { money } from "/format.js";
import { session } from "/kept.js";
import { has, t } from "/lang.js";
import { endsFeature, gambleWords, isFeature, jackpotOf, wordsOf } from "/phases.js";
import { REDUCERS, START, isWatching, sceneOf, shownWin } from "/state.js";

const GUESS_MS = { normal: 1400, turbo: 600 }; // so long the card lies face up that ends a gamble
const CALM_MS = 600; // so long the main button does not spin after it was something else
const TOLD_MS = 900; // so long a win of autospin is shown at least
const REMEMBERED = 16; // the engine recognises a request by its key for so many moves
const AWAY = Symbol("back after a lost connection");
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Checks that the secret of a closed round has the hash that was shown before the nonce was sent.
async function prove(promised, round) {
	if (!round?.closed || !round.secret || !promised) return null;
	return { round: round.round, ok: await hashOf(round.secret) === promised, promised };
}

function gambleNews(before, answer, currency) {
	const step = answer.round?.gambles?.at(-1);
	if (!step || (before?.gambles?.length ?? 0) >= answer.round.gambles.length) return null;
	return { bad: !step.won, text: gambleWords(step, currency), guess: step.won ? "gamble-win" : "gamble-lose" };
}

// The card of a guess; one that ends the gamble is seen on the table before that closes.
async function showGuess(store, { round }, news) {
	const { window, fast } = store.current;
	store.dispatch({ type: "card", card: round.gambles.at(-1).card });
	if (round.next === "gamble" || window !== "gamble") return news;
	store.dispatch({ type: "guessed", guessed: news });
	await Promise.race([pause(GUESS_MS[fast ? "turbo" : "normal"]), hurryOf(store).pressed]);
	Object.assign(store, { hurry: null, hurried: false });
	store.dispatch({ type: "calm", ms: CALM_MS });
	return { ...news, guess: null }; // its sound has been heard
}

// For screen readers: one summary after all phases have been shown.
function summary(state, answer) {
	const { round } = answer;
	const last = round?.phases?.at(-1);
	if (!last) return "";
	const next = ["pick", "next", "gamble"].includes(round.next) ? t(`said.${round.next}`) : "";
	return `${wordsOf({ ...sceneOf(state), currency: answer.currency }, last)}. ${t("round-win", { amount: money(round.win_minor, answer.currency) })} ${next}`;
}

// A dispatch takes effect at once, also for code that runs between two renderings.
function makeStore(show) {
	const store = {
		current: START,
		opening: null, // the game that is being loaded
		promises: {}, // round -> hash shown before it
		rejoining: null, // the wait after a lost connection
		stage: null, // what is on the screen: begin, land and tell a phase (stage.js)
		hurry: null, // the press that shortens what is shown now
		hurried: false, // a press before the answer came
		stopped: null, // ends the pause between two spins of autospin
		dispatch(action) {
			store.current = REDUCERS[action.type](store.current, action);
			if (action.type === "autospin" && !action.spins) store.stopped?.();
			show(store.current);
		},
	};
	return store;
}

// Shows the same result sooner. A press stops the reels or ends a count; in a feature it ends the whole show.
// RULE bewitched 8.2, RULE mona-lisa 7.2, RULE mystic-gem 8.2, RULE witch-feature 9.1
function skip(store) {
	store.hurried = true;
	store.hurry?.();
}

// A press ends every wait on `pressed`.
function hurryOf(store) {
	const hurry = {};
	hurry.pressed = new Promise((resolve) => { store.hurry = resolve; });
	if (store.hurried) store.hurry();
	return hurry;
}

const NO_STAGE = { begin: () => {}, land: () => {}, tell: () => {}, total: () => {} };

async function reveal(store, round, from) {
	const phases = (round?.phases ?? []).filter((phase) => phase.index >= from);
	const ends = phases.length > 0 && endsFeature(round, phases);
	let skipped = false;
	const untold = [];
	for (const [i, phase] of phases.entries()) {
		const stage = skipped ? NO_STAGE : store.stage ?? NO_STAGE;
		const last = i === phases.length - 1;
		const hurry = hurryOf(store);
		await stage.begin(phase, { first: i === 0 && from === 0, hurry, before: phases[i - 1] });
		store.dispatch({ type: "phase", phase, first: i === 0, round: round.round });
		await stage.land(phase, { hurry });
		store.dispatch({ type: "landed" });
		if (store.hurried && isFeature(phase)) skipped = true;
		if (!skipped) {
			store.hurried = false;
			await stage.tell(phase, { round, last, ends: last && ends, hurry: hurryOf(store) });
		} else {
			untold.push(phase);
		}
		if (store.hurried && isFeature(phase)) skipped = true;
		store.hurried = false;
	}
	const jackpot = untold.map((phase) => jackpotOf(round, phase)).findLast(Boolean);
	if (jackpot) store.dispatch({ type: "jackpot", jackpot });
	if (ends && !store.current.jackpot) await (store.stage ?? NO_STAGE).total(round, hurryOf(store)); // a jackpot has its own
	store.hurry = null;
}

// The refusal carries the current state; the move itself is in the history.
function done(store, error) {
	store.dispatch({ type: "answer", answer: error.body, message: { bad: false, text: t("already-done", { move: error.body.error.found }) } });
	return error.body;
}

// An answer has a round's first phases; a long round has more pages.
async function withPages(store, round) {
	while (round && round.phase_from + round.phases.length < round.cursor) {
		const { round: page } = await get(`/v1/state?game=${round.game}&round=${round.round}&from=${round.phase_from + round.phases.length}`, store.current.token);
		if (!page?.phases.length) return;
		round.phases.push(...page.phases);
	}
}

// If another window of the same player has moved, the refusal carries the current state and the page retries the bet once. If the move was done and only
// its answer was lost, the engine says so as long as it knows the request (REMEMBERED moves); after that the page does not retry.
// While a move is under way there is no second one, however fast it is pressed.
async function play(store, request, from, again = true, free = false) {
	if (again && store.current.busy) return null;
	const gap = Math.max(0, store.current.nextBet - Date.now()); // so long the server keeps a bet waiting
	store.dispatch({ type: "busy", fresh: from === 0, free });
	store.hurried = false;
	const waiting = setTimeout(() => store.dispatch({ type: "silent", silent: { bet: from === 0 && !free } }), SILENT_MS + gap);
	const { expect, secret_hash: before, round: old } = store.current;
	try {
		const answer = await request();
		clearTimeout(waiting);
		const { round } = answer;
		await withPages(store, round);
		if (round && store.promises[round.round] === undefined && before) {
			store.promises[round.round] = before;
			keepPromise(store.current.player ?? session.get("player"), round.round, before);
		}
		// The bet closed the last round and that round drew Jackpot Cards: there are no new phases to show.
		if (!answer.bet_not_placed) await reveal(store, round, from);
		let news = answer.bet_not_placed ? { bad: false, text: t("bet-not-placed") } : gambleNews(from === 0 ? null : old, answer, answer.currency ?? store.current.currency);
		if (news && !answer.bet_not_placed) news = await showGuess(store, answer, news);
		store.dispatch({ type: "answer", answer, message: news, said: news ? "" : summary(store.current, answer) });
		const proof = await prove(store.promises[round?.round], round);
		if (proof) store.dispatch({ type: "proof", proof });
		return answer;
	} catch (error) {
		clearTimeout(waiting);
		if (!(error instanceof ApiError)) console.error(error);
		if (error.code === "already_done") return done(store, error);
		if (error.code === "reconnect_later") return rejoin(store, error.body.retry_s);
		failed(store, error);
		if (error.code !== "move_spent" || !again || from !== 0 || error.body.expect - expect > REMEMBERED) return null;
	}
	return play(store, request, from, false, free);
}

const spin = (store) => play(store, () => {
	const { expect, bet, token, autospin, game, autoplay } = store.current;
	const body = { game: game.id, expect, bet, nonce: randomHex(16) };
	if (autospin > 0 && autoplay?.id) body.autoplay = autoplay.id;
	return post("/v1/rounds", body, token);
}, 0);

// A bonus spin, at the bet that the operator set. RULE mystic-gem 7.1, 7.2
const bonusSpin = (store, { id }) => play(store, () => {
	const { expect, token, game } = store.current;
	return post("/v1/rounds", { game: game.id, expect, bonus_spin: id, nonce: randomHex(16) }, token);
}, 0, true, true);

const act = (store, action, choice) => {
	const { round, game } = store.current;
	const from = round?.cursor ?? 0;
	return play(store, () => {
		const { expect, token } = store.current;
		const body = { game: game.id, expect, action, cursor: from };
		if (choice !== undefined) body.choice = choice;
		return post(`/v1/rounds/${round.round}/actions`, body, token);
	}, from);
};

// A game that the player leaves pays the win that is open there. RULE mystic-gem 8.1
async function settle(store) {
	const { token, round, last } = store.current;
	if (token && !last && round?.next === "gamble") await act(store, "collect");
}

async function setting(store, change, quiet = false) {
	store.dispatch({ type: "busy", quiet });
	try {
		const { expect, token, game } = store.current;
		const answer = await post("/v1/settings", { game: game.id, expect, ...change }, token);
		store.dispatch({ type: "answer", answer });
		return answer;
	} catch (error) {
		if (error.code === "already_done") return done(store, error);
		if (error.code === "reconnect_later") await rejoin(store, error.body.retry_s);
		else failed(store, error);
		return null;
	}
}

// The page sends each spin; the server enforces count, limits and pauses. A feature, a refusal or a stop ends autospin.
async function autospin(store, settings) {
	if (store.current.busy) return;
	const started = await setting(store, { autoplay: { id: randomHex(16), ...settings } });
	if (!started) return;
	const { game, bet } = store.current;
	session.put("autospin", settings.spins);
	session.put("autobet", JSON.stringify({ game: game.id, bet }));
	await spinOn(store, settings.spins);
}

// Goes on with the spins that are left after a reload. RULE mystic-gem 5.4, RULE witch-feature 9.1
const resumeAutospin = (store) => spinOn(store, Math.max(Number(session.get("autospin")) || 0, store.current.autoplay.spins));

// What autospin waits for: cards, a jackpot and a reminder that the player has not closed. RULE mystic-gem 5.3
const interrupted = ({ claim, deck, jackpot, window }) => Boolean(claim || deck || jackpot || window === "session");

// A pause of autospin, over at once when it is stopped.
const rest = (store, ms) => store.current.autospin ? Promise.race([pause(ms), new Promise((resolve) => { store.stopped = resolve; })]) : null;

// Why autospin has ended, and what it played and won; a feature's win is not told before it has been seen.
function sumUp(store, { n, of, staked, won }) {
	const { autoplay, autoplay_stopped: why, message, round, currency } = store.current;
	const reason = !autoplay?.spins && has(`auto.ended.${why}`) ? t(`auto.ended.${why}`) : "";
	const sum = n && !isWatching(round) ? t("auto.sum", { n, of, staked: money(staked, currency), won: money(won, currency) }) : "";
	if ((reason || sum) && !message?.bad) store.dispatch({ type: "say", text: [reason, sum].filter(Boolean).join(" "), plain: true });
}

async function spinOn(store, total) {
	store.dispatch({ type: "autospin", spins: total });
	const played = { n: 0, of: total, staked: 0, won: 0 };
	for (;;) {
		const { autoplay, autospin: wanted } = store.current;
		if (!wanted || !autoplay?.spins) break;
		const answer = await spin(store);
		if (answer?.round && !answer.bet_not_placed) {
			played.n += 1;
			played.staked += answer.round.stake_minor;
			played.won += shownWin(store.current);
		}
		if (answer === AWAY && !isWatching(store.current.round)) continue;
		if (!answer || answer === AWAY || isWatching(answer.round)) break;
		await rest(store, store.current.nextBet - Date.now()); // the smallest time between two bets
		do await rest(store, store.current.fast ? 80 : shownWin(store.current) ? TOLD_MS : 300);
		while (store.current.autospin && interrupted(store.current));
	}
	sumUp(store, played);
	await stopAutospin(store);
}

async function stopAutospin(store) {
	store.dispatch({ type: "autospin", spins: 0 });
	session.drop("autospin", "autobet");
	const { token, autoplay } = store.current;
	if (token && autoplay?.spins) await setting(store, { autoplay: { ...autoplay, spins: 0 } }, true);
	store.dispatch({ type: "stopped" });
}

async function login(store) {
	if (store.current.busy) return;
	store.dispatch({ type: "busy" });
	try {
		const { left, game } = store.current;
		const { token, player } = await post("/v1/demo/sessions", left ? { player: Number(left.split("-")[1]) } : {});
		session.put("token", token);
		session.put("player", player);
		session.put("since", Date.now());
		const answer = await get(`/v1/state?game=${game.id}`, token).catch(later);
		store.dispatch({ type: "session", token, answer });
		if (answer.retry_s) await rejoin(store, answer.retry_s);
	} catch (error) {
		failed(store, error);
	}
}

// RULE bewitched 7.1, 7.2, RULE mona-lisa 6.1, 6.2: the player continues with a new session; an open round is kept. `idle`: by inactivity, else by a log-out
// elsewhere or at the end of its time.
function ended(store, idle = true) {
	session.drop("token");
	store.dispatch({ type: "ended", idle, player: store.current.player ?? session.get("player") });
}

// RULE bewitched 7.1: a session that the player ends is over at once.
async function logout(store, everywhere) {
	const { token } = store.current;
	session.drop("token", "player", "since", "reminded", "autospin", "autobet");
	store.dispatch({ type: "loggedOut" });
	await send(`/v1/logout${everywhere ? "?all=true" : ""}`, undefined, token).catch((error) => store.dispatch({ type: "failed", error }));
}

const failed = (store, error) => error.status === 401 ? ended(store, error.code === "session_idle") : store.dispatch({ type: "failed", error });

// A game that refuses the player for some seconds has no state yet.
function later(error) {
	if (error.code !== "reconnect_later") throw error;
	return { retry_s: error.body.retry_s };
}

// RULE bewitched 7.3, RULE mona-lisa 6.3: returns to the game after so many seconds, or more if it says so, and shows its state. The player repeats a
// move that was refused meanwhile; autoplay continues. 0: only checks whether the game takes the player.
function rejoin(store, seconds) {
	store.rejoining ??= comeBack(store, seconds).finally(() => { store.rejoining = null; });
	return store.rejoining;
}

async function comeBack(store, seconds) {
	const { token, game } = store.current;
	for (let left = seconds; ; ) {
		if (left > 0) {
			store.dispatch({ type: "away", until: Date.now() + 1000 * left });
			await pause(1000 * left);
		}
		try {
			const answer = await get(`/v1/state?game=${game.id}`, token).catch(later);
			left = answer.retry_s ?? 0;
			if (left > 0) continue;
			const { autospin: wanted } = store.current; // the player may have stopped it during the wait
			if (store.current.away) store.dispatch({ type: "game", game, answer });
			else if (!store.current.busy) store.dispatch({ type: "balance", minor: answer.balance_minor, seq: answer.balance_seq });
			if (wanted) store.dispatch({ type: "autospin", spins: wanted });
		} catch (error) {
			failed(store, error);
		}
		if (store.current.away) store.dispatch({ type: "away", until: 0 });
		return AWAY;
	}
}

// Forgets a token of an earlier visit that is no longer valid; `over`: of which session the player is told that it has ended.
async function stateOf(store, id) {
	const token = store.current.token ?? session.get("token");
	if (!token) return null;
	try {
		return { token, answer: await get(`/v1/state?game=${id}`, token).catch(later) };
	} catch (error) {
		if (error.status !== 401) throw error;
		session.drop("token");
		return { over: true, idle: error.code === "session_idle" };
	}
}

// What is left of autospin is played at the bet that it was started with; no round tells of it until the first spin.
function betOfAutospin(store) {
	const { game, autoplay } = store.current;
	const kept = JSON.parse(session.get("autobet") ?? "null");
	if (autoplay?.spins && kept?.game === game.id) store.dispatch({ type: "bet", bet: kept.bet });
}

// The game that the address names is asked for while the page still asks for everything else. Taken once: a definition may change.
const ahead = new Map(); // id -> promise of the game
function expect(_, id, art) {
	const game = get(`/v1/games/${id}`);
	ahead.set(id, game);
	art.then(() => loadSheet(id)).catch(() => {});
}

function definitionOf(id) {
	const game = ahead.get(id) ?? get(`/v1/games/${id}`);
	ahead.delete(id);
	return game;
}

// Tells whether the game is shown: not if the player asked for another one meanwhile.
async function open(store, id) {
	store.opening = id;
	try {
		const [game, found] = await Promise.all([definitionOf(id), stateOf(store, id)]);
		await loadWorld(game);
		if (store.opening !== id) return false;
		store.dispatch({ type: "game", game, answer: found?.answer });
		if (found?.over) ended(store, found.idle);
		else if (found && !store.current.token) store.dispatch({ type: "session", ...found });
		if (found?.answer?.player) session.put("player", found.answer.player);
		betOfAutospin(store);
		if (found?.answer?.retry_s) rejoin(store, found.answer.retry_s);
		return true;
	} catch (error) {
		if (store.opening === id) failed(store, error);
		return false;
	}
}

const MOVES = { spin, bonusSpin, act, settle, setting, autospin, resumeAutospin, stopAutospin, login, logout, expect, open, skip, ended, rejoin };

export function useGame() {
	const [state, show] = useState(START);
	const kept = useRef(null);
	kept.current ??= makeStore(show);
	const store = kept.current;
	const moves = Object.entries(MOVES).map(([name, move]) => [name, (...more) => move(store, ...more)]);
	return { state, latest: store, dispatch: store.dispatch, ...Object.fromEntries(moves) };
}
