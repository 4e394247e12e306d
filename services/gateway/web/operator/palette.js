// Where to go, by keyboard: Ctrl+K or the menu's button opens it; it finds screens and jackpots by a part of their name, players by number.
import { html, useEffect, useRef, useState } from "/vendor/htm-preact.js";
import { useRead } from "/operator/parts.js";

const MOST = 30;

// The places that a text leads to; `screens`: [address, title] of those that the user may see.
function places(text, screens, pools, players) {
	const wanted = text.trim().toLowerCase();
	const number = /^(?:[0-9]+-)?([0-9]{1,15})$/.exec(wanted)?.[1];
	const named = [...screens.map(([id, title]) => [id, title]), ...pools.map((p) => [`jackpots/${p.pool}`, `Jackpot ${p.id}`])];
	return [...(number && players ? [[`players/${number}`, `Player ${number}`]] : []), ...named.filter(([, title]) => title.toLowerCase().includes(wanted))].slice(0, MOST);
}

export function Palette({ screens, players, onClose }) {
	const dialog = useRef(null);
	const [text, setText] = useState("");
	const [at, setAt] = useState(0);
	const status = useRead("/v1/operator/status");
	const found = places(text, screens, status.data?.pools ?? [], players);
	useEffect(() => { dialog.current.showModal(); }, []);
	const go = ([address]) => { dialog.current.close(); location.hash = address; };
	const key = (event) => {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (step) setAt((old) => (old + step + found.length) % Math.max(found.length, 1));
		else if (event.key === "Enter" && found[at]) go(found[at]);
		else return;
		event.preventDefault();
	};
	return html`<dialog ref=${dialog} class="palette" aria-label="Go to" onClose=${onClose}>
		<input name="go" role="combobox" aria-label="Screen, jackpot or player's number" aria-expanded="true" aria-controls="palette-found" aria-activedescendant=${found[at] ? `palette-${at}` : undefined}
			placeholder="Screen, jackpot or player's number" autocomplete="off" value=${text} onInput=${(e) => { setText(e.target.value); setAt(0); }} onKeyDown=${key} autofocus />
		<ul id="palette-found" role="listbox" aria-label="Found">${found.map((one, i) => html`<li key=${one[0]} id="palette-${i}" role="option" aria-selected=${i === at} onClick=${() => go(one)}>${one[1]}</li>`)}</ul>
		${found.length ? null : html`<p class="quiet" role="status">Nothing has this name.</p>`}</dialog>`;
}

// Whether it is open, and what opens and closes it.
export function usePalette() {
	const [open, setOpen] = useState(false);
	useEffect(() => {
		const press = (event) => {
			if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
			event.preventDefault();
			if (!document.querySelector("dialog[open]")) setOpen(true);
		};
		addEventListener("keydown", press);
		return () => removeEventListener("keydown", press);
	}, []);
	return [open, () => setOpen(true), () => setOpen(false)];
}
