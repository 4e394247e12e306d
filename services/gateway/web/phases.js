// Describes phases in words: one function per phase kind, and one per event that any spin may have. `scene`: game, currency, witch and the round's mode.
import { cardName, money } from "/format.js";
import { capital, cellsOf, featureName, isBought, listed, modeOf, symbolOf } from "/game.js";
import { named, t } from "/lang.js";

const sum = (items) => items.reduce((total, item) => total + item.amount_minor, 0);
const wins = (phase, what) => (phase.wins ?? []).filter((item) => item.what === what);
const features = (phase) => listed((phase.features ?? []).map(featureName));

const jackpotWords = (amount, currency) => amount ? t("p.jackpot-of", { amount: money(amount, currency) }) : t("p.jackpot");

// ---- events of any spin ----

function won({ currency }, phase) {
	const words = [];
	const lines = wins(phase, "line");
	if (lines.length) words.push(t("p.lines-win", { n: lines.length, amount: money(sum(lines), currency) }));
	for (const item of wins(phase, "scatter")) words.push(t("p.symbols-pay", { n: item.count, symbol: named(item.name), amount: money(item.amount_minor, currency) }));
	for (const item of wins(phase, "jackpot")) words.push(jackpotWords(item.amount_minor, currency));
	return words;
}

const awarded = (phase) => phase.free_spins_awarded ? [t("p.free-spins-won", { n: phase.free_spins_awarded })] : [];

function collected({ game }, phase) {
	const { potions } = game;
	if (!potions) return [];
	const colours = [...(phase.potion_colours?.match(/../g) ?? [])].map((pair) => parseInt(pair, 16)).filter(Boolean);
	if (!colours.length) return [];
	const left = phase.after.potions.reduce((total, n) => total + n, 0);
	// Fewer potions than this phase collected: they completed a combination.
	const used = left < colours.length && !phase.features.length && !phase.explodes;
	return [t("p.collected", { names: listed(colours.map((c) => named(symbolOf(game, potions.symbols[c - 1]).name))) }), ...(used ? [t("p.used-up")] : [])];
}

const triggered = (phase) => [
	...(phase.features?.length ? [t("p.starts", { feature: features(phase) })] : []),
	...(phase.explodes ? [t("p.explode")] : []),
];

function held({ game }, phase) {
	const hold = game.hold_and_win;
	if (!hold || !phase.loads?.length) return [];
	const values = { n: phase.loads.length, symbol: named(symbolOf(game, hold.symbol).name), respins: phase.respins_left || hold.respins };
	return phase.loads.length >= hold.at_least ? [t("p.start-hold", values)] : [];
}

function sticky({ game }, phase) {
	const rules = game.sticky_respins;
	if (!rules || !phase.respins_left || !["spin", "free_spin"].includes(phase.kind)) return [];
	return [t("p.start-sticky", { symbol: named(symbolOf(game, rules.symbol).name), reel: rules.reel, n: phase.respins_left })];
}

// Scatters and bonus symbols that start a phase.
function started({ game }, phase) {
	const window = phase.window.match(/../g) ?? [];
	const seen = (id) => window.filter((cell) => game.symbols[parseInt(cell, 16)]?.id === id).length;
	const words = [];
	const starts = (id, least, what) => {
		const n = id ? seen(id) : 0;
		if (n && n >= least) words.push(t(what, { n, symbol: named(symbolOf(game, id).name) }));
	};
	starts(game.battle?.symbol, game.battle?.scatters_min, "p.start-battle");
	if (game.bonus_min) starts(game.symbols.find((symbol) => symbol.kind === "bonus")?.id, game.bonus_min, "p.open-vials");
	return words;
}

const anySpin = (scene, phase) => [won, collected, (_, p) => awarded(p), (_, p) => triggered(p), held, sticky, started].flatMap((describe) => describe(scene, phase));
const orNothing = (words) => words.length ? words : [t("p.no-win")];

// ---- one function per phase kind ----

function bonusWords({ currency }, phase) {
	if (phase.outcome === "jackpot") {
		const paid = wins(phase, "jackpot")[0]?.amount_minor;
		return [t("p.vials-jackpot", { jackpot: jackpotWords(paid, currency) })];
	}
	if (phase.outcome === "free_spins") return [t("p.vials-free", { n: phase.outcome_value })];
	return [t("p.vials-money", { times: phase.outcome_value, amount: money(phase.win_minor, currency) })];
}

