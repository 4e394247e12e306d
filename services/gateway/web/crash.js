// Tells the gateway that this page has crashed: the kind of the error and where in our own modules it was thrown. Never its message, which may quote what a
// person has typed, and nothing of the person.
const MOST = 5; // reports of one page; of each place one
const KIND_MAX = 40;
const NUMBER_MAX = 1e6;
const told = new Set();

// A file of a browser's extension is not ours.
const OURS = new RegExp(`${location.origin.replace(/[.*+?^$()|[\]\\{}]/g, "\\$&")}(?:/a\\.[0-9a-f]+\\.a)?/([a-z/-]{1,60}\\.js)[^:\\s)]*:([0-9]{1,6}):([0-9]{1,6})`, "g");

// The first place in a module that is not a library's.
function placeOf(stack) {
	const places = [...String(stack ?? "").matchAll(OURS)];
	const [, file, line, column] = places.find(([, path]) => !path.startsWith("vendor/")) ?? places[0] ?? [];
	return file && { file, line: Math.min(Number(line), NUMBER_MAX), column: Math.min(Number(column), NUMBER_MAX) };
}

const kindOf = (error) => String(error?.name ?? "").replace(/[^A-Za-z]/g, "").slice(0, KIND_MAX) || "Error";

// `page`: player or console. A refusal by the server or a lost network is no crash: `expected` errors are left out.
export function tellCrash(page, error) {
	if (error?.expected) return;
	const place = placeOf(error?.stack);
	const known = place && `${place.file}:${place.line}:${place.column}`;
	if (!place || told.size >= MOST || told.has(known)) return;
	told.add(known);
	const body = JSON.stringify({ page, kind: kindOf(error), ...place });
	fetch("/v1/crashes", { method: "POST", headers: { "Content-Type": "application/json" }, body, keepalive: true }).catch(() => {});
}

// What nothing else catches.
export function watchCrashes(page) {
	addEventListener("error", ({ error, filename, lineno, colno }) => tellCrash(page, error?.stack ? error : { name: error?.name, stack: `${filename}:${lineno}:${colno}` }));
	addEventListener("unhandledrejection", ({ reason }) => tellCrash(page, reason));
}
