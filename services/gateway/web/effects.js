// Particles over the reels, in a canvas. Nothing runs while there are none, and none are made where the player prefers less motion.

const MOST = 120;
const COLOURS = { coins: ["#f3cf6a", "#c9962b"], stars: ["#fff6cf", "#ffd76b"], smoke: ["#b7c4dd", "#7c8aa8"] };
let canvas = null;
let particles = [];
let frame = 0;

const quiet = () => !canvas || document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches;

function draw() {
	const pen = canvas.getContext("2d");
	pen.clearRect(0, 0, canvas.width, canvas.height);
	particles = particles.filter((one) => one.life-- > 0);
	for (const one of particles) {
		Object.assign(one, { x: one.x + one.vx, y: one.y + one.vy, vy: one.vy + 0.25 });
		pen.globalAlpha = Math.min(1, one.life / 20);
		pen.fillStyle = one.colour;
		pen.beginPath();
		pen.ellipse(one.x, one.y, one.size * Math.abs(Math.cos(one.life / 6)) + 1, one.size, 0, 0, 7);
		pen.fill();
	}
	frame = particles.length ? requestAnimationFrame(draw) : 0;
}

function add(kind, x, y, rise) {
	if (particles.length >= MOST) return;
	const colours = COLOURS[kind] ?? COLOURS.stars;
	particles.push({ x, y, vx: (Math.random() - 0.5) * 8, vy: rise * (0.5 + Math.random()), size: 3 + Math.random() * 5, life: 50 + Math.random() * 40, colour: colours[particles.length % colours.length] });
	frame ||= requestAnimationFrame(draw);
}

function fit() {
	Object.assign(canvas, { width: canvas.clientWidth, height: canvas.clientHeight });
}

export const effects = {
	attach(element) { canvas = element; },
	// Around a rectangle in the page's coordinates.
	burst(kind, rect) {
		if (quiet()) return;
		fit();
		const place = canvas.getBoundingClientRect();
		for (let i = 0; i < 30; i++) add(kind, rect.left - place.left + rect.width * Math.random(), rect.top - place.top + rect.height / 2, -6);
	},
	rain(kind, ms) {
		if (quiet()) return;
		fit();
		const end = performance.now() + ms;
		const timer = setInterval(() => {
			if (!canvas || performance.now() > end) return clearInterval(timer);
			for (let i = 0; i < 3; i++) add(kind, canvas.width * Math.random(), -10, 2);
		}, 60);
	},
	clear() {
		particles = [];
		cancelAnimationFrame(frame);
		frame = 0;
	},
};
