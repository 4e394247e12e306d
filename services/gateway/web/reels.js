// The reels after a phase: each cell with its symbol and value, and whether it was held, covered, new or part of a win. A reel is a strip of the window's
// cells; while it turns, a belt of other symbols covers it (motion.js).
import { html, useEffect, useMemo, useRef, useState } from "/vendor/htm-preact.js";
import { bytesOf } from "/api.js";
import { Art, hueOf, useImages } from "/art.js";
import { money } from "/format.js";
import { cellsOf } from "/game.js";
import { language, named, t } from "/lang.js";
import { countersOf, titleOf, winName, wordsOf } from "/phases.js";

const BELT = 6; // symbols of a belt, which is shown twice in a row
const CYCLE_MS = 1500;

function loadWords(load) {
	if (load.kind === "value") return [`${load.x}×`];
	const own = load.own ? [`+${load.own}×`] : [];
	if (load.kind === "multiplier") return [load.x ? `×${load.x}` : "×?", ...own];
	return load.award_name ? [load.award_name, `${load.award_x}×`, ...own] : ["?"];
}

const Load = ({ load }) => html`<span class="load load-${load.kind}">${loadWords(load).map((text) => html`<b>${text}</b>`)}</span>`;

function Cell({ cell }) {
	const { symbol, index, classes, load, badge } = cell;
	if (!symbol) return html`<div class="cell empty" role="img" aria-label=${t("cell.empty")}></div>`;
	const said = [named(symbol.name), ...classes.filter((name) => ["held", "won", "landed"].includes(name)).map((name) => t(`cell.${name}`)), ...(load ? loadWords(load) : [])].join(", ");
	return html`<div class="cell kind-${symbol.kind} ${classes.join(" ")}" style=${{ "--hue": hueOf(symbol, index) }} data-symbol=${symbol.id} role="img" aria-label=${said}>
		<${Art} symbol=${symbol} variant=${load?.kind} />${load ? html`<${Load} load=${load} />` : null}
		${badge ? html`<span class="badge">${badge}</span>` : null}</div>`;
}

// Before the first spin the reels show paying symbols, no three of a kind beside each other.
function quietWindow({ reels, rows, symbols }) {
	const paying = symbols.map((symbol, i) => [symbol, i]).filter(([symbol]) => symbol.kind === "line").map(([, i]) => i);
	return Uint8Array.from({ length: reels * rows }, (_, i) => {
		const [reel, row] = [Math.floor(i / rows), i % rows];
		return paying[(reel * 3 + row * 5 + reel * row * 2) % paying.length];
	});
}

const BADGES = { explosion: "?" };
const spins = (phase) => phase && !["hold_end", "battle", "bonus"].includes(phase.kind);

// RULE witch-feature 2.10: winning symbols are marked, once the reels stand.
function cellsIn(game, phase, marked, landing) {
	const window = phase?.window ? bytesOf(phase.window) : quietWindow(game);
	const [held, covered, landed, feature] = ["held", "covered", "landed", "feature_cells"].map((field) => cellsOf(phase?.[field]));
	const won = marked ?? new Set((phase?.wins ?? []).flatMap((item) => [...cellsOf(item.cells)]));
	const loads = new Map((phase?.loads ?? []).map((load) => [load.cell, load]));
	const holding = phase?.kind.startsWith("hold_");
	const is = (name, yes) => yes ? [name] : [];
	return (at) => ({
		symbol: holding && !loads.has(at) ? null : game.symbols[window[at]] ?? { id: "?", name: "?", kind: "" },
		index: window[at],
		load: loads.get(at),
		badge: covered.has(at) ? BADGES[phase.kind] : null,
		classes: [...is("won", !landing && (won.has(at) || feature.has(at))), ...is("held", held.has(at)), ...is("landed", landed.has(at)), ...is("covered", covered.has(at)),
			...is("fresh", spins(phase) && !held.has(at))],
	});
}

// The reels that turn for this phase: those that are not held whole.
export function turningReels(game, phase) {
	const held = cellsOf(phase.held);
	if (["hold_respin", "hold_end", "battle", "bonus", "explosion", "tumble"].includes(phase.kind)) return [];
	const whole = (reel) => Array.from({ length: game.rows }, (_, row) => held.has(reel * game.rows + row)).every(Boolean);
	return Array.from({ length: game.reels }, (_, reel) => reel).filter((reel) => !whole(reel));
}

// A collected potion left the window before the symbols above it fell; the space above its reel shows it.
function Collected({ game, phase, reel }) {
	const colour = parseInt(phase?.potion_colours?.slice(2 * reel, 2 * reel + 2) || "00", 16);
	const id = game.potions.symbols[colour - 1];
	return id ? html`<span class="collected"><${Art} symbol=${game.symbols.find((symbol) => symbol.id === id)} /></span>` : null;
}

export function LinePath({ game, line, order = 0 }) {
	const rows = game.lines[line - 1];
	if (!rows) return null;
	const points = rows.map((row, reel) => `${reel * 100 + 50},${row * 100 + 50}`).join(" ");
	return html`<svg class="line line-${order % 6}" viewBox="0 0 ${game.reels * 100} ${game.rows * 100}" preserveAspectRatio="none" aria-hidden="true"><polyline class="under" points=${points} /><polyline points=${points} /></svg>`;
}

// A belt changes only when its symbols have become images, so that the browser keeps its picture, and Preact does not compare it each time.
function Belt({ game, reel }) {
	const usual = game.symbols.map((symbol, i) => [symbol, i]).filter(([symbol]) => ["line", "scatter"].includes(symbol.kind));
	const shown = Array.from({ length: BELT }, (_, i) => usual[(reel * 3 + i * 5) % usual.length]);
	return html`<div class="roll" aria-hidden="true"><div class="belt">${[...shown, ...shown].map(([symbol, index]) => html`<div class="cell" style=${{ "--hue": hueOf(symbol, index) }}><${Art} symbol=${symbol} /></div>`)}</div></div>`;
}

