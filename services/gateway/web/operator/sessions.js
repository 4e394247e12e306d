// Open sessions: one's own, and those of all users. What the browser calls itself is told in words as far as it is known.
import { html } from "/vendor/htm-preact.js";
import { Act, Badge, Panel, REASON, Table, Trouble, time, usePages } from "/operator/parts.js";

// The first that fits: what is built on another browser names both.
const BROWSERS = [["Edg", "Edge"], ["OPR", "Opera"], ["SamsungBrowser", "Samsung Internet"], ["Firefox", "Firefox"], ["FxiOS", "Firefox"], ["CriOS", "Chrome"], ["Chrome", "Chrome"], ["Safari", "Safari"], ["curl", "curl"]];
const SYSTEMS = [["Android", "Android"], ["iPhone", "iPhone"], ["iPad", "iPad"], ["Windows", "Windows"], ["Mac OS X", "macOS"], ["CrOS", "ChromeOS"], ["Linux", "Linux"]];
const found = (list, agent) => list.find(([part]) => agent.includes(part))?.[1];

function browserOf(agent) {
	const [browser, system] = [found(BROWSERS, agent), found(SYSTEMS, agent)];
	return browser && system ? `${browser} on ${system}` : browser ?? (agent.slice(0, 40) || "not known");
}

const ended = (answer) => html`<p>${answer.ended === 1 ? "One session has" : `${answer.ended} sessions have`} ended.</p>`;

function Sessions({ title, base, fields, named }) {
	const sessions = usePages(base, 5000);
	const end = (which, heading, button, what) => ({ title: heading, button, danger: true, path: () => `${base}/${which}`, fields, body: (v) => fields.length ? { reason: v.reason } : undefined, what: () => what, shows: ended });
	const rows = sessions.data?.sessions;
	return html`<${Panel} title=${title} of=${sessions} aside=${rows?.some((s) => !s.current) ? html`<${Act} action=${end("others", `End all others: ${title.toLowerCase()}`, "End all others", "All sessions but this one end at once.")} onDone=${sessions.again} />` : null}><${Trouble} state=${sessions} />
		<${Table} name=${named ? "user-sessions" : "sessions"} rows=${rows} columns=${[...named ? [{ name: "user", title: "User" }] : [],
			{ name: "agent", title: "Browser", csv: (s) => s.agent, show: (s) => html`<span title=${s.agent}>${browserOf(s.agent)}</span> ${s.current ? html`<${Badge} text="this one" state="good" />` : null}` },
			{ name: "address", title: "From" }, { name: "began_us", title: "Since", show: (s) => time(s.began_us) }, { name: "seen_us", title: "Last used", show: (s) => time(s.seen_us) }, { name: "expires_us", title: "Until", show: (s) => time(s.expires_us) },
			{ name: "act", title: "", csv: () => "", show: (s) => !s.current ? html`<${Act} action=${end(s.id, `End the session of ${s.user}`, "End", `${browserOf(s.agent)} from ${s.address}`)} onDone=${sessions.again} />` : null }]} more=${sessions.pager} /><//>`;
}

export const OwnSessions = () => html`<${Sessions} title="Your sessions" base="/v1/operator/sessions" fields=${[]} />`;
export const UserSessions = ({ me }) => html`<${Sessions} title="Open sessions" base=${`/v1/operators/${me.operator}/user-sessions`} fields=${[REASON]} named />`;
