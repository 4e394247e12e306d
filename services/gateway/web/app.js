// The player's page: live jackpots and winners, a demo player's session, and Bewitched.
import { html, render, useEffect, useRef, useState } from "/vendor/htm-preact.js";
import { ApiError, bytesOf, get, hex, post, randomHex } from "/api.js";
import { listen } from "/events.js";
import { money } from "/format.js";
import { Controls, Gamble, Vials } from "/controls.js";
import { Reels } from "/reels.js";
import { History, Jackpots, Winners } from "/panels.js";

const GAME = "bewitched";
const PHASE_MS = 420;
const REMEMBERED = 16; // moves for which a request is known by its key
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// What every answer about play carries, however the round stands.
function withAnswer(state, answer) {
	const next = { ...state, busy: false };
	for (const field of ["player", "currency", "balance_minor", "pending_minor", "expect", "secret_hash", "witch", "autoplay"])
		if (answer[field] !== undefined) next[field] = answer[field];
	if (answer.round !== undefined) next.round = answer.round;
	return next;
}

// With too little money for a bet comes what the smallest one is.
function saying(error, currency) {
	const smallest = error.body?.smallest_bet_minor;
	return smallest ? `${error.message} The smallest bet is ${money(smallest, currency)}.` : error.message;
}

function reduce(state, action) {
	switch (action.type) {
	case "loaded":
		return { ...state, config: action.config, game: action.game, pools: action.pools };
	case "session":
		return withAnswer({ ...state, token: action.token, message: null }, action.answer);
	case "busy":
		return { ...state, busy: true, message: null, phase: action.phase ?? state.phase };
	case "answer":
		return withAnswer({ ...state, message: action.message ?? state.message }, action.answer);
	case "phase":
		return { ...state, phase: action.phase };
	case "failed":
		return withAnswer({ ...state, message: { bad: true, text: saying(action.error, state.currency) } }, action.error.body ?? {});
	case "proof":
		return { ...state, proof: action.proof };
	case "bet":
		return { ...state, bet: { ...state.bet, ...action.bet } };
	case "pools":
		return { ...state, pools: action.pools };
	case "winner":
		return { ...state, winners: [action.winner, ...state.winners.filter((w) => w.hit !== action.winner.hit || w.pool !== action.winner.pool)].slice(0, 20) };
	case "feed":
		return { ...state, feed: action.text };
	case "autospin":
		return { ...state, autospin: action.spins };
	case "history":
		return { ...state, history: action.rounds };
	default:
		throw new Error(`unknown action ${action.type}`);
	}
}

const START = {
	config: null, game: null, pools: [], winners: [], history: null, token: null, busy: false, round: null, phase: null, message: null, proof: null,
	feed: "connecting", autospin: 0, bet: { coin_minor: null, lines: 15, coins: 1 },
};

// The secret of a closed round must hash to what was promised before its nonce was sent.
async function prove(promised, round) {
	if (!round?.closed || !round.secret || !promised) return null;
	const digest = hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytesOf(round.secret))));
	return { round: round.round, ok: digest === promised, promised };
}

