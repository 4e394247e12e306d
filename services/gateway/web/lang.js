// The page's words in the player's language: message files in /lang, English where a language has no entry. A message may hold {name} and
// {n, plural, one {# line} other {# lines}}; Intl chooses the plural form. Two pseudo-languages test the page: en-XA (long, accented) and ar-XB (right to left).
import { always } from "/kept.js";
import { launch } from "/launch.js";
import { EN } from "/lang/en.js";

export const LANGUAGES = [["en", "English"], ["sv", "Svenska"]];
const PSEUDO = ["en-XA", "ar-XB"];
const FILES = { sv: () => import("/lang/sv.js").then((file) => file.SV) };
const ACCENTS = Object.fromEntries([..."aeiounycsAEIOUNYCS"].map((letter, i) => [letter, [..."åéîöüñýçšÅÉÎÖÜÑÝÇŠ"][i]]));
let current = { code: "en", words: EN };

const known = (code) => code && ([...LANGUAGES.map(([id]) => id), ...PSEUDO].find((id) => id === code) ?? LANGUAGES.find(([id]) => code.startsWith(`${id}-`))?.[0]);
const fits = () => known(new URLSearchParams(location.search).get("lang")) ?? known(launch?.lang) ?? known(always.get("lang")) ?? navigator.languages.map(known).find(Boolean) ?? "en";

export async function loadWords(code = fits()) {
	const words = FILES[code] ? { ...EN, ...await FILES[code]().catch(() => ({})) } : EN;
	current = { code, words };
	document.documentElement.lang = locale();
	document.documentElement.dir = code === "ar-XB" ? "rtl" : "ltr";
}

// The messages of a page that has files of its own: en.js and sv.js in its folder, a URL.
export async function loadMore(folder) {
	const file = (code) => import(new URL(`${code}.js`, folder)).then(({ WORDS }) => WORDS);
	const own = FILES[current.code] ? await file(current.code).catch(() => ({})) : {};
	current.words = { ...current.words, ...await file("en"), ...own };
}

export function chooseLanguage(code) {
	always.put("lang", code);
	return loadWords(code);
}

export const language = () => current.code;
export const locale = () => current.code.slice(0, 2) === "sv" ? "sv" : "en-GB"; // English as in Europe: no comma before "and"

// The position after the brace that closes the one at `from`.
function closing(text, from) {
	let depth = 0;
	for (let i = from; i < text.length; i++) {
		if (text[i] === "{") depth += 1;
		if (text[i] === "}" && --depth === 0) return i;
	}
	return text.length;
}

function plural(forms, n) {
	const wanted = new Intl.PluralRules(locale()).select(n);
	const found = {};
	for (const match of forms.matchAll(/(\w+) \{/g)) {
		const open = match.index + match[0].length - 1;
		found[match[1]] ??= forms.slice(open + 1, closing(forms, open));
	}
	return (found[wanted] ?? found.other ?? "").replaceAll("#", new Intl.NumberFormat(locale()).format(n));
}

function fill(text, values) {
	let out = "";
	for (let i = 0; i < text.length; i++) {
		if (text[i] !== "{") {
			out += text[i];
			continue;
		}
		const end = closing(text, i);
		const [name, kind, forms] = text.slice(i + 1, end).split(/, (?=plural)|(?<=plural), /);
		out += kind ? fill(plural(forms, values[name]), values) : values[name] ?? "";
		i = end;
	}
	return out;
}

function disguised(text) {
	if (current.code === "en-XA") return `[${text.replace(/[a-z]/gi, (letter) => ACCENTS[letter] ?? letter)}${"~".repeat(Math.ceil(text.length / 3))}]`;
	return text;
}

export const has = (key) => key in current.words;
export const t = (key, values = {}) => disguised(fill(current.words[key] ?? key, values));
// A name from a definition (a game, a symbol): translated if the message file has it, else as it is.
export const named = (name) => current.words[`name.${name}`] ?? name;
