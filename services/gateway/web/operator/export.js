// A player's data as one document, saved as a file: a person may ask for what is held about them.
import { html, useState } from "/vendor/htm-preact.js";
import { sentence, wholeOf } from "/operator/ask.js";
import { save, whole } from "/operator/parts.js";

const END = "\"complete\":true}";

export function Export({ base, account }) {
	const [state, setState] = useState({ busy: false, error: null, told: "" });
	const go = async () => {
		setState({ busy: true, error: null, told: "" });
		try {
			const file = await wholeOf(`${base}/export`, END);
			save(`player-${account.player}.json`, file);
			setState({ busy: false, error: null, told: `Saved: ${whole(Math.ceil(file.size / 1024))} KiB.` });
		} catch (error) {
			setState({ busy: false, error, told: "" });
		}
	};
	return html`<button name="export" disabled=${state.busy} onClick=${go}>${state.busy ? "Exporting …" : "Export all data"}</button>
		${state.error ? html`<p class="bad" role="alert">${sentence(state.error)}</p>` : state.told ? html`<p class="good" role="status">${state.told}</p>` : null}`;
}
