// Particles above the reels, on a Canvas 2D: coins, stars, smoke, light. They are ornament: nothing depends on them, they stop by themselves where
// the machine cannot keep up or the player prefers less motion, and while there are none, nothing runs.
const MOST = 200; // particles at once
const SLOW_MS = 24; // frames longer than this, on average, halve the number of particles
const GIVE_UP = 3; // halved so often: the effects stay off on this machine
const FRAME_WEIGHT = 0.12; // of one frame in the average
const FRAME_MOST_MS = 50; // what one frame counts for: a single stall says nothing about the machine
const SPRITE = 64;
const COIN_FACES = 8; // pictures of a coin turning

const between = (low, high) => low + Math.random() * (high - low);

// kind -> how its particles move: pixels, seconds, radians
const KINDS = {
	coins: { burst: 36, rate: 38, gravity: 1500, speed: [300, 820], size: [22, 40], life: [1.4, 2.2], turn: [6, 14] },
	stars: { burst: 30, rate: 30, gravity: 160, speed: [120, 420], size: [10, 30], life: [0.7, 1.4], turn: [-4, 4], fades: true },
	smoke: { burst: 16, rate: 12, gravity: -60, speed: [20, 90], size: [60, 150], life: [1.2, 2.2], turn: [-0.6, 0.6], fades: true, grows: 1.2 },
	light: { burst: 24, rate: 24, gravity: 0, speed: [180, 620], size: [26, 70], life: [0.5, 1], turn: [0, 0], fades: true, adds: true },
};

// ---- sprites, drawn once ----

function drawn(paint) {
	const canvas = document.createElement("canvas");
	canvas.width = canvas.height = SPRITE;
	const pen = canvas.getContext("2d");
	pen.translate(SPRITE / 2, SPRITE / 2);
	paint(pen);
	return canvas;
}

function faded(pen, stops) {
	const fill = pen.createRadialGradient(0, 0, 0, 0, 0, SPRITE / 2);
	for (const [at, colour] of stops) fill.addColorStop(at, colour);
	pen.fillStyle = fill;
	pen.fillRect(-SPRITE / 2, -SPRITE / 2, SPRITE, SPRITE);
}

function starPath(pen, points, outer, inner) {
	pen.beginPath();
	for (let i = 0; i < points * 2; i++) pen.lineTo(...[Math.sin, Math.cos].map((f) => f(i / points * Math.PI) * (i % 2 ? inner : outer)));
	pen.closePath();
}

// Lit from the upper left, as all pictures are.
function coin(pen, face) {
	const wide = Math.max(0.12, Math.abs(Math.cos(face / COIN_FACES * Math.PI)));
	const gold = pen.createLinearGradient(-26, -26, 26, 26);
	for (const [at, colour] of [[0, "#fff6bd"], [0.45, "#f3b62f"], [1, "#8d4a0a"]]) gold.addColorStop(at, colour);
	pen.scale(wide, 1);
	pen.lineWidth = 3;
	pen.strokeStyle = "#3a1d04";
	pen.fillStyle = gold;
	pen.beginPath();
	pen.arc(0, 0, 28, 0, 2 * Math.PI);
	pen.fill();
	pen.stroke();
	starPath(pen, 6, 17, 8);
	pen.fillStyle = "#ffe48a";
	pen.fill();
	pen.lineWidth = 1.5;
	pen.stroke();
}

function star(pen) {
	faded(pen, [[0, "#fff3b0aa"], [1, "#fff3b000"]]);
	starPath(pen, 4, 30, 5);
	pen.fillStyle = "#fffbe6";
	pen.fill();
}

let sprites = null;
const spritesOf = (kind) => (sprites ??= {
	coins: Array.from({ length: COIN_FACES }, (_, face) => drawn((pen) => coin(pen, face))),
	stars: [drawn(star)],
	smoke: [drawn((pen) => faded(pen, [[0, "#d8cfe670"], [0.6, "#a99cc038"], [1, "#8a7ca000"]]))],
	light: [drawn((pen) => faded(pen, [[0, "#fffdf0ff"], [0.25, "#ffe9a0aa"], [1, "#ffc84a00"]]))],
})[kind];

// ---- the layer ----

const still = matchMedia("(prefers-reduced-motion: reduce)");
let canvas = null;
let pen = null;
let watch = null;
let particles = [];
let rains = []; // { kind, until, owed }
let frame = 0; // number of the animation frame asked for, 0: none
let then = 0;
let average = 16;
let most = MOST;
let halved = 0;

const allowed = () => canvas && !still.matches && !document.hidden && halved < GIVE_UP;

