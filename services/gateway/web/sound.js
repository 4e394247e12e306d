// The page's sound: which effects and music are heard, and how loud. Silent until the player wants it, and nothing is made before a gesture, as browsers
// demand; the instruments (studio.js) are loaded then.
const AHEAD_S = 0.8; // how far ahead of its time music is written
const KEPT = "sound"; // in localStorage: { effects, music }, each 0 to 1

function remembered() {
	try {
		const { effects = 0, music = 0 } = JSON.parse(localStorage.getItem(KEPT)) ?? {};
		return { effects, music };
	} catch {
		return { effects: 0, music: 0 };
	}
}

const volumes = remembered();
let context = null;
let here = null; // the studio, once there is a context
let wanted = null; // name of the bed: a game's id, or that and "-feature"
let timer = null;
let worlds = null; // promise of world -> its music
let music; // of the game that is played
const silent = () => volumes.effects === 0 && volumes.music === 0;

const musics = () => worlds ??= fetch("/worlds/index.json").then((answer) => answer.ok ? answer.json() : {}).catch(() => ({}));

// Music is written some time ahead, only while it can be heard.
function tick() {
	if (context?.state === "running") here.write(context.currentTime + AHEAD_S + 2);
}

async function tune() {
	const name = wanted;
	const known = await musics();
	if (name !== wanted || !here) return;
	const feature = name?.endsWith("-feature") ?? false;
	music = known[name?.replace(/-feature$/, "")]?.music ?? known.house?.music;
	here.begin(name && volumes.music && music ? music : null, feature);
	clearInterval(timer);
	timer = name && volumes.music ? setInterval(tick, AHEAD_S * 1000) : null;
	if (timer) tick();
}

// Without a gesture a browser lets no context run; until then nothing is made.
function wake() {
	if (silent() || document.hidden) return;
	if (!context) {
		context = new AudioContext({ latencyHint: "interactive" });
		import("/studio.js").then(({ studio }) => {
			here = studio(context);
			for (const bus of ["effects", "music"]) here.volume(bus, volumes[bus]);
			tune();
		}, () => { context = null; }); // the next gesture tries again
	}
	if (context.state === "suspended") context.resume().catch(() => {});
}

function slept() {
	if (document.hidden || silent()) context?.suspend().catch(() => {});
	else if (context) wake();
}

for (const gesture of ["pointerdown", "keydown"]) addEventListener(gesture, wake, { passive: true, capture: true });
document.addEventListener("visibilitychange", slept);

export const sound = {
	// Plays an effect: press, spin, stop, anticipation, win1 to win4, count, collect, feature, bonus, gamble-win, gamble-lose, card, vial, jackpot.
	play(name) {
		if (volumes.effects > 0 && context?.state === "running") here?.play(name, music);
	},
	// The music from now on: a game's id, the same and "-feature" for its features, or null for none.
	bed(name) {
		if (name === wanted) return;
		wanted = name;
		tune();
	},
	// Sets { effects, music }, each 0 to 1, or either of them, remembers them, and returns both.
	settings(change = {}) {
		const before = { ...volumes };
		for (const bus of ["effects", "music"]) if (Number.isFinite(change[bus])) volumes[bus] = Math.min(1, Math.max(0, change[bus]));
		if (before.effects === volumes.effects && before.music === volumes.music) return { ...volumes };
		try {
			localStorage.setItem(KEPT, JSON.stringify(volumes));
		} catch { /* a browser that remembers nothing */ }
		if (here) for (const bus of ["effects", "music"]) here.volume(bus, volumes[bus]);
		if (navigator.userActivation?.isActive) wake();
		slept();
		if (!before.music !== !volumes.music) tune();
		return { ...volumes };
	},
};
