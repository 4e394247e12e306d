// Parts of the page that the first spin does not need (later.js): loaded when they are first shown, or once the page has been at rest for a while.
import { html, useEffect, useState } from "/vendor/htm-preact.js";
import { t } from "/lang.js";

const AT_REST_MS = 4000;
let parts = null; // promise of the module; one that did not come is asked for again

function load() {
	parts ??= import("/later.js").catch((error) => {
		parts = null;
		throw error;
	});
	return parts;
}

// A part by its name, with the properties that it is given.
export function Late({ part, ...given }) {
	const [found, show] = useState(null);
	const [failed, fail] = useState(false);
	useEffect(() => { load().then(show, () => fail(true)); }, [failed]);
	if (found) return html`<${found[part]} ...${given} />`;
	return failed ? html`<p class="bad" role="alert">${t("late.failed")} <button onClick=${() => fail(false)}>${t("try-again")}</button></p>` : null;
}

// The particles of effects.js, on the stage's canvas.
let canvas = null;
const particles = (draw) => load().then(({ effects }) => {
	effects.attach(canvas);
	draw(effects);
}, () => {});

export const effects = {
	attach(to) {
		canvas = to;
		setTimeout(() => particles(() => {}), AT_REST_MS);
	},
	rain: (kind, ms) => particles((all) => all.rain(kind, ms)),
	clear: () => parts && particles((all) => all.clear()),
};
