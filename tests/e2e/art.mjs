// Shows every game's pictures, sounds and particles in a browser for tests/e2e/art.py, and prints what it found as JSON.
// Usage: node art.mjs MODULES CHROMIUM WEB PICTURES   (MODULES: scripts/web.sh modules; WEB: the pages' folder; PICTURES: where to leave pictures)
import { createRequire } from "node:module";
import { createServer } from "node:http";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { extname, join, normalize } from "node:path";

const [modules, chromium, web, pictures] = process.argv.slice(2);
const playwright = createRequire(`${modules}/`)("playwright-core");
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".svg": "image/svg+xml", ".json": "application/json", ".css": "text/css" };
// The gateway's own policy (libcommon/edge/edge_pages.c).
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; media-src 'self'; " +
	"manifest-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const games = JSON.parse(readFileSync(0, "utf8")); // [{ id, grid, symbols }]

const OWN = {
	"/test.html": `<!doctype html><link rel="icon" href="/icon.svg"><link rel="stylesheet" href="/test.css"><body><script type="module" src="/test.js"></script>`,
	"/test.css": `
		body { margin: 0; font: 14px sans-serif; color: #fff; background: #10131c; }
		.room { position: relative; width: 1366px; height: 768px; background: center / cover; overflow: hidden; }
		.title { position: absolute; left: 443px; top: 8px; width: 480px; height: 96px; background: center / contain no-repeat; }
		.reels { position: absolute; left: 223px; top: 112px; width: 860px; height: 540px; border: 30px solid; display: grid; gap: 4px; }
		.reels .art { width: 100%; height: 100%; min-height: 0; }
		.tile { position: absolute; width: 180px; height: 120px; left: 16px; bottom: 16px; background: center / cover; border-radius: 10px; }
		.small { position: absolute; right: 16px; bottom: 16px; display: flex; gap: 4px; } .small .art { width: 40px; height: 40px; }
		.row { display: flex; flex-wrap: wrap; gap: 8px; padding: 10px; background: #1c2336; }
		.s48 .art { width: 48px; height: 48px; } .s96 .art { width: 96px; height: 96px; } .s200 .art { width: 200px; height: 200px; }
		canvas.layer { position: fixed; inset: 0; width: 100%; height: 100%; pointer-events: none; }`,
	"/test.js": `
		import * as art from "/art.js";
		import { html, render } from "/vendor/htm-preact.js";
		import { sound } from "/sound.js";
		import { studio } from "/studio.js";
		import { effects } from "/effects.js";
		Object.assign(window, { art, html, render, sound, studio, effects });
		await art.loadArt();
		window.ready = true;`,
};

function answer(request, response) {
	const path = normalize(new URL(request.url, "http://x").pathname);
	const file = path === "/vendor/htm-preact.js" ? join(modules, "htm/preact/standalone.module.js") : join(web, path);
	const body = OWN[path] ?? (existsSync(file) && path !== "/" ? readFileSync(file) : null);
	response.writeHead(body === null ? 404 : 200, { "Content-Type": TYPES[extname(path)] ?? "text/plain", "Content-Security-Policy": POLICY });
	response.end(body ?? "");
}

// ---- in the page: each of these functions is sent there whole ----

