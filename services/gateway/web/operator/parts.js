// Parts that all screens use: panels, tiles, tables with CSV, figures that read themselves again, and the one form for every action.
import { html, useEffect, useRef, useState } from "/vendor/htm-preact.js";
import { randomHex } from "/api.js";
import { act, read, sentence, tableOf } from "/operator/ask.js";
import { Guard, live } from "/operator/guard.js";
import { said } from "/operator/words.js";
import { time } from "/operator/zone.js";

export { euros } from "/operator/words.js";
export { day, time } from "/operator/zone.js";
export const numberOf = (player) => player.split("-")[1]; // 17 of 1-17
export const whole = (n) => n === null || n === undefined ? "–" : new Intl.NumberFormat().format(n);

// { data, error, at, every, again }: reads at once, then every `every` ms (0: not again), and when `path` changes.
export function useRead(path, every = 0) {
	const [state, setState] = useState({ data: null, error: null, at: 0 });
	const turn = useRef(0);
	async function look(mine) {
		try {
			const data = await read(path);
			if (mine === turn.current) setState({ data, error: null, at: Date.now() });
		} catch (error) {
			if (mine === turn.current) setState((old) => ({ ...old, error }));
		}
	}
	useEffect(() => {
		if (!path) return undefined;
		let timer;
		const mine = ++turn.current;
		// Under an open form nothing changes: the row that an action has ended would take the form, and its answer, with it.
		const go = (at) => (at === "first" || !document.querySelector("dialog[open]") ? look(mine) : Promise.resolve()).then(() => { if (every && mine === turn.current) timer = setTimeout(go, every); });
		go("first");
		return () => { turn.current++; clearTimeout(timer); };
	}, [path, every]);
	return { ...state, every, again: () => look(turn.current) };
}

// How many seconds old the data of a read is; it counts on by itself, but not under an open form. null: nothing was read yet.
export function useAge(state) {
	const [now, setNow] = useState(Date.now());
	useEffect(() => {
		const timer = setInterval(() => { if (!document.querySelector("dialog[open]")) setNow(Date.now()); }, 1000);
		return () => clearInterval(timer);
	}, []);
	return state.data ? Math.max(0, Math.round((Math.max(now, state.at) - state.at) / 1000)) : null;
}

export const asOf = (us, age) => `as of ${time(us)} (${whole(age)} s old)`;

// Saves a list whole, not only the page that is shown: as the gateway gives it to programs.
export function All({ path }) {
	const [state, setState] = useState({ busy: false, error: null });
	const go = async () => {
		setState({ busy: true, error: null });
		try {
			save(`${path.split("?")[0].split("/").at(-1)}.csv`, await tableOf(path));
			setState({ busy: false, error: null });
		} catch (error) {
			setState({ busy: false, error });
		}
	};
	return html`${state.error ? html`<span class="bad" role="alert">${sentence(state.error)}</span>` : null}<button class="plain" disabled=${state.busy} onClick=${go}>${state.busy ? "Saving …" : "CSV of all"}</button>`;
}

// The same of a list, page by page; `pager` has the buttons, for a table's `more`. A page that is not the first one does not read itself again.
export function usePages(path, every = 0) {
	const [gone, setGone] = useState({ path, cursors: [] });
	const cursors = gone.path === path ? gone.cursors : []; // another filter begins with the first page
	const state = useRead(path && cursors.length ? `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(cursors.at(-1))}` : path, cursors.length ? 0 : every);
	const next = state.data?.next_cursor;
	const button = (name, to) => html`<button class="plain" onClick=${() => setGone({ path, cursors: to })}>${name}</button>`;
	const pager = cursors.length || next ? html`${cursors.length ? button("Back", cursors.slice(0, -1)) : null}${next ? button("More", [...cursors, next]) : null}<${All} path=${path} />` : null;
	return { ...state, pager };
}

// of: the read that it shows. It is greyed and says from when it is as soon as that is late.
export const Panel = ({ title, aside, children, id, of }) => html`<section class="panel" id=${id} ...${live(of)}>
	${title ? html`<header><h2>${title}</h2><span class="spacer"></span><${Guard} name="What can be done here">${aside}<//></header>` : null}<${Guard} name=${title ?? "This part"}>${children}<//></section>`;

