// Moves the reels with Web Animations. Nothing here decides anything: the cells on a reel are those of the booked window, and a belt of other symbols
// moves in front of them while the reel turns. Timers say when a reel stands, so that a page in the background does not wait for frames.

const LAP_MS = 300; // one length of a belt
const LEAVE_MS = { normal: 110, turbo: 60 }; // less than from the press to the first stop, so that nobody waits for it
const LAND_MS = 260;
const LAND = "cubic-bezier(.2, .85, .35, 1.14)"; // runs past the end and back
const ROLL_MIN_MS = { normal: 420, turbo: 120 }; // from the press to the first reel's stop
const STEP_MS = { normal: 150, turbo: 0 }; // between two reels
const ANTICIPATION_MS = 900;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const still = () => document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches;

// ---- anticipation: one symbol is missing for a feature ----

// The features that a number of symbols anywhere starts: [symbol id, number].
function triggersOf(game) {
	const list = [];
	const awards = Object.keys(game.free_spins?.awards?.base ?? {}).map(Number);
	if (awards.length) list.push([game.free_spins.awards.symbol, Math.min(...awards)]);
	if (game.battle) list.push([game.battle.symbol, Math.max(3, game.battle.scatters_min)]);
	if (game.bonus_min) list.push([game.symbols.find((symbol) => symbol.kind === "bonus")?.id, game.bonus_min]);
	if (game.hold_and_win) list.push([game.hold_and_win.symbol, game.hold_and_win.at_least]);
	return list;
}

// For each reel: whether the reels before it show all but one of a feature's symbols.
export function anticipated(game, phase) {
	if (!["spin", "free_spin"].includes(phase.kind)) return [];
	const cells = (phase.window.match(/../g) ?? []).map((cell) => game.symbols[parseInt(cell, 16)]?.id);
	const seen = (id, reels) => cells.slice(0, reels * game.rows).filter((cell) => cell === id).length;
	return Array.from({ length: game.reels }, (_, reel) => reel > 0 && triggersOf(game).some(([id, n]) => {
		const before = seen(id, reel);
		return before >= n - 1 && before < n;
	}));
}

// ---- the reels of one screen ----

export function makeMotion(root, sound) {
	const rolls = new Map(); // reel -> { laps, leaving: the animations of what stood there }
	let since = 0;
	let left = Promise.resolve(); // when what stood on the reels has left them
	const reelAt = (reel) => root.querySelectorAll(".reel")[reel];

	// What moves when a reel does, and how far: its strip, or the cells that are not held.
	function moversOf(element) {
		const strip = element.querySelector(".strip");
		const cells = [...strip.children];
		return cells.some((cell) => cell.classList.contains("held")) ? [cells.filter((cell) => !cell.classList.contains("held")), 100 * cells.length] : [[strip], 100];
	}

	// The symbols that stood go down, the belt comes behind them.
	function roll(reels, turbo) {
		if (still()) return;
		since = performance.now();
		const timing = { duration: LEAVE_MS[turbo ? "turbo" : "normal"], easing: "ease-in", fill: "forwards" };
		const begun = [];
		for (const reel of reels) {
			const element = reelAt(reel);
			if (!element?.querySelector(".belt") || rolls.has(reel)) continue;
			element.classList.add("rolling", "leaving");
			const laps = element.querySelector(".belt").animate([{ transform: "translateY(-50%)" }, { transform: "translateY(0)" }], { duration: LAP_MS, iterations: Infinity });
			const [movers, far] = moversOf(element);
			const leaving = movers.map((mover) => mover.animate([{ transform: "none" }, { transform: `translateY(${far}%)` }], timing));
			leaving.push(element.querySelector(".roll").animate([{ transform: "translateY(-100%)" }, { transform: "none" }], timing));
			rolls.set(reel, { laps, leaving });
			begun.push(reel);
		}
		if (begun.length) left = pause(timing.duration).then(() => begun.forEach(gone));
	}

	// From now on the strip may show other symbols: nobody sees them before the reel stops.
	function gone(reel) {
		reelAt(reel)?.classList.remove("leaving");
		for (const one of rolls.get(reel)?.leaving.splice(0) ?? []) one.cancel();
	}

	function rest(reel) {
		gone(reel);
		rolls.get(reel)?.laps.cancel();
		rolls.delete(reel);
		reelAt(reel)?.classList.remove("rolling", "landing", "anticipating");
	}

	async function land(reel) {
		const element = reelAt(reel);
		if (!element) return rest(reel);
		gone(reel);
		const timing = { duration: LAND_MS, easing: LAND };
		element.classList.remove("anticipating");
		element.classList.add("landing");
		const [movers, far] = moversOf(element);
		const coming = movers.map((mover) => mover.animate([{ transform: `translateY(${-far}%)` }, { transform: "none" }], timing));
		// It stays below until the reel stands: the timer may be later than the animation, and the belt would flash up.
		const over = element.querySelector(".roll").animate([{ transform: "none" }, { transform: "translateY(100%)" }], { ...timing, fill: "forwards" });
		sound.play("stop");
		await pause(LAND_MS);
		rest(reel);
		for (const one of [...coming, over]) one.cancel(); // where frames are late, the symbols stand now all the same
	}

	// Stops the turning reels from left to right. `hurry` is a promise: once it resolves, all stop at once.
	async function stop({ slow, turbo, hurry }) {
		const pace = turbo ? "turbo" : "normal";
		let hurried = false;
		const pressed = hurry.then(() => { hurried = true; });
		const turning = [...rolls.keys()].sort((a, b) => a - b);
		const landings = [];
		for (const [i, reel] of turning.entries()) {
			const wait = i === 0 ? Math.max(0, ROLL_MIN_MS[pace] - (performance.now() - since)) : STEP_MS[pace];
			const more = slow[reel] && !turbo ? ANTICIPATION_MS : 0;
			if (more && !hurried) {
				reelAt(reel)?.classList.add("anticipating");
				sound.play("anticipation");
			}
			if (!hurried && wait + more > 0) await Promise.race([pause(wait + more), pressed]);
			landings.push(land(reel));
		}
		await Promise.all(landings);
	}

	return { roll, stop, left: () => left, halt: () => [...rolls.keys()].forEach(rest), turning: () => rolls.size > 0 };
}