function battleWords(scene, phase) {
	const names = scene.game.witches ?? [];
	const mine = names[scene.witch] ?? "";
	const other = names.find((name) => name !== mine) ?? "";
	const end = phase.free_spins_awarded ? t("p.battle-won", { witch: capital(mine), n: phase.free_spins_awarded }) : t("p.battle-lost", { witch: capital(other) });
	return [...won(scene, phase), end];
}

function holdRespinWords({ game }, phase) {
	const landed = cellsOf(phase.landed).size;
	const symbol = named(symbolOf(game, game.hold_and_win.symbol).name);
	if (landed) return [t("p.lands", { n: landed, symbol }), t("p.respins-back", { n: phase.respins_left })];
	return [t("p.nothing-lands"), t("p.respins-left", { n: phase.respins_left })];
}

function holdEndWords({ game, currency }, phase) {
	const cells = phase.loads ?? [];
	const words = [];
	const product = cells.filter((load) => load.kind === "multiplier").map((load) => load.x);
	if (product.length) words.push(t("p.multipliers", { list: product.map((x) => `×${x}`).join(" ") }));
	const awards = cells.filter((load) => load.award_name).map((load) => `${load.award_name} ${load.award_x}×`);
	if (awards.length) words.push(t("p.mysteries", { list: listed(awards) }));
	if (cells.length === game.reels * game.rows) words.push(t("p.all-full", { n: cells.length, times: game.hold_and_win.full_screen_multiplier }));
	return [...words, t("p.cells-pay", { n: cells.length, amount: money(phase.win_minor, currency) })];
}

function explosionWords({ game, currency }, phase) {
	const marks = cellsOf(phase.covered);
	const [first] = marks;
	const revealed = first === undefined ? null : game.symbols[parseInt(phase.window.slice(2 * first, 2 * first + 2), 16)];
	return [t("p.marks", { n: marks.size, symbol: revealed ? named(revealed.name) : t("nothing") }), ...orNothing(won({ game, currency }, phase))];
}

function spinTitle({ game, mode }) {
	const played = modeOf(game, mode);
	return isBought(played) ? named(played.name) : t("p.spin");
}

function stickyTitle({ game }) {
	const { symbol } = game.sticky_respins ?? {};
	return symbol ? t("p.sticky-spin", { symbol: capital(named(symbol)) }) : t("p.respin");
}

const KINDS = {
	spin: { title: spinTitle, words: (scene, phase) => orNothing(anySpin(scene, phase)) },
	free_spin: { title: () => t("p.free-spin"), words: (scene, phase) => orNothing(anySpin(scene, phase)) },
	battle: { title: () => t("p.battle"), words: battleWords },
	bonus: { title: () => t("p.vials"), words: bonusWords },
	sticky_spin: { title: stickyTitle, words: (scene, phase) => orNothing(anySpin(scene, phase)) },
	hold_respin: { title: () => t("p.hold"), words: holdRespinWords },
	hold_end: { title: () => t("p.hold-ends"), words: holdEndWords },
	potion_respin: { title: (scene, phase) => features(phase) || t("p.respin"), words: (scene, phase) => orNothing(won(scene, phase)) },
	explosion: { title: () => t("p.explosion"), words: explosionWords },
};
const OTHER = { title: (scene, phase) => featureName(phase.kind), words: (scene, phase) => orNothing(anySpin(scene, phase)) };
const kindOf = (phase) => KINDS[phase.kind] ?? OTHER;

export const titleOf = (scene, phase) => kindOf(phase).title(scene, phase);
export const wordsOf = (scene, phase) => capital(kindOf(phase).words(scene, phase).join("; "));
export const isFeature = (phase) => phase.kind !== "spin";

// The progressive jackpot that the phase won, or null. `paid` is 0 until it is booked.
export function jackpotOf(round, phase) {
	const won = wins(phase, "jackpot");
	return won.length ? { round: round.round, index: phase.claim_index, paid: won.reduce((sum, item) => sum + item.amount_minor, 0) } : null;
}

// ---- the opening of a feature ----

