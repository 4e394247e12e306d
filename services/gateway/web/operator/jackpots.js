// Jackpots: where each pool and set stands, and what may be done with it.
import { html } from "/vendor/htm-preact.js";
import { CODE_MAX, LEVELS, decimal, exponentOf, isCurrency, money } from "/format.js";
import { minorOf, typedCurrency, typedDecimal, understood } from "/operator/amounts.js";
import { Act, Badge, Group, Panel, Part, REASON, Table, Tile, Trouble, euros, time, usePages, useRead, whole } from "/operator/parts.js";
import { Offer, offersGame } from "/operator/offer.js";
import { Forecast, History } from "/operator/value.js";
import { Changes, dataOf, said, wordOf } from "/operator/words.js";

// The books of a pool are only for operators that take part in it.
const hasBooks = (pool) => pool.contributions_e27 !== undefined;
const sum = (name) => ({ name, number: true, show: (p) => hasBooks(p) ? euros(p[name]) : "–" });

const STATES = { live: "good", paused: "gold", pausing: "gold", retired: "" };

export function Jackpots() {
	const status = useRead("/v1/operator/status", 2000);
	const jackpots = useRead("/v1/jackpots", 1000);
	if (!status.data || !jackpots.data) return html`<${Trouble} state=${status.data ? jackpots : status} />`;
	const shown = (pool) => jackpots.data.pools.find((p) => p.pool === pool)?.rows ?? [];
	return html`${status.error ? html`<${Trouble} state=${status} />` : null}<${Panel} title="Jackpots" of=${status}><${Table} name="pools" rows=${status.data.pools} columns=${[
		{ name: "pool", title: "Number", number: true }, { name: "id", title: "Jackpot", show: (p) => html`<a href="#jackpots/${p.pool}">${p.id}</a>` }, { name: "kind", title: "Kind" },
		{ name: "status", title: "State", show: (p) => html`<${Badge} text=${p.status} state=${STATES[p.status]} />` },
		{ name: "value", title: "Shown now", number: true, csv: (p) => shown(p.pool).filter((r) => r.currency === "EUR").map((r) => decimal(r.value_minor, r.currency)).join(" "), show: (p) => shown(p.pool).filter((r) => r.currency === "EUR").map((r) => html`<div class="gold">${money(r.value_minor, r.currency)}</div>`) },
		{ ...sum("contributions_e27"), title: "Contributions" }, { ...sum("jp_pool_e27"), title: "In the rows" }, { ...sum("jp_reserve_e27"), title: "Reserve" },
		{ ...sum("jp_seed_e27"), title: "Seeds" }, { ...sum("paid_e27"), title: "Paid" }]} /><//>`;
}

const path = (operator, pool) => () => `/v1/operators/${operator}/pools/${pool}/actions`;
const figures = (currency) => (answer) => html`<${Changes} before=${answer.before} after=${answer.after} currency=${currency} />`;

const simple = (operator, pool, action, title, what) => ({
	title: `${title} ${pool.id}`, button: title, fields: [REASON], what: () => what, path: path(operator, pool.pool), shows: figures("EUR"), danger: action === "pause",
	body: (v) => ({ action, reason: v.reason }),
});

// The rows of a pool or the levels of a set: how they are named in parameters, and what they show now.
const placesOf = (rows) => rows.map((r) => r.level ? { key: String(r.level), text: LEVELS[r.level], currency: "EUR", value: r.value_minor, names: { level: LEVELS[r.level].toLowerCase() } }
	: { key: `${r.currency} ${r.coin_minor}`, text: `${r.currency}, coin ${money(r.coin_minor, r.currency)}`, currency: r.currency, value: r.value_minor, names: { currency: r.currency, coin_minor: r.coin_minor } });
const placeField = (places) => ({ name: "row", label: places[0]?.names.level ? "Level" : "Row", options: places.map(({ key, text }) => [key, text]) });
const chosen = (places, v) => places.find(({ key }) => key === String(v.row)) ?? places[0];

function adjust(operator, pool, rows) {
	const places = placesOf(rows);
	return {
		title: `Adjust ${pool.id}`, button: "Adjust", path: path(operator, pool.pool), shows: figures(places[0]?.currency),
		fields: [placeField(places), { name: "amount", label: "Change", inputmode: "decimal", example: "+100.00 or -25.00", help: "With the house's money. A second person must approve it." }, REASON],
		what: (v) => {
			const { value, currency } = chosen(places, v);
			return understood(v.amount, currency, (delta) => `${money(delta, currency)}: ${money(value, currency)} becomes about ${money(value + delta, currency)}; it keeps growing meanwhile.`, true);
		},
		body: (v) => {
			const { names, currency } = chosen(places, v);
			return { action: "adjust", parameters: { ...names, delta_minor: minorOf(v.amount, currency, true) }, reason: v.reason };
		},
	};
}

