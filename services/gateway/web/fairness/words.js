// Puts what the module reports into words: what a number was drawn for, where two rounds differ, and what stands there.
import { money } from "/format.js";
import { has, t } from "/lang.js";

// "stop reel 3": the meaning's own words end in the reel or cell.
export function meaningWords(meaning) {
	const [, text, n] = /^(.*?)(?: ([0-9]+))?$/.exec(meaning);
	const key = `fair.draw.${text}`;
	return has(key) ? t(key, { n: n ?? "" }) : meaning;
}

// "/phases/0/wins/1/amount_minor": screen 1, win 2, amount. Places are counted from 1.
export function whereWords(where) {
	const parts = where.split("/").filter(Boolean);
	const words = [];
	for (let i = 0; i < parts.length; i++) {
		const n = /^[0-9]+$/.test(parts[i + 1] ?? "") ? Number(parts[i + 1]) + 1 : null;
		const key = `fair.at.${parts[i]}`;
		const name = has(key) ? t(key) : parts[i].replaceAll("_", " ").replace(/ minor$/, "");
		words.push(n === null ? name : `${name} ${n}`);
		if (n !== null) i += 1;
	}
	return words.join(", ");
}

const isAmount = (where) => /_minor$/.test(where) || /\/(stake|win)$/.test(where);

// A value as the player saw it: an amount as money, a text without its quotes, nothing as such.
export function valueWords(where, value, currency) {
	if (value === undefined || value === "" || value === "null" || value === "nothing") return t("fair.nothing");
	if (isAmount(where) && /^-?[0-9]+$/.test(value)) return money(Number(value), currency);
	if (value === "true" || value === "false") return t(`fair.${value}`);
	return /^".*"$/.test(value) ? value.slice(1, -1) : value;
}
