// A game: its definitions with their exact figures, and what it has returned beside them.
import { html, useState } from "/vendor/htm-preact.js";
import { money } from "/format.js";
import { Badge, Panel, Table, Trouble, time, useRead, whole } from "/operator/parts.js";

const percent = (text, digits = 4) => text === null || text === undefined ? "–" : `${(100 * Number(text)).toFixed(digits)} %`;
const ofHundred = (n) => n === null || n === undefined ? "–" : `${n.toFixed(2)} %`;
const oneIn = (text) => text === "never" ? "never" : `1 in ${Number(text) < 1000 ? Number(text).toFixed(2) : whole(Math.round(Number(text)))}`;
const words = (id) => id.replaceAll("_", " ");
const state = (z) => z === null ? "" : Math.abs(z) > 4 ? "bad" : Math.abs(z) > 3 ? "gold" : "good";
const inModes = (par, list) => par.modes.flatMap((m) => (m[list] ?? []).map((one) => ({ mode: m.mode, ...one })));

const MODE = { name: "mode", title: "Mode", show: (m) => words(m.mode) };
const FIGURES = [MODE, { name: "rtp", title: "Return", number: true, show: (m) => html`<b>${percent(m.rtp, 6)}</b>` }, { name: "published", title: "Published", number: true, show: (m) => m.published ?? m.simulated ?? "–" },
	{ name: "hit_rate", title: "Hit rate", number: true, show: (m) => percent(m.hit_rate) }, { name: "volatility_index", title: "Volatility index", number: true, show: (m) => m.volatility_index ? Number(m.volatility_index).toFixed(3) : "–" },
	{ name: "max_win_x", title: "Largest win of a spin", number: true, show: (m) => m.max_win_x ? `${Number(m.max_win_x).toFixed(1)} × (${m.max_win_where})` : "–" },
	{ name: "rtp_exact", title: "Return as a fraction", show: (m) => html`<code>${m.rtp_exact ?? "simulated"}</code>` }];

function Exact({ par }) {
	if (!par) return html`<p class="quiet">The exact figures are still being computed.</p>`;
	if (par.error) return html`<p class="bad" role="alert">The exact figures of this definition cannot be computed: ${par.error}.</p>`;
	return html`<${Table} name="par-modes" rows=${par.modes} columns=${FIGURES} /><div class="two">
		<div><h2>Where the return comes from</h2><${Table} name="par-parts" rows=${inModes(par, "parts")} columns=${[MODE, { name: "source", title: "Source", show: (p) => words(p.source) },
			{ name: "rtp", title: "Return", number: true, show: (p) => percent(p.rtp) }]} /></div>
		<div><h2>How often</h2><${Table} name="par-features" rows=${inModes(par, "features")} empty="Nothing but lines." columns=${[MODE, { name: "name", title: "Feature", show: (f) => words(f.name) },
			{ name: "one_in", title: "Rounds", number: true, show: (f) => oneIn(f.one_in) }]} /></div></div>`;
}

const RETURNS = [{ name: "currency", title: "Currency" }, { name: "rounds", title: "Rounds", number: true, show: (r) => whole(r.rounds) }, { name: "stakes_minor", title: "Stakes", number: true, show: (r) => money(r.stakes_minor, r.currency) },
	{ name: "drawn_minor", title: "Drawn wins", number: true, show: (r) => money(r.drawn_minor, r.currency) }, { name: "rtp_percent", title: "Return", number: true, show: (r) => html`<b class=${state(r.z)}>${ofHundred(r.rtp_percent)}</b>` },
	{ name: "theory_percent", title: "Exact", number: true, show: (r) => r.theory_percent === r.theory_high_percent ? ofHundred(r.theory_percent) : `${ofHundred(r.theory_percent)} to ${ofHundred(r.theory_high_percent)}` },
	{ name: "z", title: "z", number: true, show: (r) => r.z === null ? "–" : r.z.toFixed(2) },
	{ name: "band_low_percent", title: "95 of 100 such", number: true, show: (r) => r.band_low_percent === null || r.band_high_percent === null ? "–" : `${ofHundred(r.band_low_percent)} to ${ofHundred(r.band_high_percent)}` }];

export function Game({ id, me }) {
	const game = useRead(`/v1/operators/${me.operator}/games/${id}`, 30000);
	const [digest, setDigest] = useState("");
	const crumbs = html`<p class="crumbs"><a href="#games">Games</a> / ${id}</p>`;
	if (!game.data) return html`${crumbs}<${Trouble} state=${game} />`;
	const { versions, returns, by_stake: byStake } = game.data;
	const shown = versions.find((v) => v.math_version === digest) ?? versions[0];
	const modeName = (r) => words(shown?.par?.modes?.find((m) => m.mode_index === r.mode)?.mode_id ?? String(r.mode));
	return html`${crumbs}${game.error ? html`<${Trouble} state=${game} />` : null}
		<${Panel} title="Definitions" of=${game}><${Table} name="versions" rows=${versions} columns=${[{ name: "name", title: "Name" }, { name: "version", title: "Version", number: true },
			{ name: "math_version", title: "Digest", show: (v) => html`<code title=${v.math_version}>${v.math_version.slice(0, 16)}</code>` }, { name: "first_seen_us", title: "Registered", show: (v) => time(v.first_seen_us) },
			{ name: "state", title: "", csv: () => "", show: (v) => html`${v === versions[0] ? html`<${Badge} text="in service" state="good" />` : null}${v.demo ? html` <${Badge} text="demo" />` : null}
				${v === shown ? html` <${Badge} text="shown below" />` : html` <button onClick=${() => setDigest(v.math_version)}>Show</button>`}` }]} /><//>
		<${Panel} title=${`Exact figures of version ${shown?.version ?? ""}`} id="par"><${Exact} par=${shown?.par} /><//>
		<${Panel} title="Returned in the last 30 days" id="game-returns"><p class="quiet">Drawn wins of bets that players paid for, before gambles and without jackpots, beside the exact return without the jackpot.</p>
			<${Table} name="game-returns" rows=${returns} empty="Nobody has played it in this time." columns=${[{ name: "mode", title: "Mode", csv: modeName, show: modeName }, ...RETURNS]} /><//>
		<${Panel} title="By stake" id="game-stakes"><${Table} name="game-stakes" rows=${byStake} empty="Nobody has played it in this time." columns=${[{ name: "mode", title: "Mode", csv: modeName, show: modeName },
			{ name: "stake_minor", title: "Stake", number: true, show: (r) => money(r.stake_minor, r.currency) }, ...RETURNS]} /><//>`;
}
