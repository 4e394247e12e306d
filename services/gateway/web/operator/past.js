// A player's past as the player sees it: what moved the money, and each round replayed to its screens, with what proves it.
import { html, useEffect, useState } from "/vendor/htm-preact.js";
import { bytesOf, get, hashOf } from "/api.js";
import { Art, loadArt, loadWorld } from "/art.js";
import { money } from "/format.js";
import { cellsOf, featureName, modeOf, wonBy } from "/game.js";
import { gambleWords, titleOf, winName, wordsOf } from "/phases.js";
import { All, Badge, Panel, Part, Table, Tile, Trouble, numberOf, time, useRead } from "/operator/parts.js";
import { wordOf } from "/operator/words.js";
import { usAt } from "/operator/zone.js";

const PAGE = 50;
const KINDS = ["round", "jackpot", "card_prize", "double", "money", "bonus_spins", "void"];

const gameOf = (games, id) => games.find((game) => game.id === id);
const boughtOf = (games, entry) => entry.mode ? gameOf(games, entry.game)?.modes[entry.mode]?.name ?? "bought" : "";
const amountOf = (entry) => entry.kind === "round" ? wonBy(entry) : entry.amount_minor;

const marksOf = (games, entry) => [boughtOf(games, entry), entry.bonus_spin && "bonus spin", entry.doubled_minor && "doubled", entry.void && "void", entry.kind === "round" && !entry.closed && "open"].filter(Boolean);

export function History({ base, account, games }) {
	const [only, choose] = useState({ kind: "", game: "", wins: "", from: "", to: "" });
	const [before, setBefore] = useState([]);
	const query = Object.entries({ limit: PAGE, kind: only.kind, game: only.game, wins: only.wins, from_us: usAt(only.from), to_us: usAt(only.to) }).filter(([, value]) => value).map(([name, value]) => `${name}=${value}`).join("&");
	const path = `${base}/history?${query}`;
	const past = useRead(before.length ? `${path}&before=${before.at(-1)}` : path, before.length ? 0 : 5000);
	const put = (name) => (event) => { choose((old) => ({ ...old, [name]: event.target.value })); setBefore([]); };
	const show = (minor) => minor === null ? "not seen yet" : money(minor, account.currency);
	const { entries, next, searched_until_us: until } = past.data ?? {};
	return html`<${Panel} title="History" id="past" of=${past}><div class="controls">
			<label>Entries<select name="only-kind" value=${only.kind} onChange=${put("kind")}><option value="">all</option>${KINDS.map((kind) => html`<option value=${kind}>${wordOf(kind)}</option>`)}</select></label>
			<label>Game<select name="only-game" value=${only.game} onChange=${put("game")}><option value="">all</option>${games.map((game) => html`<option value=${game.id}>${game.name}</option>`)}</select></label>
			<label>Wins<select name="only-wins" value=${only.wins} onChange=${put("wins")}><option value="">won or not</option><option value="true">won</option></select></label>
			<label>From<input type="datetime-local" name="only-from" value=${only.from} onInput=${put("from")} /></label><label>To<input type="datetime-local" name="only-to" value=${only.to} onInput=${put("to")} /></label></div>
		<${Trouble} state=${past} /><${Table} name="past" rows=${entries} keyOf=${(entry) => `${entry.kind}-${entry.seq}`} empty="Nothing of this kind." columns=${[
			{ name: "time_us", title: "When", show: (e) => time(e.time_us) },
			{ name: "kind", title: "Entry", csv: (e) => e.kind, show: (e) => html`${wordOf(e.kind)} ${marksOf(games, e).map((mark) => html`<${Badge} text=${mark} /> `)}` },
			{ name: "game", title: "Game", show: (e) => gameOf(games, e.game)?.name ?? e.game }, { name: "round", title: "Round", number: true, show: (e) => e.round ? html`<a href="#players/${numberOf(account.player)}/${e.round}">${e.round}</a>` : "" },
			{ name: "stake_minor", title: "Stake", number: true, show: (e) => e.kind === "round" ? money(e.stake_minor, account.currency) : "" },
			{ name: "amount", title: "Won, or moved", number: true, csv: amountOf, show: (e) => money(amountOf(e), account.currency) },
			{ name: "balance_before_minor", title: "Before", number: true, show: (e) => show(e.balance_before_minor) }, { name: "balance_after_minor", title: "After", number: true, show: (e) => show(e.balance_after_minor) }]}
			more=${html`${until ? html`<small class="quiet">Looked back to ${time(until)}.</small>` : null}${before.length ? html`<button class="plain" onClick=${() => setBefore((old) => old.slice(0, -1))}>Newer</button>` : null}${next ? html`<button class="plain" name="older" onClick=${() => setBefore((old) => [...old, next])}>Older</button>` : null}${before.length || next ? html`<${All} path=${path} />` : null}`} /><//>`;
}

// ---- one round ----

function Window({ game, phase }) {
	const symbols = bytesOf(phase.window);
	const won = new Set((phase.wins ?? []).flatMap((win) => [...cellsOf(win.cells)]));
	const cell = (reel, row) => {
		const at = reel * game.rows + row;
		const symbol = game.symbols[symbols[at]];
		return html`<span class=${won.has(at) ? "won" : ""} title=${symbol?.name}>${symbol ? html`<${Art} symbol=${symbol} />` : null}</span>`;
	};
	return html`<div class="replayed reels-${game.reels}" role="img" aria-label="The window of this step">${Array.from({ length: game.rows }, (_, row) => Array.from({ length: game.reels }, (__, reel) => cell(reel, row)))}</div>`;
}

