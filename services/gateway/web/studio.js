// The instruments, effects and music of the games, made by WebAudio from nothing: no recordings. Everything is in tune with the game's music, whose
// root, scale, chords, tempo and lead are in worlds/index.json.
const VOICES_MAX = 80; // at once; what comes above is left out
const STEP_FORGOTTEN_S = 1.6; // stops and counts rise from one to the next until such a pause

// Numbers that look random but are the same each time, so that a room sounds the same at every visit.
function dice(seed) {
	let state = seed >>> 0;
	return () => {
		state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
		return state / 4294967296;
	};
}

const hertz = (note) => 440 * 2 ** ((note - 69) / 12); // a MIDI number
const SILENT_MUSIC = { root: 48, scale: [0, 2, 4, 7, 9], chords: [0], tempo: 70, lead: "bell" };
// The note of a scale, `step` steps above its root; scales go on above and below.
const noteOf = ({ root, scale }, step) => root + 12 * Math.floor(step / scale.length) + scale[((step % scale.length) + scale.length) % scale.length];

// ---- the room: what every voice goes through ----

function noiseOf(context, seconds, fade, channels = 1) {
	const buffer = context.createBuffer(channels, Math.ceil(seconds * context.sampleRate), context.sampleRate);
	for (let channel = 0; channel < channels; channel++) {
		const next = dice(7 + channel);
		const data = buffer.getChannelData(channel);
		for (let i = 0; i < data.length; i++) data[i] = (next() * 2 - 1) * (fade ? (1 - i / data.length) ** 3 : 1);
	}
	return buffer;
}

// No sum of voices leaves this curve: linear when quiet, bent softly below 0.95.
function limiter(context) {
	const shaper = context.createWaveShaper();
	shaper.curve = Float32Array.from({ length: 2049 }, (_, i) => 0.95 * Math.tanh((i - 1024) / 1024 * 1.6) / Math.tanh(1.6));
	const press = new DynamicsCompressorNode(context, { threshold: -14, knee: 10, ratio: 8, attack: 0.004, release: 0.2 });
	const down = new GainNode(context, { gain: 0.55 }); // the compressor makes quiet things louder
	press.connect(down).connect(shaper);
	return { in: press, out: shaper };
}

function room(context) {
	const last = limiter(context);
	last.out.connect(context.destination);
	const echo = new ConvolverNode(context, { buffer: noiseOf(context, 1.7, true, 2) });
	const wet = new GainNode(context, { gain: 0.22 });
	const bus = (gain) => {
		const node = new GainNode(context, { gain });
		node.connect(last.in);
		node.connect(wet);
		return node;
	};
	wet.connect(echo).connect(last.in);
	return { context, noise: noiseOf(context, 1, false), bus, buses: { effects: bus(1), music: bus(1) }, volumes: { effects: 1, music: 1 }, voices: [] };
}

// ---- voices ----

// Rises in `attack` seconds, then falls to silence by the end of `length`.
function envelope(context, at, { gain, attack = 0.005, length }) {
	const node = context.createGain();
	node.gain.setValueAtTime(0, at);
	node.gain.linearRampToValueAtTime(gain, at + attack);
	node.gain.setTargetAtTime(0, at + attack, Math.max(0.01, (length - attack) / 4.5));
	return node;
}

// Voices are written ahead of their time, so how many sound at once is counted at the time when they will.
function full(place, at) {
	place.voices = place.voices.filter((voice) => voice.to > place.context.currentTime);
	return place.voices.reduce((sum, voice) => sum + (voice.from <= at && at < voice.to), 0) >= VOICES_MAX;
}

function live(place, source, at, length) {
	place.voices.push({ from: at, to: at + length });
	source.start(at);
	source.stop(at + length + 0.05);
}

// A tone of one or two oscillators, `detune` cents apart; `to` glides to another note; `cut` is a low pass in hertz.
function tone(place, at, { bus = "effects", note, to, type = "sine", gain = 0.2, attack, length = 0.3, detune = 0, cut, pan = 0 }) {
	if (full(place, at)) return;
	const { context } = place;
	const shape = envelope(context, at, { gain, attack, length });
	const sides = new StereoPannerNode(context, { pan });
	const filter = cut ? new BiquadFilterNode(context, { type: "lowpass", frequency: cut, Q: 0.7 }) : null;
	for (const cents of detune ? [-detune, detune] : [0]) {
		const source = new OscillatorNode(context, { type, detune: cents, frequency: hertz(note) });
		if (to !== undefined) {
			source.frequency.setValueAtTime(hertz(note), at);
			source.frequency.exponentialRampToValueAtTime(hertz(to), at + length * 0.8);
		}
		source.connect(filter ?? shape);
		live(place, source, at, length);
	}
	filter?.connect(shape);
	shape.connect(sides).connect(place.buses[bus]);
}