// `moving`: the reels turn here, and may be asked to do so at once; false: not before the player has a session; undefined: never.
export function Grid({ game, phase, landing, items, children, id, moving, frame }) {
	const only = items.length === 1 ? items[0] : null;
	// Counters and news are drawn again and again; the cells only when they change.
	const strips = useMemo(() => {
		const look = cellsIn(game, phase, only ? cellsOf(only.cells) : null, landing);
		return Array.from({ length: game.reels }, (_, reel) => html`<div class="strip">${Array.from({ length: game.rows }, (__, row) => html`<${Cell} key="${row}-${phase?.index}" cell=${look(reel * game.rows + row)} />`)}</div>`);
	}, [game, phase, landing, only, language()]);
	const lines = landing ? [] : items.filter((item) => item.line);
	const images = useImages(game);
	const belts = useMemo(() => moving || (images && moving === false) ? Array.from({ length: game.reels }, (_, reel) => html`<${Belt} game=${game} reel=${reel} />`) : [], [game, moving, images]);
	return html`<div class="frame rows-${game.rows}" style=${{ "--reels": game.reels, "--rows": game.rows }}>${frame ? html`<div class="frameart" style=${{ borderImageSource: `url("${frame}")` }}></div>` : null}
		<div class="reels ${items.length === 1 ? "one" : ""}" id=${id} data-phase=${phase?.kind ?? ""} role="group" aria-label=${t("reels")}>
			${Array.from({ length: game.reels }, (_, reel) => html`<div class="reel" key=${reel}>
				${strips[reel]}
				${belts[reel] ?? null}
				${game.potions && !landing ? html`<${Collected} game=${game} phase=${phase} reel=${reel} />` : null}</div>`)}
			${lines.map((item, i) => html`<${LinePath} key=${item.line} game=${game} line=${item.line} order=${i} />`)}</div>
		${children}</div>`;
}

// The wins of a screen in turn: all together, then one by one. A win that the player looks at stays.
export function useWinCycle(phase, landing, chosen) {
	const items = (phase?.wins ?? []).filter((item) => item.cells);
	const [turn, setTurn] = useState(0);
	useEffect(() => {
		setTurn(0);
		if (items.length < 2 || landing) return undefined;
		const timer = setInterval(() => setTurn((now) => (now + 1) % (items.length + 1)), CYCLE_MS);
		return () => clearInterval(timer);
	}, [phase, landing]);
	if (chosen !== null && phase?.wins?.[chosen]) return [phase.wins[chosen]];
	return turn === 0 || !items[turn - 1] ? items : [items[turn - 1]];
}

export function Wins({ phase, currency, choose, chosen, id }) {
	const items = phase?.wins ?? [];
	const on = (i) => ({ onMouseEnter: () => choose(i), onMouseLeave: () => choose(null), onFocus: () => choose(i), onBlur: () => choose(null) });
	return html`<ul class="wins" id=${id} aria-label=${t("wins")}>${items.map((item, i) => html`<li key=${i}><button class="win ${chosen === i ? "chosen" : ""}" ...${on(i)}>
		<span>${winName(item)}</span> <b>${item.amount_minor || item.what !== "jackpot" ? money(item.amount_minor, currency) : t("being-paid")}</b></button></li>`)}</ul>`;
}

export const Counters = ({ scene, phase, id, landing }) => html`<div class="counters" id=${id}>${phase && !landing ? countersOf(scene, phase).map((counter) => html`<span class="counter" key=${counter.name}>${counter.name} <b>${counter.value}</b></span>`) : null}</div>`;

export const PhaseWords = ({ scene, phase, id, rest }) => html`<div class="phase" id=${id}>${phase ? html`<b class="gold">${titleOf(scene, phase)}</b> <span>${wordsOf(scene, phase)}</span>` : html`<span class="quiet">${rest}</span>`}</div>`;

// A past screen: counters, reels, a description, and the wins. `name` is an id prefix for a second screen on the page.
export function Screen({ scene, phase, name = "" }) {
	const [chosen, choose] = useState(null);
	const items = useWinCycle(phase, false, chosen);
	return html`<${Counters} scene=${scene} phase=${phase} id="${name}counters" />
		<div class="stage past"><${Grid} game=${scene.game} phase=${phase} items=${items} id="${name}reels" /></div>
		<${PhaseWords} scene=${scene} phase=${phase} id="${name}phase" />
		<${Wins} phase=${phase} currency=${scene.currency} choose=${choose} chosen=${chosen} id="${name}wins" />`;
}

// All phases of a round in order; selecting one shows its screen.
export function Course({ scene, steps, at, choose, name = "" }) {
	const list = useRef(null);
	// Scroll the list only, never the page.
	useEffect(() => {
		const step = list.current.children[at];
		if (step) list.current.scrollTop = step.offsetTop - list.current.clientHeight / 2;
	}, [at, steps.length]);
	return html`<ol class="course" id="${name}course" ref=${list}>${steps.map((phase, i) => html`<li key=${phase.index}><button class=${i === at ? "chosen" : ""} aria-current=${i === at ? "step" : undefined} onClick=${() => choose(i)}>
		<span class="no">${phase.index + 1}</span><span><b>${titleOf(scene, phase)}</b> <span class="quiet">${wordsOf(scene, phase)}</span></span><b class=${phase.win_minor ? "gold" : "quiet"}>${money(phase.win_minor, scene.currency)}</b></button></li>`)}</ol>`;
}
