// The player's page: game list, live jackpots and winners, the demo player's session, and play.
import { html, render, useEffect, useRef, useState } from "/vendor/htm-preact.js";
import { get } from "/api.js";
import { loadArt } from "/art.js";
import { CardRound, News, useCards } from "/cards.js";
import { Controls, Gamble, Vials } from "/controls.js";
import { listen } from "/events.js";
import { money } from "/format.js";
import { Help } from "/help.js";
import { History, Jackpots, Potions, Winners } from "/panels.js";
import { useGame, useSpaceBar } from "/play.js";
import { Course, Screen } from "/reels.js";
import { isWatching, sceneOf, shownMoney, shownWin } from "/state.js";

const BALANCE_SETTLES_MS = 400;

// Counters arrive as a snapshot and then as changes; only a later version replaces a row.
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

function useEvents({ state, latest, dispatch, ended, rejoin }) {
	const feed = useRef(null);
	useEffect(() => {
		if (!state.config) return undefined;
		// The event of a move may arrive before the page has shown the move's answer, or long after. It waits for the page; the reducer ignores an old
		// one.
		let news = null;
		let timer = null;
		const settle = () => {
			timer = latest.current.busy ? setTimeout(settle, BALANCE_SETTLES_MS) : null;
			if (!timer) dispatch({ type: "balance", minor: news.balance_minor, seq: news.seq, epoch: Number(news.epoch) });
		};
		const channels = state.token ? ["jackpots", "winners", "player"] : ["jackpots", "winners"];
		const listening = listen(state.config.events_url, {
			channels,
			token: state.token,
			onState: (text) => dispatch({ type: "feed", text }),
			onBack: () => { if (latest.current.token && !latest.current.busy) rejoin(0); },
			onIdle: ended,
			onEvent: (event) => {
				if (event.pools) dispatch({ type: "pools", pools: mergePools(latest.current.pools, event.pools) });
				if (event.type === "winner") {
					dispatch({ type: "winner", winner: event });
					dispatch({ type: "news", winner: event });
				}
				if (event.type === "cards" && event.card_round.id === latest.current.deck?.round.id) dispatch({ type: "turned", round: event.card_round });
				if (event.type === "balance") {
					news = event;
					timer ??= setTimeout(settle, BALANCE_SETTLES_MS);
				}
			},
		});
		feed.current = listening;
		listening.play(latest.current.game?.id);
		return () => {
			clearTimeout(timer);
			listening.close();
		};
	}, [state.config, state.token]);
	useEffect(() => { if (state.game) feed.current?.play(state.game.id); }, [state.game?.id]);
}

function Clock() {
	const [now, tick] = useState(new Date());
	useEffect(() => {
		const timer = setInterval(() => tick(new Date()), 5000);
		return () => clearInterval(timer);
	}, []);
	return html`<b>${now.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false })}</b>`;
}

// RULE mystery-elves 1.3, RULE mystic-gem 1.7, RULE witch-feature 9.4; RULE bewitched 2.9, RULE mona-lisa 2.7: where the player chooses lines and coins,
// small screens show amounts in coins too.
function Meters({ state }) {
	const { round, currency, spinning, revealing, game, bet } = state;
	const chosen = game.lines_min !== game.lines_max || game.coins_min !== game.coins_max;
	const coins = (minor) => chosen && bet.coin_minor && minor !== undefined ? html`<small class="coins"> · ${Math.floor(minor / bet.coin_minor)} coins</small>` : null;
	const win = shownWin(state);
	const { balance, pending } = shownMoney(state);
	return html`<div class="meters">
		<div><span>Balance${coins(balance)}</span><b id="balance">${money(balance, currency)}</b></div>
		<div><span>Win${coins(win)}</span><b id="win" class=${win > 0 ? "gold" : ""}>${money(win, currency)}</b></div>
		<div><span>Pending</span><b id="pending">${money(pending, currency)}</b></div>
		<div><span>Round</span><b id="round">${spinning ? "…" : (revealing ? state.shownRound : round?.round) ?? "–"}</b></div>
		<div><span>Time</span><${Clock} /></div>
	</div>`;
}

