// The operator's console: login, the frame with its menu, and the screens by address (#jackpots/1). What a user may not do is not shown; the server decides.
import { html, render, useEffect, useRef, useState } from "/vendor/htm-preact.js";
import { watchCrashes } from "/crash.js";
import { always } from "/kept.js";
import { act, read, sentence, session } from "/operator/ask.js";
import { Guard, watchAge } from "/operator/guard.js";
import { Palette, usePalette } from "/operator/palette.js";
import { Health, Overview } from "/operator/overview.js";
import { Game } from "/operator/games.js";
import { Games, Jackpot, Jackpots } from "/operator/jackpots.js";
import { Player, Players } from "/operator/players.js";
import { Report, Reports } from "/operator/reports.js";
import { Ledger, ProofBanner } from "/operator/ledger.js";
import { Postings } from "/operator/postings.js";
import { Rounds } from "/operator/rounds.js";
import { Keys } from "/operator/keys.js";
import { Webhooks } from "/operator/webhooks.js";
import { Withdrawals } from "/operator/withdrawals.js";
import { Approvals, Waiting } from "/operator/approvals.js";
import { Audit, Me, Password, Rates, SecondFactor, Users } from "/operator/desk.js";
import { Secret } from "/operator/parts.js";
import { zone } from "/operator/zone.js";

const SCREENS = [
	["overview", "Overview", "read", Overview], ["jackpots", "Jackpots", "read", Jackpots, Jackpot], ["games", "Games", "read", Games, Game], ["players", "Players", "players", Players, Player],
	["rounds", "Rounds", "players", Rounds], ["withdrawals", "Withdrawals", "payouts", Withdrawals], ["approvals", "Approvals", "read", Approvals],
	["reports", "Reports", "read", Reports, Report], ["ledger", "Ledger", "audit", Ledger, Postings], ["rates", "Rates", "read", Rates], ["audit", "Audit", "audit", Audit], ["users", "Users", "users", Users], ["keys", "Keys", "users", Keys], ["webhooks", "Webhooks", "users", Webhooks], ["health", "Health", "read", Health],
];

function useAddress() {
	const here = () => (location.hash.slice(1) || "overview").split("/");
	const [address, setAddress] = useState(here());
	useEffect(() => {
		const change = () => { setAddress(here()); scrollTo(0, 0); document.querySelector("main")?.focus(); };
		addEventListener("hashchange", change);
		setAddress(here()); // it may have changed before there was a listener
		return () => removeEventListener("hashchange", change);
	}, []);
	return address;
}

function Login({ onIn, why }) {
	const [v, setV] = useState({ operator: always.get("console-operator") ?? "1", name: "", password: "", code: "" });
	const [state, setState] = useState({ error: null, code: false, busy: false });
	const typed = (name) => (event) => setV((old) => ({ ...old, [name]: event.target.value.trim === undefined ? "" : event.target.value }));
	const submit = async (event) => {
		event.preventDefault();
		setState((old) => ({ ...old, error: null, busy: true }));
		try {
			await act("/v1/operator/login", { operator: Number(v.operator), name: v.name.trim(), password: v.password, ...(state.code && v.code ? { code: v.code.trim() } : {}) });
			always.put("console-operator", v.operator);
			onIn();
		} catch (error) {
			setState({ error: error.code === "code_needed" ? null : error, code: state.code || error.code === "code_needed", busy: false });
		}
	};
	return html`<div class="door"><form class="panel" onSubmit=${submit}><h1>Carillon <small>console</small></h1>${why ? html`<p class="gold" role="status">${why}</p>` : null}
		<label>Operator<input name="operator" inputmode="numeric" value=${v.operator} onInput=${typed("operator")} /></label>
		<label>Name<input name="name" autocomplete="username" autocapitalize="none" value=${v.name} onInput=${typed("name")} autofocus /></label>
		<${Secret} title="Password" name="password" autocomplete="current-password" value=${v.password} onInput=${typed("password")} />
		${state.code ? html`<label>One-time code<input name="code" inputmode="numeric" autocomplete="one-time-code" value=${v.code} onInput=${typed("code")} /><small class="quiet">From your authenticator app, or a recovery code.</small></label>` : null}
		<button class="main" disabled=${state.busy}>${state.busy ? "Checking …" : "Log in"}</button>${state.error ? html`<p class="bad" role="alert">${sentence(state.error)}</p>` : null}
		<p class="quiet">Create the first administrator with <code>jackpotctl user add</code>. <a href="/">Player's page</a></p></form></div>`;
}

