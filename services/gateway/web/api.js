// The gateway's HTTP API as the pages use it. A request that changes something carries its own key: a retry after a lost answer has no second effect.

export const SILENT_MS = 1000; // without an answer for so long, the page says what is known

export class ApiError extends Error {
	constructor(status, body) {
		const error = body?.error ?? {};
		super(error.message ?? `The server answered ${status}.`);
		this.status = status;
		this.code = error.code ?? "unknown";
		this.body = body ?? {};
		this.expected = true; // no fault of this page
	}
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
export const bytesOf = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
// Of a secret in hex, as it is shown before the bet.
export const hashOf = async (secret) => hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytesOf(secret))));
export const randomHex = (n) => hex(crypto.getRandomValues(new Uint8Array(n)));

// A trace for each request (docs/tracing.md); its retries belong to it. A page that is opened with ?trace=1 asks the services to log their way.
const flags = new URLSearchParams(location.search).get("trace") === "1" ? "01" : "00";
export const traceparent = (trace = randomHex(16)) => `00-${trace}-${randomHex(8)}-${flags}`;

async function once(method, path, { token, body, key, trace } = {}) {
	const headers = { traceparent: traceparent(trace) };
	if (token) headers.Authorization = `Bearer ${token}`;
	if (body) headers["Content-Type"] = "application/json";
	if (key) headers["Idempotency-Key"] = key;
	const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) }).catch((error) => { throw Object.assign(error, { expected: true }); });
	const answer = await response.json().catch(() => null);
	if (!response.ok) throw new ApiError(response.status, answer);
	return answer;
}

const mayRetry = (error) => !(error instanceof ApiError) || [502, 503, 504].includes(error.status);

// Retries with the same key and growing pauses until an answer comes, for about half a minute at most.
async function request(method, path, options = {}) {
	const key = options.keyed ? randomHex(16) : undefined;
	const trace = randomHex(16);
	for (let attempt = 0; ; attempt++) {
		try {
			return await once(method, path, { ...options, key, trace });
		} catch (error) {
			// The same request again, as soon as the server takes it. The player's smallest time between two bets is the server's.
			if (error.code === "too_soon" && attempt < 8) {
				await pause(error.body.error.retry_after_ms);
				continue;
			}
			if (attempt >= 8 || !mayRetry(error)) throw error;
			await pause(Math.min(200 * 2 ** attempt, 5000) * (0.5 + Math.random() / 2));
		}
	}
}

export const get = (path, token) => request("GET", path, { token });
// For requests that their own number makes idempotent, so that they need no key.
export const send = (path, body, token) => request("POST", path, { token, body });
export const post = (path, body, token) => request("POST", path, { body, token, keyed: true });