function Proof({ proof, round }) {
	const drawn = round?.cards?.draw;
	if (!proof) return html`<p class="quiet digest">The game shows the hash of each round's secret before your nonce is sent, and the secret when the round has closed.</p>`;
	return html`<p class="digest" id="proof"><span class=${proof.ok ? "good" : "bad"}>${proof.ok ? "✓" : "✗"} round ${proof.round}</span>
		<span class="quiet"> secret ${proof.ok ? "matches" : "does not match"} ${proof.promised}</span>
		${drawn && round.round === proof.round ? html`<span class="quiet"> · drew ${drawn.value} of ${drawn.below} for Jackpot Cards, which start below ${round.cards.threshold}</span>` : null}</p>`;
}

// RULE bewitched 7.3, RULE mona-lisa 6.3: after a lost connection the game waits for some seconds; this is the countdown.
function Away({ until }) {
	const left = () => Math.max(0, Math.ceil((until - Date.now()) / 1000));
	const [seconds, tick] = useState(left());
	useEffect(() => {
		const timer = setInterval(() => tick(left()), 250);
		return () => clearInterval(timer);
	}, [until]);
	return html`<div class="message" role="timer" id="away"><span class="bad">The connection was lost. This game continues where it was in <b>${seconds}</b> s.</span></div>`;
}

// The current message or question, always in the same place: a refusal, an event, the gamble.
function Say({ app }) {
	const { state, dispatch } = app;
	const { message, game, round } = state;
	const smallest = () => dispatch({ type: "bet", bet: { coin_minor: game.currencies.find((c) => c.currency === state.currency).coins_minor[0], lines: game.lines_min, coins: game.coins_min, mode: game.modes[0].id } });
	if (state.away) return html`<div class="say ${game.gamble ? "" : "brief"}"><${Away} until=${state.away} /></div>`;
	return html`<div class="say ${game.gamble ? "" : "brief"}"><div class="message" role="status" id="message">${message ? html`<span class=${message.bad ? "bad" : "good"}>${message.text}</span>` : null}
		${message?.smallest ? html` <button id="smallest" onClick=${smallest}>Set the smallest bet</button>` : null}
		${state.left ? html` <button class="main" id="continue" disabled=${state.busy} onClick=${app.login}>Continue as ${state.left}</button>` : null}</div>
		${round?.next === "gamble" && !state.spinning && !state.revealing && game.gamble ? html`<${Gamble} state=${state} act=${app.act} />` : null}</div>`;
}

// RULE bewitched 8.6, RULE mona-lisa 7.6, RULE mystic-gem 8.7: Escape leaves full screen.
const fullScreen = () => document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen().catch(() => {});

// RULE bewitched 8.3, RULE mona-lisa 7.3, RULE witch-feature 9.3: the page has no sound and so no switch for it.
// RULE witch-feature 9.2, 9.5, 9.6: fast play, rules, bet, steps of the round and history are on the page itself, without a menu.
function Play({ app }) {
	const { state, dispatch } = app;
	const { round, game, steps, at } = state;
	const [help, setHelp] = useState(false);
	return html`<section class="panel play" id="play" aria-label=${game.name} data-game=${game.id} data-state=${state.busy ? "busy" : "ready"} data-speed=${state.fast ? "fast" : "normal"}>
		<div class="head"><h2>${game.name}</h2><span class="spacer"></span>
			<button id="fast" aria-pressed=${state.fast} onClick=${() => dispatch({ type: "fast" })}>Fast: ${state.fast ? "on" : "off"}</button>
			<button id="full" onClick=${fullScreen}>Full screen</button>
			<button id="rules" onClick=${() => setHelp(true)}>Rules</button></div>
		<${Meters} state=${state} />
		<${Potions} state=${state} />
		<${Screen} scene=${sceneOf(state)} phase=${steps[at]} spinning=${state.spinning}>${round?.next === "pick" && !state.revealing
			? html`<${Vials} game=${game} round=${round} busy=${state.busy} pick=${(i) => app.act("pick", i)} />` : null}<//>
		<${Say} app=${app} />
		<${Controls} app=${app} />
		<${Proof} proof=${state.proof} round=${round} />
		<p class="unseen" role="status" id="said">${state.said}</p>
		${help ? html`<${Help} app=${app} game=${game} bet=${state.bet} currency=${state.currency ?? "EUR"} figures=${state.figures} close=${() => setHelp(false)} />` : null}
	</section>`;
}

