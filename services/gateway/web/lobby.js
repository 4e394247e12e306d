// The lobby: a tile for each game with its jackpot, how wildly it pays, and its return.
import { html, useEffect } from "/vendor/htm-preact.js";
import { world } from "/art.js";
import { digits, money } from "/format.js";
import { currencyRefusal } from "/game.js";
import { Icon } from "/icons.js";
import { named, t } from "/lang.js";
import { Feed } from "/menu.js";
import { isFocusLost } from "/focus.js";

const LEVELS = [[6, "low"], [10, "medium"], [16, "high"], [Infinity, "very-high"]]; // below this volatility index

function volatilityOf(game, figures) {
	const index = Number(figures.find((one) => one.math_version === game.math_version)?.modes?.[0]?.volatility_index);
	return index > 0 ? LEVELS.find(([below]) => index < below)[1] : null;
}

const returnOf = (game) => [...new Set(game.modes.flatMap((mode) => mode.published_rtp.map((rtp) => rtp.percent)))].sort().filter((_, i, all) => i === 0 || i === all.length - 1).map(digits).join("–");

// The largest amount that the game's progressive shows in the player's currency.
function jackpotOf(game, pools, currency) {
	const rows = pools.find((pool) => pool.id === game.pool)?.rows?.filter((row) => row.currency === currency) ?? [];
	return rows.reduce((most, row) => most && most.value_minor >= row.value_minor ? most : row, null);
}

function Tile({ game, state }) {
	const { tile } = world(game.id);
	const jackpot = jackpotOf(game, state.pools, state.currency ?? "EUR");
	const volatility = volatilityOf(game, state.figures);
	const percent = returnOf(game);
	const closed = state.token ? currencyRefusal(game, state.currency) : null;
	return html`<a class="gametile" href="#${game.id}" data-game=${game.id}><span class="tileart tileart-${game.number % 6}">${tile ? html`<img src=${tile} alt="" loading="lazy" />` : html`<span aria-hidden="true">${named(game.name).charAt(0)}</span>`}</span>
		<span class="tilefoot"><b class="tilename">${named(game.name)}</b>
		${jackpot ? html`<span class="tilejackpot">${t("jackpot-up-to")} <b class="gold">${money(jackpot.value_minor, jackpot.currency)}</b></span>` : null}
		${closed ? html`<span class="warn tileclosed">${closed}</span>` : null}<span class="quiet">${percent ? t("rtp", { percent }) : t("rtp-demo")}${volatility ? ` · ${t("volatility", { level: t(`volatility.${volatility}`) })}` : ""}</span></span></a>`;
}

// All games, or for a player those that their operator offers. A game that is open stays: its round can be finished.
const tilesOf = ({ games, offered, token, game, round }) => token && offered ? games.filter(({ id }) => offered.includes(id) || (id === game?.id && ["pick", "next", "gamble"].includes(round?.next))) : games;

export function Lobby({ app }) {
	const { state, dispatch } = app;
	useEffect(() => { // who comes from a game goes on at its tile
		const timer = setTimeout(() => { if (isFocusLost()) document.querySelector(`.gametile[data-game="${state.game.id}"]`)?.focus({ preventScroll: true }); });
		return () => clearTimeout(timer);
	}, []);
	return html`<div class="lobby" id="lobby"><img class="backdrop" src=${world("house").background} alt="" /><header><h1>Carillon</h1>${state.config.kind === "live" ? null : html`<span class="kind" id="kind">${t("play-money")}</span>`}<span class="spacer"></span>
		<${Feed} feed=${state.feed} />
		${state.token ? html`<span class="quiet" id="player" title=${state.player}>${state.player}</span><b>${money(state.balance_minor, state.currency)}</b>` : state.config.kind === "live" ? null : html`<button class="main" id="login" onClick=${app.login}>${state.left ? t("continue-as", { player: state.left }) : t("login")}</button>`}
		<button type="button" id="menu" class="icon" aria-label=${t("menu")} onClick=${() => dispatch({ type: "window", name: "menu" })}><${Icon} name="menu" /></button></header>
		${state.message ? html`<p class=${state.message.bad ? "bad" : "good"} id="message">${state.message.text}</p>` : null}
		<nav class="gametiles" id="games" aria-label=${t("games")}>${tilesOf(state).map((game) => html`<${Tile} key=${game.id} game=${game} state=${state} />`)}</nav>
		<footer class="quiet"><b class="age">${t("age")}</b> ${t(state.config.kind === "live" ? "age.live" : "age.demo")} ${state.token ? html`<button type="button" class="small" id="lobby-limits" onClick=${() => dispatch({ type: "window", name: "limits" })}>${t("limits")}</button>` : null}</footer></div>`;
}