// Noise through a band that moves from `from` to `to` hertz.
function hiss(place, at, { bus = "effects", from = 800, to = from, gain = 0.15, attack, length = 0.2, q = 1, type = "bandpass" }) {
	if (full(place, at)) return;
	const { context } = place;
	const source = new AudioBufferSourceNode(context, { buffer: place.noise, loop: true });
	const filter = new BiquadFilterNode(context, { type, frequency: from, Q: q });
	filter.frequency.setValueAtTime(from, at);
	filter.frequency.exponentialRampToValueAtTime(to, at + length);
	source.connect(filter).connect(envelope(context, at, { gain, attack, length })).connect(place.buses[bus]);
	live(place, source, at, length);
}

// A bell: the hum, the strike note, and partials above that die sooner the higher they are.
const PARTIALS = [[-12, 0.35, 1.3], [0, 1, 1], [3.2, 0.35, 0.75], [7, 0.3, 0.6], [12, 0.5, 0.5], [19.4, 0.2, 0.3], [24, 0.12, 0.2]];
function bell(place, at, { note, gain = 0.16, length = 1.6, bus, pan }, partials = PARTIALS) {
	for (const [above, part, lasting] of partials) tone(place, at, { bus, pan, note: note + above, gain: gain * part, attack: 0.002, length: length * lasting });
}

const pluck = (place, at, { note, gain = 0.2, length = 0.5, bus, pan }) => {
	tone(place, at, { bus, pan, note, type: "triangle", gain, length, attack: 0.003 });
	tone(place, at, { bus, pan, note: note + 12, type: "sine", gain: gain * 0.3, length: length * 0.4, attack: 0.002 });
};

const brass = (place, at, { note, gain = 0.09, length = 0.6 }) => tone(place, at, { note, type: "sawtooth", gain, length, attack: 0.04, detune: 7, cut: 1500 });
const chime = (place, at, more) => bell(place, at, more, [[0, 1, 1], [12, 0.4, 0.5], [24.2, 0.15, 0.25]]);
const thud = (place, at, gain = 0.5) => tone(place, at, { note: 43, to: 26, gain, length: 0.16, attack: 0.002 });

// ---- effects: each a function of the place, the time, the music and, where sounds rise, the step ----

const up = (music, steps) => noteOf(music, music.scale.length * 2 + steps); // two octaves above the root
const run = (play, place, at, music, steps, gap, more) => steps.forEach((step, i) => play(place, at + i * gap, { note: up(music, step), pan: ((i % 5) - 2) / 4, ...more }));

function fanfare(place, at, music, chords, gap) {
	chords.forEach((chord, i) => {
		const last = i === chords.length - 1;
		for (const step of [0, 2, 4]) brass(place, at + i * gap, { note: noteOf(music, music.scale.length + chord + step), length: last ? gap * 3 : gap * 0.95 });
		tone(place, at + i * gap, { note: noteOf(music, chord), type: "triangle", gain: 0.2, length: last ? gap * 3 : gap });
	});
}

const PEALING = PARTIALS.filter(([, part]) => part > 0.3);

// Change ringing: eight bells, each two of them changing places from row to row.
function peal(place, at, music, rows, gap) {
	const bells = [7, 6, 5, 4, 3, 2, 1, 0];
	for (let row = 0; row < rows; row++) {
		bells.forEach((step, i) => bell(place, at + (row * 8 + i) * gap, { note: up(music, step - 3), gain: 0.13, length: 1.6, pan: (step - 3.5) / 5 }, PEALING));
		for (let i = row % 2; i + 1 < bells.length; i += 2) [bells[i], bells[i + 1]] = [bells[i + 1], bells[i]];
	}
}

