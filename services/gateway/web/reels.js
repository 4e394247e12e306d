// The reels as the last phase left them. Symbols are tiles of text: no picture is needed to read a result.
import { html } from "/vendor/htm-preact.js";
import { bytesOf } from "/api.js";
import { money } from "/format.js";

const GLYPHS = { wild: "★", scatter: "⚔", bonus: "⚗" };
const HUES = [210, 25, 140, 280, 340, 55, 180, 100, 310, 240, 15, 70, 160];

function Cell({ symbol, index, won, fresh }) {
	const glyph = GLYPHS[symbol.kind] ?? symbol.name.slice(0, 2);
	const style = GLYPHS[symbol.kind] ? {} : { background: `hsl(${HUES[index % HUES.length]} 32% 24%)` };
	return html`<div class="cell kind-${symbol.kind} ${won ? "won" : ""} ${fresh ? "fresh" : ""}" style=${style} data-symbol=${symbol.id}><span><b>${glyph}</b><br />${symbol.name}</span></div>`;
}

function title(phase, currency) {
	if (!phase) return "";
	if (phase.kind === "free_spin") return `Free spin, ${phase.free_spins_left} left, line wins ×${phase.multiplier}`;
	if (phase.kind === "battle") return phase.free_spins_awarded ? `Your witch wins the battle: ${phase.free_spins_awarded} free spins` : "The witches battle";
	if (phase.kind !== "bonus") return "";
	if (phase.outcome === "jackpot") {
		const paid = phase.wins?.find((item) => item.what === "jackpot")?.amount_minor;
		return `The three vials brew the PROGRESSIVE JACKPOT${paid ? `: ${money(paid, currency)}` : ""}`;
	}
	if (phase.outcome === "free_spins") return `The three vials brew ${phase.outcome_value} free spins`;
	return `The three vials brew ${phase.outcome_value} × your total bet`;
}

// Bonus and battle happen over the window of the spin that started them, so an empty window keeps the one before.
let lastWindow = null;

export function Reels({ game, phase, currency }) {
	const { reels, rows, symbols } = game;
	if (phase?.window) lastWindow = phase.window;
	const window = lastWindow ? bytesOf(lastWindow) : Uint8Array.from({ length: reels * rows }, (_, i) => (i * 5 + 3) % symbols.length);
	const won = new Set((phase?.wins ?? []).flatMap((item) => [...bytesOf(item.cells ?? "")]));
	const cells = [];
	for (let row = 0; row < rows; row++)
		for (let reel = 0; reel < reels; reel++) {
			const at = reel * rows + row;
			cells.push(html`<${Cell} key="${at}-${phase?.index}" symbol=${symbols[window[at]] ?? { name: "?", kind: "" }} index=${window[at]} won=${won.has(at)} fresh=${phase?.window} />`);
		}
	return html`<div class="reels" id="reels" style=${{ gridTemplateColumns: `repeat(${reels}, minmax(0, 1fr))` }}>${cells}</div>
		<div class="gold phase" id="phase">${title(phase, currency)}</div>`;
}