function useGame() {
	const [state, show] = useState(START);
	// What has been dispatched counts at once, also for what goes on between two renderings.
	const latest = useRef(START);
	const dispatch = (action) => {
		latest.current = reduce(latest.current, action);
		show(latest.current);
	};
	const promises = useRef({}); // round -> hash given before it

	async function loadHistory() {
		const { token } = latest.current;
		if (token) dispatch({ type: "history", rounds: (await get("/v1/rounds?limit=15", token)).rounds });
	}

	async function showPhases(round, from) {
		for (const phase of (round?.phases ?? []).filter((p) => p.index >= from)) {
			dispatch({ type: "phase", phase });
			await pause(PHASE_MS);
		}
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
		dispatch({ type: "busy" });
		const { expect, secret_hash: before } = latest.current;
		try {
			const answer = await request();
			const { round } = answer;
			if (round && promises.current[round.round] === undefined && before) promises.current[round.round] = before;
			await showPhases(round, from);
			dispatch({ type: "answer", answer });
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
		const { expect, bet, token, autospin } = latest.current;
		const body = { game: GAME, expect, bet, nonce: randomHex(16) };
		if (autospin > 0 && latest.current.autoplay?.id) body.autoplay = latest.current.autoplay.id;
		return post("/v1/rounds", body, token);
	}, 0);

	const act = (action, choice) => {
		const { round } = latest.current;
		const from = round?.cursor ?? 0;
		return play(() => {
			const { expect, token } = latest.current;
			const body = { game: GAME, expect, action, cursor: from };
			if (choice !== undefined) body.choice = choice;
			return post(`/v1/rounds/${round.round}/actions`, body, token);
		}, from);
	};

	async function setting(change) {
		dispatch({ type: "busy" });
		try {
			const { expect, token } = latest.current;
			const answer = await post("/v1/settings", { game: GAME, expect, ...change }, token);
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
			if (!answer || ["pick", "next"].includes(answer.round?.next)) break;
			await pause(400);
		}
		dispatch({ type: "autospin", spins: 0 });
		if (latest.current.autoplay?.spins) await setting({ autoplay: { ...latest.current.autoplay, spins: 0 } });
	}

	// An unfinished round is shown where its player left it.
	function enter(token, answer) {
		dispatch({ type: "session", token, answer });
		const last = answer.round?.phases?.at(-1);
		if (last) dispatch({ type: "phase", phase: last });
	}

	async function login() {
		dispatch({ type: "busy" });
		try {
			const answer = await post("/v1/demo/sessions", {});
			sessionStorage.setItem("token", answer.token);
			const state = await get(`/v1/state?game=${GAME}`, answer.token);
			enter(answer.token, state);
		} catch (error) {
			dispatch({ type: "failed", error });
		}
	}

	async function restore(token) {
		try {
			enter(token, await get(`/v1/state?game=${GAME}`, token));
		} catch {
			sessionStorage.removeItem("token");
		}
	}

	return { state, dispatch, latest, spin, act, setting, autospin, login, restore, loadHistory };
}

// Counters arrive as a snapshot and then as changes; a row is replaced only by a later version of itself.
export function mergePools(old, fresh) {
	const known = new Map(old.map((pool) => [pool.pool, pool]));
	for (const pool of fresh) {
		const before = known.get(pool.pool);
		const rows = new Map((before?.rows ?? []).map((row) => [`${row.currency}:${row.coin_minor}:${row.level}`, row]));
		for (const row of pool.rows ?? []) {
			const key = `${row.currency}:${row.coin_minor}:${row.level}`;
			if ((rows.get(key)?.version ?? 0) <= row.version) rows.set(key, row);
		}
		known.set(pool.pool, { ...before, ...pool, rows: [...rows.values()] });
	}
	return [...known.values()].sort((a, b) => a.pool - b.pool);
}

function useEvents({ state, latest, dispatch }) {
	useEffect(() => {
		if (!state.config) return undefined;
		const channels = state.token ? ["jackpots", "winners", "player"] : ["jackpots", "winners"];
		return listen(state.config.events_url, {
			channels,
			token: state.token,
			onState: (text) => dispatch({ type: "feed", text }),
			onEvent: (event) => {
				if (event.pools) dispatch({ type: "pools", pools: mergePools(latest.current.pools, event.pools) });
				if (event.type === "winner") dispatch({ type: "winner", winner: event });
				if (event.type === "balance" && !latest.current.busy)
					dispatch({ type: "answer", answer: { balance_minor: event.balance_minor } });
			},
		});
	}, [state.config, state.token]);
}

function Meters({ state }) {
	const { round, currency } = state;
	const win = (round?.win_minor ?? 0) + (round?.jackpots ?? []).reduce((sum, jackpot) => sum + jackpot.paid_minor, 0);
	return html`<div class="meters">
		<div><span>Balance</span><b id="balance">${money(state.balance_minor, currency)}</b></div>
		<div><span>Win</span><b id="win" class=${win > 0 ? "gold" : ""}>${money(win, currency)}</b></div>
		<div><span>Waiting</span><b id="pending">${money(state.pending_minor ?? 0, currency)}</b></div>
		<div><span>Round</span><b id="round">${round?.round ?? "–"}</b></div>
	</div>`;
}

