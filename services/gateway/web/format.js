// How money, times and names are shown, in the player's language.
import { locale, t } from "/lang.js";

// The digits of currencies that have not two, as libcommon/base/currency.c has them.
const DIGITS = { 0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF", 3: "BHD IQD JOD KWD LYD OMR TND", 4: "CLF UYW", 6: "ADA TRX XRP", 8: "BCH LTC XBT", 9: "ETH SOL" };
const EXPONENTS = Object.fromEntries(Object.entries(DIGITS).flatMap(([digits, codes]) => codes.split(" ").map((code) => [code, Number(digits)])));
export const exponentOf = (currency) => EXPONENTS[currency] ?? 2;

// Whole minor units as a decimal text, without floating point.
export function decimal(minor, currency) {
	const exponent = exponentOf(currency);
	const digits = String(Math.abs(minor)).padStart(exponent + 1, "0");
	const whole = digits.slice(0, digits.length - exponent);
	return `${minor < 0 ? "-" : ""}${whole}${exponent ? `.${digits.slice(digits.length - exponent)}` : ""}`;
}

const formats = new Map();
function formatOf(currency) {
	const key = `${locale()} ${currency ?? ""}`;
	if (!formats.has(key)) {
		const digits = { minimumFractionDigits: exponentOf(currency), maximumFractionDigits: exponentOf(currency) };
		formats.set(key, new Intl.NumberFormat(locale(), currency ? { style: "currency", currency, ...digits } : digits));
	}
	return formats.get(key);
}

// Exact: Intl formats the decimal text, not a floating-point number.
export const money = (minor, currency) => minor === undefined || minor === null ? "–" : formatOf(currency).format(decimal(minor, currency));

// What a player types: a decimal in the currency's own digits, as minor units; null: no such amount. "1,000" is none in a currency of two digits:
// it may mean one or a thousand.
export function typedMinor(text, currency) {
	const digits = exponentOf(currency);
	const [, whole, part = ""] = /^(\d+)(?:[.,](\d+))?$/.exec(String(text).trim()) ?? [];
	const minor = whole === undefined || part.length > digits ? NaN : Number(whole + part.padEnd(digits, "0"));
	return Number.isSafeInteger(minor) ? minor : null;
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
