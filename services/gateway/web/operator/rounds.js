// Rounds of all players: found by player, game, time, win, jackpot, number or id; and those that are open.
import { html, useState } from "/vendor/htm-preact.js";
import { CODE_MAX, isCurrency, money, typedMinor } from "/format.js";
import { troubleWith } from "/operator/amounts.js";
import { Badge, Panel, Part, Table, Trouble, jackpotIn, numberOf, time, usePages, useRead } from "/operator/parts.js";
import { usAt } from "/operator/zone.js";

const PAGE = 50;
const NOTHING = { player: "", game: "", currency: "", win: "", jackpot: "", round: "", from: "", to: "", id: "" };

const playerLink = (r) => html`<a href="#players/${numberOf(r.player)}">${r.player}</a>`;
const roundLink = (r) => r.round === null ? "" : html`<a href="#players/${numberOf(r.player)}/${r.round}">${r.round}</a>`;
const digits = (text) => text.replace(/\D/g, "").replace(/^0+/, "");

// What the filters ask, or the sentence that says what is missing. An id stands alone.
function asked(only) {
	const currency = only.currency.toUpperCase();
	const win = only.win === "" ? "" : typedMinor(only.win, currency || "EUR");
	if (only.id) return /^\d+-\d+$/.test(only.id) ? { query: { id: only.id } } : { why: "An id is two numbers, such as 3-17." };
	if (currency && !isCurrency(currency)) return { why: `"${currency}" is no currency. Enter its code, such as EUR or USDT.` };
	if (only.win !== "" && !currency) return { why: "Choose the currency of the win." };
	if (win === null || win === 0) return { why: troubleWith(only.win, currency) };
	return { query: { player: only.player, game: only.game, currency, win_minor: win, jackpot: only.jackpot, round: only.round, from_us: usAt(only.from), to_us: usAt(only.to) } };
}

const marks = (r) => [r.bonus_spin && "bonus spin", r.open && "open", r.void && "void"].filter(Boolean).map((mark) => html`<${Badge} text=${mark} state=${mark === "open" ? "gold" : ""} /> `);

function Found({ base, games, only }) {
	const { query, why } = asked(only);
	const text = Object.entries({ limit: PAGE, ...query }).filter(([, value]) => value).map(([name, value]) => `${name}=${value}`).join("&");
	const found = usePages(why ? null : `${base}/rounds?${text}`, 5000);
	const pools = useRead("/v1/operator/status", 0).data?.pools;
	if (why) return html`<p class="quiet" role="status">${why}</p>`;
	const { rounds, searched_until_us: until, archived } = found.data ?? {};
	const game = (r) => games.find((one) => one.id === r.game)?.name ?? r.game;
	const end = until ? `Looked back to ${time(until)}; More goes on.` : archived ? "Older rounds are in the archive only." : "";
	return html`<${Trouble} state=${found} /><${Table} name="rounds" rows=${rounds} keyOf=${(r) => r.id ?? `${r.player} ${r.round} ${r.time_us}`} empty="No round fits." columns=${[
		{ name: "time_us", title: "When", show: (r) => time(r.time_us) }, { name: "player", title: "Player", show: playerLink }, { name: "round", title: "Round", number: true, show: roundLink }, { name: "game", title: "Game", show: game },
		...only.jackpot ? [{ name: "pool", title: "Jackpot", csv: (r) => jackpotIn(pools, r.pool), show: (r) => html`<a href="#jackpots/${r.pool}">${jackpotIn(pools, r.pool)}</a>` }, { name: "jackpot_minor", title: "Paid", number: true, show: (r) => money(r.jackpot_minor, r.currency) }]
			: [{ name: "stake_minor", title: "Stake", number: true, show: (r) => money(r.stake_minor, r.currency) }, { name: "win_minor", title: "Won", number: true, show: (r) => r.win_minor === null ? "not seen yet" : money(r.win_minor, r.currency) }],
		{ name: "marks", title: "", csv: (r) => [r.bonus_spin && "bonus spin", r.open && "open", r.void && "void"].filter(Boolean).join(", "), show: marks },
		...only.jackpot ? [] : [{ name: "id", title: "Id", show: (r) => html`<code>${r.id}</code>` }]]}
		more=${html`${end ? html`<small class="quiet">${end}</small>` : null}${found.pager}`} />`;
}

function Open({ base, games }) {
	const open = usePages(`${base}/unfinished/rounds?limit=${PAGE}`, 10000);
	return html`<${Panel} title="Open rounds" id="open-rounds" of=${open}><${Trouble} state=${open} /><${Table} name="open" rows=${open.data?.rounds} keyOf=${(r) => `${r.player} ${r.game}`} empty="No round of our players is open." columns=${[
		{ name: "since_us", title: "Since", show: (r) => time(r.since_us) }, { name: "player", title: "Player", show: playerLink }, { name: "round", title: "Round", number: true, show: roundLink },
		{ name: "game", title: "Game", show: (r) => games.find((one) => one.id === r.game)?.name ?? r.game }, { name: "stake_minor", title: "Stake", number: true, show: (r) => r.stake_minor === null ? "–" : money(r.stake_minor, r.currency) },
		{ name: "pending_minor", title: "Not collected", number: true, show: (r) => money(r.pending_minor, r.currency) }]} more=${open.pager} /><//>`;
}

export function Rounds({ me }) {
	const base = `/v1/operators/${me.operator}`;
	const games = useRead("/v1/games", 0).data?.games ?? [];
	const [only, choose] = useState(NOTHING);
	const put = (name, cut = (text) => text) => (event) => choose((old) => ({ ...old, [name]: cut(event.target.value) }));
	const text = (name, title, more = {}, cut) => html`<label>${title}<input name=${`only-${name}`} autocomplete="off" size="8" ...${more} value=${only[name]} onInput=${put(name, cut)} /></label>`;
	return html`<${Panel} title="Rounds" id="rounds"><div class="controls">${text("player", "Player's number", { inputmode: "numeric" }, digits)}
			<label>Game<select name="only-game" value=${only.game} onChange=${put("game")}><option value="">all</option>${games.map((game) => html`<option value=${game.id}>${game.name}</option>`)}</select></label>
			${text("currency", "Currency", { maxlength: CODE_MAX, placeholder: "all" }, (typed) => typed.toUpperCase().replace(/[^A-Z]/g, ""))}${text("win", "Won at least", { inputmode: "decimal" }, (typed) => typed.trim())}
			<label>Entries<select name="only-jackpot" value=${only.jackpot} onChange=${put("jackpot")}><option value="">rounds</option><option value="true">jackpots</option></select></label>
			${text("round", "Round's number", { inputmode: "numeric" }, digits)}
			<label>From<input type="datetime-local" name="only-from" value=${only.from} onInput=${put("from")} /></label><label>To<input type="datetime-local" name="only-to" value=${only.to} onInput=${put("to")} /></label>
			${text("id", "Id", { placeholder: "3-17" }, (typed) => typed.trim())}<button class="plain" onClick=${() => choose(NOTHING)}>Clear</button></div>
		<${Found} base=${base} games=${games} only=${only} /><//><${Part} is=${Open} name="Open rounds" base=${base} games=${games} />`;
}
