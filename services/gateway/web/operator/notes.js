// Notes about a player, newest first; added, and never changed.
import { html } from "/vendor/htm-preact.js";
import { Act, Panel, Table, Trouble, time, usePages } from "/operator/parts.js";

const MOST = 2000; // bytes

const noteAction = (base) => ({
	title: "Add a note", path: () => `${base}/notes`, fields: [{ name: "text", label: "Note", long: true, help: "Plain text. The audit log has who added it and when, not the text." }],
	what: () => "Nobody can change it.",
	body: (v) => {
		const bytes = new TextEncoder().encode(v.text).length;
		if (!v.text.trim()) throw "Enter the note.";
		if (bytes > MOST) throw `The note has ${bytes} bytes, at most ${MOST} are allowed.`;
		return { text: v.text };
	},
});

export function Notes({ base, me }) {
	const notes = usePages(`${base}/notes`, 5000);
	const add = me.permissions.includes("notes") ? html`<${Act} action=${noteAction(base)} onDone=${notes.again} />` : null;
	return html`<${Panel} title="Notes" id="notes" of=${notes} aside=${add}><${Trouble} state=${notes} /><${Table} name="notes" rows=${notes.data?.notes} empty="There is no note yet." columns=${[
		{ name: "time_us", title: "When", show: (n) => time(n.time_us) }, { name: "author", title: "By" }, { name: "text", title: "Note", show: (n) => n.removed_us ? html`<small class="quiet">removed ${time(n.removed_us)} by ${n.removed_by}</small>` : html`<span class="note">${n.text}</span>` }]} more=${notes.pager} /><//>`;
}
