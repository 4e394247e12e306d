// Keeps one part of a screen from taking the others with it: a part that cannot be drawn says so and since when, and is tried again, by itself or by a press.
// Also what of a part is old: a watch of its own, which goes on when drawing has stopped, greys it and says from when its figures are.
import { html, useEffect, useErrorBoundary, useRef } from "/vendor/htm-preact.js";
import { tellCrash } from "/crash.js";
import { time } from "/operator/zone.js";

const AGAIN_MS = 30000;
const LOOK_MS = 1000;
const LATE_MS = 10000; // so much later than it should have been read

// name: what the part is called when it cannot be drawn. whole: it stands alone on the screen, not in a panel.
export function Guard({ name, whole, children }) {
	const broken = useRef({ since: 0, last: 0 });
	const [error, again] = useErrorBoundary((found) => {
		const now = Date.now();
		if (now - broken.current.last > 2 * AGAIN_MS) broken.current.since = now;
		broken.current.last = now;
		console.error(found);
		tellCrash("console", found);
	});
	useEffect(() => {
		const timer = error ? setTimeout(again, AGAIN_MS) : null;
		return () => clearTimeout(timer);
	}, [error]);
	if (!error) return children;
	return html`<div class=${`broken ${whole ? "panel" : ""}`} data-broken=${name} role="alert"><p><b class="bad">${name} cannot be shown since ${time(broken.current.since * 1000)}.</b>
		The console has a fault here; the rest of the screen goes on. The fault has been reported.</p><button onClick=${again}>Try again</button></div>`;
}

// The attributes of an element that shows this read (parts.js), for the watch.
export const live = (state) => state?.every && state.at ? { "data-at": state.at, "data-every": state.every } : {};

function look() {
	for (const part of document.querySelectorAll("[data-every]")) {
		const [at, every] = [Number(part.dataset.at), Number(part.dataset.every)];
		const late = Date.now() - at > Math.max(3 * every, every + LATE_MS);
		if (!late) delete part.dataset.late;
		else part.dataset.late = `Not read since ${time(at * 1000)}. These figures may be old.`;
	}
}

export const watchAge = () => setInterval(look, LOOK_MS);
