// The operator's page: shards and their owners, lag, pools with their books, reconciliation. Reads the status once a second and shows its age.
import { html, render, useEffect, useState } from "/vendor/htm-preact.js";
import { ApiError, get } from "/api.js";
import { LEVELS, clock, money } from "/format.js";

const AGE_BAD_MS = 5000;

// Whole numbers of 10^-digits EUR as text, cut to cents for display; the books are exact.
function euros(text, digits) {
	if (text === null || text === undefined) return "–";
	const cents = BigInt(text) / 10n ** BigInt(digits - 2);
	return money(Number(cents), "EUR");
}

function Key({ onKey, error }) {
	const [text, setText] = useState("");
	const submit = (event) => {
		event.preventDefault();
		onKey(text.trim());
	};
	return html`<form class="panel" onSubmit=${submit}><h2>Operator</h2>
		<p class="quiet">The key of operator 1 is in keys/operator-1.key in the installation's data folder. Only this tab keeps it.</p>
		<div class="controls"><label>Operator key<input id="key" type="password" size="50" autocomplete="off" value=${text} onInput=${(e) => setText(e.target.value)} /></label>
		<button class="main" id="enter">Enter</button></div>
		${error ? html`<p class="bad" id="message">${error}</p>` : null}</form>`;
}

function Tile({ name, value, good, note }) {
	return html`<div class="tile"><span class="quiet">${name}</span><b class=${good === undefined ? "" : good ? "good" : "bad"}>${value}</b><span class="quiet">${note ?? ""}</span></div>`;
}

function Summary({ status, rate }) {
	const { reconciliation: r, shards, instances, journal } = status;
	const held = shards.filter((s) => s.held).length;
	const alive = instances.filter((i) => i.alive).length;
	const lag = Math.max(0, ...shards.map((s) => s.lag ?? 0));
	const good = r && r.sums_zero && r.identities && r.claims_match;
	return html`<section class="panel"><h2>Now</h2><div class="tiles" id="summary">
		<${Tile} name="Reconciled" value=${r ? (good ? "yes" : "NO") : "–"} good=${r ? Boolean(good) : undefined} note=${r?.held_us ? `last correct at ${clock(r.held_us / 1000)}` : "recent batches, identities, claims"} />
		<${Tile} name="Shards held" value="${held} of ${shards.length}" good=${held === shards.length} />
		<${Tile} name="Instances alive" value=${alive} />
		<${Tile} name="Journal rows a second" value=${rate === null ? "–" : Math.round(rate)} note=${`${journal.reduce((n, j) => n + j.last_seq, 0)} rows in total`} />
		<${Tile} name="Largest lag" value=${`${lag} messages`} good=${lag < 10000} />
		<${Tile} name="Claims open" value=${r?.claims_open ?? "–"} note=${r?.oldest_claim_s ? `oldest ${r.oldest_claim_s} s` : ""} good=${(r?.oldest_claim_s ?? 0) < 10} />
		<${Tile} name="Hits paid" value=${r?.hits_paid ?? "–"} />
	</div></section>`;
}

function Shards({ shards }) {
	return html`<section class="panel"><h2>Shards</h2><div class="scroll"><table id="shards">
		<thead><tr><th>Service</th><th class="number">Shard</th><th>Owner</th><th class="number">Epoch</th><th class="number">Lease ms</th><th class="number">Position</th><th class="number">Lag</th></tr></thead>
		<tbody>${shards.map((s) => html`<tr key="${s.service}-${s.shard}"><td>${s.service}</td><td class="number">${s.shard}</td><td class=${s.held ? "" : "bad"}>${s.held ? s.owner : "none"}</td>
			<td class="number">${s.epoch}</td><td class="number ${s.lease_ms > 0 ? "" : "bad"}">${s.lease_ms > -10000 ? s.lease_ms : "expired"}</td><td class="number">${s.offset_1}${s.offset_2 ? ` / ${s.offset_2}` : ""}</td><td class="number">${s.lag ?? "–"}</td></tr>`)}</tbody></table></div></section>`;
}

function Instances({ instances }) {
	return html`<section class="panel"><h2>Instances</h2><div class="scroll"><table id="instances"><thead><tr><th>Name</th><th>Health</th><th class="number">Process</th><th>Since</th><th class="number">Heartbeat</th></tr></thead>
		<tbody>${instances.map((i) => html`<tr key=${i.name}><td class=${i.alive ? "" : "bad"}>${i.name}</td><td>${i.health}</td><td class="number">${i.pid}</td><td>${clock(i.started_us / 1000)}</td>
			<td class="number ${i.alive ? "" : "bad"}">${i.age_ms < 100000 ? `${i.age_ms} ms` : "gone"}</td></tr>`)}</tbody></table></div></section>`;
}

