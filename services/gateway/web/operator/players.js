// Players: found by number, looked at, and what support and finance do for them.
import { html, useState } from "/vendor/htm-preact.js";
import { CODE_MAX, decimal, isCurrency, money, typedAmount } from "/format.js";
import { minorOf, troubleWith, understood } from "/operator/amounts.js";
import { wordOf } from "/operator/words.js";
import { Export } from "/operator/export.js";
import { Notes } from "/operator/notes.js";
import { History, Round } from "/operator/past.js";
import { postingsOf } from "/operator/postings.js";
import { Act, Badge, Group, Panel, Part, REASON, Table, Tile, Trouble, day, numberOf, time, usePages, useRead, whole } from "/operator/parts.js";

const STATES = [["", "any"], ["active", "active"], ["excluded", "excluded"], ["blocked", "blocked"]];
// How long ago they last bet: the name of the filter, and days. To the day, so that a page's cursor stays valid while it is shown.
const PLAYED = [["", "at any time, or never"], ["from 1", "within a day"], ["from 7", "within a week"], ["from 30", "within 30 days"], ["before 30", "not for 30 days"], ["before 180", "not for 180 days"]];

function playedQuery(chosen) {
	const [name, days] = chosen.split(" ");
	return chosen ? `&played_${name}_us=${(Math.floor(Date.now() / 86400e3) - Number(days)) * 86400e6}` : "";
}

export function Players({ me }) {
	const [typed, setTyped] = useState("");
	const [only, setOnly] = useState({ state: "", currency: "", played: "" });
	const put = (name) => (e) => setOnly({ ...only, [name]: e.target.value });
	const choose = (name, label, options) => html`<label>${label}<select name=${name} value=${only[name]} onChange=${put(name)}>${options.map(([key, text]) => html`<option value=${key}>${text}</option>`)}</select></label>`;
	const query = `${typed ? `&number=${typed}` : ""}${only.state ? `&state=${only.state}` : ""}${isCurrency(only.currency) ? `&currency=${only.currency}` : ""}${playedQuery(only.played)}`;
	const players = usePages(`/v1/operators/${me.operator}/players?limit=100${query}`, 5000);
	return html`<${Panel} title="Players" of=${players}><div class="controls"><label>Number begins with<input type="search" name="number" inputmode="numeric" value=${typed} onInput=${(e) => setTyped(e.target.value.replace(/\D/g, "").replace(/^0+/, ""))} /></label>
			${choose("state", "State", STATES)}<label>Currency<input type="search" name="currency" placeholder="any" maxlength=${CODE_MAX} size="4" value=${only.currency} onInput=${(e) => setOnly({ ...only, currency: e.target.value.toUpperCase().replace(/[^A-Z]/g, "") })} /></label>${choose("played", "Last played", PLAYED)}</div>
		<${Trouble} state=${players} /><${Table} name="players" rows=${players.data?.players} empty=${players.data?.next_cursor ? "None among the accounts that were read for this page." : query ? "No player is like this." : "No player has an account."} columns=${[
			{ name: "player", title: "Player", show: (p) => html`<a href="#players/${numberOf(p.player)}">${p.player}</a>` },
			{ name: "balance_minor", title: "Balance", number: true, show: (p) => money(p.balance_minor, p.currency) }, { name: "pending_minor", title: "Pending", number: true, show: (p) => money(p.pending_minor, p.currency) },
			{ name: "currency", title: "Currency" }, { name: "moves", title: "Moves", number: true, show: (p) => whole(p.moves) }, { name: "played_us", title: "Last played", show: (p) => p.played_us ? time(p.played_us) : "never" },
			{ name: "last_us", title: "Last booked", show: (p) => time(p.last_us) }, { name: "opened_us", title: "Opened", show: (p) => time(p.opened_us) },
			{ name: "state", title: "", show: (p) => html`${p.state !== "active" ? html`<${Badge} text=${p.state} state="bad" />` : null}${p.withdrawals_open ? html`<${Badge} text="withdrawal waits" state="gold" />` : null}${p.claims_open ? html`<${Badge} text="jackpot on the way" state="gold" />` : null}` }]}
			more=${players.pager} /><//>`;
}

const amount = (label, currency, help) => ({ name: "amount", label: `${label}, ${currency}`, inputmode: "decimal", example: decimal(1000, currency), help });

