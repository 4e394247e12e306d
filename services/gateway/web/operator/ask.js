// Requests of the console: with the session's cookie, its CSRF token, and a key for each action.
import { ApiError, randomHex, traceparent } from "/api.js";

const READ_MS = 35000; // somewhat longer than the gateway lets a request wait

export const session = { csrf: null, lost: () => {}, changed: () => {} };

class NoAnswer extends Error {
	constructor(method) {
		super(method === "GET" ? "The server does not answer." : "The server does not answer. The action may or may not have been done.");
		this.expected = true;
	}
}

function failure(status, answer) {
	const error = new ApiError(status, answer);
	if (error.code === "operator_key") session.lost();
	if (error.code === "not_permitted") session.changed();
	return error;
}

async function once(method, path, body, key) {
	const headers = { traceparent: traceparent() };
	if (body) headers["Content-Type"] = "application/json";
	if (key) headers["Idempotency-Key"] = key;
	if (method === "POST" && session.csrf) headers["X-CSRF-Token"] = session.csrf;
	// A read that is never answered must not be the last of its kind. An action waits for as long as it takes: its outcome matters.
	const signal = method === "GET" ? AbortSignal.timeout(READ_MS) : undefined;
	const response = await fetch(path, { method, headers, signal, credentials: "same-origin", body: body && JSON.stringify(body) }).catch(() => { throw new NoAnswer(method); });
	const answer = await response.json().catch(() => {
		if (method === "GET" && response.ok) throw new NoAnswer(method);
		return null;
	});
	if (response.ok) return answer;
	throw failure(response.status, answer);
}

export const read = (path) => once("GET", path);

// A document that is written while it is read, as a blob; only a whole one ends like this.
export async function wholeOf(path, end) {
	const response = await fetch(path, { credentials: "same-origin" }).catch(() => { throw new NoAnswer("GET"); });
	if (!response.ok) throw failure(response.status, await response.json().catch(() => null));
	const file = await response.blob().catch(() => { throw new NoAnswer("GET"); });
	if (await file.slice(-end.length).text() !== end) throw new Error("The document did not come whole. Try again.");
	return file;
}

// A list as the gateway's table, all its pages; those after the first leave out the header row. A page that is refused for now is asked for again.
export async function tableOf(path) {
	const parts = [];
	for (let cursor = ""; cursor !== null;) {
		const page = `${path}${path.includes("?") ? "&" : "?"}format=csv${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`;
		const response = await fetch(page, { credentials: "same-origin" }).catch(() => { throw new NoAnswer("GET"); });
		if (response.status === 429) {
			await new Promise((go) => setTimeout(go, 1000 * Number(response.headers.get("Retry-After") ?? 1)));
			continue;
		}
		if (!response.ok) throw failure(response.status, await response.json().catch(() => null));
		const text = await response.text().catch(() => { throw new NoAnswer("GET"); });
		parts.push(parts.length ? text.slice(text.indexOf("\n") + 1) : text);
		cursor = response.headers.get("X-Next-Cursor");
	}
	return new Blob(parts, { type: "text/csv" });
}

// An action: the same key again has no second effect. The caller keeps it until it knows the outcome.
export const act = (path, body, key = randomHex(16)) => once("POST", path, body, key);

// What an error says, in one or two sentences.
export function sentence(error) {
	if (!(error instanceof ApiError)) return error.message;
	const { where, found, expected } = error.body?.error ?? {};
	const more = [where && `in ${where}`, found && `found ${found}`, expected && `expected ${expected}`].filter(Boolean).join(", ");
	return more ? `${error.message} (${more})` : error.message;
}
