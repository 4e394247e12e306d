// Webhooks: the addresses that get events, a test of each, their secrets, and the events that wait, were sent, or are dead.
import { html, useRef, useState } from "/vendor/htm-preact.js";
import { said } from "/operator/words.js";
import { Act, Badge, Panel, Part, REASON, Table, Trouble, time, usePages, useRead } from "/operator/parts.js";

const KINDS = "hit,large_win,payout,limit,game";
const KINDS_HELP = "hit: a jackpot of one of our players; large_win; payout: a withdrawal paid or refused; limit: a player reached a limit; game: a game stopped or started. Separate with commas.";
const KEEP = [["86400", "a day"], ["3600", "an hour"], ["604800", "a week"], ["0", "not at all: it is known to others"]];
const secretOnce = (answer) => answer.secret ? html`<p>The secret of key <b>${answer.key}</b>, shown this once. The receiver checks signatures with it:</p><p class="secret"><code>${answer.secret}</code></p>` : null;
const EVENT = [{ name: "created_us", title: "When", show: (e) => time(e.created_us) }, { name: "number", title: "Number", number: true }, { name: "kind", title: "Kind", show: (e) => e.kind.replaceAll("_", " ") }, { name: "subject", title: "About" }];
const LISTS = { waiting: "Waiting", sent: "Sent", dead: "Dead" };
const MOST = 2000; // events that one request sends again or skips
const portionOf = (answer) => answer.events >= MOST ? html`<p>${MOST} events, the most at a time. Do it again for the rest.</p>` : null;
const eventOf = (answer) => answer.event ? html`<p>The event <b>${answer.event}</b> is on its way; the list shows the answer.</p>` : null;

function Dead({ base, hook, may, again }) {
	const dead = usePages(`${base}/${hook.id}/dead`, 5000);
	const had = useRef(false); // an action that is open stays, also when the list has become empty meanwhile
	had.current ||= Boolean(dead.data?.events.length);
	const resend = (event, title) => ({ title, button: event === "all" ? title : "Send again", path: () => `${base}/${hook.id}/dead`, fields: [REASON], body: (v) => ({ event, reason: v.reason }), shows: portionOf });
	const done = () => { dead.again(); again(); };
	return html`<${Panel} title=${`Dead events of webhook ${hook.id}`} of=${dead} aside=${may && had.current ? html`<${Act} action=${resend("all", "Send all again")} onDone=${done} />` : null}><${Trouble} state=${dead} />
		<${Table} name="dead" rows=${dead.data?.events} empty="No dead events." columns=${[{ name: "created_us", title: "When", show: (e) => time(e.created_us) }, { name: "kind", title: "Kind", show: (e) => e.kind.replaceAll("_", " ") }, { name: "subject", title: "About" },
			{ name: "body", title: "What", csv: (e) => said(e.body.data), show: (e) => said(e.body.data, e.body.data.currency) }, { name: "attempts", title: "Attempts", number: true }, { name: "answer", title: "Last answer", csv: (e) => e.skipped_by ? `skipped by ${e.skipped_by}` : e.answer, show: (e) => e.skipped_by ? `skipped by ${e.skipped_by}` : e.answer },
			{ name: "act", title: "", csv: () => "", show: (e) => may ? html`<${Act} action=${resend(e.event, `Send again: ${e.event}`)} onDone=${done} />` : null }]} more=${dead.pager} /><//>`;
}

function Waiting({ base, hook, may, again }) {
	const waiting = usePages(`${base}/${hook.id}/waiting`, 5000);
	const had = useRef(false);
	had.current ||= Boolean(waiting.data?.events.length);
	const skip = (event, title) => ({ danger: true, title, button: event === "all" ? title : "Skip", path: () => `${base}/${hook.id}/waiting`, fields: [REASON], body: (v) => ({ event, reason: v.reason }), shows: portionOf });
	const done = () => { waiting.again(); again(); };
	return html`<${Panel} title=${`Waiting events of webhook ${hook.id}`} aside=${may && had.current ? html`<${Act} action=${skip("all", "Skip all")} onDone=${done} />` : null}><${Trouble} state=${waiting} />
		<${Table} name="waiting" rows=${waiting.data?.events} empty="No waiting events." columns=${[...EVENT, { name: "body", title: "What", csv: (e) => said(e.body.data), show: (e) => said(e.body.data, e.body.data.currency) },
			{ name: "attempts", title: "Attempts", number: true }, { name: "answer", title: "Last answer" }, { name: "next_us", title: "Next attempt", csv: (e) => e.sending ? "now" : time(e.next_us), show: (e) => e.sending ? "now" : time(e.next_us) },
			{ name: "act", title: "", csv: () => "", show: (e) => may ? html`<${Act} action=${skip(e.event, `Skip: ${e.event}`)} onDone=${done} />` : null }]} more=${waiting.pager} /><//>`;
}

