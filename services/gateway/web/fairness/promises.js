// What the page was promised: the hash of a round's secret, shown before the bet. Kept by this browser, so that the secret can be held against it later.
import { always } from "/kept.js";

const KEY = "promises";
const KEPT = 500;

const all = () => {
	try {
		return new Map(JSON.parse(always.get(KEY) ?? "[]"));
	} catch {
		return new Map();
	}
};

export function keepPromise(player, round, hash) {
	const kept = all();
	if (kept.has(`${player}:${round}`)) return;
	kept.set(`${player}:${round}`, hash);
	always.put(KEY, JSON.stringify([...kept].slice(-KEPT)));
}

export const promiseOf = (player, round) => all().get(`${player}:${round}`) ?? null;
