// Turns a definition into the words of the page. No code here depends on a game's name: features come from its members, prices from `modes`.
import { digits, money, number } from "/format.js";
import { has, locale, named, t } from "/lang.js";

export const totalBet = (bet) => bet.coin_minor * bet.lines * bet.coins;
export const modeOf = (game, id) => game.modes.find((mode) => mode.id === id) ?? game.modes[0];
export const priceOf = (bet, mode) => (totalBet(bet) * mode.price_hundredths) / 100;
export const isBought = (mode) => mode.price_hundredths !== 100;
export const times = (hundredths) => `${number(hundredths / 100)}×`;
export const symbolOf = (game, id) => game.symbols.find((symbol) => symbol.id === id) ?? { id, name: id, kind: "" };
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const listed = (items, type = "conjunction") => new Intl.ListFormat(locale(), { type }).format(items.map(String));
export const coinsOf = (game, currency) => game.bet.currencies[currency]?.coins ?? [];
// Why the game, or one of the list, cannot be played in the player's currency, or null; before the log-in it is not known.
const currenciesOf = (game) => game.currency_codes ?? Object.keys(game.bet.currencies);
export const currencyRefusal = (game, currency) => !currency || currenciesOf(game).includes(currency) ? null : t("not-in-currency", { currency, offered: listed(currenciesOf(game), "disjunction") });
export const featureName = (kind) => has(`feature.${kind}`) ? t(`feature.${kind}`) : kind.split("_").map(capital).join(" ");
// What the reels and jackpots of a round in the history won; doubles are entries of their own.
export const wonBy = ({ win_minor: win, doubled_minor: doubled }) => win - doubled;
export const roundNo = (number) => String(number);

// The reason why a mode is not available at this bet, or null.
export function modeRefusal(game, mode, bet, currency) {
	if (!isBought(mode)) return null;
	const rules = game.bet.currencies[currency] ?? {};
	if (rules.no_buy_coins?.includes(bet.coin_minor)) return t("g.not-sold");
	if (rules.price_max && priceOf(bet, mode) > rules.price_max) return t("g.above-price", { price: money(rules.price_max, currency) });
	return null;
}

export function modeWords(game, mode) {
	const words = [];
	if (mode.wild_reels) words.push(t("g.wild-reels", { n: mode.wild_reels[0].length, reels: listed(mode.wild_reels.map((set) => set.join(" + ")), "disjunction") }));
	if (mode.guarantee?.kind === "line_win") words.push(t("g.line-wins"));
	if (mode.guarantee?.kind === "symbols") words.push(t("g.symbols-land", { n: mode.guarantee.at_least, symbol: named(symbolOf(game, mode.guarantee.symbol).name) }));
	if (mode.guarantee?.symbol && mode.guarantee.symbol === game.hold_and_win?.symbol) words.push(t("g.start-hold"));
	return words.length ? capital(words.join(", ")) : t("g.by-paytable");
}

export const publishedReturn = (mode) => mode.published_rtp.map((rtp) => t(["below_max", "max"].includes(rtp.bets) ? `g.rtp-${rtp.bets}` : "g.rtp", { percent: digits(rtp.percent) })).join(", ");

// The cells named by hex bytes, reel by reel.
export const cellsOf = (text) => new Set((text?.match(/../g) ?? []).map((pair) => parseInt(pair, 16)));

// The carried state of the current bet value. Without one from the server: no potions, and the first feature unlocked.
export function carriedOf(game, list, stake) {
	const { potions } = game;
	if (!potions) return null;
	return list?.find((entry) => entry.stake_minor === stake)
		?? { stake_minor: stake, potions: potions.symbols.map(() => 0), unlocked: [potions.features[0].kind] };
}

export function startBet(game, currency, lines = game.lines_max) {
	return { coin_minor: coinsOf(game, currency)[0] ?? null, lines, coins: game.coins_min, mode: game.modes[0].id };
}
