// Sound, made by the page: short tones after a gesture, silent until the player turns them on; the choice is remembered.

const KEY = "sound";
const TONES = {
	press: [330], spin: [220, 262], stop: [180], anticipation: [440, 494, 554], win1: [523, 659], win2: [523, 659, 784], win3: [523, 659, 784, 1047], win4: [523, 659, 784, 1047, 1319], count: [880], collect: [659, 523],
	feature: [392, 523, 659], bonus: [392, 494, 587], "gamble-win": [659, 880], "gamble-lose": [247, 196], card: [294], vial: [349], jackpot: [523, 659, 784, 1047, 784, 1047],
};
const read = () => { try { return JSON.parse(localStorage.getItem(KEY)) ?? {}; } catch { return {}; } };
let volumes = { effects: 0, music: 0, ...read() };
let context = null;

function tone(frequency, at) {
	const oscillator = context.createOscillator();
	const gain = context.createGain();
	oscillator.frequency.value = frequency;
	gain.gain.setValueAtTime(0.12 * volumes.effects, at);
	gain.gain.exponentialRampToValueAtTime(0.0001, at + 0.16);
	oscillator.connect(gain).connect(context.destination);
	oscillator.start(at);
	oscillator.stop(at + 0.18);
}

export const sound = {
	play(name) {
		if (!volumes.effects || !TONES[name] || !navigator.userActivation?.hasBeenActive) return;
		context ??= new AudioContext();
		TONES[name].forEach((frequency, i) => tone(frequency, context.currentTime + 0.07 * i));
	},
	bed() {},
	// Volumes from 0 to 1. Without an argument: the volumes as they are.
	settings(change) {
		if (change) {
			volumes = { ...volumes, ...change };
			localStorage.setItem(KEY, JSON.stringify(volumes));
		}
		return volumes;
	},
};