function Frame({ me, children, screen, onOut }) {
	const [going, open, close] = usePalette();
	const menu = useRef(null);
	useEffect(() => { // on a phone the menu is a row that is wider than the window
		const show = () => {
			const at = menu.current.querySelector("[aria-current]");
			if (at) menu.current.scrollLeft = at.offsetLeft - (menu.current.clientWidth - at.offsetWidth) / 2;
		};
		show();
		addEventListener("resize", show);
		return () => removeEventListener("resize", show);
	}, [screen]);
	const screens = SCREENS.filter(([, , permission]) => me.permissions.includes(permission));
	return html`<a class="skip" href="#overview" onClick=${(e) => { e.preventDefault(); document.querySelector("main").focus(); }}>To the content</a>
		<nav aria-label="Screens" ref=${menu}><b class="brand">Carillon</b><button class="plain go" aria-haspopup="dialog" onClick=${open}>Go to … <kbd>Ctrl K</kbd></button>
			${screens.map(([id, title]) => html`<a href="#${id}" aria-current=${id === screen ? "page" : undefined}>${title}${id === "approvals" ? html`<${Guard} name="How many wait"><${Waiting} me=${me} /><//>` : null}</a>`)}
			<span class="spacer"></span><a href="#me" aria-current=${screen === "me" ? "page" : undefined}>${me.name}</a><button class="plain" onClick=${onOut}>Log out</button><small class="zone">Times: ${zone()}</small></nav>
		<main tabindex="-1"><${Guard} name="The state of the last proof" whole><${ProofBanner} /><//>${me.second_factor ? null : html`<p class="banner gold">Only a password protects this account. <a href="#me">Set up a second factor</a>.</p>`}${children}</main>
		${going ? html`<${Guard} name="Go to" whole><${Palette} screens=${[...screens, ["me", me.name]]} players=${me.permissions.includes("players")} onClose=${close} /><//>` : null}`;
}

function App() {
	const [me, setMe] = useState(undefined);
	const [why, setWhy] = useState("");
	const [screen, id, part] = useAddress();
	const look = async () => {
		try {
			const mine = await read("/v1/operator/session");
			session.csrf = mine.csrf;
			setMe(mine);
		} catch (error) {
			setMe(null);
		}
	};
	useEffect(() => {
		session.lost = () => { session.csrf = null; setMe((old) => { if (old) setWhy("Your session has ended. Log in again."); return null; }); };
		let waits = null; // a role may have been taken away; what tells of it in a form is read first
		const again = () => { waits = document.querySelector("dialog[open]") ? setTimeout(again, 300) : read("/v1/operator/session").then(setMe, () => {}) && null; };
		session.changed = () => { if (waits === null) waits = setTimeout(again, 0); };
		look();
	}, []);
	const out = async () => {
		await act("/v1/operator/logout").catch(() => {});
		session.csrf = null;
		setWhy("");
		setMe(null);
		location.hash = "overview"; // whoever logs in next begins there
	};
	if (me === undefined) return html`<p class="quiet">Loading …</p>`;
	if (me === null) return html`<${Login} why=${why} onIn=${look} />`;
	if (me.must_change) return html`<div class="door"><section class="panel"><h1>A password of your own</h1><${Password} onDone=${look} why="Your password was set by somebody else, or many people use it. Choose a new one to go on." /></section></div>`;
	if (me.second_factor_needed) return html`<div class="door"><section class="panel"><h1>A second factor</h1><p>Everybody here needs one to go on.</p><${SecondFactor} me=${me} onDone=${look} /></section></div>`;
	const [, title, permission, List, One] = SCREENS.find(([name]) => name === screen) ?? [];
	document.title = `${screen === "me" ? me.name : title ?? "?"} – Carillon console`;
	const content = screen === "me" ? html`<${Me} me=${me} again=${look} />` : !List ? html`<p>There is no screen of this name.</p>`
		: !me.permissions.includes(permission) ? html`<p>None of your roles permits this.</p>` : id && One ? html`<${One} key=${id} id=${id} me=${me} round=${/^[0-9]{1,19}$/.test(part ?? "") ? part : null} />` : html`<${List} me=${me} />`;
	return html`<${Frame} me=${me} screen=${screen} onOut=${out}><${Guard} key=${`${screen}/${id ?? ""}`} name=${title ?? "This screen"} whole>${content}<//><//>`;
}

watchCrashes("console");
watchAge();
const place = document.getElementById("app");
place.replaceChildren();
render(html`<${App} />`, place);
