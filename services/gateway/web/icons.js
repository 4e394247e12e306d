// The signs of the page's own buttons: shapes in the button's colour, beside its words or in their place.
import { html } from "/vendor/htm-preact.js";

const PATHS = {
	home: "M4 11 12 4l8 7v9h-5v-6H9v6H4z",
	menu: "M4 6h16v2H4zm0 5h16v2H4zm0 5h16v2H4z",
	sound: "M4 9h4l5-4v14l-5-4H4zm11.5-.8a5 5 0 0 1 0 7.6l-1.2-1.4a3.2 3.2 0 0 0 0-4.8zm2.4-2.8a9 9 0 0 1 0 13.2l-1.3-1.5a7 7 0 0 0 0-10.2z",
	mute: "M4 9h4l5-4v14l-5-4H4zm11.3.6 1.3-1.3 2 2 2-2 1.3 1.3-2 2 2 2-1.3 1.3-2-2-2 2-1.3-1.3 2-2z",
	spin: "M12 4a8 8 0 0 1 7.4 5H21l-3.2 4-3.4-4h2.2a5.4 5.4 0 0 0-9.6 1L4.7 9A8 8 0 0 1 12 4zm0 16a8 8 0 0 1-7.4-5H3l3.2-4 3.4 4H7.400a5.4 5.4 0 0 0 9.6-1l2.3 1A8 8 0 0 1 12 20z",
	auto: "M12 5V2l5 4.5-5 4.500V8a5 5 0 1 0 5 5h3a8 8 0 1 1-8-8zm-2 5 6 3.5-6 3.5z",
	turbo: "M13 2 5 13.500h5.500L9.5 22 19 9.500h-6z",
	double: "M4 4h10v14H4zm12 2.5 4 1-3.5 13.5-8-2h7.5zM9 8l-3 4 3 4 3-4z",
	buy: "m12 2.5 2.9 6.2 6.7.8-5 4.6 1.4 6.7-6-3.4-6 3.4 1.4-6.7-5-4.6 6.7-.8z",
};

export const Icon = ({ name }) => html`<svg class="sign" viewBox="0 0 24 24" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;
