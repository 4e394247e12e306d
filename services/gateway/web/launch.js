// How an operator's site opens a game: /play/GAME/?operator=N#token=...&lang=sv&lobby=https://...&cashier=https://... in a frame or a window of its own,
// and what the page tells that site (docs/launch.md; host.js decides what). Only the sites in the operator's setting may frame the page, so whoever is the
// parent may hear what is told.
import { session } from "/kept.js";

export const NAME = "carillon";
const VERSION = 1;

// An address that the player may be sent to: no script, no relative path into this site.
function address(text) {
	try {
		const url = new URL(text);
		return ["https:", "http:"].includes(url.protocol) ? url.href : null;
	} catch {
		return null;
	}
}

// The token never stays in the address, where a history or a picture of the window would keep it.
function read() {
	const [, first, game] = location.pathname.split("/");
	if (first !== "play" || !game) return null;
	const given = new URLSearchParams(location.hash.slice(1));
	const fresh = given.get("token") && given.get("token") !== session.get("token");
	const kept = fresh ? {} : JSON.parse(session.get("launch") ?? "{}"); // what an earlier player was sent with is not this one's
	const found = { game, lang: given.get("lang") ?? kept.lang ?? null, lobby: address(given.get("lobby")) ?? kept.lobby ?? null, cashier: address(given.get("cashier")) ?? kept.cashier ?? null };
	if (fresh) {
		session.drop("player", "since", "reminded", "autospin", "autobet");
		session.put("token", given.get("token"));
		session.put("since", Date.now());
	}
	session.put("launch", JSON.stringify(found));
	if (location.hash) history.replaceState(null, "", location.pathname + location.search);
	return found;
}

export const launch = read(); // null: the page was opened by itself, with its own lobby
export const framed = launch !== null && window.parent !== window;

export function tell(type, more = {}) {
	if (framed) window.parent.postMessage({ source: NAME, version: VERSION, type, game: launch.game, ...more }, "*");
}

// In a frame the site around it decides what happens; in a window of its own the page goes there itself.
function go(type, to, more) {
	if (framed) tell(type, more);
	else if (to) location.assign(to);
}

export const mayLeave = () => framed || Boolean(launch?.lobby);
export const leave = (reason = "player") => go("close", launch.lobby, { reason });
export const mayPay = () => Boolean(launch) && (framed || Boolean(launch.cashier));
export const openCashier = () => go("cashier", launch.cashier);