// ---- terms ----

// A decimal as whole numbers of 10^-places; null: nothing was typed.
function exact(text, places, what) {
	const typed = typedDecimal(text, what);
	if (typed === "") return null;
	const [, whole_, part = ""] = /^([0-9]+)(?:\.([0-9]+))?$/.exec(typed) ?? [];
	if (whole_ === undefined || part.length > places) throw `${what}: enter a number with at most ${places} digits after the point.`;
	return Number(whole_ + part.padEnd(places, "0"));
}

const optional = (names) => Object.fromEntries(Object.entries(names).filter(([, value]) => value !== null));

// The seed, and what makes it grow, from the row's next hit on.
function terms(operator, pool, rows) {
	const places = placesOf(rows);
	const share = pool.kind === "cards" ? { name: "share", label: "Share of stakes, %", inputmode: "decimal", required: false, example: "0.1" } : { name: "share", label: "Row rate", inputmode: "decimal", required: false };
	return {
		title: `Change the terms of ${pool.id}`, button: "Change terms", path: path(operator, pool.pool), shows: figures(places[0]?.currency),
		fields: [placeField(places), { name: "seed", label: "Seed", inputmode: "decimal", required: false, help: "Empty: it stays." }, { ...share, help: "Empty: it stays." }, REASON],
		what: (v) => `${understood(v.seed, chosen(places, v).currency, (minor) => `A seed of ${money(minor, chosen(places, v).currency)}.`)} It takes effect from the next hit on; what is shown now stays.`.trim(),
		body: (v) => {
			const { names, currency } = chosen(places, v);
			const seed = v.seed.trim() === "" ? null : minorOf(v.seed, currency);
			const grows = pool.kind === "cards" ? { wager_ppm: exact(v.share, 4, "Share of stakes") } : { row_rate_nano: exact(v.share, 9, "Row rate") };
			return { action: "parameters", parameters: { ...names, ...optional({ seed_minor: seed, ...grows }) }, reason: v.reason };
		},
	};
}

const takePart = (operator, pool) => ({
	title: `Take part in ${pool.id}`, button: "Take part or not", path: path(operator, pool.pool), shows: figures("EUR"), fields: [{ name: "takes", label: "Your players", options: [["yes", "take part"], ["no", "do not take part"]] }, REASON],
	what: (v) => v.takes === "yes" ? "Your players' stakes feed it." : "Your players' stakes no longer feed it. Your players cannot play the games that have this jackpot.",
	body: (v) => ({ action: "take_part", parameters: { takes_part: v.takes === "yes" }, reason: v.reason }),
});

// Minor units of one whole unit of the currency that is typed.
const unitOf = (v) => 10 ** exponentOf(v.currency.toUpperCase());

const odds = (operator, pool) => ({
	title: `Change the odds of ${pool.id}`, button: "Odds", path: path(operator, pool.pool), shows: figures("EUR"),
	fields: [{ name: "currency", label: "Currency", value: "EUR", most: CODE_MAX }, { name: "in", label: "Chances", inputmode: "numeric", value: "1" }, { name: "of", label: "Out of", inputmode: "numeric", help: "For each smallest unit of the stake." }, REASON],
	what: (v) => Number(v.in) > 0 && Number(v.of) > 0 && isCurrency(v.currency.toUpperCase()) ? `A round of ${money(unitOf(v), v.currency.toUpperCase())} starts Jackpot Cards once in ${new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 }).format(Math.max(1, v.of / v.in / unitOf(v)))}.` : "",
	body: (v) => {
		if (!(Number(v.in) > 0 && Number(v.of) >= Number(v.in))) throw "Enter whole numbers above 0. \"Out of\" must not be smaller than \"Chances\".";
		return { action: "odds", parameters: { currency: typedCurrency(v.currency), in: Number(v.in), of: Number(v.of) }, reason: v.reason };
	},
});