const booked = (currency) => (answer) => answer.balance_minor === undefined ? null : html`<p>The balance is now <b>${money(answer.balance_minor, currency)}</b>.</p>`;

function moneyAction(base, account, kind, title, help, signed) {
	const { currency } = account;
	return {
		title, fields: [amount("Amount", currency, help), REASON], path: () => `${base}/${kind}`, shows: booked(currency),
		what: (v) => understood(v.amount, currency, (minor) => `${money(minor, currency)}: ${money(account.balance_minor, currency)} becomes ${money(account.balance_minor + minor * (kind === "withdrawals" ? -1 : 1), currency)}, if nothing else is booked meanwhile.`, signed),
		body: (v) => ({ amount_minor: minorOf(v.amount, currency, signed), currency, reason: v.reason }),
	};
}

const LIMITS = { loss: "Losses", wager: "Stakes", deposit: "Deposits", time: "Time of play", exclusion: "Exclusion" };
const PERIODS = [["day", "a day"], ["week", "a week"], ["month", "a month"]];

const isMoney = (limit) => ["loss", "wager", "deposit"].includes(limit);

// A limit of 0 allows nothing.
function limitMinor(text, currency) {
	const { minor } = typedAmount(text, currency);
	if (minor === undefined) throw troubleWith(text, currency);
	return minor;
}

function limitUnderstood({ limit, period, value }, currency) {
	if (!isMoney(limit) || value.trim() === "") return "";
	const { minor } = typedAmount(value, currency);
	return minor === undefined ? troubleWith(value, currency) : `${LIMITS[limit]} of ${money(minor, currency)} ${PERIODS.find(([key]) => key === period)[1]}.`;
}

function limitAction(base, account) {
	const { currency } = account;
	return {
		title: "Set a limit", path: () => `${base}/limits`,
		fields: [{ name: "limit", label: "Limit of", options: [["loss", "losses"], ["wager", "stakes"], ["deposit", "deposits"], ["time", "time of play"], ["exclusion", "all play: exclusion"]] },
			{ name: "period", label: "Period (for limits of money)", options: PERIODS }, { name: "value", label: "Limit", inputmode: "decimal", help: `Money: an amount in ${currency}; time of play: minutes; exclusion: days from now.` }, REASON],
		what: (v) => `${limitUnderstood(v, currency)} A stricter limit takes effect at once, a looser one after the cooling period.`.trim(),
		body: (v) => {
			if (isMoney(v.limit)) return { limit: v.limit, period: v.period, amount_minor: limitMinor(v.value, currency), currency, reason: v.reason };
			const value = Number(v.value);
			if (!(value >= 0)) throw "Enter the limit as a number.";
			return v.limit === "time" ? { limit: "time", seconds: Math.round(value * 60), currency, reason: v.reason }
				: { limit: "exclusion", until_s: Math.round(Date.now() / 1000 + value * 86400), currency, reason: v.reason };
		},
	};
}

function spinsAction(base, account, games) {
	return {
		title: "Give bonus spins", path: () => `${base}/bonus-spins`,
		fields: [{ name: "game", label: "Game", options: games.map((g) => [g.id, g.name]) }, { name: "spins", label: "Spins", inputmode: "numeric", value: "10" },
			{ name: "coin", label: `Coin, ${account.currency}`, inputmode: "decimal", value: decimal(1, account.currency) }, { name: "lines", label: "Lines", inputmode: "numeric", value: "15" },
			{ name: "coins", label: "Coins a line", inputmode: "numeric", value: "1" }, { name: "days", label: "Valid for (days)", inputmode: "numeric", value: "7" }, REASON],
		what: (v) => understood(v.coin, account.currency, (coin) => `${v.spins} spins of ${money(coin * v.lines * v.coins, account.currency)} each, ${money(coin * v.lines * v.coins * v.spins, account.currency)} in all.`),
		body: (v) => ({ game: v.game, currency: account.currency, coin_minor: minorOf(v.coin, account.currency), lines: Number(v.lines), coins: Number(v.coins), spins: Number(v.spins),
			expires_us: Math.round((Date.now() + Number(v.days) * 86400e3) * 1000), reason: v.reason }),
	};
}

