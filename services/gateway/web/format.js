// How money, times and names are shown, in the player's language.
import { CODES, SIGNS } from "/currencies.js";
import { locale, t } from "/lang.js";

const EXPONENTS = new Map(Object.entries(CODES).flatMap(([digits, codes]) => codes.split(" ").map((code) => [code, Number(digits)])));
export const isCurrency = (code) => EXPONENTS.has(code);
export const CURRENCIES = [...EXPONENTS.keys()].sort();
export const CODE_MAX = Math.max(...CURRENCIES.map((code) => code.length));
// An unknown currency has no decimals: its amounts are shown as whole minor units.
export const exponentOf = (currency) => EXPONENTS.get(currency) ?? 0;

// Whole minor units as a decimal text, without floating point.
export function decimal(minor, currency) {
	const exponent = exponentOf(currency);
	const digits = String(minor).replace("-", "").padStart(exponent + 1, "0");
	const whole = digits.slice(0, digits.length - exponent);
	return `${minor < 0 ? "-" : ""}${whole}${exponent ? `.${digits.slice(digits.length - exponent)}` : ""}`;
}

// Intl knows the signs of ISO's currencies, and throws for a code of four letters. Carillon's own have theirs in the table, and an unknown code is its own
// sign: it stands where the language puts that of this placeholder.
const PLACEHOLDER = "XBT";
const formats = new Map();
function formatOf(currency) {
	const key = `${locale()} ${currency ?? ""}`;
	if (!formats.has(key)) {
		const digits = { minimumFractionDigits: exponentOf(currency), maximumFractionDigits: exponentOf(currency) };
		const sign = isCurrency(currency) ? SIGNS[currency] : currency;
		const format = new Intl.NumberFormat(locale(), currency ? { style: "currency", currency: sign ? PLACEHOLDER : currency, ...digits } : digits);
		formats.set(key, (text) => sign ? format.formatToParts(text).map(({ type, value }) => type === "currency" ? sign : value).join("") : format.format(text));
	}
	return formats.get(key);
}

// Exact: Intl formats the decimal text, not a floating-point number. It never throws: an amount that cannot be shown must not take the page with it.
export const money = (minor, currency) => minor === undefined || minor === null ? "–" : formatOf(currency)(decimal(minor, currency));

// "1,000" may mean one or a thousand, in a currency of three or more digits as well: it is never guessed.
const GROUPED = /^[1-9]\d{0,2},\d{3}$/;
export const isAmbiguous = (text) => GROUPED.test(String(text).trim());

// What a person types, a decimal in the currency's own digits: { minor }, or { why } it is no amount: currency, ambiguous, form.
export function typedAmount(text, currency) {
	if (!isCurrency(currency)) return { why: "currency" };
	if (isAmbiguous(text)) return { why: "ambiguous" };
	const digits = exponentOf(currency);
	const [, whole, part = ""] = /^(\d+)(?:[.,](\d+))?$/.exec(String(text).trim()) ?? [];
	const minor = whole === undefined || part.length > digits ? NaN : Number(whole + part.padEnd(digits, "0"));
	return Number.isSafeInteger(minor) ? { minor } : { why: "form" };
}
export const typedMinor = (text, currency) => typedAmount(text, currency).minor ?? null;
// The two amounts that an ambiguous text may mean, each as it can be typed in this currency: 1000 and 1.00 for "1,000" in euros.
export function bothMeanings(text, currency) {
	const [whole, part] = String(text).trim().split(",");
	const digits = part.slice(0, exponentOf(currency));
	return { most: whole + part, least: digits ? `${whole}.${digits}` : whole };
}
// What was understood, or that it may mean two amounts.
export function typedWords(text, currency) {
	const { minor, why } = typedAmount(text, currency);
	if (why === "ambiguous") return t("typed.ambiguous", { typed: String(text).trim(), ...bothMeanings(text, currency) });
	return minor === undefined ? t("limit.wrong") : money(minor, currency);
}

export const number = (value) => new Intl.NumberFormat(locale()).format(value);
// A decimal text, exact, with as many digits as it has.
export function digits(text) {
	const many = String(text).split(".")[1]?.length ?? 0;
	return new Intl.NumberFormat(locale(), { minimumFractionDigits: many, maximumFractionDigits: many }).format(text);
}
export const clock = (ms) => new Date(ms).toLocaleTimeString(locale(), { hour12: false });
export const dateTime = (time) => new Date(time).toLocaleString(locale(), { dateStyle: "short", timeStyle: "medium" });
export const CARD_SUITS = ["clubs", "diamonds", "hearts", "spades"];
export const LEVELS = ["", "Clubs", "Diamonds", "Hearts", "Spades"];
const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
const MARKS = { clubs: "\u2663\ufe0e", diamonds: "\u2666\ufe0e", hearts: "\u2665\ufe0e", spades: "\u2660\ufe0e" };
const JOKER = 52;
export const RED_SUITS = ["diamonds", "hearts"];
export const suitOf = (card) => card === JOKER ? null : CARD_SUITS[Math.floor(card / 13)];
export const cardShort = (card) => card === JOKER ? "Jkr" : `${RANKS[card % 13]}${MARKS[suitOf(card)]}`;
export const cardName = (card) => card === JOKER ? t("joker") : t("card-name", { rank: RANKS[card % 13], suit: t(`suit.${suitOf(card)}`).toLocaleLowerCase(locale()) });
