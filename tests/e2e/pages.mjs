// Drives a browser for tests/e2e/pages.py: reads one JSON command per line on stdin and answers each with one line.
// Usage: node pages.mjs MODULES CHROMIUM PATIENCE_MS: how long it waits for what a page shows
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { createRequire } from "node:module";

const [modules, chromium, patience] = process.argv.slice(2);
const PATIENCE_MS = Number(patience);
const playwright = createRequire(`${modules}/`)("playwright-core");
const LOAD_MS = 2 * PATIENCE_MS; // to start, to load a page, to draw it
const browser = await playwright.chromium.launch({
	timeout: LOAD_MS,
	executablePath: chromium,
	args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
		"--disable-site-isolation-trials", "--renderer-process-limit=1"],
});
const context = await browser.newContext();
context.setDefaultTimeout(LOAD_MS);
const pages = new Map();
let axeSource = null;
const films = new Map(); // page -> what films it
const problems = []; // { page, at, text }; for an answer also its key and url
const answered = new Map(); // key -> time of its last good answer
let now = 0;

// Holds back events of one type until the test delivers them: simulates late events.
const kept = new Map();
async function keep(name, page, type) {
	kept.set(name, []);
	await page.routeWebSocket(/./, (socket) => {
		const server = socket.connectToServer();
		server.onMessage((text) => {
			if (JSON.parse(text).type === type) kept.get(name).push(() => socket.send(text));
			else socket.send(text);
		});
	});
}

// Collects errors of the developers' console, including violations of the Content-Security-Policy.
function listen(name, page) {
	const note = (what, text, more) => problems.push({ page: name, at: ++now, text: `${name}: ${what}: ${text}`, ...more });
	page.on("console", (message) => {
		const { url } = message.location();
		const echo = /status of 50[34]\b/.test(message.text());
		if (message.type() === "error" || message.text().includes("Content Security Policy")) note("console", `${message.text()} (${url})`, echo ? { echo, url } : {});
	});
	page.on("pageerror", (error) => note("error", String(error.stack ?? error)));
	page.on("requestfailed", (request) => {
		if (request.failure()?.errorText !== "net::ERR_ABORTED") note("request", `${request.url()} ${request.failure()?.errorText}`);
	});
	page.on("response", (response) => {
		const [status, url] = [response.status(), response.url()];
		const key = `${name} ${response.request().method()} ${url}`;
		if (status >= 500) note("answer", `${status} ${url}`, { url, key: status === 503 || status === 504 ? key : null });
		else answered.set(key, ++now);
	});
}

// A 503 or 504 that a later retry answered is not a problem; nor is the console's line about it.
function unsolved() {
	const open = problems.splice(0).filter((problem) => !(problem.key && answered.get(problem.key) > problem.at));
	return open.filter((problem) => !problem.echo || open.some((other) => other.key && other.page === problem.page && other.url === problem.url)).map((problem) => problem.text);
}

// An expression: a promise that is true if the code becomes true within a second. It contains the code itself because the page's policy forbids eval.
const soon = (code) => `new Promise((tell) => {
	const all = { attributes: true, characterData: true, childList: true, subtree: true };
	const end = (answer) => { watch.disconnect(); clearInterval(timer); tell(answer); };
	const look = () => { try { if (${code}) end(true); } catch (error) { if (!(error instanceof TypeError)) end(Promise.reject(error)); } }; // what is not there yet is null
	const began = performance.now();
	const watch = new MutationObserver(look);
	const timer = setInterval(() => { look(); if (performance.now() - began > 1000) end(false); }, 200);
	watch.observe(document, all);
	look();
})`;

function unlessLeft(error) {
	if (!/context was destroyed|navigat/i.test(error.message)) throw error;
	return false;
}

// Before the page's own code: what a timer or a frame would run waits while time is held.
const HOLDS = `{
	const { setTimeout, requestAnimationFrame } = window;
	const waiting = [];
	let held = false;
	const unlessHeld = (run) => (...values) => held ? waiting.push(() => run(...values)) : run(...values);
	window.setTimeout = (run, ...more) => setTimeout(unlessHeld(run), ...more);
	window.requestAnimationFrame = (run) => requestAnimationFrame(unlessHeld(run));
	window.holdTime = (on) => {
		held = on;
		for (const one of document.getAnimations()) if (on ? one.playState === "running" : one.playState === "paused") one[on ? "pause" : "play"]();
		if (!on) for (const run of waiting.splice(0)) run();
	};
}`;

