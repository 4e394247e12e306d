// Keys of back ends: which there are, what each may do and when it was last used; a new one, its replacement, its end. A key is shown once.
import { html } from "/vendor/htm-preact.js";
import { decimal, money, typedAmount } from "/format.js";
import { troubleWith } from "/operator/amounts.js";
import { Act, Badge, Panel, REASON, Table, Trouble, time, usePages } from "/operator/parts.js";

const SCOPES_HELP = "read: every screen's figures; players: accounts, limits, bonus spins; money: deposits, withdrawals, corrections, voids, rates; pools: jackpots and games. Separate with commas. all: everything, also users and keys, unless amounts or jackpots are limited.";
const LIVES = [["", "until it is ended"], ["30", "30 days"], ["90", "90 days"], ["365", "a year"]];
const KEEP = [["86400", "a day"], ["3600", "an hour"], ["604800", "a week"], ["2592000", "30 days"], ["0", "not at all"]];
const LATER = KEEP.filter(([seconds]) => seconds !== "0");
const keyOnce = (answer) => answer.key ? html`<p>The key <b>${answer.id}</b> of ${answer.name}, shown this once. The back end sends it as <code>Authorization: Bearer</code>:</p><p class="secret"><code>${answer.key}</code></p>` : null;

// "EUR:50000" as pairs, and as people write it.
const pairs = (amounts) => amounts.split(",").map((one) => one.split(":"));
const amountsOf = (key) => pairs(key.amounts).map(([currency, minor]) => money(Number(minor), currency)).join(", ");

// Most in one request, and the jackpots alone that it may act on.
const limitsOf = (key) => [key.amounts && `${amountsOf(key)} in one request`, key.pools && `jackpots ${key.pools.replaceAll(",", ", ")}`].filter(Boolean).join("; ") || "none";

// "EUR 500, SEK 6000.50" as the gateway reads it.
function typedAmounts(text) {
	return text.split(/,(?=\s*[A-Za-z]|\s*$)/).map((one) => one.trim()).filter(Boolean).map((one) => {
		const [currency, amount = ""] = one.toUpperCase().split(/[\s:]+/);
		const { minor } = typedAmount(amount, currency);
		if (minor === undefined) throw `Enter amounts as EUR 500.00, SEK 6000; found "${one}". ${troubleWith(amount, currency)}`;
		return `${currency}:${minor}`;
	}).join(",");
}

// What was understood while it is typed.
function amountsUnderstood(text) {
	if (text.trim() === "") return "Any amount in one request.";
	try {
		return `At most ${amountsOf({ amounts: typedAmounts(text) })} in one request.`;
	} catch (sentence) {
		return sentence;
	}
}

const days = (v) => v.days ? { days: Number(v.days) } : {};
const LIFE = { name: "days", label: "In force", options: LIVES, required: false };

function made(base) {
	return { title: "New key", path: () => base, shows: keyOnce, fields: [{ name: "name", label: "Name", example: "cashier", help: "Of the back end that gets it: each its own.", most: 64 },
		{ name: "scopes", label: "What it may do", value: "read", example: "read,players,money,pools", help: SCOPES_HELP },
		{ name: "amounts", label: "Most in one request", example: `EUR ${decimal(50000, "EUR")}, SEK ${decimal(600000, "SEK")}`, help: "In a currency that is not named: nothing. Empty: any amount.", required: false, most: 300 },
		{ name: "pools", label: "Only these jackpots", example: "1,4", help: "By number. Empty: all.", required: false }, LIFE, REASON],
	what: (v) => /money/.test(v.scopes) || v.amounts.trim() ? amountsUnderstood(v.amounts) : "",
	body: (v) => ({ name: v.name.trim(), scopes: v.scopes.replaceAll(" ", ""), ...(v.amounts.trim() ? { amounts: typedAmounts(v.amounts) } : {}), ...(v.pools.trim() ? { pools: v.pools.replaceAll(" ", "") } : {}), ...days(v), reason: v.reason }) };
}

const stateOf = (key) => key.state === "active" ? html`<${Badge} text=${key.successor ? "replaced" : "in force"} state=${key.successor ? "gold" : "good"} />` : html`<${Badge} text=${key.state} />`;

export function Keys({ me }) {
	const base = `/v1/operators/${me.operator}/keys`;
	const keys = usePages(base, 5000);
	const change = (key, action, title, fields, what, body = () => ({})) => ({ title: `${title}: ${key.name}`, button: title, danger: action === "revoke", path: () => `${base}/${key.id}`, fields: [...fields, REASON], shows: keyOnce, what: () => what,
		body: (v) => ({ action, reason: v.reason, ...body(v) }) });
	const keep = (v) => ({ keep_s: Number(v.keep_s) });
	return html`<${Panel} title="Keys of back ends" of=${keys} aside=${html`<${Act} main action=${made(base)} onDone=${keys.again} />`}><${Trouble} state=${keys} /><${Table} name="keys" rows=${keys.data?.keys} empty="No keys yet." columns=${[
		{ name: "id", title: "Id" }, { name: "name", title: "Name" }, { name: "state", title: "State", show: stateOf },
		{ name: "scopes", title: "May do", csv: (k) => k.unlimited ? "everything" : k.scopes.join(" "), show: (k) => k.unlimited ? html`<${Badge} text="everything" state="gold" />` : k.scopes.map((scope) => html`<${Badge} text=${scope} /> `) },
		{ name: "limits", title: "Limits", csv: limitsOf, show: limitsOf },
		{ name: "created_us", title: "Made", show: (k) => k.in_file ? html`<small class="quiet">in a file</small>` : html`${time(k.created_us)} <small class="quiet">by ${k.created_by || "a person not known"}</small>` },
		{ name: "used_us", title: "Last used", show: (k) => k.in_file ? html`<small class="quiet">not recorded</small>` : k.used_us ? time(k.used_us) : html`<small class="quiet">never</small>` },
		{ name: "expires_us", title: "Until", show: (k) => time(k.ended_us || k.expires_us) },
		{ name: "act", title: "", csv: () => "", show: (k) => k.in_file || k.state !== "active" ? null : html`<div class="controls">
			${k.successor ? null : html`<${Act} action=${change(k, "rotate", "Replace", [{ name: "keep_s", label: "The old key stays in force for", options: KEEP }, { ...LIFE, label: "The new key is in force", options: [["", "as long as this one"], ...LIVES.slice(1)] }], "A new key with the same name and limits.", (v) => ({ ...keep(v), ...days(v) }))} onDone=${keys.again} />`}
			<${Act} action=${change(k, "expire", "End later", [{ name: "keep_s", label: "In", options: LATER }], "Until then it can be used.", keep)} onDone=${keys.again} />
			<${Act} action=${change(k, "revoke", "End now", [], "Within two seconds no gateway accepts it.")} onDone=${keys.again} /></div>` }]} more=${keys.pager} /><//>`;
}