function Proof({ proof }) {
	if (!proof) return html`<p class="quiet digest">Each round's secret is promised by its hash before your nonce is sent, and shown when the round has closed.</p>`;
	return html`<p class="digest" id="proof"><span class=${proof.ok ? "good" : "bad"}>${proof.ok ? "✓" : "✗"} round ${proof.round}</span>
		<span class="quiet"> secret ${proof.ok ? "matches" : "does not match"} ${proof.promised}</span></p>`;
}

function Play({ app }) {
	const { state } = app;
	const { round } = state;
	const revealing = state.busy && state.phase && round && state.phase.index >= round.cursor; // the answer to the last pick is being shown
	return html`<section class="panel" aria-label="Bewitched">
		<h2>${state.game.name ?? "Bewitched"}</h2>
		<${Meters} state=${state} />
		<${Reels} game=${state.game} phase=${state.phase} currency=${state.currency} />
		<div class="message" role="status" id="message">${state.message ? html`<span class=${state.message.bad ? "bad" : "good"}>${state.message.text}</span>` : null}</div>
		${round?.next === "pick" && !revealing ? html`<${Vials} game=${state.game} round=${round} busy=${state.busy} pick=${(i) => app.act("pick", i)} />` : null}
		${round?.next === "gamble" ? html`<${Gamble} round=${round} currency=${state.currency} busy=${state.busy} act=${app.act} />` : null}
		<${Controls} app=${app} />
		<${Proof} proof=${state.proof} />
	</section>`;
}

function App() {
	const app = useGame();
	const { state, dispatch } = app;
	useEffect(() => {
		(async () => {
			const [config, game, jackpots, winners] = await Promise.all([get("/v1/config"), get(`/v1/games/${GAME}`), get("/v1/jackpots"), get("/v1/winners?limit=10")]);
			dispatch({ type: "loaded", config, game, pools: jackpots.pools });
			for (const winner of [...winners.winners].reverse()) dispatch({ type: "winner", winner });
			const coins = game.currencies.find((c) => c.currency === "EUR")?.coins_minor ?? game.currencies[0].coins_minor;
			dispatch({ type: "bet", bet: { coin_minor: coins[0], lines: game.lines_max, coins: 1 } });
			const token = sessionStorage.getItem("token");
			if (token) await app.restore(token);
		})().catch((error) => dispatch({ type: "failed", error }));
	}, []);
	useEvents(app);
	useEffect(() => { if (state.token) app.loadHistory().catch(() => {}); }, [state.token]);

	if (!state.game) return html`<p class=${state.message ? "bad" : "quiet"} id="message">${state.message?.text ?? "Loading …"}</p>`;
	const demo = state.config.kind !== "live";
	return html`
		<header>
			<h1>Carillon <small>networked jackpots</small></h1>
			${demo ? html`<span class="banner" id="demo">Demo: play money, and a demo definition with more jackpots than the real one</span>` : null}
			<span class="spacer"></span>
			<span class="quiet" id="feed">${state.feed}</span>
			${state.token ? html`<span id="player">${state.player}</span>` : html`<button class="main" id="login" disabled=${state.busy} onClick=${app.login}>Play as a demo player</button>`}
		</header>
		<${Jackpots} pools=${state.pools} currency=${state.currency ?? "EUR"} coin=${state.bet.coin_minor} />
		<div class="columns">
			<div>
				${state.token ? html`<${Play} app=${app} />` : html`<section class="panel"><h2>${state.game.name}</h2><${Reels} game=${state.game} phase=${null} /><p class="quiet" id="message">${state.message?.text ?? "Log in to spin."}</p></section>`}
				${state.history ? html`<${History} rounds=${state.history} currency=${state.currency} token=${state.token} />` : null}
			</div>
			<${Winners} winners=${state.winners} />
		</div>`;
}

const place = document.getElementById("app");
place.replaceChildren();
render(html`<${App} />`, place);
