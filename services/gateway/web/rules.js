// The rules of one game on a page of their own: /rules/GAME/
import { html, render } from "/vendor/htm-preact.js";
import { get } from "/api.js";
import { loadArt, loadWorld } from "/art.js";
import { startBet } from "/game.js";
import { Rules } from "/help.js";
import { loadWords, named, t } from "/lang.js";

const id = location.pathname.split("/")[2];
const place = document.getElementById("app");

async function show() {
	const [game, figures] = await Promise.all([get(`/v1/games/${id}`), fetch("/figures.json").then((answer) => answer.ok ? answer.json() : []), loadWords(), loadArt()]);
	await loadWorld(game);
	document.title = t("h.rules-of", { game: named(game.name) });
	place.replaceChildren();
	render(html`<header><h1>${document.title}</h1><a class="button" href="/#${game.id}">${t("h.back")}</a></header><${Rules} game=${game} bet=${startBet(game, "EUR")} currency="EUR" figures=${figures} />`, place);
}

show().catch((error) => { place.textContent = error.message; });