const bonusSymbol = (game) => game.symbols.find((symbol) => symbol.kind === "bonus")?.id;
const OPENINGS = {
	// Its first spin may have won more of them: those are told when it has been seen.
	free_spin: ({ game }, phase, before) => ({ title: t("p.free-spins"), count: before?.free_spins_left || phase.free_spins_left + 1, words: t("intro.free_spin", { n: before?.free_spins_left || phase.free_spins_left + 1 }), symbols: Array(3).fill(game.free_spins?.awards?.symbol) }),
	sticky_spin: ({ game }, phase) => ({ words: t("intro.sticky_spin", { n: phase.respins_left + 1 }), symbols: game.sticky_respins.sticky }),
	hold_respin: ({ game }) => ({ words: t("intro.hold_respin", { n: game.hold_and_win.respins }), symbols: Array(3).fill(game.hold_and_win.symbol) }),
	potion_respin: ({ game }, phase) => {
		const needs = game.potions.features.find(({ kind }) => kind === phase.features?.[0])?.needs ?? [];
		return { words: "", symbols: needs.flatMap((n, i) => Array.from({ length: n }, () => game.potions.symbols[i])) };
	},
	explosion: ({ game }) => ({ words: t("intro.explosion"), symbols: game.potions.symbols }),
	battle: (scene, phase) => ({ words: wordsOf(scene, phase), symbols: [scene.game.battle.symbol], battle: { won: phase.free_spins_awarded > 0 } }),
	bonus: (scene, phase) => ({ words: wordsOf(scene, phase), symbols: Array(scene.game.bonus_min || 1).fill(bonusSymbol(scene.game)) }),
};

// What to show before a phase that begins a feature, or null. A feature that the phase before belongs to has begun already.
export function openingOf(scene, phase, before) {
	const opening = OPENINGS[phase.kind];
	if (!opening || (before?.kind === phase.kind && phase.kind !== "explosion")) return null;
	if (phase.kind === "free_spin" && before && !["spin", "battle", "bonus"].includes(before.kind)) return null;
	return { kind: phase.kind, title: titleOf(scene, phase), symbols: [], ...opening(scene, phase, before) };
}

// ---- the end of a feature ----

const TOLD_IF_EMPTY = ["free_spin", "sticky_spin", "hold_end"]; // what draws out before the player's eyes has a total also when it won nothing

// Whether these phases, the last of a round as far as it goes by itself, end a feature that has a total to show. What returns no more than was paid is
// told quietly.
export function endsFeature(round, phases) {
	if (["pick", "next"].includes(round.next) || !phases.some(isFeature)) return false;
	return round.win_minor > round.stake_minor || phases.some((phase) => TOLD_IF_EMPTY.includes(phase.kind));
}

// The names of the features among these phases, each once.
export function featuresOf(scene, phases) {
	const nameOf = (phase) => phase.kind.startsWith("hold") ? t("p.hold") : phase.kind === "free_spin" ? t("p.free-spins") : titleOf(scene, phase);
	return listed([...new Set(phases.filter(isFeature).map(nameOf))]);
}

// The counters beside the reels.
export function countersOf({ game }, phase) {
	const counters = [];
	const add = (name, value) => counters.push({ name, value });
	if (phase.free_spins_left) add(t("p.free-spins-left"), phase.free_spins_appended ? t("p.of-them-new", { n: phase.free_spins_left, fresh: phase.free_spins_appended }) : phase.free_spins_left);
	if (phase.kind === "free_spin" && phase.multiplier > 1) add(t("p.line-wins"), `×${phase.multiplier}`);
	if (phase.kind === "potion_respin" && phase.multiplier > 1) add(t("p.multiplier"), `×${phase.multiplier}`);
	if (phase.kind === "sticky_spin" || phase.kind.startsWith("hold")) add(t("p.respins-count"), phase.respins_left);
	if (phase.kind.startsWith("hold")) add(t("p.filled"), t("p.n-of", { n: phase.loads?.length ?? 0, of: game.reels * game.rows }));
	if (phase.kind === "sticky_spin") add(t("p.held"), cellsOf(phase.held).size);
	return counters;
}

// One guess of the gamble.
export const gambleWords = (step, currency) => t(step.won ? "guess-right" : "guess-wrong", { card: cardName(step.card), amount: money(step.won ? step.pending_minor : step.stake_minor, currency) });

// The text of one win.
export function winName(item) {
	const values = { line: item.line, n: item.count, symbol: named(item.name ?? ""), times: item.multiplier > 1 ? ` ×${item.multiplier}` : "" };
	if (item.what === "line") return t("p.win-line", values);
	if (item.what === "cell") return `${values.symbol}${values.times}`;
	if (item.what === "jackpot") return t("p.progressive");
	if (item.what === "bonus") return t("p.win-vials", { times: item.multiplier });
	return t("p.win-symbols", values);
}
