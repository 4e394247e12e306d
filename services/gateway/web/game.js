// Turns a definition into the words of the page. No code here depends on a game's name: features come from its members, prices from `modes`.
import { money } from "/format.js";

export const totalBet = (bet) => bet.coin_minor * bet.lines * bet.coins;
export const modeOf = (game, id) => game.modes.find((mode) => mode.id === id) ?? game.modes[0];
export const priceOf = (bet, mode) => (totalBet(bet) * mode.price_hundredths) / 100;
export const isBought = (mode) => mode.price_hundredths !== 100;
export const times = (hundredths) => `${String(hundredths / 100)}×`;
export const symbolOf = (game, id) => game.symbols.find((symbol) => symbol.id === id) ?? { id, name: id, kind: "" };
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const listed = (items, last = "and") => items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} ${last} ${items.at(-1)}`;
export const count = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
export const coinsOf = (game, currency) => game.bet.currencies[currency]?.coins ?? [];
export const featureName = (kind) => kind.split("_").map(capital).join(" ");
export const roundNo = (number) => String(number);

// The reason why a mode is not available at this bet, or null.
export function modeRefusal(game, mode, bet, currency) {
	if (!isBought(mode)) return null;
	const rules = game.bet.currencies[currency] ?? {};
	if (rules.no_buy_coins?.includes(bet.coin_minor)) return "not sold at this bet";
	if (rules.price_max && priceOf(bet, mode) > rules.price_max) return `above the highest price, ${money(rules.price_max, currency)}`;
	return null;
}

export function modeWords(game, mode) {
	const words = [];
	if (mode.wild_reels) {
		const many = mode.wild_reels[0].length > 1;
		words.push(`${many ? "Reels" : "Reel"} ${listed(mode.wild_reels.map((set) => listed(set.map(String), "+").replaceAll(", ", " + ")), "or")} ${many ? "are" : "is"} wild from top to bottom`);
	}
	if (mode.guarantee?.kind === "line_win") words.push("at least one line wins");
	if (mode.guarantee?.kind === "symbols") words.push(`At least ${mode.guarantee.at_least} ${symbolOf(game, mode.guarantee.symbol).name} symbols land`);
	if (mode.guarantee?.symbol && mode.guarantee.symbol === game.hold_and_win?.symbol) words.push("they start Hold and Win");
	return words.length ? words.join(", ") : "Pays by the paytable, features at their own odds";
}

export const publishedReturn = (mode) => mode.published_rtp.map((rtp) =>
	`${rtp.percent} %${{ below_max: " below the largest bet", max: " at the largest bet" }[rtp.bets] ?? ""}`).join(", ");

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