function Pool({ pool, counters }) {
	const rows = counters?.rows ?? [];
	const book = (name, value) => html`<tr><td>${name}</td><td class="number">${euros(value, 27)}</td></tr>`;
	return html`<section class="panel" data-pool=${pool.pool}><h2>${pool.id} <span class=${pool.status === "live" ? "good" : "gold"}>${pool.status}</span></h2>
		<table><tbody>
			<tr><td>${pool.kind === "cards" ? "Wagers (T)" : "Contributions (T)"}</td><td class="number">${euros(pool.t_e18, 18)}</td></tr>
			${book("In the rows (JP_POOL)", pool.jp_pool_e27)}${book("Reserve (JP_RESERVE)", pool.jp_reserve_e27)}${book("Seeds (JP_SEED)", pool.jp_seed_e27)}
			${book("House seed", pool.house_seed_e27)}${book("Paid", pool.paid_e27)}</tbody></table>
		<div class="scroll"><table><thead><tr><th>${pool.kind === "cards" ? "Level" : "Coin"}</th><th class="number">Value</th><th class="number">Seed</th><th class="number">Hits</th></tr></thead>
			<tbody>${rows.map((r) => html`<tr><td>${r.level ? LEVELS[r.level] : money(r.coin_minor, r.currency)}</td><td class="number gold">${money(r.value_minor, r.currency)}</td><td class="number">${money(r.seed_minor, r.currency)}</td><td class="number">${r.hits ?? 0}</td></tr>`)}</tbody></table></div></section>`;
}

function useStatus(key) {
	const [state, setState] = useState({ status: null, pools: [], error: null, at: 0, rate: null });
	useEffect(() => {
		if (!key) return undefined;
		let over = false;
		let last = null;
		async function turn() {
			try {
				const [status, jackpots] = await Promise.all([get("/v1/operator/status", key), get("/v1/jackpots")]);
				const rows = status.journal.reduce((n, j) => n + j.last_seq, 0);
				const rate = last ? (rows - last.rows) / Math.max((status.time_us - last.time_us) / 1e6, 0.001) : null;
				last = { rows, time_us: status.time_us };
				if (!over) setState({ status, pools: jackpots.pools, error: null, at: Date.now(), rate });
			} catch (error) {
				if (!over) setState((old) => ({ ...old, error }));
				if (error instanceof ApiError && error.status === 401) return;
			}
			if (!over) setTimeout(turn, 1000);
		}
		turn();
		return () => { over = true; };
	}, [key]);
	return state;
}

function App() {
	const [key, setKey] = useState(sessionStorage.getItem("operator-key") ?? "");
	const [now, setNow] = useState(Date.now());
	const state = useStatus(key);
	useEffect(() => {
		const timer = setInterval(() => setNow(Date.now()), 500);
		return () => clearInterval(timer);
	}, []);
	const enter = (text) => {
		sessionStorage.setItem("operator-key", text);
		setKey(text);
	};
	const refused = state.error instanceof ApiError && state.error.status === 401;
	if (!key || refused) return html`<header><h1>Carillon <small>operator</small></h1></header><${Key} onKey=${enter} error=${refused ? state.error.message : null} />`;
	if (!state.status) return html`<p class=${state.error ? "bad" : "quiet"} id="message">${state.error?.message ?? "Loading …"}</p>`;
	const age = now - state.at;
	return html`<header><h1>Carillon <small>operator</small></h1><span class="banner" id="kind">${state.status.installation.kind} installation, ${state.status.installation.shards} shards</span>
			<span class="spacer"></span><span id="age" class=${age > AGE_BAD_MS ? "bad" : "quiet"}>${age > AGE_BAD_MS ? `no answer for ${Math.round(age / 1000)} s: these figures are old` : `as of ${clock(state.at)}`}</span><a class="quiet" href="/">player's page</a></header>
		<${Summary} status=${state.status} rate=${state.rate} />
		<div class="grid">${state.status.pools.map((pool) => html`<${Pool} key=${pool.pool} pool=${pool} counters=${state.pools.find((p) => p.pool === pool.pool)} />`)}</div>
		<div class="grid"><${Shards} shards=${state.status.shards} /><${Instances} instances=${state.status.instances} /></div>`;
}

const place = document.getElementById("app");
place.replaceChildren();
render(html`<${App} />`, place);