async function show(game) {
	const { art, html, render } = window;
	await art.loadWorld(game);
	const place = document.body.appendChild(document.createElement("main"));
	const world = art.world(game.id);
	const { reels, rows } = game.grid;
	const shown = Array.from({ length: reels * rows }, (_, i) => game.symbols[(i * 3 + Math.floor(i / reels)) % game.symbols.length]);
	const drawn = (symbols) => symbols.map((symbol) => html`<${art.Art} symbol=${symbol} />`);
	const draw = () => render(html`<div class="room"><div class="title" /><div class="reels">${drawn(shown)}</div><div class="tile" /><div class="small">${drawn(game.symbols)}</div></div>
		${["s48", "s96", "s200"].map((size) => html`<div class="row ${size}">${drawn(game.symbols)}</div>`)}`, place);
	draw();
	const empty = [...place.querySelectorAll(".art use")].filter((use) => use.getBBox().width < 20);
	await (await art.loadSheet(game.id)).images;
	draw();
	const url = (name) => `url(${world[name]})`;
	place.querySelector(".room").style.backgroundImage = url("background");
	place.querySelector(".title").style.backgroundImage = url("title");
	place.querySelector(".tile").style.backgroundImage = url("tile");
	const frame = place.querySelector(".reels").style;
	frame.borderImage = `${url("frame")} 64 fill`;
	frame.gridTemplateColumns = `repeat(${reels}, 1fr)`;
	frame.gridTemplateRows = `repeat(${rows}, minmax(0, 1fr))`;
	const painted = (src) => new Promise((done, fail) => {
		Object.assign(new Image(), { onload: done, onerror: () => fail(new Error(`${src} cannot be shown`)), src });
	});
	await Promise.all(Object.values(world).map(painted));
	const images = [...place.querySelectorAll("img.art")];
	const unpainted = await Promise.all(images.map((image) => image.decode().then(() => false, () => true)));
	return { letters: place.querySelectorAll(".art text").length, pictures: images.length, unpainted: empty.length + unpainted.filter(Boolean).length };
}

// Each symbol as 40 x 40 grey values over a dark ground; and how far each is from the nearest other.
async function shapes(game) {
	const images = [...document.querySelectorAll("main .small img.art")];
	const greys = images.map((image) => {
		const canvas = Object.assign(document.createElement("canvas"), { width: 40, height: 40 });
		const pen = canvas.getContext("2d");
		pen.fillStyle = "#202535";
		pen.fillRect(0, 0, 40, 40);
		pen.drawImage(image, 0, 0, 40, 40);
		const { data } = pen.getImageData(0, 0, 40, 40);
		return Array.from({ length: 1600 }, (_, i) => (data[4 * i] * 3 + data[4 * i + 1] * 6 + data[4 * i + 2]) / 10);
	});
	const apart = (a, b) => a.reduce((sum, value, i) => sum + Math.abs(value - b[i]), 0) / a.length;
	return game.symbols.map(({ id }, i) => {
		const [nearest, distance] = game.symbols.map((other, j) => [other.id, j === i ? Infinity : apart(greys[i], greys[j])]).sort((a, b) => a[1] - b[1])[0];
		return { id, nearest, distance, filled: greys[i].filter((value) => Math.abs(value - 37) > 12).length / 1600 };
	});
}

// Renders a sound to memory: its peak, loudness, when it ends, and how loud its last tenth of a second is.
async function hear({ name, music, seconds, bed }) {
	const context = new OfflineAudioContext(2, 44100 * seconds, 44100);
	const studio = window.studio(context);
	if (bed) {
		studio.begin(music, bed === "feature");
		studio.write(seconds);
	} else studio.play(name, music);
	const buffer = await context.startRendering();
	const sides = [buffer.getChannelData(0), buffer.getChannelData(1)];
	let [peak, squares, end] = [0, 0, 0];
	for (let i = 0; i < buffer.length; i++) {
		const loud = Math.max(Math.abs(sides[0][i]), Math.abs(sides[1][i]));
		peak = Math.max(peak, loud);
		squares += loud * loud;
		if (loud > 0.003) end = i / 44100;
	}
	const tail = sides[0].slice(-4410).reduce((most, value) => Math.max(most, Math.abs(value)), 0);
	return { name: name ?? `${bed} bed`, peak, loudness: Math.sqrt(squares / buffer.length), end, tail, finite: sides.every((side) => side.every(Number.isFinite)) };
}

