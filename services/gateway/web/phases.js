// Describes phases in words: one function per phase kind, and one per event that any spin may have. `scene`: game, currency, witch and the round's mode.
import { money } from "/format.js";
import { capital, cellsOf, count, featureName, isBought, listed, modeOf, symbolOf } from "/game.js";

const sum = (items) => items.reduce((total, item) => total + item.amount_minor, 0);
const wins = (phase, what) => (phase.wins ?? []).filter((item) => item.what === what);
const features = (phase) => listed((phase.features ?? []).map(featureName));

// ---- events of any spin ----

function won({ currency }, phase) {
	const words = [];
	const lines = wins(phase, "line");
	if (lines.length) words.push(`${count(lines.length, "line")} ${lines.length === 1 ? "wins" : "win"} ${money(sum(lines), currency)}`);
	for (const item of wins(phase, "scatter")) words.push(`${item.count} × ${item.name} pay ${money(item.amount_minor, currency)}`);
	for (const item of wins(phase, "jackpot")) words.push(`PROGRESSIVE JACKPOT${item.amount_minor ? `: ${money(item.amount_minor, currency)}` : ""}`);
	return words;
}

const awarded = (phase) => phase.free_spins_awarded ? [`${count(phase.free_spins_awarded, "free spin")} won`] : [];

function collected({ game }, phase) {
	const { potions } = game;
	if (!potions) return [];
	const colours = [...(phase.potion_colours?.match(/../g) ?? [])].map((pair) => parseInt(pair, 16)).filter(Boolean);
	if (!colours.length) return [];
	const left = phase.after.potions.reduce((total, n) => total + n, 0);
	// Fewer potions than this phase collected: they completed a combination.
	const used = left < colours.length && !phase.features.length && !phase.explodes;
	return [`${listed(colours.map((c) => symbolOf(game, potions.symbols[c - 1]).name))} collected`, ...(used ? ["the three potions are used up"] : [])];
}

const triggered = (phase) => [
	...(phase.features?.length ? [`${features(phase)} starts`] : []),
	...(phase.explodes ? ["the potions explode"] : []),
];

function held({ game }, phase) {
	const hold = game.hold_and_win;
	if (!hold || !phase.loads?.length) return [];
	const named = count(phase.loads.length, symbolOf(game, hold.symbol).name);
	return phase.loads.length >= hold.at_least ? [`${named} start Hold and Win: ${count(phase.respins_left || hold.respins, "respin")}`] : [];
}

function sticky({ game }, phase) {
	const rules = game.sticky_respins;
	if (!rules || !phase.respins_left || !["spin", "free_spin"].includes(phase.kind)) return [];
	return [`${symbolOf(game, rules.symbol).name} on reel ${rules.reel} starts ${count(phase.respins_left, "respin")} with the held symbols`];
}

// Scatters and bonus symbols that start a phase.
function started({ game }, phase) {
	const window = phase.window.match(/../g) ?? [];
	const seen = (id) => window.filter((cell) => game.symbols[parseInt(cell, 16)]?.id === id).length;
	const words = [];
	const starts = (id, least, what) => {
		const n = id ? seen(id) : 0;
		if (n && n >= least) words.push(`${n} × ${symbolOf(game, id).name} ${what}`);
	};
	starts(game.battle?.symbol, game.battle?.scatters_min, "start a battle");
	if (game.bonus_min) starts(game.symbols.find((symbol) => symbol.kind === "bonus")?.id, game.bonus_min, "open the vials");
	return words;
}

const anySpin = (scene, phase) => [won, collected, (_, p) => awarded(p), (_, p) => triggered(p), held, sticky, started].flatMap((describe) => describe(scene, phase));
const orNothing = (words) => words.length ? words : ["no win"];

// ---- one function per phase kind ----

function bonusWords({ currency }, phase) {
	if (phase.outcome === "jackpot") {
		const paid = wins(phase, "jackpot")[0]?.amount_minor;
		return [`The three vials brew the PROGRESSIVE JACKPOT${paid ? `: ${money(paid, currency)}` : ""}`];
	}
	if (phase.outcome === "free_spins") return [`The three vials brew ${phase.outcome_value} free spins`];
	return [`The three vials brew ${phase.outcome_value} × your total bet: ${money(phase.win_minor, currency)}`];
}

function battleWords(scene, phase) {
	const names = scene.game.witches ?? [];
	const mine = names[scene.witch] ?? "your witch";
	const other = names.find((name) => name !== mine) ?? "the other";
	const end = phase.free_spins_awarded ? `${capital(mine)} wins the battle: ${count(phase.free_spins_awarded, "free spin")}` : `${capital(other)} wins the battle, no free spins`;
	return [...won(scene, phase), end];
}