const weights = (operator, pool) => ({
	title: `Change the weights of ${pool.id}`, button: "Weights", path: path(operator, pool.pool), shows: figures("EUR"), fields: [...LEVELS.slice(1).map((name) => ({ name, label: name, inputmode: "numeric" })), REASON],
	what: (v) => {
		const all = LEVELS.slice(1).map((name) => Number(v[name]) || 0);
		const sum = all.reduce((a, b) => a + b, 0);
		return sum ? `${LEVELS.slice(1).map((name, i) => `${name} ${(100 * all[i] / sum).toFixed(1)} %`).join(", ")}. Card rounds that are open keep theirs.` : "";
	},
	body: (v) => ({ action: "weights", parameters: { weights: LEVELS.slice(1).map((name) => Number(v[name])) }, reason: v.reason }),
});

// ---- what ends something ----

const retire = (operator, pool, pools) => ({
	title: `Retire ${pool.id}`, button: "Retire", danger: true, path: path(operator, pool.pool), shows: figures("EUR"),
	fields: [{ name: "to", label: "Its money goes to the reserve of", options: pools.filter((p) => p.pool !== pool.pool && p.kind === pool.kind && p.status !== "retired").map((p) => [p.pool, p.id]) }, REASON],
	what: () => "The pool ends for ever. It must be paused already, and a second person must approve this. Contributions that arrive later go to the same reserve.",
	body: (v) => ({ action: "retire", parameters: { rest: { pool: Number(v.to) } }, reason: v.reason }),
});

function removeRow(operator, pool, rows) {
	const places = placesOf(rows);
	return {
		title: `Remove a row of ${pool.id}`, button: "Remove a row", danger: true, path: path(operator, pool.pool), shows: figures(places[0]?.currency), fields: [placeField(places), REASON],
		what: (v) => `${money(chosen(places, v)?.value, chosen(places, v)?.currency)} goes to the reserve. No definition may have the row, the pool must be paused, and a second person must approve it.`,
		body: (v) => ({ action: "parameters", parameters: { ...chosen(places, v).names, remove: true }, reason: v.reason }),
	};
}

function Actions({ operator, pool, may, list }) {
	const approve = (a) => ({
		title: `Approve: ${wordOf(a.action)}`, button: "Approve", fields: [], what: () => `${a.actor} asks: ${wordOf(a.action)} (${said(a.parameters)}). Reason: ${a.reason}`, shows: figures(dataOf(a.parameters).currency),
		path: () => `/v1/operators/${operator}/pools/${pool.pool}/actions/${a.id}/approve`, body: () => undefined,
	});
	const refuse = (a) => ({ title: `Refuse: ${wordOf(a.action)}`, button: "Refuse", danger: true, fields: [REASON], path: () => `/v1/operators/${operator}/pools/${pool.pool}/actions/${a.id}/refuse`,
		what: () => `${a.actor} asks: ${wordOf(a.action)} (${said(a.parameters)}). It will not be done.`, body: (v) => ({ reason: v.reason }) });
	return html`<${Table} name="actions" rows=${list.data?.actions} empty="No actions yet." columns=${[
		{ name: "time_us", title: "When", show: (a) => time(a.time_us) }, { name: "action", title: "Action", show: (a) => wordOf(a.action) }, { name: "parameters", title: "What", csv: (a) => said(a.parameters), show: (a) => said(a.parameters) },
		{ name: "reason", title: "Reason" }, { name: "actor", title: "By" }, { name: "second", title: "Decided by" },
		{ name: "status", title: "State", show: (a) => html`<${Badge} text=${a.status} state=${a.status === "done" ? "good" : a.status === "waiting" ? "gold" : "bad"} /> ${a.refusal}` },
		{ name: "act", title: "", csv: () => "", show: (a) => a.status === "waiting" && may ? html`<div class="controls"><${Act} action=${approve(a)} onDone=${list.again} /> <${Act} action=${refuse(a)} onDone=${list.again} /></div>` : null }]} more=${list.pager} />`;
}

function Acts({ operator, pool, rows, pools, again }) {
	const act = (action, disabled) => html`<${Act} action=${action} onDone=${again} disabled=${disabled} />`;
	const none = rows.length === 0;
	return html`<${Panel} title="Act"><div class="groups">
		<${Group} name="Play">${act(simple(operator, pool, "resume", "Resume", "The jackpot takes contributions again, and its games accept bets again."))}${act(simple(operator, pool, "pause", "Pause", "Games with this jackpot refuse bets until it is resumed. Booked rounds are still paid."))}<//>
		<${Group} name="Money">${act(adjust(operator, pool, rows), none)}<//>
		<${Group} name="Terms">${act(terms(operator, pool, rows), none)}${act(takePart(operator, pool))}${pool.kind === "cards" ? [act(odds(operator, pool)), act(weights(operator, pool))] : null}<//>
		${pool.kind === "progressive" ? html`<${Group} name="For ever">${act(removeRow(operator, pool, rows), none)}${act(retire(operator, pool, pools))}<//>` : null}</div><//>`;
}