const voidAction = (base, games) => ({
	title: "Void a round", danger: true, path: () => `${base}/voids`, fields: [{ name: "game", label: "Game", options: games.map((g) => [g.id, g.name]) }, { name: "round", label: "Number of the round", inputmode: "numeric" },
		{ name: "award", label: "Jackpots of the round", options: [["", "stay with the player"], ["yes", "are taken back too"]] }, { ...REASON, most: 80 }],
	what: (v) => `After a malfunction: the stake is returned and the win is taken back, as far as the balance allows.${v.award ? " A second person must approve this." : ""}`,
	body: (v) => ({ game: v.game, round: Number(v.round), reason: v.reason, ...(v.award ? { award: true } : {}) }),
});

const approveVoid = (base, asked, currency) => ({ danger: true, title: "Approve the void", button: "Approve", path: () => `${base}/voids/${asked.id}/approve`, fields: [], body: () => undefined,
	what: () => `${asked.asked_by} asks to void round ${asked.round} and to take back its jackpots, ${money(asked.awards_minor, currency)}. Reason: ${asked.reason}` });

const refuseVoid = (base, asked, currency) => ({ danger: true, title: "Refuse the void", button: "Refuse", path: () => `${base}/voids/${asked.id}/refuse`, fields: [REASON], body: (v) => ({ reason: v.reason }),
	what: () => `${asked.asked_by} asks to void round ${asked.round} and to take back its jackpots, ${money(asked.awards_minor, currency)}. It will not be done.` });

// Its preview names what goes and what stays; the gateway names what must be settled before.
const pseudonymAction = (base, account) => ({ danger: true, title: "Pseudonymise the player", button: "Pseudonymise", path: () => `${base}/pseudonymise`, fields: [REASON],
	what: () => `When a second person approves: the text of all notes, the reasons of requests, and what ${account.player} has chosen are removed for ever, and their sessions end. The player gets no session and no deposit any more. The ledger stays as it is. The player must be blocked and have no money and nothing open.`,
	body: (v) => ({ reason: v.reason }) });

const blockAction = (base, blocked) => ({ danger: !blocked, title: blocked ? "End the block" : "Block the player", path: () => `${base}/block`, fields: [REASON],
	what: () => blocked ? "The player may play again." : "The player cannot bet or gamble. Pending money can be collected.", body: (v) => ({ blocked: !blocked, reason: v.reason }) });

export function decideAction(base, w, decision) {
	return { danger: decision !== "capture", title: decision === "capture" ? "Paid: keep it booked" : "Not paid: give it back", button: decision === "capture" ? "Paid" : "Give back", path: () => `${base}/withdrawals/${w.id}/decisions`,
		fields: [{ name: "force", label: "Decide", options: [["", "only if the outcome is known"], ["yes", "even without the provider's answer"]], help: "The outcome is known if the provider was never asked, or has answered." }, REASON],
		what: () => `${money(w.amount_minor, w.currency)}, held since ${time(w.booked_us)}.`, body: (v) => ({ decision, reason: v.reason, ...(v.force ? { force: true } : {}) }) };
}

export const approveWithdrawal = (base, w) => ({ title: "Let the provider pay", button: "Approve", path: () => `${base}/withdrawals/${w.id}/approve`, fields: [REASON],
	what: () => `${money(w.amount_minor, w.currency)}, held since ${time(w.booked_us)}.`, body: (v) => ({ reason: v.reason }) });

const ENDS = { expired: "its time was over", idle: "by inactivity", logout: "logged out", logout_all: "logged out everywhere", pseudonymised: "the player was pseudonymised" };