// RULE bewitched 8.6, RULE mona-lisa 7.6: the player leaves by choosing another game. RULE mystic-gem 8.2: not while the reels spin, during a gamble or in a feature.
function Games({ state }) {
	const { round } = state;
	const locked = state.busy || state.autospin > 0 || state.claim || (state.token && (isWatching(round) || (round?.next === "gamble" && round.gambles?.length > 0)));
	const nav = useRef(null);
	// On a phone not all names fit: scroll the current game into view.
	useEffect(() => {
		const mine = nav.current.querySelector("[aria-current]");
		if (mine) nav.current.scrollLeft = mine.offsetLeft - nav.current.offsetLeft - 40;
	}, [state.game.id]);
	return html`<nav class="games" id="games" aria-label="Games" ref=${nav}>${state.games.map((game) => html`<a key=${game.id} href=${locked ? undefined : `#${game.id}`} aria-current=${game.id === state.game.id ? "page" : undefined} data-game=${game.id}>${game.name}</a>`)}</nav>`;
}

const wanted = (games) => games.find((game) => game.id === location.hash.slice(1))?.id ?? games[0]?.id;

function useStart(app) {
	const { dispatch, latest, open } = app;
	useEffect(() => {
		(async () => {
			const [config, { games }, jackpots, winners, figures] = await Promise.all([get("/v1/config"), get("/v1/games"), get("/v1/jackpots"), get("/v1/winners?limit=10"),
				fetch("/figures.json").then((answer) => answer.ok ? answer.json() : []), loadArt()]);
			dispatch({ type: "loaded", config, games, pools: jackpots.pools, figures });
			for (const winner of [...winners.winners].reverse()) dispatch({ type: "winner", winner });
			await open(wanted(games));
		})().catch((error) => dispatch({ type: "failed", error }));
		const moved = () => {
			const id = wanted(latest.current.games);
			if (id && id !== latest.current.game?.id && !latest.current.busy && !latest.current.claim) open(id);
		};
		addEventListener("hashchange", moved);
		return () => removeEventListener("hashchange", moved);
	}, []);
}

function App() {
	const app = useGame();
	const { state, dispatch } = app;
	useStart(app);
	useEvents(app);
	useSpaceBar(app);
	const cards = useCards(app);
	useEffect(() => { if (state.token) app.loadHistory().catch(() => {}); }, [state.token]);

	if (!state.game) return html`<p class=${state.message ? "bad" : "quiet"} id="message">${state.message?.text ?? "Loading …"}</p>`;
	const demo = state.config.kind !== "live";
	return html`
		<header>
			<h1>Carillon <small>networked jackpots</small></h1>
			${demo ? html`<span class="banner" id="demo">Demo: play money${state.game.demo ? ", and a demo version of the game with more jackpots" : ""}</span>` : null}
			<span class="spacer"></span>
			<span class="quiet" id="feed">${state.feed}</span>
			${state.token ? html`<span id="player">${state.player}</span>` : html`<button class="main" id="login" disabled=${state.busy} onClick=${app.login}>${state.left ? `Continue as ${state.left}` : "Play as a demo player"}</button>`}
		</header>
		<${Games} state=${state} />
		<${Jackpots} pools=${state.pools} game=${state.game} currency=${state.currency ?? "EUR"} coin=${state.bet.coin_minor} />
		<${News} state=${state} dispatch=${dispatch} />
		${state.deck ? html`<${CardRound} app=${app} cards=${cards} key=${state.deck.round.id} />` : null}
		<div class="columns">
			<${Play} app=${app} key=${state.game.id} />
			<div class="side"><section class="panel" aria-label="Course of the round"><h2>This round</h2>${state.steps.length ? html`<${Course} scene=${sceneOf(state)} steps=${state.steps} at=${state.at} choose=${(at) => state.busy || dispatch({ type: "look", at })} />`
				: html`<p class="quiet">This list shows each step of a round. Select a step to see it again.</p>`}</section>
			<${Winners} winners=${state.winners} pools=${state.pools} games=${state.games} /></div>
		</div>
		${state.history ? html`<${History} rounds=${state.history} games=${state.games} currency=${state.currency} token=${state.token} />` : null}`;
}

const place = document.getElementById("app");
place.replaceChildren();
render(html`<${App} />`, place);
