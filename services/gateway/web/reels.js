// The reels after a phase: each cell with its symbol and value, and whether it was held, covered, new or part of a win.
import { html, useEffect, useRef, useState } from "/vendor/htm-preact.js";
import { bytesOf } from "/api.js";
import { Art, hueOf } from "/art.js";
import { money } from "/format.js";
import { cellsOf } from "/game.js";
import { countersOf, titleOf, winName, wordsOf } from "/phases.js";

function loadWords(load) {
	if (load.kind === "value") return [`${load.x}×`];
	const own = load.own ? [`+${load.own}×`] : [];
	if (load.kind === "multiplier") return [load.x ? `×${load.x}` : "×?", ...own];
	return load.award_name ? [load.award_name, `${load.award_x}×`, ...own] : ["?"];
}

const Load = ({ load }) => html`<span class="load load-${load.kind}">${loadWords(load).map((text) => html`<b>${text}</b>`)}</span>`;

function Cell({ cell }) {
	const { symbol, index, classes, load, badge } = cell;
	if (!symbol) return html`<div class="cell empty" role="img" aria-label="empty"></div>`;
	const said = [symbol.name, ...classes.filter((name) => ["held", "won", "landed"].includes(name)), ...(load ? loadWords(load) : [])].join(", ");
	return html`<div class="cell kind-${symbol.kind} ${classes.join(" ")}" style=${{ "--hue": hueOf(symbol, index) }} data-symbol=${symbol.id} role="img" aria-label=${said}>
		<${Art} symbol=${symbol} variant=${load?.kind} />${load ? html`<${Load} load=${load} />` : html`<span class="name">${symbol.name}</span>`}
		${badge ? html`<span class="badge">${badge}</span>` : null}</div>`;
}

// Before the first spin the reels show the paying symbols in turn.
function quietWindow({ reels, rows, symbols }) {
	const paying = symbols.map((symbol, i) => [symbol, i]).filter(([symbol]) => symbol.kind === "line").map(([, i]) => i);
	return Uint8Array.from({ length: reels * rows }, (_, i) => paying[(i * 3 + Math.floor(i / rows)) % paying.length]);
}

const BADGES = { explosion: "?" };

// RULE witch-feature 2.10: winning symbols are marked.
function cellsIn(game, phase, marked) {
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
		classes: [...is("won", won.has(at) || feature.has(at)), ...is("held", held.has(at)), ...is("landed", landed.has(at)), ...is("covered", covered.has(at)),
			...is("fresh", phase && !held.has(at) && phase.kind !== "hold_end" && phase.kind !== "battle" && phase.kind !== "bonus")],
	});
}

// A collected potion left the window before the symbols above it fell; the space above its reel shows it.
function Collected({ game, phase, reel }) {
	const colour = parseInt(phase?.potion_colours?.slice(2 * reel, 2 * reel + 2) || "00", 16);
	const id = game.potions.symbols[colour - 1];
	return html`<span class="collected">${id ? html`<${Art} symbol=${game.symbols.find((symbol) => symbol.id === id)} />` : null}</span>`;
}

function LinePath({ game, line }) {
	const rows = game.lines[line - 1];
	if (!rows) return null;
	const points = rows.map((row, reel) => `${reel * 100 + 50},${row * 100 + 50}`).join(" ");
	return html`<svg class="line" viewBox="0 0 ${game.reels * 100} ${game.rows * 100}" preserveAspectRatio="none" aria-hidden="true"><polyline points=${points} /></svg>`;
}

export function Grid({ game, phase, spinning, item, children, id }) {
	const look = cellsIn(game, phase, item ? cellsOf(item.cells) : null);
	const columns = { "--reels": game.reels, "--rows": game.rows };
	const cells = [];
	for (let row = 0; row < game.rows; row++)
		for (let reel = 0; reel < game.reels; reel++) {
			const at = reel * game.rows + row;
			cells.push(html`<${Cell} key="${at}-${phase?.index}" cell=${look(at)} />`);
		}
	return html`<div class="stage" style=${columns}>
		${game.potions ? html`<div class="over">${Array.from({ length: game.reels }, (_, reel) => html`<${Collected} game=${game} phase=${phase} reel=${reel} />`)}</div>` : null}
		<div class="reels ${spinning ? "spinning" : ""} ${item ? "one" : ""}" id=${id} data-phase=${phase?.kind ?? ""} role="group" aria-label="Reels">${cells}${item?.line ? html`<${LinePath} game=${game} line=${item.line} />` : null}</div>
		${children}</div>`;
}

function Wins({ phase, currency, choose, chosen, id }) {
	const items = phase?.wins ?? [];
	const on = (i) => ({ onMouseEnter: () => choose(i), onMouseLeave: () => choose(null), onFocus: () => choose(i), onBlur: () => choose(null) });
	return html`<ul class="wins" id=${id} aria-label="Wins of this screen">${items.map((item, i) => html`<li key=${i}><button class="win ${chosen === i ? "chosen" : ""}" ...${on(i)}>
		<span>${winName(item)}</span> <b>${item.amount_minor || item.what !== "jackpot" ? money(item.amount_minor, currency) : "being paid"}</b></button></li>`)}</ul>`;
}

// A screen: counters, reels, a description, and the wins. `name` is an id prefix for a second screen on the page.
export function Screen({ scene, phase, spinning, children, name = "" }) {
	const [chosen, choose] = useState(null);
	const { game, currency } = scene;
	const item = chosen === null ? null : phase?.wins?.[chosen];
	return html`
		<div class="counters" id="${name}counters">${phase ? countersOf(scene, phase).map((counter) => html`<span class="counter" key=${counter.name}>${counter.name} <b>${counter.value}</b></span>`) : null}</div>
		<${Grid} game=${game} phase=${phase} spinning=${spinning} item=${item} id="${name}reels">${children}<//>
		<div class="phase" id="${name}phase">${phase ? html`<b class="gold">${titleOf(scene, phase)}</b> ${wordsOf(scene, phase)}` : html`<span class="quiet">Choose your bet and spin.</span>`}</div>
		<${Wins} phase=${phase} currency=${currency} choose=${choose} chosen=${chosen} id="${name}wins" />`;
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
