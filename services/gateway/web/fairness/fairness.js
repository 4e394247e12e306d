// The fairness page: a player proves a round in their own browser. A round comes from the history (/fairness/#round=17, with the player's session) or from a
// file that this page has saved; a file needs no network.
import { html, render, useEffect, useRef, useState } from "/vendor/htm-preact.js";
import { cardName, money } from "/format.js";
import { loadMore, loadWords, named, t } from "/lang.js";
import { fileOf } from "/fairness/file.js";
import { openModule } from "/fairness/module.js";
import { meaningWords, valueWords, whereWords } from "/fairness/words.js";

const CHECKS = ["definition", "secret", "result", "screens", "amounts", "gambles", "cards"];
let module = null; // a program that could not be loaded is asked for again by the next check
const loaded = () => module ??= fetch("/fairness/fairness.wasm").then((answer) => {
	if (!answer.ok) throw new Error(answer.status);
	return WebAssembly.compileStreaming(answer);
}).catch(() => {
	module = null;
	throw new Error(t("fair.no-module"));
});

async function check(text) {
	const { report, error } = (await openModule(await loaded()))(text);
	if (error) throw new Error(t("fair.cannot", { why: error }));
	const file = JSON.parse(text);
	return { text, report: JSON.parse(report), round: file.answer?.round ?? null, currency: file.answer?.currency ?? file.bet?.currency, definition: file.definition, promised: file.promised };
}

function save({ text, report, round }) {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
	link.download = `${report.game}-${round?.round ?? "round"}.json`;
	link.click();
	URL.revokeObjectURL(link.href);
}

// ---- what is shown ----

const MARKS = { agrees: "✓", differs: "✗", missing: "–", none: "–" };

function Step({ what, state, children }) {
	return html`<li class="fairstep ${state}" data-check=${what} data-state=${state}><span class="mark" aria-hidden="true">${MARKS[state]}</span><div>
		<h2>${t(`fair.${what}`)} <span class="state">${t(`fair.state.${state}`)}</span></h2>${children}</div></li>`;
}

// A member of the round, in its place: /phases/0/wins/1/amount_minor.
function Difference({ check: { where, found, expected }, currency }) {
	if (where === undefined) return null;
	return html`<dl class="difference"><dt>${t("fair.where")}</dt><dd>${whereWords(where)} <code class="quiet">${where}</code></dd><dt>${t("fair.found")}</dt><dd>${valueWords(where, found, currency)}</dd><dt>${t("fair.expected")}</dt><dd>${valueWords(where, expected, currency)}</dd></dl>`;
}

const bytesOf = (hex) => (hex.match(/../g) ?? []).map((pair) => parseInt(pair, 16));

function Window({ phase, definition }) {
	const { reels, rows } = definition.grid;
	const symbols = bytesOf(phase.window).map((index) => named(definition.symbols[index].name));
	return html`<table class="fairwindow"><tbody>${Array.from({ length: rows }, (_, row) => html`<tr>${Array.from({ length: reels }, (__, reel) => html`<td>${symbols[reel * rows + row]}</td>`)}</tr>`)}</tbody></table>`;
}

function Phase({ phase, definition, currency }) {
	return html`<details class="fairphase"><summary>${phase.index + 1}. ${t(`fair.kind.${phase.kind}`)} <span class="quiet">${phase.win_minor ? money(phase.win_minor, currency) : t("fair.nothing-won")}${phase.claim_index ? ` · ${t("fair.jackpot")}` : ""}</span></summary>
		<${Window} phase=${phase} definition=${definition} />
		${phase.wins.length ? html`<ul>${phase.wins.map((win) => html`<li>${t("fair.win", { name: named(win.name), n: win.count })}${win.line ? ` ${t("fair.on-line", { line: win.line })}` : ""}: ${money(win.amount_minor, currency)}</li>`)}</ul>` : null}
		<table class="draws"><caption>${t("fair.draws")}</caption><thead><tr><th>${t("fair.drawn-for")}</th><th class="number">${t("fair.value")}</th><th class="number">${t("fair.below")}</th></tr></thead>
			<tbody>${phase.draws.map((draw) => html`<tr><td>${meaningWords(draw.meaning)}</td><td class="number">${draw.value}</td><td class="number">${draw.below}</td></tr>`)}</tbody></table></details>`;
}

const SHOWN = 100;