// A browser that keeps nothing for another site's frame: to name its storage is an error.
const KEEPS_NOTHING = `if (window !== window.top) for (const name of ["localStorage", "sessionStorage"])
	Object.defineProperty(window, name, { get() { throw new DOMException("The operation is insecure.", "SecurityError"); } });`;

const commands = {
	// A person each: sessionStorage, where the session is kept, belongs to one page alone. The cached files and the process, which cost most, are shared.
	async open({ page: name, url, width = 1280, height = 900, dark, keeps, held, apart, keepsnothing, still }) {
		if (!pages.has(name)) {
			// `apart`: a browser of its own, in which nothing is cached or remembered.
			const page = await (apart ? await browser.newContext() : context).newPage();
			page.setDefaultTimeout(LOAD_MS);
			if (held) await page.addInitScript(HOLDS);
			if (keepsnothing) await page.addInitScript(KEEPS_NOTHING);
			await page.setViewportSize({ width, height });
			await page.emulateMedia({ colorScheme: dark === false ? "light" : "dark", reducedMotion: still ? "reduce" : "no-preference" });
			listen(name, page);
			if (keeps) await keep(name, page, keeps);
			pages.set(name, page);
		}
		await pages.get(name).goto(url);
	},
	size: ({ page, width, height }) => pages.get(page).setViewportSize({ width, height }),
	reload: ({ page }) => pages.get(page).reload(),
	click: ({ page, selector }) => pages.get(page).click(selector, { timeout: PATIENCE_MS }),
	select: ({ page, selector, value }) => pages.get(page).selectOption(selector, String(value), { timeout: PATIENCE_MS }),
	fill: ({ page, selector, value }) => pages.get(page).fill(selector, String(value), { timeout: PATIENCE_MS }),
	// Into the page that is in front, as a person types.
	async key({ page, key }) {
		await pages.get(page).bringToFront();
		await pages.get(page).keyboard.press(key);
	},
	text: ({ page, selector }) => pages.get(page).innerText(selector, { timeout: PATIENCE_MS }),
	evaluate: ({ page, code }) => pages.get(page).evaluate(code),
	// The same in the page's first frame, which may be another site's.
	async inframe({ page, what, selector, code }) {
		const inside = pages.get(page).frameLocator("iframe").first();
		if (what === "evaluate") return pages.get(page).frames()[1].evaluate(code);
		return inside.locator(selector)[what]({ timeout: PATIENCE_MS });
	},
	// Presses, in the first frame, what opens a window; that window is the page `opens`.
	async popup({ page, selector, opens }) {
		const one = pages.get(page);
		const come = one.waitForEvent("popup");
		await one.frameLocator("iframe").first().locator(selector).click({ timeout: PATIENCE_MS });
		pages.set(opens, await come);
		listen(opens, pages.get(opens));
	},
	// Looked at after each change of the document, and now and then for what changes without one. A page that is left while it waits is asked again.
	async wait({ page, code, ms = PATIENCE_MS }) {
		for (const end = Date.now() + ms; ; ) {
			if (await pages.get(page).evaluate(soon(code)).catch(unlessLeft)) return true;
			if (Date.now() > end) throw new Error(`not within ${ms} ms`);
		}
	},
	// Stops all that moves, for pictures of what is only seen for a moment; `open` must have been told `held`.
	freeze: ({ page }) => pages.get(page).evaluate(() => window.holdTime(true)),
	thaw: ({ page }) => pages.get(page).evaluate(() => window.holdTime(false)),
	// What is in the window, or on the whole page, at each of these sizes.
	async shots({ page, path, sizes, whole = false }) {
		const one = pages.get(page);
		const before = one.viewportSize();
		const made = [];
		for (const [width, height] of sizes) {
			await one.setViewportSize({ width, height });
			made.push(`${path}-${width}x${height}.jpg`);
			await one.screenshot({ path: made.at(-1), type: "jpeg", quality: 82, fullPage: whole });
		}
		await one.setViewportSize(before);
		return made;
	},
	// A film of the page: its frames as they are shown, each with its time.
	async film({ page, folder }) {
		const session = await pages.get(page).context().newCDPSession(pages.get(page));
		const frames = [];
		session.on("Page.screencastFrame", async ({ data, metadata, sessionId }) => {
			const path = `${folder}/${String(frames.length).padStart(5, "0")}.jpg`;
			frames.push([metadata.timestamp, path]);
			writeFileSync(path, Buffer.from(data, "base64"));
			await session.send("Page.screencastFrameAck", { sessionId }).catch(() => {});
		});
		await session.send("Page.startScreencast", { format: "jpeg", quality: 80, everyNthFrame: 2 });
		films.set(page, { session, frames });
	},
	async cut({ page }) {
		const { session, frames } = films.get(page);
		await session.send("Page.stopScreencast");
		films.delete(page);
		return frames;
	},
	// What the printer gets.
	pdf: ({ page, path }) => pages.get(page).pdf({ path, preferCSSPageSize: true }).then(() => path),
	shot: ({ page, path }) => pages.get(page).screenshot({ path, fullPage: true }).then(() => path),
	// Until `heal`: what the page reads at this address has a number in place of a member; without a member it gets no answer at all.
	spoil: ({ page, path, member }) => pages.get(page).route(new RegExp(path), async (route) => {
		if (!member) return undefined;
		const response = await route.fetch();
		return route.fulfill({ response, json: { ...await response.json(), [member]: 7 } });
	}),
	heal: ({ page }) => pages.get(page).unrouteAll({ behavior: "ignoreErrors" }),
	// Without a network, or with it again.
	offline: ({ offline }) => context.setOffline(offline),
	kept: ({ page }) => kept.get(page).length,
	deliver: ({ page, count }) => kept.get(page).splice(0, count).map((send) => send()).length,
	problems: unsolved,
	less_motion: ({ page, less = true }) => pages.get(page).emulateMedia({ reducedMotion: less ? "reduce" : "no-preference" }),
	// What axe finds serious or critical, a line each: the rule, what is wrong, and where.
	async axe({ page }) {
		axeSource ??= readFileSync(`${modules}/axe-core/axe.min.js`, "utf8");
		await pages.get(page).evaluate(`${axeSource}; undefined`);
		const { violations } = await pages.get(page).evaluate(() => window.axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }));
		return violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 160)} ${(node.any[0] ?? node.all[0] ?? node.none[0])?.message ?? ""}`));
	},
	// The page opened as for the first time: milliseconds until the main button could be pressed, and bytes that came. `slower`: the processor seems so many
	// times slower; bytes are not counted then, because counting costs a page a third of its processor time.
	async first_look({ url, slower }) {
		const own = await browser.newContext({ viewport: { width: 390, height: 844 }, ignoreHTTPSErrors: true }); // a proxy of the test has a certificate of its own
		const page = await own.newPage();
		const session = await own.newCDPSession(page);
		let [bytes, requests] = [0, 0];
		session.on("Network.loadingFinished", ({ encodedDataLength }) => { bytes += encodedDataLength; requests += 1; });
		if (slower) await session.send("Emulation.setCPUThrottlingRate", { rate: slower });
		else await session.send("Network.enable");
		await page.goto(url, { waitUntil: "commit" });
		await page.waitForSelector("#login:not([aria-disabled])", { timeout: LOAD_MS });
		const ms = await page.evaluate(() => performance.now());
		if (!slower) await page.waitForLoadState("networkidle");
		await page.close(); // all pages share a process: one that seems slow would slow the others down
		return { bytes, requests, ms: Math.round(ms) };
	},
	// From now on the page's frames and long tasks are kept; `slower`: the processor seems so many times slower.
	async watch_frames({ page, slower = 1 }) {
		const session = await pages.get(page).context().newCDPSession(pages.get(page));
		await session.send("Emulation.setCPUThrottlingRate", { rate: slower });
		await pages.get(page).evaluate(() => {
			const kept = { frames: [], tasks: [] };
			window.keptFrames = kept;
			new PerformanceObserver((list) => kept.tasks.push(...list.getEntries().map((task) => Math.round(task.duration)))).observe({ entryTypes: ["longtask"] });
			let then = performance.now();
			requestAnimationFrame(function step(now) { kept.frames.push(now - then); then = now; if (window.keptFrames === kept) requestAnimationFrame(step); });
		});
	},
	async frames_seen({ page }) {
		const { frames, tasks } = await pages.get(page).evaluate(() => { const kept = window.keptFrames; window.keptFrames = null; return kept; });
		const sorted = frames.slice(2).sort((a, b) => a - b);
		const at = (part) => Number((sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(1));
		return { frames: sorted.length, p50: at(0.5), p95: at(0.95), longest: at(1), long_tasks: tasks.sort((a, b) => b - a) };
	},
	async close({ page }) {
		await pages.get(page)?.close();
		pages.delete(page);
	},
};

for await (const line of createInterface({ input: process.stdin })) {
	const command = JSON.parse(line);
	let answer;
	try {
		answer = { result: (await commands[command.do](command)) ?? null };
	} catch (error) {
		answer = { error: String(error.message ?? error) };
	}
	process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