// A component that makes a panel of its own, or none: `name` is what it is called when it cannot be drawn.
export const Part = ({ is, name, ...given }) => html`<${Guard} name=${name} whole><${is} ...${given} /><//>`;

export const Tile = ({ name, value, state, note }) => html`<div class="tile ${state ?? ""}"><span class="quiet">${name}</span><b>${value}</b><small class="quiet">${note ?? ""}</small></div>`;

export const Badge = ({ text, state }) => html`<span class="badge ${state ?? ""}">${text}</span>`;

// Beside figures that could not be read again for more than `most` seconds: from when they are.
export function Old({ state, most }) {
	const age = useAge(state);
	return age !== null && age > most ? html`<${Badge} text=${asOf(state.at * 1000, age)} state="gold" />` : null;
}

export function Trouble({ state }) {
	return state.error ? html`<p class="bad" role="alert">${sentence(state.error)}</p>` : state.data ? null : html`<p class="quiet">Loading …</p>`;
}

const cellText = (column, row) => {
	const value = column.csv ? column.csv(row) : row[column.name];
	return typeof value === "object" && value !== null ? said(value) : String(value ?? "");
};

// A text that begins like a formula would be one in a spreadsheet; a negative number is none.
const csvCell = (text) => `"${(/^[=+@\t\r\n]|^-(?!\d+(\.\d+)?$)/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

// Saves a blob as a file of this name.
export function save(name, blob) {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(blob);
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function download(name, columns, rows) {
	const lines = [columns.map((c) => csvCell(c.title)).join(","), ...rows.map((row) => columns.map((c) => csvCell(cellText(c, row))).join(","))];
	save(`${name}.csv`, new Blob([`${lines.join("\r\n")}\r\n`], { type: "text/csv" }));
}

const kindOf = (column) => column.number ? "number" : column.name.endsWith("_us") ? "time" : column.name === "act" ? "act" : "";

// The name of a jackpot, for lists that have its number alone.
export const jackpotIn = (pools, number) => pools?.find(({ pool }) => pool === number)?.id ?? String(number);

// columns: { name, title, number?, show?(row), csv?(row) }; keyOf(row): what tells a row from the others, without an id or a name.
export function Table({ name, columns, rows, keyOf = (row) => row.id ?? row.name, empty = "Nothing yet.", more }) {
	if (!rows) return null;
	if (rows.length === 0) return html`<p class="quiet">${empty}</p>${more ? html`<p class="under">${more}</p>` : null}`;
	return html`<div class="scroll"><table class="rows" data-table=${name}>
		<thead><tr>${columns.map((c) => html`<th class=${kindOf(c)} scope="col">${c.title}</th>`)}</tr></thead>
		<tbody>${rows.map((row, i) => html`<tr key=${keyOf(row) ?? i}>${columns.map((c) => html`<td class=${kindOf(c)} data-title=${c.title}>${c.show ? c.show(row) : row[c.name]}</td>`)}</tr>`)}</tbody></table></div>
		<p class="under">${more}<button class="plain" onClick=${() => download(name, columns, rows)}>CSV</button></p>`;
}

// A password, which can be shown while it is typed.
export function Secret({ title, note, ...field }) {
	const [shown, setShown] = useState(false);
	const word = shown ? "Hide" : "Show";
	return html`<div class="typed"><label>${title}<input ...${field} type=${shown ? "text" : "password"} autocapitalize="none" spellcheck="false" />${note ? html`<small class="quiet">${note}</small>` : null}</label>
		<button type="button" class="plain" aria-label=${`${word}: ${title}`} onClick=${() => setShown(!shown)}>${word}</button></div>`;
}

export function Confirm({ onDone }) {
	const [text, setText] = useState("");
	const [error, setError] = useState(null);
	const submit = async (event) => {
		event.preventDefault();
		try {
			await act("/v1/operator/confirm", { password: text });
			onDone();
		} catch (failed) {
			setError(failed);
		}
	};
	return html`<form class="confirm" onSubmit=${submit}><p>This moves money or rights, and your password was entered some time ago. Enter it again to go on.</p>
		<${Secret} title="Password" name="confirm" autocomplete="current-password" value=${text} onInput=${(e) => setText(e.target.value)} autofocus />
		<button class="main">Confirm</button>${error ? html`<p class="bad" role="alert">${sentence(error)}</p>` : null}</form>`;
}

function Field({ field, value, onValue }) {
	const id = `f-${field.name}`;
	const common = { id, name: field.name, value, required: field.required !== false && !field.options, onInput: (e) => onValue(e.target.value) }; // a choice may be ""
	return html`<label for=${id}>${field.label}
		${field.options ? html`<select ...${common}>${field.options.map(([key, text]) => html`<option value=${key}>${text}</option>`)}</select>`
			: field.long ? html`<textarea ...${common} rows="4" />`
			: html`<input ...${common} type=${field.type ?? "text"} inputmode=${field.inputmode} maxlength=${field.most ?? 200} autocomplete="off" placeholder=${field.example ?? ""} />`}
		${field.help ? html`<small class="quiet">${field.help}</small>` : null}</label>`;
}

function Outcome({ answer, show }) {
	if (answer.status === "waiting") return html`<p class="gold" role="status">It waits for a second person. Nothing has been done yet.</p>`;
	return html`<div role="status"><p class="good">Done.</p>${show ? show(answer) : null}</div>`;
}

// One form for every action: what will change, the reason, a key of its own, the password where it must be proved again, and what came of it.
// action: { title, what?(values), fields, path(values), body(values), shows?(answer) }; body throws a sentence for a value that cannot be.
export function Action({ action, onClose }) {
	const dialog = useRef(null);
	const key = useRef(randomHex(16));
	const [values, setValues] = useState(Object.fromEntries(action.fields.map((f) => [f.name, f.value ?? f.options?.[0]?.[0] ?? ""])));
	const [state, setState] = useState({ error: null, answer: null, busy: false });
	useEffect(() => { dialog.current.showModal(); }, []);
	const set = (name, value) => {
		key.current = randomHex(16); // another content is another request
		setValues((old) => ({ ...old, [name]: value }));
	};
	const go = async (event) => {
		event?.preventDefault();
		setState({ error: null, answer: null, busy: true });
		try {
			const answer = await act(action.path(values), action.body(values), key.current);
			setState({ error: null, answer: answer ?? {}, busy: false });
		} catch (error) {
			setState({ error, answer: null, busy: false });
		}
	};
	const asks = state.error?.code === "confirm_needed";
	return html`<dialog ref=${dialog} onClose=${() => onClose(state.answer !== null)} aria-label=${action.title}>
		<header><h2>${action.title}</h2><span class="spacer"></span><button class="plain" aria-label="Close" onClick=${() => dialog.current.close()}>✕</button></header>
		${asks ? html`<${Confirm} onDone=${() => go()} />` : state.answer ? html`<${Outcome} answer=${state.answer} show=${action.shows} /><button class="main" onClick=${() => dialog.current.close()}>Close</button>`
			: html`<form onSubmit=${go}>${action.fields.map((f) => html`<${Field} key=${f.name} field=${f} value=${values[f.name]} onValue=${(v) => set(f.name, v)} />`)}
				${action.what ? html`<p class="what">${action.what(values)}</p>` : null}
				${state.error ? html`<p class="bad" role="alert">${typeof state.error === "string" ? state.error : sentence(state.error)}</p>` : null}
				<button class=${action.danger ? "danger main" : "main"} disabled=${state.busy}>${state.busy ? "Working …" : action.verb ?? action.title}</button></form>`}
	</dialog>`;
}

export const REASON = { name: "reason", label: "Reason", help: "For the audit log and the books.", most: 200 };

// Actions that belong together, under their name.
export const Group = ({ name, children }) => html`<fieldset class="group"><legend>${name}</legend><div class="controls">${children}</div></fieldset>`;

// A button that opens an action. `danger`: what it does cannot be taken back or stops play.
export function Act({ action, onDone, main, disabled }) {
	const [open, setOpen] = useState(false);
	return html`<button class=${action.danger ? "danger" : main ? "main" : ""} aria-haspopup="dialog" disabled=${disabled} onClick=${() => setOpen(true)}>${action.button ?? action.title}</button>
		${open ? html`<${Action} action=${action} onClose=${(done) => { setOpen(false); if (done) onDone?.(); }} />` : null}`;
}
