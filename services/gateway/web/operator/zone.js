// The time zone in which this browser shows times: that of the computer, or one that the user chose. It changes no day of a report: those begin as the
// operator has set.
import { always } from "/kept.js";

const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const KEPT = "console-zone";
const DAY_MS = 86400000;

const isZone = (name) => {
	try {
		return Boolean(new Intl.DateTimeFormat(undefined, { timeZone: name }));
	} catch {
		return false;
	}
};

// "": that of the computer.
export const chosenZone = () => isZone(always.get(KEPT) || undefined) ? always.get(KEPT) ?? "" : "";
export const zone = () => chosenZone() || HERE;
export const zoneChoices = () => [["", `this computer's, ${HERE}`], ...["UTC", ...Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC")].map((name) => [name, name])];
export const chooseZone = (name) => name ? always.put(KEPT, name) : always.drop(KEPT);

const shown = (options) => (us) => us ? new Intl.DateTimeFormat(undefined, { ...options, timeZone: zone() }).format(us / 1000) : "–";
export const time = shown({ dateStyle: "short", timeStyle: "medium" });
export const day = shown({ dateStyle: "short" });

// Milliseconds by which the zone's clock is ahead of UTC at this moment.
function ahead(ms) {
	const parts = new Intl.DateTimeFormat("en-GB", { timeZone: zone(), hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" }).formatToParts(ms);
	const { year, month, day: date, hour, minute, second } = Object.fromEntries(parts.map(({ type, value }) => [type, Number(value)]));
	return Date.UTC(year, month - 1, date, hour, minute, second) - Math.floor(ms / 1000) * 1000;
}

// The moment, in microseconds, at which the zone's clock shows this (2026-03-29T02:30); "" for none. An hour that the clock skips is read by the clock
// before it; of one that it shows twice the first counts.
export function usAt(text) {
	const there = Date.parse(`${text}Z`);
	if (!text || Number.isNaN(there)) return "";
	const tries = [there - ahead(there - DAY_MS), there - ahead(there + DAY_MS)]; // by the clock before a change and after it
	return 1000 * (tries.find((ms) => ms + ahead(ms) === there) ?? tries[0]);
}
