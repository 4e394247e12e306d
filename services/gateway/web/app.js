// The player's page: starts, listens to live events, and shows the lobby or a game with its windows.
import { html, render, useEffect, useRef, useState } from "/vendor/htm-preact.js";
import { get } from "/api.js";
import { loadArt } from "/art.js";
import { CardRound, News, useCards } from "/cards.js";
import { AutoWindow, BetWindow, BuyWindow, WitchWindow } from "/controls.js";
import { watchCrashes } from "/crash.js";
import { Dialog, Question } from "/dialog.js";
import { listen } from "/events.js";
import { answerProver } from "/fairness/file.js";
import { useHost } from "/host.js";
import { session } from "/kept.js";
import { loadWords, t } from "/lang.js";
import { Late } from "/late.js";
import { launch } from "/launch.js";
import { Lobby } from "/lobby.js";
import { Menu } from "/menu.js";
import { BestPays, Proof, Winners } from "/panels.js";
import { useGame } from "/play.js";
import { LimitsWindow, SessionWindow, useReminder } from "/protect.js";
import { Course, Wins } from "/reels.js";
import { JackpotScene } from "/scenes.js";
import { Stage, leaveReason } from "/stage.js";
import { hides as hidesWin, isWatching, sceneOf } from "/state.js";

const BALANCE_SETTLES_MS = 400;
const SHOWN_WINNERS = 20;

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

// The public channels tell everybody of a jackpot, also its winner, whose own page has not shown it yet. What they say of the pools that the current game
// can win waits until nothing is hidden.
function usePublicNews({ state, latest, dispatch }) {
	const held = useRef({ pools: [], winners: [] });
	const hides = ({ pool }) => {
		const { busy, round, game } = latest.current;
		return (busy || isWatching(round)) && [game?.jackpot?.pool_number, game?.cards?.set_number].includes(pool);
	};
	const show = () => {
		const { pools, winners } = held.current;
		held.current = { pools: pools.filter(hides), winners: winners.filter(hides) };
		const open = pools.filter((pool) => !hides(pool));
		if (open.length) dispatch({ type: "pools", pools: mergePools(latest.current.pools, open) });
		for (const winner of winners.filter((one) => !hides(one))) {
			dispatch({ type: "winner", winner });
			dispatch({ type: "news", winner });
		}
	};
	useEffect(show, [state.busy, state.round?.next]);
	return ({ pools, ...event }) => {
		if (pools) held.current.pools = mergePools(held.current.pools, pools);
		if (event.type === "winner") held.current.winners = [...held.current.winners, event].slice(-SHOWN_WINNERS);
		show();
	};
}

