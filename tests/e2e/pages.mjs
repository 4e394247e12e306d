// Drives a browser for tests/e2e/pages.py: reads one JSON command per line on stdin and answers each with one line.
// Usage: node pages.mjs MODULES CHROMIUM
import { createInterface } from "node:readline";
import { createRequire } from "node:module";

const [modules, chromium] = process.argv.slice(2);
const playwright = createRequire(`${modules}/`)("playwright-core");
const LOAD_MS = 120000; // to start, to load a page, to draw it
const browser = await playwright.chromium.launch({
	timeout: LOAD_MS,
	executablePath: chromium,
	args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run",
		"--disable-site-isolation-trials", "--renderer-process-limit=1"],
});
const context = await browser.newContext();
context.setDefaultTimeout(LOAD_MS);
const PATIENCE_MS = 40000; // long enough for a busy machine
const pages = new Map();
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
	const look = () => { try { if (${code}) end(true); } catch (error) { end(Promise.reject(error)); } };
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

const commands = {
	// A person each: sessionStorage, where the session is kept, belongs to one page alone. The cached files and the process, which cost most, are shared.
	async open({ page: name, url, width = 1280, height = 900, dark, keeps }) {
		if (!pages.has(name)) {
			const page = await context.newPage();
			await page.setViewportSize({ width, height });
			await page.emulateMedia({ colorScheme: dark === false ? "light" : "dark" });
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
	// Looked at after each change of the document, and now and then for what changes without one. A page that is left while it waits is asked again.
	async wait({ page, code, ms = PATIENCE_MS }) {
		for (const end = Date.now() + ms; ; ) {
			if (await pages.get(page).evaluate(soon(code)).catch(unlessLeft)) return true;
			if (Date.now() > end) throw new Error(`not within ${ms} ms`);
		}
	},
	shot: ({ page, path }) => pages.get(page).screenshot({ path, fullPage: true }).then(() => path),
	kept: ({ page }) => kept.get(page).length,
	deliver: ({ page, count }) => kept.get(page).splice(0, count).map((send) => send()).length,
	problems: unsolved,
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
