// What the browser keeps for the page: `session` until its window closes, `always` longer. A browser that keeps nothing for a page in another site's
// frame throws as soon as its storage is named; what is put here then lasts as long as the page.

function keeper(storage) {
	const memory = new Map();
	let place = null;
	try {
		place = storage();
		place.getItem("");
	} catch {
		place = null;
	}
	return {
		get: (key) => memory.has(key) ? memory.get(key) : place?.getItem(key) ?? null,
		put(key, value) {
			try {
				if (!place) throw new Error("nothing is kept");
				place.setItem(key, value);
				memory.delete(key);
			} catch { // refused, or full
				memory.set(key, String(value));
			}
		},
		drop(...keys) {
			for (const key of keys) {
				memory.delete(key);
				place?.removeItem(key);
			}
		},
	};
}

export const session = keeper(() => sessionStorage);
export const always = keeper(() => localStorage);
