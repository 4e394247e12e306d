// Dead letters: messages that services could not read. One may be sent again, where that is safe, or settled.
import { html } from "/vendor/htm-preact.js";
import { money } from "/format.js";
import { Act, Badge, Panel, REASON, Table, Trouble, numberOf, time, usePages } from "/operator/parts.js";

const WHY_NOT = {
	fact: "Its reader has the rows from the database.", player: "Only the player may ask for it again.", sender: "Its sender repeats it by itself.",
	newer: "Something newer may have been set since: make it anew.", writer: "It is not for the service that wrote the letter.",
	unreadable: "Nobody can read it.", long: "It is too long to be sent again.", old: "It is older than 7 days.", done: "It was dealt with.",
};
const STATES = { waiting: "gold", sending: "", sent: "good", settled: "" };

const what = (l) => l.what ? `${l.what}${l.amount_minor === null || !l.currency ? "" : ` ${money(l.amount_minor, l.currency)}`}` : `${l.bytes} bytes`;
const subject = (l) => l.player ? `player ${l.player}` : l.pool ? `jackpot ${l.pool}` : "";
const done = (l) => l.act ? `${l.act === "send" ? "Sent again" : "Settled"} by ${l.act_by}: ${l.act_reason}${l.outcome ? ` (${l.outcome})` : ""}` : l.sendable ? "" : WHY_NOT[l.why_not];

const send = (base, l) => ({ title: `Send again: ${what(l)}`, button: "Send again", verb: "Send again", path: () => `${base}/${l.id}/send`, fields: [REASON], body: (v) => ({ reason: v.reason }),
	what: () => `The message goes to ${l.service} again, unchanged, which checks it as ever and carries it out once.`,
	shows: () => html`<p>It is on its way; the list shows what came of it.</p>` });
const settle = (base, l) => ({ title: `Settle: ${what(l)}`, button: "Settle", verb: "Settle", path: () => `${base}/${l.id}/settle`, fields: [REASON], body: (v) => ({ reason: v.reason }),
	what: () => "Nothing is done about the message; it leaves this list." });

export function DeadLetters({ me }) {
	const base = `/v1/operators/${me.operator}/dead-letters`;
	const list = usePages(base, 2000);
	const waiting = list.data?.waiting;
	const about = (l) => l.player && l.player.startsWith(`${me.operator}-`) && me.permissions.includes("players") ? html`<a href="#players/${numberOf(l.player)}">${subject(l)}</a>`
		: l.pool ? html`<a href="#jackpots/${l.pool}">${subject(l)}</a>` : subject(l);
	return html`<${Panel} id="dead-letters" title="Dead letters" of=${list} aside=${waiting ? html`<${Badge} text=${`${waiting} waiting`} state="gold" />` : null}><${Trouble} state=${list} />
		<${Table} name="letters" rows=${list.data?.letters} empty="Every message could be read, or was dealt with." columns=${[
			{ name: "time_us", title: "When", show: (l) => time(l.time_us) }, { name: "service", title: "Service" },
			{ name: "topic", title: "From", csv: (l) => `${l.topic} ${l.partition} ${l.offset}`, show: (l) => html`${l.topic} <small class="quiet">${l.partition}, ${l.offset}</small>` },
			{ name: "what", title: "What", csv: what, show: (l) => what(l) }, { name: "subject", title: "For", csv: subject, show: about }, { name: "found", title: "Why not read" },
			{ name: "status", title: "State", show: (l) => html`<${Badge} text=${l.status} state=${STATES[l.status]} />` }, { name: "note", title: "Note", csv: done, show: (l) => done(l) ? html`<small class="quiet">${done(l)}</small>` : "" },
			{ name: "act", title: "", csv: () => "", show: (l) => l.status === "waiting" ? html`<div class="controls">${l.sendable && (l.topic !== "wallet.commands" || me.permissions.includes("money")) ? html`<${Act} action=${send(base, l)} onDone=${list.again} /> ` : null}<${Act} action=${settle(base, l)} onDone=${list.again} /></div>` : null }]} more=${list.pager} /><//>`;
}