function Lists({ base, account, me, again }) {
	const limits = useRead(`${base}/limits`, 5000);
	const spins = usePages(`${base}/bonus-spins`, 5000);
	const withdrawals = usePages(`${base}/withdrawals`, 5000);
	const voids = usePages(`${base}/voids`, 0);
	const finance = me.permissions.includes("money");
	const end = (s) => ({ danger: true, title: "Take back what is left", button: "End", path: () => `${base}/bonus-spins/${s.id}/end`, fields: [REASON], body: (v) => ({ reason: v.reason }) });
	const sessions = usePages(`${base}/sessions`, 5000);
	return html`<div class="two"><${Panel} title="Limits" of=${limits}><${Table} name="limits" rows=${limits.data?.limits} empty="No limit is set." columns=${[
		{ name: "limit", title: "Limit", show: (l) => `${LIMITS[l.limit] ?? l.limit}${l.period ? ` a ${l.period}` : ""}` },
		{ name: "value", title: "Is", number: true, csv: (l) => l.amount_minor ?? l.seconds ?? l.until_s, show: (l) => l.amount_minor !== undefined ? money(l.amount_minor, account.currency) : l.seconds !== undefined ? `${Math.round(l.seconds / 60)} min` : time(l.until_s * 1e6) },
		{ name: "used_minor", title: "Used", number: true, show: (l) => l.used_minor === undefined ? "" : money(l.used_minor, account.currency) },
		{ name: "next_from_us", title: "Changes", show: (l) => l.next_from_us ? time(l.next_from_us) : "" }]} /><//>
	<${Panel} title="Bonus spins" of=${spins}><${Table} name="bonus-spins" rows=${spins.data?.bonus_spins} empty="None were given." columns=${[
		{ name: "game", title: "Game" }, { name: "left", title: "Left", number: true, show: (s) => `${s.left} of ${s.spins}` }, { name: "coin_minor", title: "Bet", number: true, show: (s) => money(s.coin_minor * s.lines * s.coins, s.currency) },
		{ name: "expires_us", title: "Until", show: (s) => time(s.expires_us) }, { name: "act", title: "", csv: () => "", show: (s) => s.left && me.permissions.includes("care") ? html`<${Act} action=${end(s)} onDone=${spins.again} />` : null }]} more=${spins.pager} /><//></div>
	<${Panel} title="Sessions" of=${sessions}><${Table} name="player-sessions" rows=${sessions.data?.sessions} empty="None is known." columns=${[
		{ name: "began_us", title: "Began", show: (s) => time(s.began_us) }, { name: "ended_us", title: "Ended", show: (s) => s.ended_us ? time(s.ended_us) : "" },
		{ name: "end", title: "How", show: (s) => s.end === "open" ? html`<${Badge} text="open" state="good" />` : ENDS[s.end] ?? wordOf(s.end) }, { name: "expires_us", title: "Valid until", show: (s) => time(s.expires_us) }]} more=${sessions.pager} /><//>
	<${Panel} title="Withdrawals" of=${withdrawals}><${Table} name="withdrawals" rows=${withdrawals.data?.withdrawals} empty="None yet." columns=${[
		{ name: "booked_us", title: "When", show: (w) => time(w.booked_us) }, { name: "amount_minor", title: "Amount", number: true, show: (w) => money(w.amount_minor, w.currency) },
		{ name: "state", title: "State", show: (w) => html`<${Badge} text=${w.state} state=${w.state === "paid" ? "good" : w.state === "held" ? "gold" : ""} />` },
		{ name: "provider", title: "Provider", show: (w) => w.provider ? `${wordOf(w.provider.state)}, ${wordOf(w.provider.outcome)}${w.provider.reference ? `, ${w.provider.reference}` : ""}` : "" }, { name: "id", title: "Id", show: (w) => html`<code>${w.id.slice(0, 12)}</code>` },
		{ name: "act", title: "", csv: () => "", show: (w) => w.state === "held" && finance ? html`<div class="controls">${w.review === "waiting" ? html`<${Act} action=${approveWithdrawal(base, w)} onDone=${withdrawals.again} />` : null}<${Act} action=${decideAction(base, w, "capture")} onDone=${() => { withdrawals.again(); again(); }} />
			<${Act} action=${decideAction(base, w, "release")} onDone=${() => { withdrawals.again(); again(); }} /></div>` : null }]} more=${withdrawals.pager} /><//>
	${me.permissions.includes("void") ? html`<${Part} is=${VoidRequests} name="Voids that need a second person" base=${base} account=${account} me=${me} again=${() => { voids.again(); again(); }} />` : null}
	<${Panel} title="Voided rounds"><${Table} name="voids" rows=${voids.data?.voids} empty="None." columns=${[
		{ name: "time_us", title: "When", show: (v) => time(v.time_us) }, { name: "game", title: "Game" }, { name: "round", title: "Round", number: true },
		{ name: "stake_returned_minor", title: "Stake returned", number: true, show: (v) => money(v.stake_returned_minor, account.currency) }, { name: "win_taken_minor", title: "Win taken", number: true, show: (v) => money(v.win_taken_minor, account.currency) },
		{ name: "awards_minor", title: "Of it and owed: jackpots", number: true, show: (v) => money(v.awards_minor, account.currency) }]} more=${voids.pager} /><//>`;
}