function measure() {
	const scale = Math.min(2, devicePixelRatio || 1);
	canvas.width = Math.round(canvas.clientWidth * scale);
	canvas.height = Math.round(canvas.clientHeight * scale);
	pen.setTransform(scale, 0, 0, scale, 0, 0);
}

function add(kind, x, y, angle) {
	if (particles.length >= most) return;
	const { speed, size, life, turn } = KINDS[kind];
	const fast = between(...speed);
	const [vx, vy] = [Math.cos(angle) * fast, Math.sin(angle) * fast];
	particles.push({ kind, x, y, vx, vy, size: between(...size), age: 0, life: between(...life), turn: between(...turn), angle: between(0, 6) });
}

function pour(rain, seconds) {
	rain.owed += KINDS[rain.kind].rate * seconds;
	for (; rain.owed >= 1; rain.owed--) add(rain.kind, between(0, canvas.clientWidth), -40, between(1.3, 1.8));
}

function move(one, seconds) {
	one.age += seconds;
	one.vy += KINDS[one.kind].gravity * seconds;
	one.x += one.vx * seconds;
	one.y += one.vy * seconds;
	one.angle += one.turn * seconds;
}

function draw(one) {
	const { fades, grows = 0, adds } = KINDS[one.kind];
	const pictures = spritesOf(one.kind);
	const part = one.age / one.life;
	const size = one.size * (1 + grows * part);
	pen.globalAlpha = fades ? Math.max(0, 1 - part) : Math.min(1, (1 - part) * 6);
	pen.globalCompositeOperation = adds ? "lighter" : "source-over";
	if (pictures.length > 1) return pen.drawImage(pictures[Math.floor(Math.abs(one.angle)) % pictures.length], one.x - size / 2, one.y - size / 2, size, size);
	pen.save();
	pen.translate(one.x, one.y);
	pen.rotate(one.angle);
	pen.drawImage(pictures[0], -size / 2, -size / 2, size, size);
	pen.restore();
}

// Too slow for some frames: fewer particles; too slow with few: none.
function judge(ms) {
	average += (Math.min(ms, FRAME_MOST_MS) - average) * FRAME_WEIGHT;
	if (average <= SLOW_MS) return;
	average = 16;
	halved++;
	most = Math.floor(most / 2);
	particles.length = Math.min(particles.length, most);
	if (halved >= GIVE_UP) clear();
}

function step(now) {
	frame = 0;
	const ms = Math.min(100, now - then);
	if (then) judge(ms);
	then = now;
	const seconds = Math.min(50, ms) / 1000;
	pen.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
	rains = rains.filter((rain) => rain.until > now);
	for (const rain of rains) pour(rain, seconds);
	for (const one of particles) move(one, seconds);
	particles = particles.filter((one) => one.age < one.life && one.y < canvas.clientHeight + 80);
	for (const one of particles) draw(one);
	pen.globalAlpha = 1;
	if (particles.length || rains.length) frame = requestAnimationFrame(step);
	else then = 0;
}

function go() {
	frame ||= requestAnimationFrame(step);
}

function clear() {
	cancelAnimationFrame(frame);
	frame = then = 0;
	particles = [];
	rains = [];
	pen?.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
}

still.addEventListener("change", clear);
document.addEventListener("visibilitychange", () => { if (document.hidden) clear(); });

export const effects = {
	// Draws on this canvas from now on; null: on none. The canvas lies over the stage and takes no clicks: both are the page's to arrange.
	attach(to) {
		if (to === canvas) return;
		clear();
		watch?.disconnect();
		canvas = to;
		pen = canvas?.getContext("2d") ?? null;
		if (!canvas) return;
		watch = new ResizeObserver(measure);
		watch.observe(canvas);
		measure();
	},
	// Throws particles out of a rectangle of the window (as getBoundingClientRect gives it); without one, out of the middle.
	burst(kind, rect) {
		if (!allowed() || !KINDS[kind]) return;
		const mine = canvas.getBoundingClientRect();
		const from = rect ?? { left: mine.left + mine.width / 2, top: mine.top + mine.height / 2, width: 0, height: 0 };
		for (let i = 0; i < KINDS[kind].burst; i++) {
			const angle = kind === "coins" ? between(-2.4, -0.7) : between(0, 2 * Math.PI);
			add(kind, from.left - mine.left + from.width * Math.random(), from.top - mine.top + from.height * Math.random(), angle);
		}
		go();
	},
	// Lets particles fall from above for some milliseconds.
	rain(kind, ms) {
		if (!allowed() || !KINDS[kind]) return;
		rains.push({ kind, until: performance.now() + ms, owed: 0 });
		go();
	},
	clear,
	// What runs now, for those who look after it.
	get running() { return { particles: particles.length, rains: rains.length, idle: frame === 0, most }; },
};
