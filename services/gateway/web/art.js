// The games' pictures: worlds/GAME/symbols.svg holds one <symbol> for each symbol and feature of a game, beside it lie its background, frame, title
// and tile; worlds/index.json says which there are. A symbol without a picture gets a tile of letters, so a new game needs no pictures.
// tools/art/draw.py makes them all.
import { html, useEffect, useState } from "/vendor/htm-preact.js";

const HOUSE = "house"; // cards, coins, and the world of a game that has none of its own
let index = {}; // world -> { symbols, music }
let current = HOUSE; // the game played now
const gameOf = new WeakMap(); // symbol of a definition -> id of its game: a replay shows another game's symbols
const sheets = new Map(); // world -> promise that its pictures are there
const images = new Map(); // "WORLD-ID" -> the picture as an image of its own

export async function loadArt() {
	const answer = await fetch("/worlds/index.json");
	if (answer.ok) index = await answer.json();
}

const worldOf = (id) => Object.hasOwn(index, id) ? id : HOUSE;

// One symbol of a sheet with the paints that it uses, as a URL.
function alone(sheet, symbol) {
	const picture = document.createElementNS(sheet.namespaceURI, "svg");
	const used = new Set(Array.from(symbol.innerHTML.matchAll(/url\(#([^)]+)\)/g), ([, paint]) => paint));
	const paints = [...sheet.querySelectorAll("defs > *")].filter(({ id }) => used.has(id));
	for (const part of [...paints, ...symbol.childNodes]) picture.append(part.cloneNode(true));
	for (const { name, value } of symbol.attributes) if (name !== "id") picture.setAttribute(name, value);
	return `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(picture))}`;
}

const atRest = () => new Promise((resolve) => window.requestIdleCallback ? requestIdleCallback(resolve, { timeout: 300 }) : setTimeout(resolve, 50));

// Each symbol becomes an image of its own, one after the other while the page is at rest: the browser lays out an image once, but the inside of a <use>
// again wherever it stands. What is drawn before is drawn by <use>.
async function makeImages(name, sheet) {
	for (const symbol of sheet.querySelectorAll("symbol")) {
		await atRest();
		const image = Object.assign(new Image(), { src: alone(sheet, symbol) });
		await image.decode();
		images.set(symbol.id, image);
	}
}

// Paint servers in a sheet that is not displayed paint nothing, so the sheet has no size instead.
async function fetchSheet(name) {
	const answer = await fetch(`/worlds/${name}/symbols.svg`);
	if (!answer.ok) throw new Error(`the pictures of ${name} did not come: found ${answer.status}, expected 200`);
	const sheet = new DOMParser().parseFromString(await answer.text(), "image/svg+xml").documentElement;
	const attributes = { width: 0, height: 0, "aria-hidden": "true", focusable: "false", "data-world": name };
	for (const [attribute, value] of Object.entries(attributes)) sheet.setAttribute(attribute, value);
	sheet.style.position = "absolute";
	document.body.append(sheet);
	return { images: makeImages(name, sheet).catch(() => {}) };
}

// A sheet that did not come is asked for again by the next picture that needs it; a <use> finds its symbol whenever it comes.
function sheetOf(name) {
	if (!sheets.has(name)) sheets.set(name, fetchSheet(name).catch(() => sheets.delete(name)));
	return sheets.get(name);
}

// Asks for the pictures of a game that is not known yet.
export const loadSheet = (id) => sheetOf(worldOf(id));

// Makes a game's pictures known: `game` is its definition, `shown` that the player now plays it (and does not only look at an old round of it).
// Resolves when its symbols can be drawn.
export async function loadWorld(game, shown = true) {
	if (shown) current = game.id;
	for (const symbol of game.symbols) gameOf.set(symbol, game.id);
	await sheetOf(worldOf(game.id));
}

// Whether all symbols of the game are images, which cost little however many there are.
export function useImages(game) {
	const [made, tell] = useState(null);
	useEffect(() => { sheetOf(worldOf(game.id)).then((sheet) => sheet?.images).then(() => tell(game.id)); }, [game.id]);
	return made === game.id;
}

// The pictures around a game, as URLs of SVG files:
// - background: 1600 x 1000, may be cut at every side (background-size: cover);
// - frame: 288 x 288 in nine parts, for `border-image: url(...) 64 fill`: corners of 64, its middle lies behind the reels;
// - title: 640 x 128, a plaque whose middle is free for the name (which is text of the page);
// - tile: 480 x 320, for the lobby.
export function world(gameId) {
	const name = worldOf(gameId);
	const file = (part) => `/worlds/${name}/${part}.svg`;
	return { background: file("background"), frame: file("frame"), title: file("title"), tile: file("tile") };
}

const HUES = { wild: 272, scatter: 190, bonus: 35, jackpot: 48, potion: 300 };
const spread = (index) => (index * 47 + 150) % 360; // neighbours in the paytable get distant hues
export const hueOf = (symbol, index) => HUES[symbol.kind] ?? spread(index);

function Drawn({ name, id }) {
	const image = images.get(`art-${name}-${id}`);
	if (image) return html`<img class="art" src=${image.src} alt="" decoding="sync" draggable=${false} />`;
	sheetOf(name);
	return html`<svg class="art" viewBox="0 0 96 96" aria-hidden="true"><use href="#art-${name}-${id}" /></svg>`;
}

// The world that has a picture, of the game's own and the house's; or none.
const holder = (game, id) => [worldOf(game), HOUSE].find((name) => index[name]?.symbols.includes(id));

// A picture by its name, of a game's features or of the house: sunna, vial, explosion; coin, back, hearts, lock. Nothing where there is none.
export function Picture({ name, game = current }) {
	const found = holder(game, name);
	return found ? html`<${Drawn} name=${found} id=${name} />` : null;
}

// A symbol of a game. `variant`: what it carries, as a parcel's "mystery"; drawn if there is such a picture.
export function Art({ symbol, variant }) {
	const own = worldOf(gameOf.get(symbol) ?? current);
	const id = [`${symbol.id}-${variant}`, symbol.id].find((one) => index[own]?.symbols.includes(one));
	if (id) return html`<${Drawn} name=${own} id=${id} />`;
	const letters = symbol.name.split(" ").map((word) => word.charAt(0)).join("").slice(0, 2);
	return html`<svg class="art" viewBox="0 0 48 48" aria-hidden="true"><rect x="6" y="6" width="36" height="36" rx="8" fill="#fff" fill-opacity=".14" />
		<text x="24" y="31" text-anchor="middle" font-size="20" font-weight="700" fill="#fff">${letters}</text></svg>`;
}