function holdRespinWords({ game }, phase) {
	const landed = cellsOf(phase.landed).size;
	const name = symbolOf(game, game.hold_and_win.symbol).name;
	if (landed) return [`${count(landed, name)} ${landed === 1 ? "lands and stays" : "land and stay"}`, `respins back to ${phase.respins_left}`];
	return ["nothing lands", phase.respins_left ? `${count(phase.respins_left, "respin")} left` : "no respins left"];
}

function holdEndWords({ game, currency }, phase) {
	const cells = phase.loads ?? [];
	const words = [];
	const product = cells.filter((load) => load.kind === "multiplier").map((load) => load.x);
	if (product.length) words.push(`Multipliers ${product.map((x) => `×${x}`).join(" ")}`);
	const awards = cells.filter((load) => load.award_name).map((load) => `${load.award_name} ${load.award_x}×`);
	if (awards.length) words.push(`mysteries: ${listed(awards)}`);
	if (cells.length === game.reels * game.rows) words.push(`all ${cells.length} cells are full: everything pays ${game.hold_and_win.full_screen_multiplier} times`);
	return [...words, `${cells.length} symbols pay ${money(phase.win_minor, currency)}`];
}

function explosionWords({ game, currency }, phase) {
	const marks = cellsOf(phase.covered);
	const [first] = marks;
	const revealed = first === undefined ? null : game.symbols[parseInt(phase.window.slice(2 * first, 2 * first + 2), 16)];
	return [`${count(marks.size, "question mark")} ${marks.size === 1 ? "turns" : "turn"} into ${revealed?.name ?? "nothing"}`, ...orNothing(won({ game, currency }, phase))];
}

function spinTitle({ game, mode }) {
	const played = modeOf(game, mode);
	return isBought(played) ? played.name : "Spin";
}

function stickyTitle({ game }) {
	const { symbol } = game.sticky_respins ?? {};
	return symbol ? `${capital(symbol)} spin` : "Respin";
}

const KINDS = {
	spin: { title: spinTitle, words: (scene, phase) => orNothing(anySpin(scene, phase)) },
	free_spin: { title: () => "Free spin", words: (scene, phase) => orNothing(anySpin(scene, phase)) },
	battle: { title: () => "Battle", words: battleWords },
	bonus: { title: () => "Vials", words: bonusWords },
	sticky_spin: { title: stickyTitle, words: (scene, phase) => orNothing(anySpin(scene, phase)) },
	hold_respin: { title: () => "Hold and Win", words: holdRespinWords },
	hold_end: { title: () => "Hold and Win ends", words: holdEndWords },
	potion_respin: { title: (scene, phase) => features(phase) || "Respin", words: (scene, phase) => orNothing(won(scene, phase)) },
	explosion: { title: () => "Explosion", words: explosionWords },
};
const OTHER = { title: (scene, phase) => featureName(phase.kind), words: (scene, phase) => orNothing(anySpin(scene, phase)) };
const kindOf = (phase) => KINDS[phase.kind] ?? OTHER;

export const titleOf = (scene, phase) => kindOf(phase).title(scene, phase);
export const wordsOf = (scene, phase) => capital(kindOf(phase).words(scene, phase).join("; "));
export const isFeature = (phase) => phase.kind !== "spin";

// The counters beside the reels.
export function countersOf({ game }, phase) {
	const counters = [];
	const add = (name, value) => counters.push({ name, value });
	if (phase.free_spins_left) add("Free spins left", phase.free_spins_appended ? `${phase.free_spins_left}, ${phase.free_spins_appended} of them new` : phase.free_spins_left);
	if (phase.kind === "free_spin" && phase.multiplier > 1) add("Line wins", `×${phase.multiplier}`);
	if (phase.kind === "potion_respin" && phase.multiplier > 1) add("Multiplier", `×${phase.multiplier}`);
	if (phase.kind === "sticky_spin") add(`${stickyTitle({ game })}s left`, phase.respins_left);
	if (phase.kind.startsWith("hold")) add("Respins left", phase.respins_left);
	if (phase.kind.startsWith("hold")) add("Filled", `${phase.loads?.length ?? 0} of ${game.reels * game.rows}`);
	if (phase.kind === "sticky_spin") add("Held", count(cellsOf(phase.held).size, "cell"));
	return counters;
}

// The text of one win.
export function winName(item) {
	if (item.what === "line") return `Line ${item.line}: ${item.count} × ${item.name}${item.multiplier > 1 ? ` ×${item.multiplier}` : ""}`;
	if (item.what === "cell") return `${item.name}${item.multiplier > 1 ? ` ×${item.multiplier}` : ""}`;
	if (item.what === "jackpot") return "Progressive jackpot";
	if (item.what === "bonus") return `Vials: ${item.multiplier} × total bet`;
	return `${item.count} × ${item.name}`;
}