function VoidRequests({ base, account, me, again }) {
	const requests = useRead(`/v1/operators/${me.operator}/voids/requests`, 5000);
	const waiting = (requests.data?.requests ?? []).filter((r) => r.player === account.player && (r.status === "waiting" || (r.status === "approved" && r.outcome !== "voided")));
	if (!waiting.length) return null;
	return html`<${Panel} title="Voids that need a second person" of=${requests}><${Table} name="void-requests" rows=${waiting} columns=${[
		{ name: "time_us", title: "When", show: (r) => time(r.time_us) }, { name: "game", title: "Game" }, { name: "round", title: "Round", number: true },
		{ name: "awards_minor", title: "Jackpots", number: true, show: (r) => money(r.awards_minor, account.currency) }, { name: "asked_by", title: "By" }, { name: "reason", title: "Reason" },
		{ name: "outcome", title: "State", show: (r) => r.status === "waiting" ? "waits" : r.outcome ? `approved by ${r.approved_by}, not done: ${wordOf(r.outcome)}` : `approved by ${r.approved_by}, is being carried out` },
		{ name: "act", title: "", csv: () => "", show: (r) => html`<div class="controls"><${Act} action=${approveVoid(base, r, account.currency)} onDone=${() => { requests.again(); again(); }} />
			${r.status === "waiting" ? html`<${Act} action=${refuseVoid(base, r, account.currency)} onDone=${requests.again} />` : null}</div>` }]} /><//>`;
}

// `round`: one of the player's, as in the link that a player sends to support.
export function Player({ id, me, round }) {
	const base = `/v1/operators/${me.operator}/players/${id}`;
	const player = useRead(base, 2000);
	const games = useRead("/v1/games", 0).data?.games ?? [];
	const account = player.data;
	if (!account) return html`<p class="crumbs"><a href="#players">Players</a> / ${id}</p><${Trouble} state=${player} />`;
	if (round) return html`<${Round} key=${round} base=${base} account=${account} number=${round} />`;
	const may = (permission) => me.permissions.includes(permission);
	const act = (action) => html`<${Act} action=${action} onDone=${player.again} />`;
	return html`<p class="crumbs"><a href="#players">Players</a> / ${account.player}${may("audit") ? html` · <a href=${postingsOf({ player: numberOf(account.player) })}>Postings</a>` : null}</p>${player.error ? html`<${Trouble} state=${player} />` : null}
		<div class="tiles"><${Tile} name="Balance" value=${money(account.balance_minor, account.currency)} /><${Tile} name="Pending" value=${money(account.pending_minor, account.currency)} note="wins not collected yet" />
			<${Tile} name="Moves" value=${whole(account.moves)} note=${`last ${time(account.last_us)}`} /><${Tile} name="Opened" value=${day(account.opened_us)} />
			<${Tile} name="State" value=${account.pseudonymised_us ? "pseudonymised" : account.blocked ? "blocked" : "open"} state=${account.blocked ? "bad" : "good"} note=${account.pseudonymised_us ? time(account.pseudonymised_us) : account.claims_open ? "a jackpot is on the way" : ""} /></div>
		${may("money") || may("care") || may("void") ? html`<${Panel} title="Act"><div class="groups">
			${may("money") ? html`<${Group} name="Money">${[moneyAction(base, account, "deposits", "Deposit", "Money that came in."), moneyAction(base, account, "withdrawals", "Withdraw", "It is held until the provider has paid it."),
				moneyAction(base, account, "grants", "Grant bonus funds", "The house's money."), moneyAction(base, account, "corrections", "Correct", "May be below 0.", true)].map(act)}<//>` : null}
			${may("care") ? html`<${Group} name="Care">${act(limitAction(base, account))}${games.length ? act(spinsAction(base, account, games)) : null}<//>` : null}
			<${Group} name="Data"><${Export} base=${base} account=${account} />${may("money") && !account.pseudonymised_us ? act(pseudonymAction(base, account)) : null}<//>
			${may("care") || may("void") ? html`<${Group} name="Stop">${may("care") ? act(blockAction(base, account.blocked)) : null}${may("void") && games.length ? act(voidAction(base, games)) : null}<//>` : null}</div><//>` : null}
		<${Part} is=${Notes} name="Notes" base=${base} me=${me} />
		<${Part} is=${History} name="History" base=${base} account=${account} games=${games} />
		<${Part} is=${Lists} name="Limits, bonus spins, sessions, withdrawals and voids" base=${base} account=${account} me=${me} again=${player.again} />`;
}