async function particles() {
	const { effects } = window;
	const canvas = document.body.appendChild(Object.assign(document.createElement("canvas"), { className: "layer" }));
	effects.attach(canvas);
	const before = { ...effects.running };
	for (const kind of ["coins", "stars", "smoke", "light", "coins", "coins", "stars", "light", "coins"]) effects.burst(kind, { left: 300, top: 300, width: 200, height: 100 });
	effects.rain("coins", 300);
	const during = { ...effects.running };
	await new Promise((done) => { const look = () => effects.running.idle ? done() : requestAnimationFrame(look); look(); });
	const after = { ...effects.running };
	effects.burst("stars");
	effects.clear();
	return { before, during, after, cleared: { ...effects.running } };
}

// ---- what is asked of the page ----

async function look(page) {
	const found = { games: {}, sounds: [], beds: [] };
	for (const game of games) {
		const seen = await page.evaluate(show, game);
		await page.locator("main").last().screenshot({ path: `${pictures}/art-${game.id}.png` });
		found.games[game.id] = { ...seen, shapes: await page.evaluate(shapes, game) };
		await page.evaluate(() => document.querySelector("main").remove());
	}
	const index = await page.evaluate(() => fetch("/worlds/index.json").then((reply) => reply.json()));
	const names = await page.evaluate(() => window.studio(new OfflineAudioContext(1, 1, 44100)).names);
	for (const name of names) found.sounds.push(await page.evaluate(hear, { name, music: index[games[0].id].music, seconds: 12 }));
	for (const game of games)
		for (const bed of ["play", "feature"]) found.beds.push({ game: game.id, ...await page.evaluate(hear, { bed, music: index[game.id].music, seconds: 12 }) });
	found.particles = await page.evaluate(particles);
	await page.emulateMedia({ reducedMotion: "reduce" });
	found.reduced = await page.evaluate(() => { window.effects.burst("coins"); window.effects.rain("stars", 1000); return { ...window.effects.running }; });
	return found;
}

// No context before the player wants sound and has pressed something; what was wanted is remembered.
async function hush(page) {
	const made = () => page.evaluate(() => window.contexts);
	const running = () => page.waitForFunction(() => window.last?.state === "running");
	await page.evaluate(() => window.sound.play("spin"));
	await page.mouse.click(5, 5);
	const silent = await made();
	await page.evaluate((id) => window.sound.bed(id), games[0].id);
	await page.evaluate(() => window.sound.settings({ effects: 0.5, music: 0.25 }));
	await page.mouse.click(5, 5);
	await running();
	await page.evaluate(() => window.sound.play("spin"));
	const wanted = await made();
	await page.reload();
	await page.waitForFunction(() => window.ready);
	return { silent, wanted, kept: await page.evaluate(() => window.sound.settings()), afresh: await made() };
}

mkdirSync(pictures, { recursive: true });
const server = createServer(answer).listen(0, "127.0.0.1");
await new Promise((up) => server.once("listening", up));
const browser = await playwright.chromium.launch({
	executablePath: chromium,
	timeout: 120000,
	args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
});
try {
	const page = await browser.newPage({ viewport: { width: 1366, height: 768 } });
	page.setDefaultTimeout(120000);
	const problems = [];
	page.on("console", (message) => {
		if (["error", "warning"].includes(message.type()) || message.text().includes("Content Security Policy")) problems.push(message.text());
	});
	page.on("pageerror", (error) => problems.push(String(error.stack ?? error)));
	await page.addInitScript(() => {
		const Real = window.AudioContext;
		window.contexts = 0;
		window.AudioContext = class extends Real { constructor(...how) { super(...how); window.contexts++; window.last = this; } };
	});
	const requests = [];
	page.on("request", (request) => requests.push(new URL(request.url()).pathname));
	await page.goto(`http://127.0.0.1:${server.address().port}/test.html`);
	await page.waitForFunction(() => window.ready);
	await page.evaluate(show, games[0]);
	const first = [...requests];
	await page.evaluate(() => document.querySelector("main").remove());
	const found = { first, ...await look(page), hush: await hush(page), problems };
	process.stdout.write(JSON.stringify(found));
} finally {
	await browser.close();
	server.close();
}
