// The desk: exchange rates, the audit log, users, and one's own password and second factor.
import { html, useState } from "/vendor/htm-preact.js";
import { CODE_MAX, isCurrency } from "/format.js";
import { typedCurrency, typedDecimal } from "/operator/amounts.js";
import { act, sentence } from "/operator/ask.js";
import { OwnSessions, UserSessions } from "/operator/sessions.js";
import { actionSaid } from "/operator/words.js";
import { Act, Badge, Confirm, Panel, Part, REASON, Secret, Table, Tile, Trouble, time, usePages } from "/operator/parts.js";
import { chooseZone, chosenZone, usAt, zoneChoices } from "/operator/zone.js";

// ---- exchange rates

// What was understood of a rate while it is typed.
function rateUnderstood({ currency, rate }) {
	if (!rate.trim() || !isCurrency(currency.trim().toUpperCase())) return "";
	try {
		return `1 ${currency.trim().toUpperCase()} is EUR ${typedDecimal(rate, "Rate")}.`;
	} catch (sentence) {
		return sentence;
	}
}

export function Rates({ me }) {
	const base = `/v1/operators/${me.operator}/fx-rates`;
	const rates = usePages(base, 5000);
	const may = me.permissions.includes("rates");
	const set = { title: "Set a rate", path: () => base, fields: [{ name: "currency", label: "Currency", example: "SEK", most: CODE_MAX }, { name: "rate", label: "Euros for one unit", inputmode: "decimal", example: "0.0875" }, REASON],
		what: (v) => {
			const old = rates.data?.rates.find((r) => r.currency === v.currency.toUpperCase() && r.in_force);
			return `${rateUnderstood(v)} ${old ? `Now ${old.rate}, since ${time(old.valid_from_us)}. The new rate converts contributions from now on.` : ""}`.trim();
		}, body: (v) => ({ currency: typedCurrency(v.currency), rate: typedDecimal(v.rate, "Rate"), reason: v.reason }) };
	const approve = (r) => ({ title: `Approve ${r.currency} ${r.rate}`, button: "Approve", path: () => `${base}/${r.id}/approve`, fields: [], body: () => undefined, what: () => `${r.asked_by} requested this rate.` });
	const refuse = (r) => ({ title: `Refuse ${r.currency} ${r.rate}`, button: "Refuse", danger: true, path: () => `${base}/${r.id}/refuse`, fields: [REASON], body: (v) => ({ reason: v.reason }), what: () => `${r.asked_by} requested this rate. It will not be set.` });
	return html`${rates.data?.waiting?.length ? html`<${Panel} title="Waiting for a second person" of=${rates}><${Table} name="waiting" rows=${rates.data.waiting} columns=${[{ name: "currency", title: "Currency" }, { name: "rate", title: "Rate", number: true },
		{ name: "asked_by", title: "Asked by" }, { name: "act", title: "", csv: () => "", show: (r) => may ? html`<${Act} action=${approve(r)} onDone=${rates.again} /> <${Act} action=${refuse(r)} onDone=${rates.again} />` : null }]} /><//>` : null}
	<${Panel} title="Exchange rates" of=${rates} aside=${may ? html`<${Act} main action=${set} onDone=${rates.again} />` : null}><${Trouble} state=${rates} /><${Table} name="rates" rows=${rates.data?.rates} columns=${[
		{ name: "currency", title: "Currency" }, { name: "rate", title: "Euros for one unit", number: true }, { name: "valid_from_us", title: "From", show: (r) => time(r.valid_from_us) },
		{ name: "in_force", title: "", csv: (r) => r.in_force ? "in force" : "", show: (r) => html`${r.in_force ? html`<${Badge} text="in force" state="good" />` : null}${r.stale ? html`<${Badge} text="too old" state="bad" />` : null}` },
		{ name: "asked_by", title: "Asked by" }, { name: "approved_by", title: "Approved by" }]} more=${rates.pager} /><//>`;
}

// ---- the audit log

const who = ({ actor }) => {
	const [, name, from] = /^(.*) (from \S+)$/.exec(actor) ?? [null, actor, ""];
	return html`<span class="who">${name}</span>${from ? html` <small class="quiet">${from}</small>` : null}`;
};

const ANSWERS = [["", "all"], ["done", "done"], ["refused", "refused"]];

