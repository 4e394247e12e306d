// Webhooks: the addresses that get events, a test of each, their secrets, and the dead events.
import { html, useRef, useState } from "/vendor/htm-preact.js";
import { said } from "/operator/words.js";
import { Act, Badge, Panel, Part, REASON, Table, Trouble, time, usePages, useRead } from "/operator/parts.js";

const KINDS = "hit,large_win,payout,limit,game";
const KINDS_HELP = "hit: a jackpot of one of our players; large_win; payout: a withdrawal paid or refused; limit: a player reached a limit; game: a game stopped or started. Separate with commas.";
const KEEP = [["86400", "a day"], ["3600", "an hour"], ["604800", "a week"], ["0", "not at all: it is known to others"]];
const secretOnce = (answer) => answer.secret ? html`<p>The secret of key <b>${answer.key}</b>, shown this once. The receiver checks signatures with it:</p><p class="secret"><code>${answer.secret}</code></p>` : null;
const eventOf = (answer) => answer.event ? html`<p>The event <b>${answer.event}</b> is on its way; the list shows the answer.</p>` : null;

function Dead({ base, hook, may, again }) {
	const dead = usePages(`${base}/${hook.id}/dead`, 5000);
	const had = useRef(false); // an action that is open stays, also when the list has become empty meanwhile
	had.current ||= Boolean(dead.data?.events.length);
	const resend = (event, title) => ({ title, button: event === "all" ? title : "Send again", path: () => `${base}/${hook.id}/dead`, fields: [REASON], body: (v) => ({ event, reason: v.reason }) });
	const done = () => { dead.again(); again(); };
	return html`<${Panel} title=${`Dead events of webhook ${hook.id}`} of=${dead} aside=${may && had.current ? html`<${Act} action=${resend("all", "Send all again")} onDone=${done} />` : null}><${Trouble} state=${dead} />
		<${Table} name="dead" rows=${dead.data?.events} empty="No dead events." columns=${[{ name: "created_us", title: "When", show: (e) => time(e.created_us) }, { name: "kind", title: "Kind", show: (e) => e.kind.replaceAll("_", " ") }, { name: "subject", title: "About" },
			{ name: "body", title: "What", csv: (e) => said(e.body.data), show: (e) => said(e.body.data, e.body.data.currency) }, { name: "attempts", title: "Attempts", number: true }, { name: "answer", title: "Last answer" },
			{ name: "act", title: "", csv: () => "", show: (e) => may ? html`<${Act} action=${resend(e.event, `Send again: ${e.event}`)} onDone=${done} />` : null }]} more=${dead.pager} /><//>`;
}

export function Webhooks({ me }) {
	const base = `/v1/operators/${me.operator}/webhooks`;
	const hooks = useRead(base, 3000);
	const [open, setOpen] = useState(null);
	const may = me.permissions.includes("users");
	const url = (value) => ({ name: "url", label: "Address", value, example: "https://casino.example/carillon", most: 500 });
	const kinds = (value) => ({ name: "kinds", label: "Events", value, example: KINDS, help: KINDS_HELP });
	const make = { title: "New webhook", path: () => base, fields: [url(""), kinds(KINDS), REASON], body: (v) => ({ url: v.url.trim(), kinds: v.kinds.replaceAll(" ", ""), reason: v.reason }), shows: secretOnce };
	const change = (hook, action, title, fields, body = () => ({}), shows) => ({ danger: action === "end", title: `${title}: webhook ${hook.id}`, button: title, path: () => `${base}/${hook.id}`, fields: [...fields, REASON], shows,
		body: (v) => ({ action, reason: v.reason, ...body(v) }) });
	const shown = hooks.data?.webhooks.find((hook) => hook.id === open);
	return html`<${Panel} title="Webhooks" of=${hooks} aside=${may ? html`<${Act} main action=${make} onDone=${hooks.again} />` : null}><${Trouble} state=${hooks} /><${Table} name="webhooks" rows=${hooks.data?.webhooks} empty="No webhooks yet." columns=${[
		{ name: "id", title: "No.", number: true }, { name: "url", title: "Address" }, { name: "kinds", title: "Events", show: (h) => h.kinds.split(",").map((kind) => html`<${Badge} text=${kind.replaceAll("_", " ")} /> `) },
		{ name: "last_answer", title: "Last answer", show: (h) => h.last_us ? html`<${Badge} text=${h.last_answer} state=${h.last_good ? "good" : "bad"} /> <small class="quiet">${time(h.last_us)}</small>` : html`<small class="quiet">none yet</small>` },
		{ name: "sent", title: "Sent", number: true }, { name: "waiting", title: "Waiting", number: true, show: (h) => h.waiting ? html`${h.waiting} <small class="quiet">since ${time(h.oldest_us)}</small>` : 0 },
		{ name: "dead", title: "Dead", number: true, show: (h) => may && (h.dead || open === h.id) ? html`<button onClick=${() => setOpen(open === h.id ? null : h.id)} aria-expanded=${open === h.id} aria-label=${`Dead events of webhook ${h.id}: ${h.dead}`}>${h.dead}, ${open === h.id ? "hide" : "show"}</button>` : h.dead },
		{ name: "version", title: "Secret", csv: (h) => `${h.id}.${h.version}`, show: (h) => html`${h.id}.${h.version}${h.old_until_us ? html` <small class="quiet">and ${h.id}.${h.version - 1} until ${time(h.old_until_us)}</small>` : null}` },
		{ name: "act", title: "", csv: () => "", show: (h) => may ? html`<div class="controls"><${Act} action=${change(h, "test", "Test", [], undefined, eventOf)} onDone=${hooks.again} />
			<${Act} action=${change(h, "change", "Change", [url(h.url), kinds(h.kinds)], (v) => ({ url: v.url.trim(), kinds: v.kinds.replaceAll(" ", "") }))} onDone=${hooks.again} />
			<${Act} action=${change(h, "rotate", "New secret", [{ name: "keep_s", label: "Go on signing with the old secret for", options: KEEP }], (v) => ({ keep_s: Number(v.keep_s) }), secretOnce)} onDone=${hooks.again} />
			<${Act} action=${change(h, "end", "End it", [])} onDone=${hooks.again} /></div>` : null }]} /><//>
	${shown ? html`<${Part} is=${Dead} name="Dead events" key=${shown.id} base=${base} hook=${shown} may=${may} again=${hooks.again} />` : null}`;
}
