// A browser on a leash: reads one command a line on stdin, as JSON, and answers each with one line, so that tests/e2e/pages.py can say what a person does
// and see what he sees. node pages.mjs MODULES CHROMIUM
import { createInterface } from "node:readline";
import { createRequire } from "node:module";

const [modules, chromium] = process.argv.slice(2);
const playwright = createRequire(`${modules}/`)("playwright-core");
const LOAD_MS = 120000; // to start, to load a page, to draw it
const browser = await playwright.chromium.launch({
	timeout: LOAD_MS,
	executablePath: chromium,
	args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
});
const PATIENCE_MS = 40000; // a busy machine is no failure
const pages = new Map();
const problems = []; // { page, at, text }, and of an answer also its key and url
const answered = new Map(); // key -> when it was answered well
let now = 0;

// Events of one type stay on their way to the page until they are delivered: news that comes late, when the test says so.
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

// Whatever a person would see in the developers' console as an error, violations of the Content-Security-Policy among them.
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

// Where a service could not say at once and the page asked again with success, nothing is wrong; nor is the console's line about it.
function unsolved() {
	const open = problems.splice(0).filter((problem) => !(problem.key && answered.get(problem.key) > problem.at));
	return open.filter((problem) => !problem.echo || open.some((other) => other.key && other.page === problem.page && other.url === problem.url)).map((problem) => problem.text);
}

const commands = {
	// A person of his own each: nothing is shared between two pages but the server.
	async open({ page: name, url, width = 1280, height = 900, dark, keeps }) {
		if (!pages.has(name)) {
			const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark === false ? "light" : "dark" });
			context.setDefaultTimeout(LOAD_MS);
			const page = await context.newPage();
			listen(name, page);
			if (keeps) await keep(name, page, keeps);
			pages.set(name, page);
		}
		await pages.get(name).goto(url);
	},
	reload: ({ page }) => pages.get(page).reload(),
	click: ({ page, selector }) => pages.get(page).click(selector, { timeout: PATIENCE_MS }),
	select: ({ page, selector, value }) => pages.get(page).selectOption(selector, String(value), { timeout: PATIENCE_MS }),
	fill: ({ page, selector, value }) => pages.get(page).fill(selector, String(value), { timeout: PATIENCE_MS }),
	key: ({ page, key }) => pages.get(page).keyboard.press(key),
	text: ({ page, selector }) => pages.get(page).innerText(selector, { timeout: PATIENCE_MS }),
	evaluate: ({ page, code }) => pages.get(page).evaluate(code),
	// Asked from outside, again and again: code that polls within the page would be eval, which its policy forbids.
	async wait({ page, code, ms = PATIENCE_MS }) {
		for (const end = Date.now() + ms; ; await new Promise((resolve) => setTimeout(resolve, 30))) {
			if (await pages.get(page).evaluate(`!!(${code})`)) return true;
			if (Date.now() > end) throw new Error(`not within ${ms} ms`);
		}
	},
	shot: ({ page, path }) => pages.get(page).screenshot({ path, fullPage: true }).then(() => path),
	kept: ({ page }) => kept.get(page).length,
	deliver: ({ page, count }) => kept.get(page).splice(0, count).map((send) => send()).length,
	problems: unsolved,
	async close({ page }) {
		await pages.get(page)?.context().close();
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