export function Audit({ me }) {
	const [filter, setFilter] = useState({ actor: "", action: "", subject: "", status: "", from: "", to: "" });
	const { from, to, ...texts } = filter;
	const query = Object.entries({ ...texts, from_us: usAt(from), to_us: usAt(to) }).filter(([, text]) => text).map(([name, text]) => `&${name}=${encodeURIComponent(text)}`).join("");
	const path = `/v1/operators/${me.operator}/audit?limit=100${query}`;
	const audit = usePages(path, 3000);
	const typed = (name) => (event) => setFilter((old) => ({ ...old, [name]: event.target.value }));
	return html`<${Panel} title="Audit log" of=${audit} aside=${html`<a class="print-no" href=${`${path.replace("limit=100", "limit=500")}&format=csv`}>500 as CSV</a>`}><div class="controls">${[["actor", "Who"], ["action", "Did"], ["subject", "To"]].map(([name, title]) => html`<label key=${name}>${title}<input type="search" name=${name} maxlength="60" value=${filter[name]} onInput=${typed(name)} /></label>`)}
		<label>Answer<select name="status" value=${filter.status} onChange=${typed("status")}>${ANSWERS.map(([key, text]) => html`<option value=${key}>${text}</option>`)}</select></label>
		${[["from", "From"], ["to", "Until"]].map(([name, title]) => html`<label key=${name}>${title}<input type="datetime-local" name=${name} value=${filter[name]} onInput=${typed(name)} /></label>`)}</div>
		<${Trouble} state=${audit} /><${Table} name="audit" rows=${audit.data?.rows} empty=${audit.data?.next_cursor ? "No line matches on this page; there are more pages." : "No line matches."} columns=${[
			{ name: "time_us", title: "When", show: (r) => time(r.time_us) }, { name: "actor", title: "Who", show: who }, { name: "action", title: "Did" }, { name: "subject", title: "To" },
			{ name: "status", title: "Answer", number: true, show: (r) => html`<span class=${r.status < 300 ? "good" : "bad"}>${r.status}</span>` },
			{ name: "content", title: "What", csv: (r) => actionSaid(r.content), show: (r) => actionSaid(r.content) }]} more=${audit.pager} /><//>`;
}

// ---- users

const ROLES = ["viewer", "support", "finance", "jackpots", "administrator"];
const ROLES_HELP = "viewer reads; support cares for players; finance books money; jackpots acts on jackpots and games; administrator makes users. Separate several roles with commas.";
const shownOnce = (answer) => answer.password ? html`<p>The password of <b>${answer.name}</b>, shown this once; it must be changed at the first login:</p><p class="secret"><code>${answer.password}</code></p>` : null;

export function Users({ me }) {
	const base = `/v1/operators/${me.operator}/users`;
	const users = usePages(base, 5000);
	const roles = (value) => ({ name: "roles", label: "Roles", value, example: ROLES.join(","), help: ROLES_HELP });
	const make = { title: "New user", path: () => base, fields: [{ name: "name", label: "Name", example: "anna", most: 32 }, roles("viewer")], body: (v) => ({ name: v.name, roles: v.roles.replaceAll(" ", "") }), shows: shownOnce };
	const WHAT = { roles: "They hold at once.", reset: "A new one is made and shown once; the user's sessions end.", disable: "The user's sessions end, and nobody logs in with this name.", enable: "The user can log in again.", "end-sessions": "The user must log in again." };
	const change = (user, action, title, fields = []) => ({ what: () => WHAT[action], danger: ["disable", "end-sessions"].includes(action), title: `${title}: ${user.name}`, button: title, path: () => `${base}/${user.name}`, fields: [...fields, REASON], shows: shownOnce,
		body: (v) => ({ action, reason: v.reason, ...(action === "roles" ? { roles: v.roles.replaceAll(" ", "") } : {}) }) });
	return html`<${Panel} title="Users" of=${users} aside=${html`<${Act} main action=${make} onDone=${users.again} />`}><${Trouble} state=${users} /><${Table} name="users" rows=${users.data?.users} columns=${[
		{ name: "name", title: "Name" }, { name: "roles", title: "Roles", show: (u) => u.roles.map((r) => html`<${Badge} text=${r} /> `) },
		{ name: "state", title: "State", csv: (u) => u.disabled ? "disabled" : "", show: (u) => html`${u.disabled ? html`<${Badge} text="disabled" state="bad" />` : u.locked_until_us ? html`<${Badge} text="locked" state="gold" />` : html`<${Badge} text="active" state="good" />`} ${u.must_change ? html`<${Badge} text="has not logged in yet" />` : null}` },
		{ name: "second_factor", title: "Second factor", show: (u) => u.second_factor ? "yes" : html`<span class="gold">no</span>` }, { name: "sessions", title: "Sessions", number: true }, { name: "seen_us", title: "Seen", show: (u) => time(u.seen_us) },
		{ name: "act", title: "", csv: () => "", show: (u) => u.name === me.name ? html`<small class="quiet">you</small>` : html`<div class="controls"><${Act} action=${change(u, "roles", "Roles", [roles(u.roles.join(","))])} onDone=${users.again} />
			<${Act} action=${change(u, "reset", "New password")} onDone=${users.again} />${u.disabled ? html`<${Act} action=${change(u, "enable", "Enable")} onDone=${users.again} />` : html`<${Act} action=${change(u, "disable", "Disable")} onDone=${users.again} />`}
			${u.sessions ? html`<${Act} action=${change(u, "end-sessions", "End sessions")} onDone=${users.again} />` : null}</div>` }]} more=${users.pager} /><//>
	<${Part} is=${UserSessions} name="Open sessions" me=${me} />`;
}

