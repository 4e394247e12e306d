// The symbols' pictures: symbols.svg holds one <symbol> for each name or id that games use. A symbol without a picture gets a tile of letters, so a new
// game needs no pictures.
import { html } from "/vendor/htm-preact.js";

const known = new Set();
const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");

export async function loadArt() {
	const answer = await fetch("/symbols.svg");
	if (!answer.ok) return;
	const sheet = new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement;
	for (const symbol of sheet.querySelectorAll("symbol")) known.add(symbol.id.slice(4));
	sheet.classList.add("sheet");
	sheet.setAttribute("aria-hidden", "true");
	document.body.append(sheet);
}

// The name comes before the id: two games may use one id for different things, as "compass".
const pictureOf = (symbol) => [slug(symbol.name), symbol.id].find((name) => known.has(name));

const HUES = { wild: 272, scatter: 190, bonus: 35, jackpot: 48, potion: 300 };
const spread = (index) => (index * 47 + 150) % 360; // neighbours in the paytable get distant hues
export const hueOf = (symbol, index) => HUES[symbol.kind] ?? spread(index);

export function Art({ symbol }) {
	const picture = pictureOf(symbol);
	if (picture) return html`<svg class="art" viewBox="0 0 48 48" aria-hidden="true"><use href="#art-${picture}" /></svg>`;
	const letters = symbol.name.split(" ").map((word) => word.charAt(0)).join("").slice(0, 2);
	return html`<svg class="art" viewBox="0 0 48 48" aria-hidden="true"><rect x="6" y="6" width="36" height="36" rx="8" fill="#fff" fill-opacity=".14" /><text x="24" y="31" text-anchor="middle" font-size="20" font-weight="700" fill="#fff">${letters}</text></svg>`;
}

// The pictures around the reels of a game, as URLs; null: the page's own colours.
export const world = () => ({ background: null, frame: null, title: null, tile: null });

// Makes a game's pictures known; all are in one sheet.
export const loadWorld = () => Promise.resolve();

// A picture by its name, of a game's features or of the house; nothing where there is none.
export const Picture = () => null;
