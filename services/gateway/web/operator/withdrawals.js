// Withdrawals of all players that are not settled, oldest first: what waits for the provider, and what waits for a decision by hand.
import { html, useState } from "/vendor/htm-preact.js";
import { money } from "/format.js";
import { wordOf } from "/operator/words.js";
import { Act, Badge, Panel, Table, Trouble, numberOf, time, usePages } from "/operator/parts.js";
import { approveWithdrawal, decideAction } from "/operator/players.js";

const SHOWN = [["held", "All that are held"], ["stuck", "Those that may be decided by hand"]];

export function Withdrawals({ me }) {
	const base = `/v1/operators/${me.operator}`;
	const [state, setState] = useState("held");
	const queue = usePages(`${base}/withdrawals?state=${state}&limit=100`, 5000);
	const may = (permission) => me.permissions.includes(permission);
	const actions = (of, w) => [...(w.review === "waiting" ? [approveWithdrawal(of, w)] : []), ...["capture", "release"].filter((decision) => w.stuck || decision === "release").map((decision) => decideAction(of, w, decision))];
	const acts = (w) => actions(`${base}/players/${numberOf(w.player)}`, w).map((action) => html`<${Act} action=${action} onDone=${queue.again} /> `);
	return html`<${Panel} title="Withdrawals" of=${queue}><div class="controls"><label>Show<select name="state" value=${state} onInput=${(e) => setState(e.target.value)}>${SHOWN.map(([key, text]) => html`<option value=${key}>${text}</option>`)}</select></label></div>
		<${Trouble} state=${queue} /><${Table} name="queue" rows=${queue.data?.withdrawals} empty="No withdrawal waits." columns=${[
			{ name: "booked_us", title: "Since", show: (w) => time(w.booked_us) },
			{ name: "player", title: "Player", show: (w) => may("players") ? html`<a href="#players/${numberOf(w.player)}">${w.player}</a>` : w.player },
			{ name: "amount_minor", title: "Amount", number: true, show: (w) => money(w.amount_minor, w.currency) }, { name: "currency", title: "Currency" },
			{ name: "stuck", title: "State", csv: (w) => w.review === "waiting" ? "waits for approval" : w.stuck ? "stuck" : "held", show: (w) => html`<${Badge} text=${w.review === "waiting" ? "waits for approval" : w.stuck ? "stuck" : "held"} state=${w.stuck || w.review === "waiting" ? "gold" : ""} />${w.alarms.map((alarm) => html` <${Badge} text=${wordOf(alarm.kind)} state="bad" />`)}` },
			{ name: "provider", title: "Provider", show: (w) => `${wordOf(w.provider.state)}, ${wordOf(w.provider.outcome)}${w.provider.reference ? `, ${w.provider.reference}` : ""}` },
			{ name: "id", title: "Id", show: (w) => html`<code>${w.id.slice(0, 12)}</code>` },
			{ name: "act", title: "", csv: () => "", show: (w) => may("money") && (w.stuck || w.review === "waiting") ? html`<div class="controls">${acts(w)}</div>` : null }]} more=${queue.pager} /><//>`;
}