// ---- one's own

export function Password({ onDone, why }) {
	const [v, setV] = useState({ old: "", fresh: "", again: "" });
	const [error, setError] = useState(null);
	const typed = (name) => (event) => setV((old) => ({ ...old, [name]: event.target.value }));
	const submit = async (event) => {
		event.preventDefault();
		if (v.fresh !== v.again) return setError("The two new passwords differ.");
		try {
			await act("/v1/operator/password", { password: v.old, new_password: v.fresh });
			setV({ old: "", fresh: "", again: "" });
			setError(null);
			onDone();
		} catch (failed) {
			setError(sentence(failed));
		}
		return undefined;
	};
	return html`<form onSubmit=${submit}>${why ? html`<p>${why}</p>` : null}<${Secret} title="Password now" name="old" autocomplete="current-password" value=${v.old} onInput=${typed("old")} />
		<${Secret} title="New password" name="fresh" minlength="12" autocomplete="new-password" value=${v.fresh} onInput=${typed("fresh")} note="12 characters or more, and not one that many use." />
		<${Secret} title="New password again" name="again" autocomplete="new-password" value=${v.again} onInput=${typed("again")} />
		<button class="main">Change the password</button>${error ? html`<p class="bad" role="alert">${error}</p>` : null}</form>`;
}

export function SecondFactor({ me, onDone }) {
	const [offer, setOffer] = useState(null);
	const [code, setCode] = useState("");
	const [codes, setCodes] = useState(null);
	const [error, setError] = useState(null);
	const go = (body) => async (event) => {
		event?.preventDefault();
		try {
			const answer = await act("/v1/operator/totp", body);
			setError(null);
			if (answer.recovery_codes) setCodes(answer.recovery_codes);
			else setOffer(answer);
		} catch (failed) {
			setError(failed);
		}
	};
	const kept = () => { // they are not shown any longer
		setCodes(null);
		setOffer(null);
		setCode("");
		onDone();
	};
	if (error?.code === "confirm_needed") return html`<${Confirm} onDone=${() => { setError(null); go({})(); }} />`;
	if (codes) return html`<p class="good" role="status">Your second factor is set.</p><p>Keep these recovery codes where nobody else finds them. Each can replace a one-time code, once:</p><p class="secret"><code>${codes.join("  ")}</code></p><button class="main" onClick=${kept}>I have kept them</button>`;
	if (!offer) return html`<p>${me.second_factor ? "Each login needs a one-time code." : "Only the password protects your account. Add one-time codes from an authenticator app."}</p><button onClick=${go({})}>${me.second_factor ? "Set up another app" : "Set up"}</button>${error ? html`<p class="bad">${sentence(error)}</p>` : null}`;
	return html`<form onSubmit=${go({ secret: offer.secret, code })}><p>Enter this key in your authenticator app (SHA-1, 6 digits, 30 s), or <a href=${offer.uri}>open it there</a>:</p><p class="secret"><code>${offer.base32.replace(/(.{4})/g, "$1 ")}</code></p>
		<label>Code that the app shows<input name="code" inputmode="numeric" maxlength="6" autocomplete="one-time-code" value=${code} onInput=${(e) => setCode(e.target.value)} /></label><button class="main">Set</button>${error ? html`<p class="bad" role="alert">${sentence(error)}</p>` : null}</form>`;
}

function Zone() {
	const choose = (event) => {
		chooseZone(event.target.value);
		location.reload();
	};
	return html`<${Panel} title="Time zone"><label>Times are shown in<select name="zone" value=${chosenZone()} onChange=${choose}>${zoneChoices().map(([name, text]) => html`<option key=${name} value=${name}>${text}</option>`)}</select>
		<small class="quiet">In this browser. The days of reports begin as set under Reports.</small></label><//>`;
}

export function Me({ me, again }) {
	const [told, setTold] = useState("");
	return html`<div class="tiles"><${Tile} name="Name" value=${me.name} note=${`operator ${me.operator}`} /><${Tile} name="Roles" value=${me.roles.join(", ")} /><${Tile} name="Session until" value=${time(me.expires_us)} note=${`ends after ${Math.round(me.idle_s / 60)} min without use`} /></div>
		<div class="two"><${Panel} title="Password"><${Password} onDone=${() => setTold("The password is changed. Your other sessions have ended.")} />${told ? html`<p class="good" role="status">${told}</p>` : null}<//>
		<${Panel} title="Second factor"><${SecondFactor} me=${me} onDone=${again} /><//><${Zone} /></div>
		<${Part} is=${OwnSessions} name="Your sessions" />`;
}