function Steps({ scene, round }) {
	const [at, choose] = useState(0);
	const phase = round.phases[at];
	return html`<${Panel} title="Screens" id="steps"><div class="two"><div>${phase.window ? html`<${Window} game=${scene.game} phase=${phase} />` : null}<p>${wordsOf(scene, phase)}</p>
			<ul>${(phase.wins ?? []).map((win) => html`<li>${winName(win)} <b>${money(win.amount_minor, scene.currency)}</b></li>`)}</ul></div>
		<ol class="steps">${round.phases.map((one, i) => html`<li key=${one.index}><button class="plain" aria-current=${i === at ? "step" : undefined} onClick=${() => choose(i)}>${titleOf(scene, one)} <b>${money(one.win_minor, scene.currency)}</b></button></li>`)}
			${(round.gambles ?? []).map((step) => html`<li class=${step.won ? "good" : "bad"}>${gambleWords(step, scene.currency)}</li>`)}</ol></div><//>`;
}

// The engine has drawn the round again from its record and compared it with what was booked, or it would have answered with an error.
function Proof({ replay }) {
	const [digest, put] = useState(null);
	const { round, secret, math_version: version } = replay;
	useEffect(() => { if (secret) hashOf(secret).then(put); }, [secret]);
	return html`<${Panel} title="Proof" id="round-proof"><p class="good">✓ Drawn again from its record: the result is the one that was booked.</p>
		<dl class="pair"><dt>Definition</dt><dd><code>${version}</code> (<a href="/v1/definitions/${version}">file</a>)</dd>
			<dt>Secret</dt><dd>${secret ? html`<code>${secret}</code>` : "told when the round is closed"}</dd>${digest ? html`<dt>Its hash, shown before the bet</dt><dd><code>${digest}</code></dd>` : null}
			<dt>Player's nonce</dt><dd><code>${round.client_nonce ?? ""}</code></dd></dl>
		<p class="quiet">With the secret and the nonce, <code>slotmath replay</code> and the fairness page draw the round without this server.</p><//>`;
}

function Rows({ rows, currency }) {
	const amount = (name) => (row) => row[name] === null ? "not seen yet" : row[name] ? money(row[name], currency) : "";
	return html`<${Panel} title="In the journal"><${Table} name="round-rows" rows=${rows} columns=${[{ name: "seq", title: "Row", number: true }, { name: "time_us", title: "When", show: (r) => time(r.time_us) }, { name: "kind", title: "Kind", show: (r) => wordOf(r.kind) },
		...[["release_minor", "Collected"], ["stake_minor", "Stake"], ["win_balance_minor", "Won"], ["win_pending_minor", "Won, to collect"], ["forfeit_minor", "Lost in a double"], ["amount_minor", "Moved"], ["balance_after_minor", "Balance after"]].map(([name, title]) => ({ name, title, number: true, show: amount(name) }))]} /><//>`;
}

// What the pictures and words of a game need.
function useGame(id) {
	const [game, put] = useState(null);
	useEffect(() => {
		if (id) Promise.all([get(`/v1/games/${id}`), loadArt()]).then(([found]) => loadWorld(found, false).then(() => put(found), () => put(found)), () => {});
	}, [id]);
	return game;
}

export function Round({ base, account, number }) {
	const replay = useRead(`${base}/rounds/${number}`, 0);
	const { round, witch, rows } = replay.data ?? {};
	const game = useGame(round?.game);
	const player = numberOf(account.player);
	const head = html`<p class="crumbs"><a href="#players">Players</a> / <a href="#players/${player}">${account.player}</a> / round ${number}</p>`;
	if (!round || !game) return html`${head}<${Trouble} state=${replay} />`;
	const scene = { game, currency: replay.data.currency, witch, mode: round.bet.mode };
	const features = [...new Set(round.phases.flatMap(({ features: started = [] }) => started))];
	return html`${head}<div class="tiles" id="round"><${Tile} name="Game" value=${game.name} note=${features.map(featureName).join(", ")} /><${Tile} name="Stake" value=${money(round.stake_minor, scene.currency)} note=${modeOf(game, round.bet.mode).name} />
			<${Tile} name="Win" value=${money(round.win_minor, scene.currency)} note=${round.jackpots?.length ? "without the jackpot" : ""} />
			${(round.jackpots ?? []).map((one) => html`<${Tile} key=${one.index} name="Jackpot" state="gold" value=${money(one.paid_minor, scene.currency)} note="paid into the balance" />`)}
			<${Tile} name="When" value=${time(rows?.[0]?.time_us)} />
			<${Tile} name="State" value=${round.closed ? "closed" : "open"} state=${round.closed ? "good" : "gold"} note=${round.next && !round.closed ? `waits for: ${wordOf(round.next)}` : ""} /></div>
		<${Part} is=${Steps} name="Screens" scene=${scene} round=${round} /><${Part} is=${Proof} name="Proof" replay=${replay.data} /><${Part} is=${Rows} name="In the journal" rows=${rows ?? []} currency=${scene.currency} />`;
}