const EFFECTS = {
	press(place, at) {
		tone(place, at, { note: 67, to: 55, gain: 0.4, length: 0.07, attack: 0.002 });
		hiss(place, at, { from: 2600, gain: 0.06, length: 0.03 });
	},
	spin(place, at, music) {
		hiss(place, at, { from: 300, to: 1900, gain: 0.12, attack: 0.12, length: 0.6, q: 0.8 });
		run(pluck, place, at, music, [0, 2, 4], 0.07, { gain: 0.1, length: 0.25 });
	},
	stop(place, at, music, step) {
		thud(place, at);
		hiss(place, at, { from: 1800, to: 900, gain: 0.1, length: 0.05 });
		pluck(place, at, { note: up(music, step % 8 - 5), gain: 0.12, length: 0.3 });
	},
	anticipation(place, at, music) {
		for (let i = 0; i < 14; i++) tone(place, at + i * 0.11, { note: up(music, Math.floor(i / 2) - 4), type: "triangle", gain: 0.05 + i * 0.006, length: 0.16 });
		tone(place, at, { note: music.root, to: music.root + 12, type: "sawtooth", detune: 9, cut: 700, gain: 0.07, attack: 0.9, length: 1.8 });
		hiss(place, at, { from: 300, to: 3400, gain: 0.06, attack: 1.2, length: 1.7 });
	},
	win1: (place, at, music) => run(chime, place, at, music, [0, 2, 4], 0.09, { gain: 0.14, length: 0.7 }),
	win2(place, at, music) {
		run(chime, place, at, music, [0, 2, 4, 5, 7, 9], 0.08, { gain: 0.14, length: 0.9 });
		fanfare(place, at + 0.1, music, [0], 0.3);
	},
	win3(place, at, music) {
		fanfare(place, at, music, [0, 3, 4, 5], 0.26);
		run(chime, place, at + 0.5, music, [0, 2, 4, 5, 7, 9, 10, 12], 0.09, { gain: 0.13, length: 1.1 });
		hiss(place, at, { from: 5000, to: 7000, type: "highpass", gain: 0.05, length: 1.2 });
	},
	win4(place, at, music) {
		fanfare(place, at, music, [0, 3, 4, 2, 3, 4, 5], 0.32);
		peal(place, at + 0.3, music, 2, 0.13);
		run(chime, place, at + 2.2, music, [0, 2, 4, 5, 7, 9, 10, 12, 14], 0.08, { gain: 0.14, length: 1.3 });
		for (const later of [0, 0.96, 2.2]) hiss(place, at + later, { from: 5000, to: 8000, type: "highpass", gain: 0.06, length: 1.3 });
	},
	count: (place, at, music, step) => chime(place, at, { note: up(music, 5 + Math.min(step, 20) / 2 | 0), gain: 0.2, length: 0.16 }),
	collect(place, at, music) {
		for (let i = 0; i < 7; i++) chime(place, at + i * 0.05, { note: up(music, 9 + [0, 3, 1, 4, 2, 5, 7][i]), gain: 0.08, length: 0.3, pan: (i - 3) / 4 });
		thud(place, at + 0.34, 0.3);
	},
	feature(place, at, music) {
		bell(place, at, { note: music.root - 12, gain: 0.3, length: 2.8 });
		run(pluck, place, at + 0.15, music, [-5, -3, -1, 0, 2, 4, 5, 7, 9, 10], 0.07, { gain: 0.1, length: 0.5 });
		hiss(place, at, { from: 200, to: 4000, gain: 0.07, attack: 0.7, length: 1 });
		fanfare(place, at + 0.9, music, [0], 0.5);
	},
	bonus(place, at, music) {
		run(chime, place, at, music, [12, 9, 10, 7, 9, 5, 7, 4, 5, 2, 4, 0], 0.08, { gain: 0.12, length: 0.9 });
		bell(place, at + 1, { note: up(music, 0), gain: 0.2, length: 1.8 });
	},
	"gamble-win": (place, at, music) => run(pluck, place, at, music, [0, 2, 4, 5], 0.08, { gain: 0.2, length: 0.5 }),
	"gamble-lose"(place, at, music) {
		for (const [i, semitones] of [0, -2, -5].entries())
			tone(place, at + i * 0.16, { note: music.root + 12 + semitones, type: "triangle", gain: 0.18, length: 0.45, cut: 900 });
	},
	card(place, at) {
		hiss(place, at, { from: 3800, to: 1400, gain: 0.14, length: 0.1, q: 0.7 });
		tone(place, at + 0.06, { note: 60, to: 50, gain: 0.18, length: 0.05, attack: 0.001 });
	},
	vial(place, at, music) {
		bell(place, at, { note: up(music, 12), gain: 0.1, length: 0.7 }, [[0, 1, 1], [9.7, 0.5, 0.6], [17.3, 0.3, 0.4]]);
		for (let i = 0; i < 6; i++) tone(place, at + 0.18 + i * 0.09, { note: 62 + (i * 5) % 9, to: 72 + (i * 7) % 11, gain: 0.09, length: 0.08, attack: 0.01 });
	},
	jackpot(place, at, music) {
		bell(place, at, { note: music.root - 12, gain: 0.35, length: 3.5 });
		fanfare(place, at + 0.2, music, [0, 3, 4, 0, 3, 4, 5, 5], 0.4);
		peal(place, at + 0.6, music, 5, 0.15);
		run(chime, place, at + 5.2, music, [0, 2, 4, 5, 7, 9, 10, 12, 14, 15], 0.09, { gain: 0.15, length: 1.6 });
		for (const later of [0, 1.6, 3.2, 5.2]) hiss(place, at + later, { from: 4500, to: 9000, type: "highpass", gain: 0.06, length: 1.6 });
	},
};