function Books({ pool }) {
	if (!hasBooks(pool)) return html`<div class="tiles"><${Tile} name="State" value=${pool.status} state=${STATES[pool.status]} note=${pool.kind} /></div>
		<p class="quiet">Your operator takes no part in this jackpot, so you see only what all may see.</p>`;
	return html`<div class="tiles"><${Tile} name="State" value=${pool.status} state=${STATES[pool.status]} note=${pool.kind} /><${Tile} name="Contributions" value=${euros(pool.contributions_e27)} />
		<${Tile} name="In the rows" value=${euros(pool.jp_pool_e27)} /><${Tile} name="Reserve" value=${euros(pool.jp_reserve_e27)} /><${Tile} name="House seed" value=${euros(pool.house_seed_e27)} />
		<${Tile} name="Paid" value=${euros(pool.paid_e27)} note=${pool.hits === null ? "" : `${whole(pool.hits)} hits`} /></div>`;
}

const SHOWN = { name: "value_minor", title: "Shown now", number: true, show: (r) => html`<b class="gold">${money(r.value_minor, r.currency)}</b>` };
const SEED = { name: "seed_minor", title: "Seed", number: true, show: (r) => money(r.seed_minor, r.currency) };
const COIN = { name: "coin_minor", title: "Coin", number: true, show: (r) => money(r.coin_minor, r.currency) };
const HITS = { name: "hits", title: "Hits", number: true, show: (r) => whole(r.hits) };

function Rows({ pool, exact, rows }) {
	if (pool.kind === "cards") return html`<${Table} name="levels" rows=${rows} columns=${[
		{ name: "level", title: "Level", show: (r) => LEVELS[r.level] }, { name: "currency", title: "Currency" }, SHOWN, SEED, HITS]} />`;
	if (!hasBooks(pool)) return html`<${Table} name="rows" rows=${rows} columns=${[{ name: "currency", title: "Currency" }, COIN, SHOWN, SEED, HITS]} />`;
	return html`<${Table} name="rows" rows=${exact?.rows} columns=${[
		{ name: "currency", title: "Currency" }, COIN, SHOWN, { name: "value", title: "Exactly, EUR", number: true }, SEED, HITS,
		{ name: "next", title: "From its next hit on", show: (r) => r.next ? `seed ${decimal(r.next.seed_minor, r.currency)}, rate ${r.next.row_rate}` : "the same" }]} />`;
}

export function Jackpot({ id, me }) {
	const base = `/v1/operators/${me.operator}/pools/${id}`;
	const status = useRead("/v1/operator/status", 2000);
	const jackpots = useRead("/v1/jackpots", 1000);
	const pool = status.data?.pools.find((p) => String(p.pool) === id);
	const books = pool && hasBooks(pool);
	const exact = useRead(books && pool.kind === "progressive" ? base : null, 2000);
	const list = usePages(`${base}/actions?limit=50`, 5000);
	const transfers = usePages(books ? `${base}/transfers?limit=50` : null, 0);
	if (!pool) return html`<${Trouble} state=${status} />${status.data ? html`<p>There is no jackpot ${id}.</p>` : null}`;
	const rows = jackpots.data?.pools.find((p) => String(p.pool) === id)?.rows ?? [];
	const may = me.permissions.includes("jackpots");
	const again = () => { status.again(); list.again(); exact.again(); };
	return html`<p class="crumbs"><a href="#jackpots">Jackpots</a> / ${pool.id}</p>${status.error ? html`<${Trouble} state=${status} />` : null}
		<${Part} is=${Books} name="The books" pool=${pool} />
		${may ? html`<${Part} is=${Acts} name="Act" operator=${me.operator} pool=${pool} rows=${rows} pools=${status.data.pools} again=${again} />` : null}
		<${Panel} title="Rows" of=${jackpots}><${Rows} pool=${pool} exact=${exact.data} rows=${rows} /><//>
		<${Part} is=${History} name="Value over time" base=${base} />${books ? html`<${Part} is=${Forecast} name="The next hit" base=${base} />` : null}
		<${Panel} title="Actions" of=${list}><${Actions} operator=${me.operator} pool=${pool} may=${may} list=${list} /><//>
		${books ? html`<${Panel} title="Transfers"><${Table} name="transfers" rows=${transfers.data?.transfers} empty="No money went to or came from other jackpots." columns=${[
			{ name: "time_us", title: "When", show: (t) => time(t.time_us) }, { name: "from", title: "From", show: (t) => t.from.pool }, { name: "to", title: "To", show: (t) => t.to.pool },
			{ name: "amount_e27", title: "Amount", number: true, show: (t) => euros(t.amount_e27) }, { name: "booked", title: "Booked", show: (t) => t.booked ? time(t.booked.time_us) : "on the way" }]} more=${transfers.pager} /><//>` : null}`;
}

