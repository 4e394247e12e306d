// Puts into words what the interface says as data: figures before and after an action, parameters, what a line of the audit log holds. A member's name
// says its unit, so that a member which is new is told with its unit as well.
import { html } from "/vendor/htm-preact.js";
import { isCurrency, money } from "/format.js";
import { NUMBERS } from "/operator/currencies.js";
import { time } from "/operator/zone.js";

const NAMES = {
	r_e27: "value in the row", jp_pool_e27: "value in the rows", jp_seed_e27: "seeds", jp_reserve_e27: "reserve", sent_e27: "sent to others", row_rate_nano: "row rate", next_row_rate_nano: "row rate from the next hit on",
	seed_minor: "seed", next_seed_minor: "seed from the next hit on", wager_ppm: "share of stakes", next_wager_ppm: "share of stakes from the next hit on", delta_minor: "change", coin_minor: "coin", of: "out of", in: "chance",
	takes_part: "takes part", rest: "all else goes to", to: "goes to", until_s: "until", valid_from_us: "from", sms: "SMS",
};
const UNITS = /_(minor|us|s|ms|ppm|nano|e27|e9)$/;
const VALUES = { parameters: "change of terms", take_part: "take part" };

export const nameOf = (key) => NAMES[key] ?? key.replace(UNITS, "").replaceAll("_", " ");
export const wordOf = (text) => VALUES[text] ?? String(text).replaceAll(/[_-]/g, " ");

// Whole numbers of 10^-digits of a euro, cut to cents for display; the books are exact.
export function euros(text, digits = 27) {
	if (text === null || text === undefined) return "–";
	const cents = BigInt(text) / 10n ** BigInt(digits - 2);
	return new Intl.NumberFormat(undefined, { style: "currency", currency: "EUR" }).format(`${cents / 100n}.${String(cents < 0n ? -cents % 100n : cents % 100n).padStart(2, "0")}`);
}

// Whole numbers of 10^-places as a decimal text.
function scaled(value, places) {
	const digits = String(value < 0 ? -BigInt(value) : BigInt(value)).padStart(places + 1, "0");
	const rest = digits.slice(-places).replace(/0+$/, "");
	return `${value < 0 ? "-" : ""}${digits.slice(0, -places)}${rest ? `.${rest}` : ""}`;
}

// The audit log names some currencies by their number.
const CODES = new Map([...NUMBERS.matchAll(/(\d+)([A-Z]+)/g)].map(([, number, code]) => [number, code]));
const currencyOf = (value) => isCurrency(value) ? value : CODES.get(String(value)) ?? String(value);

const isWhole = (value) => /^-?[0-9]+$/.test(String(value));
const SAID = {
	minor: (value, currency) => money(Number(value), currency),
	us: (value) => time(Number(value)),
	s: (value) => Number(value) > 1e9 ? time(Number(value) * 1e6) : `${value} s`,
	ms: (value) => `${value} ms`,
	ppm: (value) => `${scaled(value, 4)} %`,
	nano: (value) => scaled(value, 9),
	e9: (value) => euros(value, 9),
	e27: (value) => euros(value, 27),
};

// One value. `currency`: of the amounts beside it.
function valueOf(key, value, currency) {
	if (value === null || value === undefined || value === "") return "none";
	if (typeof value === "boolean") return value ? "yes" : "no";
	if (Array.isArray(value)) return value.length ? value.map((one) => valueOf(key, one, currency)).join(", ") : "none";
	if (typeof value === "object") return said(value, currency);
	if (key === "currency") return currencyOf(value) ?? String(value);
	const unit = UNITS.exec(key)?.[1];
	if (unit && isWhole(value)) return SAID[unit](value, currency);
	return typeof value === "number" ? new Intl.NumberFormat().format(value) : /^[a-z_]+$/.test(value) ? wordOf(value) : String(value);
}

export const dataOf = (content) => {
	if (typeof content !== "string") return content ?? {};
	try {
		return JSON.parse(content || "{}");
	} catch {
		return content; // words already
	}
};

// All members in one sentence: "coin €0.20, change €1.00".
export function said(content, currency) {
	const data = dataOf(content);
	if (typeof data !== "object" || data === null) return valueOf("", data, currency);
	const { in: part, of: whole, ...rest } = data;
	if (rest.refusal === 0) delete rest.refusal;
	const own = rest.currency === undefined ? currency : currencyOf(rest.currency);
	const odds = part !== undefined && whole !== undefined ? [`${part} in ${new Intl.NumberFormat().format(whole)} for each smallest unit of the stake`] : [];
	const amounts = own && rest.currency && Object.keys(rest).some((key) => key.endsWith("_minor"));
	return [...Object.entries(rest).filter(([key]) => !(amounts && key === "currency")).map(([key, value]) => `${nameOf(key)} ${valueOf(key, value, own)}`), ...odds].join(", ") || "–";
}

// A line of the audit log: what was asked for, then each member that has changed as "state active → disabled".
export function actionSaid(content) {
	const data = dataOf(content);
	if (typeof data !== "object" || data === null || !data.after) return said(data);
	const { before, after, ...rest } = data;
	const currency = currencyOf(data.currency);
	const [was, is] = [dataOf(before), dataOf(after)];
	const keys = [...new Set([...Object.keys(was ?? {}), ...Object.keys(is)])].map((key) => [nameOf(key), valueOf(key, was?.[key], currency), valueOf(key, is[key], currency)]);
	const changed = before === undefined ? said(is, currency) : keys.filter(([, then, now]) => then !== now).map(([name, then, now]) => `${name} ${then} → ${now}`).join("; ");
	return [said(rest), changed].filter((part) => part && part !== "–").join("; ") || "–";
}

// What stood before an action and stands after it, a line a figure; what has changed is marked.
export function Changes({ before, after, currency }) {
	const [was, is] = [dataOf(before), dataOf(after)];
	if (!before) return null;
	return html`<div class="scroll"><table class="changes"><thead><tr><th scope="col"></th><th scope="col" class="number">Before</th><th scope="col" class="number">After</th></tr></thead>
		<tbody>${[...new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})])].map((key) => {
			const [then, now] = [valueOf(key, was?.[key], currency), valueOf(key, is?.[key], currency)];
			return html`<tr key=${key}><th scope="row">${nameOf(key)}</th><td class="number">${then}</td><td class="number">${now === then ? now : html`<b>${now}</b>`}</td></tr>`;
		})}</tbody></table></div>`;
}
