// Amounts that people type: what was understood is shown before it is booked, and what may mean two amounts is refused.
import { bothMeanings, decimal, isAmbiguous, isCurrency, money, typedAmount } from "/format.js";

// The sentence that says why this is no amount.
export function troubleWith(text, currency) {
	const { why } = typedAmount(text, currency);
	const typed = String(text).trim();
	const { most, least } = why === "ambiguous" ? bothMeanings(typed, currency) : {};
	if (why === "currency") return `"${currency}" is no currency. Enter its code, such as EUR or USDT.`;
	if (why === "ambiguous") return `"${typed}" may mean two amounts. Enter ${most} or ${least}.`;
	return `Enter an amount in ${currency}, such as ${decimal(1000, currency)}.`;
}

// Minor units above 0, or below it with a sign where that is allowed; throws the sentence otherwise.
export function minorOf(text, currency, signed) {
	const bare = String(text).trim().replace(/^[+-]/, "");
	const { minor } = typedAmount(bare, currency);
	if (!minor || (!signed && String(text).trim() !== bare)) throw troubleWith(bare, currency);
	return String(text).trim().startsWith("-") ? -minor : minor;
}

// What the words make of an amount while it is typed; nothing before the first character, and why not if it is no amount.
export function understood(text, currency, words = (minor) => `Understood: ${money(minor, currency)}.`, signed = false) {
	if (String(text).trim().replace(/^[+-]/, "") === "") return "";
	try {
		return words(minorOf(text, currency, signed));
	} catch (sentence) {
		return sentence;
	}
}

// A decimal number as text, with a point.
export function typedDecimal(text, what) {
	const typed = String(text).trim();
	if (isAmbiguous(typed)) throw `${what}: "${typed}" may mean two numbers. Enter ${typed.replace(",", "")} or ${typed.replace(",", ".")}.`;
	return typed.replace(",", ".");
}

export function typedCurrency(text) {
	const code = String(text).trim().toUpperCase();
	if (!isCurrency(code)) throw `"${text}" is no currency. Enter its code, such as EUR or USDT.`;
	return code;
}