// ---- music: written bar by bar while it plays ----

const LEADS = {
	bell: (place, at, more) => chime(place, at, { ...more, length: 1.6 }),
	box: (place, at, more) => chime(place, at, { ...more, note: more.note + 12, length: 0.8 }),
	lute: (place, at, more) => pluck(place, at, { ...more, length: 0.9 }),
	soft: (place, at, more) => tone(place, at, { ...more, attack: 0.12, length: 1.4, type: "triangle", cut: 1400 }),
};

// Four beats of music at `at`; returns how long they last. A feature's bed is faster, with a pulse and a busier melody.
function bar(place, at, { music, feature, next }, number) {
	const beat = 60 / (music.tempo * (feature ? 1.3 : 1));
	const root = music.chords[number % music.chords.length];
	const key = { ...music, root: music.root + root };
	const bus = "music";
	for (const semitones of [0, 7, 12])
		tone(place, at, { bus, note: key.root + semitones, type: "triangle", detune: 6, cut: 620, gain: 0.028, attack: beat, length: beat * 4.6 });
	for (const later of feature ? [0, 1, 2, 3] : [0, 2.5]) tone(place, at + later * beat, { bus, note: key.root - 12, gain: 0.09, attack: 0.02, length: beat * 1.4 });
	const lead = LEADS[music.lead] ?? LEADS.bell;
	for (let half = 0; half < 8; half++) {
		const note = noteOf({ ...music, root: music.root + 12 }, Math.floor(next() * 8));
		if (next() < (feature ? 0.75 : 0.4)) lead(place, at + half * beat / 2, { bus, note, gain: 0.035 + next() * 0.02, pan: next() - 0.5 });
		if (feature) hiss(place, at + half * beat / 2, { bus, from: 7000, type: "highpass", gain: half % 2 ? 0.012 : 0.022, length: 0.05 });
	}
	return beat * 4;
}

// A place where things sound, in any context: the page's own, or one that renders to memory.
export function studio(context) {
	const place = room(context);
	let written = null; // what plays: its music, dice, bar and the time up to which it is written
	const steps = new Map(); // effect -> [when it sounded last, how often in a row]
	return {
		names: Object.keys(EFFECTS),
		volume(bus, gain) {
			place.volumes[bus] = gain;
			place.buses[bus].gain.setTargetAtTime(gain, context.currentTime, 0.05);
		},
		play(name, music = SILENT_MUSIC, at = context.currentTime) {
			const [last, count] = steps.get(name) ?? [-10, 0];
			const step = at - last < STEP_FORGOTTEN_S ? count + 1 : 0;
			steps.set(name, [at, step]);
			EFFECTS[name]?.(place, at + 0.005, music, step);
		},
		// What the old music has written ahead fades on a bus of its own, so that the two never clash.
		begin(music, feature) {
			place.buses.music.gain.setTargetAtTime(0, context.currentTime, 0.25);
			place.buses.music = place.bus(place.volumes.music);
			written = music ? { music, feature, next: dice(music.root * 31 + feature), bar: 0, to: context.currentTime + 0.1 } : null;
		},
		// Writes the music that is still missing up to the time `until`.
		write(until) {
			if (!written) return;
			if (written.to < context.currentTime) written.to = context.currentTime + 0.1; // the page was asleep
			while (written.to < until) written.to += bar(place, written.to, written, written.bar++);
		},
	};
}