function Sent({ base, hook }) {
	const sent = usePages(`${base}/${hook.id}/sent`, 5000);
	return html`<${Panel} title=${`Sent events of webhook ${hook.id}`}><${Trouble} state=${sent} />
		<${Table} name="sent" rows=${sent.data?.events} empty="No sent events of the last seven days." columns=${[...EVENT, { name: "sent_us", title: "Accepted", show: (e) => time(e.sent_us) },
			{ name: "attempts", title: "Attempts", number: true }, { name: "answer", title: "Answer" }]} more=${sent.pager} /><//>`;
}

export function Webhooks({ me }) {
	const base = `/v1/operators/${me.operator}/webhooks`;
	const hooks = useRead(base, 3000);
	const [open, setOpen] = useState({}); // { id, list }
	const may = me.permissions.includes("users");
	const url = (value) => ({ name: "url", label: "Address", value, example: "https://casino.example/carillon", most: 500 });
	const kinds = (value) => ({ name: "kinds", label: "Events", value, example: KINDS, help: KINDS_HELP });
	const make = { title: "New webhook", path: () => base, fields: [url(""), kinds(KINDS), REASON], body: (v) => ({ url: v.url.trim(), kinds: v.kinds.replaceAll(" ", ""), reason: v.reason }), shows: secretOnce };
	const change = (hook, action, title, fields, body = () => ({}), shows) => ({ danger: action === "end", title: `${title}: webhook ${hook.id}`, button: title, path: () => `${base}/${hook.id}`, fields: [...fields, REASON], shows,
		body: (v) => ({ action, reason: v.reason, ...body(v) }) });
	const shown = hooks.data?.webhooks.find((hook) => hook.id === open.id);
	const list = (h, name) => { // the number of events, and a button that shows them
		const shows = open.id === h.id && open.list === name;
		return may && (h[name] || shows) ? html`<button onClick=${() => setOpen(shows ? {} : { id: h.id, list: name })} aria-expanded=${shows} aria-label=${`${LISTS[name]} events of webhook ${h.id}: ${h[name]}`}>${h[name]}, ${shows ? "hide" : "show"}</button>` : h[name];
	};
	return html`<${Panel} title="Webhooks" of=${hooks} aside=${may ? html`<${Act} main action=${make} onDone=${hooks.again} />` : null}><${Trouble} state=${hooks} /><${Table} name="webhooks" rows=${hooks.data?.webhooks} empty="No webhooks yet." columns=${[
		{ name: "id", title: "No.", number: true }, { name: "url", title: "Address" }, { name: "kinds", title: "Events", show: (h) => h.kinds.split(",").map((kind) => html`<${Badge} text=${kind.replaceAll("_", " ")} /> `) },
		{ name: "last_answer", title: "Last answer", show: (h) => h.last_us ? html`<${Badge} text=${h.last_answer} state=${h.last_good ? "good" : "bad"} /> <small class="quiet">${time(h.last_us)}</small>` : html`<small class="quiet">none yet</small>` },
		{ name: "sent", title: "Sent", number: true, show: (h) => list(h, "sent") }, { name: "waiting", title: "Waiting", number: true, show: (h) => h.waiting ? html`${list(h, "waiting")} <small class="quiet">since ${time(h.oldest_us)}</small>` : list(h, "waiting") },
		{ name: "dead", title: "Dead", number: true, show: (h) => list(h, "dead") },
		{ name: "version", title: "Secret", csv: (h) => `${h.id}.${h.version}`, show: (h) => html`${h.id}.${h.version}${h.old_until_us ? html` <small class="quiet">and ${h.id}.${h.version - 1} until ${time(h.old_until_us)}</small>` : null}` },
		{ name: "act", title: "", csv: () => "", show: (h) => may ? html`<div class="controls"><${Act} action=${change(h, "test", "Test", [], undefined, eventOf)} onDone=${hooks.again} />
			<${Act} action=${change(h, "change", "Change", [url(h.url), kinds(h.kinds)], (v) => ({ url: v.url.trim(), kinds: v.kinds.replaceAll(" ", "") }))} onDone=${hooks.again} />
			<${Act} action=${change(h, "rotate", "New secret", [{ name: "keep_s", label: "Go on signing with the old secret for", options: KEEP }], (v) => ({ keep_s: Number(v.keep_s) }), secretOnce)} onDone=${hooks.again} />
			<${Act} action=${change(h, "end", "End it", [])} onDone=${hooks.again} /></div>` : null }]} /><//>
	${shown ? html`<${Part} is=${{ waiting: Waiting, sent: Sent, dead: Dead }[open.list]} name=${`${LISTS[open.list]} events`} key=${`${shown.id} ${open.list}`} base=${base} hook=${shown} may=${may} again=${hooks.again} />` : null}`;
}