function useEvents({ state, latest, dispatch, ended, rejoin }) {
	const feed = useRef(null);
	const tell = usePublicNews({ state, latest, dispatch });
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
				tell(event);
				if (event.type === "cards" && event.card_round.id === latest.current.deck?.round.id) dispatch({ type: "turned", round: event.card_round });
				if (event.type === "award") dispatch({ type: "award", award: event });
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

// ---- where the player is: the lobby at "/", a game at "#id"; a game that an operator's site opened has no other place ----

const hashed = (games) => games.find((game) => game.id === (launch?.game ?? location.hash.slice(1)))?.id ?? null;

const stay = (id) => history.replaceState(null, "", `${location.pathname}${location.search}${id ? `#${id}` : ""}`);

function useStart(app) {
	const { dispatch, latest, expect, open, settle } = app;
	useEffect(() => {
		(async () => {
			const [art, named] = [loadArt(), launch?.game ?? location.hash.slice(1)];
			if (/^[a-z0-9-]+$/.test(named)) expect(named, art);
			const token = session.get("token"); // of an earlier visit: the lobby shows at once what its player is offered; one that is no longer good shows when the game is opened
			const [config, { games }, jackpots, mine] = await Promise.all([get("/v1/config"), get("/v1/games"), get("/v1/jackpots"), token && !launch ? get("/v1/games", token).catch(() => null) : null, art]);
			dispatch({ type: "loaded", config, games, pools: jackpots.pools });
			if (mine) dispatch({ type: "offered", games: mine.games });
			if (launch && !hashed(games)) throw new Error(t("no-such-game", { game: launch.game }));
			dispatch({ type: "view", view: hashed(games) ? "game" : "lobby" });
			await open(hashed(games) ?? games[0]?.id);
			const [{ winners }, figures] = await Promise.all([get("/v1/winners?limit=10"), fetch("/figures.json").then((answer) => answer.ok ? answer.json() : [])]);
			dispatch({ type: "figures", figures });
			dispatch({ type: "winners", winners });
		})().catch((error) => dispatch({ type: "failed", error }));
		if (launch) return undefined;
		const moved = async () => {
			const { games, game, view, busy, claim, question } = latest.current;
			if (!game) return;
			if (view === "game" ? leaveReason(latest.current) || question : busy || claim) return stay(view === "game" ? game.id : "");
			const id = hashed(games);
			latest.opening = id;
			if (id !== game.id) await settle();
			if (latest.opening !== id) return;
			if (latest.current.claim) return stay(game.id); // the win that was collected brought Jackpot Cards
			// Until another game is there the lobby is shown: nothing can be bet on a game that is about to go.
			dispatch({ type: "view", view: id === game.id ? "game" : "lobby" });
			if (!id || id === game.id) return;
			if (await open(id)) dispatch({ type: "view", view: "game" });
			else if (latest.opening === id) stay("");
		};
		addEventListener("hashchange", moved);
		return () => removeEventListener("hashchange", moved);
	}, []);
	const { game, view } = app.state;
	useEffect(() => { document.title = view === "game" && game ? `${game.name} – Carillon` : "Carillon"; }, [game?.id, view]);
}

// What the player's operator offers may change: it is asked for each time that the lobby is shown to a player.
function useOffer({ state, dispatch }) {
	const { token, view, game } = state;
	useEffect(() => {
		if (token && game && view === "lobby") get("/v1/games", token).then(({ games }) => dispatch({ type: "offered", games }), () => {});
	}, [token, view, Boolean(game)]);
}

// ---- this round, winners: beside the stage where there is room, else a window ----

function RoundPanel({ app, chosen, choose }) {
	const { state, dispatch } = app;
	const { steps, at } = state;
	const hidden = hidesWin(state);
	return html`<section class="panel" aria-label=${t("this-round")}><h2>${t(state.last ? "last-round" : "this-round")}</h2>
		${steps.length ? html`<${Course} scene=${sceneOf(state)} steps=${hidden ? steps.slice(0, -1) : steps} at=${at} choose=${(i) => state.busy || dispatch({ type: "look", at: i })} />
		<${Wins} phase=${hidden ? null : steps[at]} currency=${state.currency} choose=${choose} chosen=${chosen} id="wins" />` : html`<p class="quiet">${t("round-steps")}</p>`}
		<${Proof} proof=${state.proof} round=${state.round} /></section>
		<${Winners} winners=${state.winners} pools=${state.pools} games=${state.games} />
		<${BestPays} state=${state} open=${() => dispatch({ type: "window", name: "rules" })} />`;
}

const useWide = () => {
	const query = matchMedia("(min-width: 1200px) and (min-height: 600px)");
	const [wide, set] = useState(query.matches);
	useEffect(() => {
		const changed = () => set(query.matches);
		query.addEventListener("change", changed);
		return () => query.removeEventListener("change", changed);
	}, []);
	return wide;
};

function Windows({ app, panel, wide, reminder }) {
	const { state, dispatch } = app;
	const close = () => dispatch({ type: "window", name: null });
	const currency = state.currency ?? "EUR";
	const shown = {
		bet: () => html`<${BetWindow} app=${app} close=${close} />`,
		buy: () => html`<${BuyWindow} app=${app} close=${close} />`,
		auto: () => html`<${AutoWindow} app=${app} close=${close} />`,
		witch: () => html`<${WitchWindow} app=${app} close=${close} />`,
		menu: () => html`<${Menu} app=${app} close=${close} />`,
		round: () => wide ? null : html`<${Dialog} id="roundwindow" title=${t("this-round")} close=${close}>${panel}<//>`,
		rules: () => html`<${Late} part="Help" app=${app} game=${state.game} bet=${state.bet} currency=${currency} figures=${state.figures} close=${close} />`,
		jackpots: () => html`<${Late} part="JackpotsWindow" state=${state} close=${close} />`,
		limits: () => html`<${LimitsWindow} app=${app} close=${close} />`,
		session: () => html`<${SessionWindow} app=${app} close=${close} logout=${app.logout} ...${reminder} />`,
		history: () => html`<${Late} part="History" games=${state.games} pools=${state.pools} currency=${currency} token=${state.token} player=${state.player} close=${close} />`,
	}[state.window];
	return html`${shown ? html`<div key=${state.window}>${shown()}</div>` : null}
		<${JackpotScene} state=${state} dispatch=${dispatch} />
		${state.question ? html`<${Question} question=${state.question} />` : null}`;
}

function App() {
	const app = useGame();
	const { state, dispatch } = app;
	const [chosen, choose] = useState(null);
	const wide = useWide();
	useStart(app);
	useOffer(app);
	useEvents(app);
	const cards = useCards(app);
	const reminder = useReminder(app);
	useHost(app);
	if (!state.game) return html`<p class="loading ${state.message ? "bad" : "quiet"}" id="message">${state.message?.text ?? t("loading")}</p>`;
	const panel = html`<${RoundPanel} app=${app} chosen=${chosen} choose=${choose} />`;
	return html`${state.view === "lobby" ? html`<${Lobby} app=${app} />` : html`<div class="room"><${Stage} app=${app} key=${state.game.id} chosen=${chosen} />${wide ? html`<aside>${panel}</aside>` : null}</div>`}
		${state.deck ? html`<${CardRound} app=${app} cards=${cards} key=${state.deck.round.id} />` : html`<${News} state=${state} dispatch=${dispatch} />`}
		<${Windows} app=${app} panel=${panel} wide=${wide} reminder=${reminder} />`;
}

watchCrashes("player");
answerProver();
await loadWords();
const place = document.getElementById("app");
place.replaceChildren();
render(html`<${App} />`, place);
