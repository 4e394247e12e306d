// How money, times and names are shown.

const EXPONENTS = { JPY: 0, KRW: 0, ISK: 0, CLP: 0, BHD: 3, KWD: 3, TND: 3, XBT: 8 };
export const exponentOf = (currency) => EXPONENTS[currency] ?? 2;

// Exact: formats whole minor units without floating point.
export function money(minor, currency) {
	if (minor === undefined || minor === null) return "–";
	const exponent = exponentOf(currency);
	const negative = minor < 0;
	const digits = String(Math.abs(minor)).padStart(exponent + 1, "0");
	const whole = digits.slice(0, digits.length - exponent).replace(/\B(?=(\d{3})+(?!\d))/g, " ");
	const fraction = exponent ? `.${digits.slice(digits.length - exponent)}` : "";
	return `${negative ? "−" : ""}${whole}${fraction}${currency ? ` ${currency}` : ""}`;
}

export const clock = (ms) => new Date(ms).toLocaleTimeString([], { hour12: false });
export const CARD_SUITS = ["clubs", "diamonds", "hearts", "spades"];
export const LEVELS = ["", "Clubs", "Diamonds", "Hearts", "Spades"];
const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
const MARKS = { clubs: "\u2663\ufe0e", diamonds: "\u2666\ufe0e", hearts: "\u2665\ufe0e", spades: "\u2660\ufe0e" };
const JOKER = 52;
export const RED_SUITS = ["diamonds", "hearts"];
export const cardShort = (card) => card === JOKER ? "Jkr" : `${RANKS[card % 13]}${MARKS[CARD_SUITS[Math.floor(card / 13)]]}`;
export const cardName = (card) => card === JOKER ? "joker" : `${RANKS[card % 13]} of ${CARD_SUITS[Math.floor(card / 13)]}`;