function Steps({ found }) {
	const { report, round, currency, definition, promised } = found;
	const of = Object.fromEntries(report.checks.map((one) => [one.what, one]));
	const more = {
		definition: html`<p>${t("fair.definition-words", { name: named(definition?.name ?? report.game), version: definition?.version ?? "" })}</p><p class="digest">${report.math_version}</p>`,
		secret: html`<p>${t(promised ? "fair.secret-words" : "fair.secret-unknown")}</p><p class="digest">${t("fair.promised")}: ${promised ?? "?"}<br />${t("fair.secret-hash")}: ${report.secret_hash}<br />${t("fair.secret-is")}: ${round?.secret}</p>
			<h3>${t("fair.sent")}</h3><p>${t("fair.sent-words")}</p><p class="digest">${report.nonce}</p>`,
		result: html`<p>${t("fair.result-words")}</p><p class="digest">${report.digest}</p>`,
		screens: html`<p>${t("fair.screens-words", { n: report.phases.length })}</p>${definition ? report.phases.slice(0, SHOWN).map((phase) => html`<${Phase} key=${phase.index} phase=${phase} definition=${definition} currency=${currency} />`) : null}
			${report.phases.length > SHOWN ? html`<p class="quiet">${t("fair.first-screens", { n: SHOWN })}</p>` : null}`,
		amounts: html`<p>${t("fair.amounts-words", { stake: money(round?.stake_minor ?? report.stake, currency), win: money(round?.win_minor ?? report.win, currency) })}</p>${report.jackpot_hits ? html`<p>${t("fair.pool-words")}</p>` : null}`,
		gambles: html`${(round?.gambles ?? []).map((one) => html`<p>${t("fair.gamble", { n: one.attempt, card: cardName(one.card), amount: money(one.stake_minor, currency) })} ${t(one.won ? "fair.gamble-won" : "fair.gamble-lost")}</p>`)}`,
		cards: round?.cards ? html`<p>${t("fair.cards-words", { value: round.cards.draw.value, below: round.cards.draw.below, threshold: round.cards.threshold })}</p>` : null,
	};
	return html`<ol class="fairsteps">${CHECKS.map((what) => html`<${Step} key=${what} what=${what} state=${of[what].state}>${more[what]}<${Difference} check=${of[what]} currency=${currency} /><//>`)}</ol>`;
}

function Verdict({ report, round }) {
	const missing = report.checks.some((one) => one.state === "missing");
	const key = !report.agrees ? "differs" : missing ? "agrees-in-part" : "agrees";
	return html`<p id="verdict" class=${report.agrees ? "good" : "bad"} data-agrees=${String(report.agrees)} role="status"><span aria-hidden="true">${report.agrees ? "✓" : "✗"}</span> ${t(`fair.verdict.${key}`, { round: round?.round ?? "" })}</p>`;
}

// A game that an operator's site opened is returned to, not the lobby.
const GAME = new URLSearchParams(location.hash.slice(1)).get("game");
const HOME = GAME ? `/play/${encodeURIComponent(GAME)}/` : "/";
const numberOf = () => new URLSearchParams(location.hash.slice(1)).get("round") ?? "";

function Page() {
	const [number, setNumber] = useState(numberOf());
	const [state, setState] = useState({ busy: false, found: null, error: null });
	const turn = useRef(0); // only the round that was asked for last is shown
	async function run(makeText) {
		const mine = ++turn.current;
		setState({ busy: true, found: null, error: null });
		const told = await Promise.resolve().then(makeText).then(check).then((found) => ({ found, error: null }), (error) => ({ found: null, error: error.word ? t(error.word) : error.message }));
		if (mine === turn.current) setState({ busy: false, ...told });
	}
	const byNumber = (round) => /^[1-9][0-9]*$/.test(round) && run(() => fileOf(round));
	useEffect(() => {
		const moved = () => {
			setNumber(numberOf());
			byNumber(numberOf());
		};
		moved();
		addEventListener("hashchange", moved);
		return () => removeEventListener("hashchange", moved);
	}, []);
	const ask = (event) => {
		event.preventDefault();
		if (number === numberOf()) byNumber(number);
		else location.hash = `round=${number}`; // it is checked as an address is
	};
	const { busy, found, error } = state;
	return html`<header><h1>${t("fair.title")}</h1><a class="button" href=${HOME}>${t("h.back")}</a></header>
		<p>${t("fair.intro")}</p>
		<form class="fairform" onSubmit=${ask}>
			<label>${t("round-no")} <input id="fair-round" inputmode="numeric" required pattern="[1-9][0-9]*" value=${number} onInput=${(event) => setNumber(event.target.value)} /></label>
			<button id="fair-check" disabled=${busy}>${t("fair.check")}</button>
			<label class="button filebutton">${t("fair.open")}<input id="fair-file" type="file" accept="application/json,.json" onChange=${(event) => event.target.files[0] && run(() => event.target.files[0].text())} /></label>
			${found ? html`<button id="fair-save" type="button" onClick=${() => save(found)}>${t("fair.save")}</button>` : null}
		</form>
		<div aria-live="polite">${busy ? html`<p class="loading">${t("fair.busy")}</p>` : null}${error ? html`<p id="fair-error" class="bad" role="alert">${error}</p>` : null}
		${found ? html`<${Verdict} report=${found.report} round=${found.round} />` : null}</div>
		${found ? html`<${Steps} found=${found} />` : null}
		<section class="quiet"><h2>${t("fair.how")}</h2><p>${t("fair.how-words")}</p></section>`;
}

async function start() {
	await loadWords();
	await loadMore(new URL(".", import.meta.url));
	document.title = t("fair.title");
	loaded().catch(() => {});
	const place = document.getElementById("app");
	place.replaceChildren();
	render(html`<${Page} />`, place);
}

start().catch((error) => { document.getElementById("app").textContent = error.message; });
