// The gateway's HTTP API as the pages use it. A request that moves something carries a key of its own, so that asking again after a lost answer
// can never take a second effect.

export class ApiError extends Error {
	constructor(status, body) {
		const error = body?.error ?? {};
		super(error.message ?? `The server answered ${status}.`);
		this.status = status;
		this.code = error.code ?? "unknown";
		this.body = body ?? {};
	}
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
export const bytesOf = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
export const randomHex = (n) => hex(crypto.getRandomValues(new Uint8Array(n)));

async function once(method, path, { token, body, key } = {}) {
	const headers = {};
	if (token) headers.Authorization = `Bearer ${token}`;
	if (body) headers["Content-Type"] = "application/json";
	if (key) headers["Idempotency-Key"] = key;
	const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
	const answer = await response.json().catch(() => null);
	if (!response.ok) throw new ApiError(response.status, answer);
	return answer;
}

const mayAskAgain = (error) => !(error instanceof ApiError) || [502, 503, 504].includes(error.status);

// Asks until there is an answer: the same key each time, longer pauses, at most about half a minute.
async function ask(method, path, options = {}) {
	const key = options.keyed ? randomHex(16) : undefined;
	for (let attempt = 0; ; attempt++) {
		try {
			return await once(method, path, { ...options, key });
		} catch (error) {
			if (attempt >= 8 || !mayAskAgain(error)) throw error;
			await pause(Math.min(200 * 2 ** attempt, 5000) * (0.5 + Math.random() / 2));
		}
	}
}

export const get = (path, token) => ask("GET", path, { token });
// For what is numbered by itself and so needs no key.
export const send = (path, body, token) => ask("POST", path, { token, body });
export const post = (path, body, token) => ask("POST", path, { body, token, keyed: true });