const Stopped = ({ stops }) => (stops.data?.stopped ?? []).filter((s) => s.game === "all").map((s) => html`<p class="banner bad" role="alert">All games are stopped by the ${s.by}${s.reason ? `: ${s.reason}` : ""}.</p>`);

export function Games({ me }) {
	const games = useRead("/v1/games", 5000);
	const stops = useRead(`/v1/operators/${me.operator}/games`, 3000);
	const offer = useRead(`/v1/operators/${me.operator}/offer`, 5000);
	const may = me.permissions.includes("games");
	const ofStop = (id) => (stops.data?.stopped ?? []).filter((s) => s.game === id);
	const why = (id) => ofStop(id).map((s) => `Stopped by the ${s.by} since ${time(s.since_us)}: ${s.reason || "no reason is told"}${s.actor ? ` (${s.actor})` : ""}.`).join(" ");
	const whyNot = (game) => why(game.id) || (ofStop("all").length ? "All games are stopped." : "");
	const start = (game) => ({ title: game ? `Start ${game.name} again` : "Start all games again", button: game ? "Start again" : "Start all again", fields: [REASON], path: () => `/v1/operators/${me.operator}/games/${game?.id ?? "all"}/start`,
		what: () => `${why(game?.id ?? "all")} New bets are accepted again, for all operators.`, body: (v) => ({ reason: v.reason }) });
	const stop = (game) => ({ title: game ? `Stop ${game.name}` : "Stop all games", button: game ? "Stop" : "Stop all", danger: true, fields: [REASON], path: () => `/v1/operators/${me.operator}/games/${game?.id ?? "all"}/stop`,
		what: () => "New bets are refused, for the players of all operators. Open rounds can be finished.", body: (v) => ({ reason: v.reason }) });
	const act = (game) => ofStop(game?.id ?? "all").length ? html`<${Act} action=${start(game)} onDone=${stops.again} />` : html`<${Act} action=${stop(game)} onDone=${stops.again} />`;
	return html`<${Part} is=${Stopped} name="Which games are stopped" stops=${stops} /><${Panel} title="Games" of=${games} aside=${may ? act(null) : null}><${Trouble} state=${games} /><${Table} name="games" rows=${games.data?.games} columns=${[
		{ name: "number", title: "Number", number: true }, { name: "name", title: "Game", show: (g) => html`<a href="#games/${g.id}"><b>${g.name}</b></a> <small class="quiet">${g.id}</small>` }, { name: "version", title: "Version" },
		{ name: "state", title: "State", csv: (g) => whyNot(g) || "runs", show: (g) => whyNot(g) ? html`<${Badge} text="stopped" state="bad" /> <small>${whyNot(g)}</small>` : html`<${Badge} text="runs" state="good" />` },
		{ name: "offered", title: "Offered", csv: (g) => offersGame(offer.data, g.id) ? "yes" : "no", show: (g) => offersGame(offer.data, g.id) ? "yes" : html`<${Badge} text="not offered" state="gold" />` },
		{ name: "modes", title: "Modes", show: (g) => g.modes.map((m) => m.name ?? m.id).join(", ") }, { name: "pool", title: "Jackpot" },
		{ name: "math_version", title: "Digest of the definition", show: (g) => html`<code title=${g.math_version}>${g.math_version.slice(0, 16)}</code>` },
		{ name: "act", title: "", csv: () => "", show: (g) => html`<div class="controls"><a href="/rules/${g.id}/">Rules</a> ${may ? act(g) : null}</div>` }]} /><//>
		<${Part} is=${Offer} name="What players are offered" operator=${me.operator} offer=${offer} may=${may} />`;
}
