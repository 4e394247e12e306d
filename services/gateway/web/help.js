// The rules of a game, made from its definition: paytable, lines, features, return, odds.
import { html, useEffect, useRef } from "/vendor/htm-preact.js";
import { Art, hueOf } from "/art.js";
import { cardsWords } from "/cards.js";
import { Witch } from "/controls.js";
import { money } from "/format.js";
import { count, featureName, isBought, listed, modeOf, modeWords, priceOf, publishedReturn, symbolOf, times, totalBet } from "/game.js";

const percent = (text, digits = 2) => `${(Number(text) * 100).toFixed(digits)} %`;
const pays = (symbol) => Object.entries(symbol.pays ?? {}).map(([n, pay]) => [Number(n), pay]).sort((a, b) => b[0] - a[0]);
const perBet = (symbol) => symbol.kind === "scatter";

// ---- symbols ----

// RULE bewitched 8.1, RULE mona-lisa 7.1: pays in coins; RULE witch-feature 2.7: and in the player's currency at the current bet.
function SymbolRow({ game, symbol, index, bet, currency }) {
	const unit = perBet(symbol) ? totalBet(bet) : bet.coin_minor * bet.coins;
	return html`<div class="symbol"><span class="cell kind-${symbol.kind}" style=${{ "--hue": hueOf(symbol, index) }}><${Art} symbol=${symbol} /></span><div><b>${symbol.name}</b>
		${pays(symbol).map(([n, pay]) => html`<div class="pay"><span>${n} ×</span> <span>${pay}${perBet(symbol) ? " × bet" : ""}</span> <span class="gold">${money(pay * unit, currency)}</span></div>`)}
		<div class="quiet">${roleOf(game, symbol)}</div></div></div>`;
}

function roleOf(game, symbol) {
	const { hold_and_win: hold, free_spins: free, sticky_respins: sticky, progressive_symbols: progressive, battle } = game;
	const words = [];
	if (symbol.kind === "wild") words.push(`substitutes for every symbol that pays on lines${symbol.pays ? ", and pays by itself" : ""}${game.expanding_wild ? `; lands on reels ${listed(game.expanding_wild.reels.map(String))} and covers its whole reel except scatters` : ""}`);
	if (symbol.kind === "scatter" && symbol.pays) words.push("pays anywhere, times the total bet");
	if (symbol.wild_counts) words.push("a wild counts as one too");
	if (battle?.symbol === symbol.id) words.push(`${battle.scatters_min} or more start a battle`);
	if (free?.awards?.symbol === symbol.id) words.push("awards free spins");
	if (hold?.symbol === symbol.id) words.push(`${hold.at_least} or more start Hold and Win`);
	else if (symbol.kind === "bonus") words.push(`${game.bonus_min} or more start the vials bonus`);
	if (sticky?.symbol === symbol.id) words.push(`${sticky.at_least} or more on reel ${sticky.reel} start ${symbol.id} spins`);
	if (progressive?.symbol === symbol.id) words.push(`${progressive.count} ${progressive.where === "line" ? "on a line" : "anywhere"} win the progressive jackpot${progressive.bets === "max" ? ", at the largest number of lines and coins" : ""}`);
	if (symbol.kind === "potion") words.push("is collected; the symbols above it fall");
	return words.join("; ");
}

// ---- features ----

function awardWords({ symbol, base, free, respin }, game) {
	const say = (table) => Object.entries(table ?? {}).map(([n, spins]) => `${n}: ${spins}`).join(", ");
	const parts = [["in the paid spin", base], ["in free spins", free], ["in respins", respin]].filter(([, table]) => Object.keys(table ?? {}).length);
	return `${symbolOf(game, symbol).name} awards free spins by the number of symbols: ${parts.map(([where, table]) => `${where} ${say(table)}`).join("; ")}.`;
}

const FEATURES = [
	["battle", "Battle", (game, rules) => [`${rules.scatters_min} or more ${symbolOf(game, rules.symbol).name} symbols anywhere make the witches battle. They pay by the paytable; if your witch wins, there are free spins.`, "Your choice of witch changes no draw and no prize."]],
	["vials", "The vials", (game) => [`${game.bonus_min} or more bonus symbols anywhere open ${game.vials} vials, in free spins too. Pick ${game.picked} of them: they brew money (times the total bet), free spins or the progressive jackpot.`, `${game.jackpot ? "The odds of the jackpot follow the wager, lines × coins a line; other prizes balance it, so that every bet has the same return. " : ""}The outcome was drawn with the spin. Your choice of vials does not change it.`]],
	["free_spins", "Free spins", (game, rules) => [
		rules.awards ? awardWords(rules.awards, game) : "The features award them.",
		...(rules.line_multiplier > 1 ? [`Line wins are paid ${rules.line_multiplier} times.`] : []),
		...(rules.wild_multipliers ? [`A winning line with ${rules.wild_multipliers.slice(1).map((x, i) => `${i + 1}${i + 2 === rules.wild_multipliers.length ? " or more" : ""} wild${i ? "s" : ""} pays ×${x}`).join(", with ")}.`] : []),
		"They cost nothing and use the bet of the spin that won them. Free spins can win more free spins without limit; those are added at the end.",
	]],
	["sticky_respins", "Respins with held symbols", (game, rules) => [`${rules.at_least} or more ${symbolOf(game, rules.symbol).name} on reel ${rules.reel} start ${count(rules.spins, "respin")}. That reel is locked; ${listed(rules.sticky.map((id) => symbolOf(game, id).name))} on the other reels stay where they are, also those that land during the respins.`, "They are played before any free spins. Line wins have no multiplier, and respins cannot win the progressive jackpot."]],
	["hold_and_win", "Hold and Win", (game, rules) => [
		`${rules.at_least} or more ${symbolOf(game, rules.symbol).name} symbols start ${rules.respins} respins. These symbols stay. Each new one stays too and sets the respins back to ${rules.respins}.`,
		`Each carries a value of ${Math.min(...rules.values)} to ${Math.max(...rules.values)} times the total bet, a mystery, or a multiplier.`,
		`At the end multipliers (${listed(rules.multipliers.map((x) => `×${x}`), "or")}) multiply all values except those of multipliers. Several multiply together: ×2 and ×3 make ×6. A mystery wins ${listed(rules.awards.map((a) => `${a.name} ${a.x}×`), "or")}. Multipliers and mysteries then add their own value.`,
		...(rules.exclude?.length ? [`${listed(rules.exclude.map((id) => rules.awards.find((a) => a.id === id)?.name ?? id))} never appears with a multiplier of ×${rules.exclude_from_multiplier} or more.`] : []),
		`If all cells are full, everything is paid ${rules.full_screen_multiplier} times.`,
	]],
	["potions", "Potions", (game, rules) => [
		"Potions that land are collected from left to right; the third completes a combination. Each bet has its own collection and its own unlocked features.",
		...rules.features.map(({ kind, needs }, i) => `${featureName(kind)}: ${needs.map((n, colour) => n ? `${n} ${symbolOf(game, rules.symbols[colour]).name}` : "").filter(Boolean).join(", ")}. ${POTION_WORDS[kind]?.(rules) ?? ""}${i ? ` Locked until you have played ${featureName(rules.features[i - 1].kind)}.` : ""}`),
		`A combination that starts no feature may explode: question marks land and all turn into the same symbol, one of ${listed(rules.reveals.map((id) => symbolOf(game, id).name), "or")}; all lines are paid again. If it does not explode, the potions are used up.`,
		...(game.free_spins ? ["In free spins no potions land. Any free spin may start a feature, even a locked one."] : []),
	]],
];
const POTION_WORDS = {
	high_symbols: () => "One respin with the best symbols only.",
	random_wilds: () => "One respin with wilds at random places.",
	multiplier: (rules) => `Respins until one wins; that win is multiplied by ${listed(rules.multipliers.map(String), "or")}.`,
	mega_wild: () => "One respin with a wild of 3 × 3 cells, or two of 2 × 2.",
};
// A game has vials if its definition gives their number.
const has = (game, kind) => kind === "vials" ? Boolean(game.vials) : game[kind];

function gambleWords({ gamble }, currency) {
	const most = gamble.stake_max?.[currency];
	return [`You may gamble ${gamble.of === "win" ? "a win" : "the line wins of the paid spin"} to double it by guessing the colour of a card, at most ${count(gamble.attempts_max, "time")}${most ? `, up to ${money(most, currency)} at stake` : ""}. A wrong guess loses the stake. You may collect at any time.`,
		gamble.jokers ? `${gamble.jokers} jokers count as either colour. The result (one in two wins) is drawn before the card; the card never decides it.` : "Each card is drawn independently of earlier cards.",
		...(gamble.halve ? ["You may move half of the win to your balance and gamble the rest."] : [])];
}

const AUTOPLAY = { below_zero: "when bets less wins exceed it", at_zero: "when bets less wins reach it" };

// ---- lines, returns ----

function Line({ game, rows, number }) {
	const cells = [];
	for (let reel = 0; reel < game.reels; reel++)
		for (let row = 0; row < game.rows; row++) cells.push(html`<rect x=${reel * 10 + 1} y=${row * 10 + 1} width="8" height="8" rx="2" class=${rows[reel] === row ? "on" : "off"} />`);
	return html`<figure class="payline"><svg viewBox="0 0 ${game.reels * 10} ${game.rows * 10}" role="img" aria-label="Line ${number}: rows ${rows.map((r) => r + 1).join(", ")}">${cells}</svg><figcaption>${number}</figcaption></figure>`;
}

function oddsOf(fraction) {
	const [p, q] = fraction.split("/").map(BigInt);
	const one = q / p;
	return one.toString().length > 18 ? "less than 1 in 10^18" : `1 in ${one.toString().replace(/\B(?=(\d{3})+(?!\d))/g, " ")}`;
}

const modeTitle = (game, id) => game.modes.find((mode) => mode.id === id)?.name ?? `${game.modes[0].name}, ${id.endsWith("_below_max") ? "below the largest bet" : "at the largest bet"}`;
// RULE witch-feature 2.6: rounds a largest win down.
export const grouped = (text) => {
	const [whole, rest = ""] = text.split(".");
	return `${whole.replace(/\B(?=(\d{3})+(?!\d))/g, " ")}.${rest.charAt(0) || "0"}`;
};

// RULE bewitched 4.1, RULE mona-lisa 4.2: the published return counts the jackpots at their seeds. Contributions return too: the share of this currency's
// rows, the share of all rows, or the whole contribution. If only the largest bet wins jackpots, this is the return of the largest bet.
export function contributionWords({ jackpot, modes, progressive_symbols: symbols }, currency) {
	const rows = jackpot.rows_return_ppm ?? {};
	const published = modes[0].published_rtp;
	const seeds = Number((published.find((one) => one.bets === "max") ?? published[0])?.percent);
	if (!seeds || !rows[currency]) return [];
	const all = Object.values(rows).reduce((sum, ppm) => sum + ppm, 0);
	const whole = seeds + jackpot.contribution_ppm / 10000;
	const largest = symbols?.bets === "max";
	const words = `With the jackpots at their seeds the game returns ${seeds.toFixed(2)} %${largest ? " at the largest bet" : ""}; with the part of this contribution that goes to the jackpots in ${currency}, ${(seeds + rows[currency] / 10000).toFixed(2)} %; with the part for all currencies, ${(seeds + all / 10000).toFixed(2)} %; with the whole contribution, ${whole.toFixed(2)} %.`;
	return largest ? ["All bets add to the jackpots, but only the largest bet can win them: smaller bets get nothing of this contribution back.", words] : [words];
}

// RULE bewitched 4.9, RULE mona-lisa 4.12: what a second winner gets.
export const nearWinnerWords = () => "If two players win a jackpot at nearly the same moment, the first is paid all of it. The second is paid the seed of their coin value, and that coin value's share of what bets have added since.";

// RULE witch-feature 1.6: the returns of the first spins are exact figures too.
export function longRunWords({ potions }, exact) {
	if (!potions) return [];
	const first = (exact?.modes[0].states ?? []).filter(({ state }) => state.startsWith("first "));
	const said = first.length ? `: on average its first ${listed(first.map(({ state }) => state.slice(6)))} spins return ${listed(first.map(({ rtp }) => (Number(rtp) * 100).toFixed(1)))} %` : "";
	return [`This is the long-run return; it is the same at each level of unlocking. A new bet value starts with nothing collected or unlocked, so its first spins return less${said}.`];
}

// RULE mystery-elves 2.9, RULE witch-feature 2.6: the chance shown is for one spin or one feature.
function Figures({ game, figures, currency }) {
	const exact = figures.find((one) => one.math_version === game.math_version);
	return html`<h3>Return and odds</h3><table class="facts"><thead><tr><th>Play</th><th class="number">Published</th>${exact ? html`<th class="number">Exact</th><th class="number">Spins that win</th><th class="number">Largest win of a spin or feature</th>` : null}</tr></thead>
		<tbody>${exact ? exact.modes.map((mode) => html`<tr><td>${modeTitle(game, mode.mode)}</td><td class="number">${mode.published ? `${mode.published} %` : "none (demo)"}</td><td class="number">${percent(mode.rtp, 4)}</td><td class="number">${percent(mode.hit_rate)}</td>
			<td class="number">${mode.max_win_x ? html`${grouped(mode.max_win_x)} × the price, ${oddsOf(mode.max_win_probability_exact)}` : "–"}</td></tr>`)
			: game.modes.map((mode) => html`<tr><td>${mode.name}</td><td class="number">${publishedReturn(mode) || "none (demo)"}</td></tr>`)}</tbody></table>
		${exact ? html`<p>The largest win and its chance are for one spin, or for one feature if a feature wins more. Free spins and respins together may win more, at smaller odds.</p>` : null}
		${exact ? html`<ul>${exact.modes.filter((mode) => mode.features.length).map((mode) => html`<li><b>${modeTitle(game, mode.mode)}:</b> ${mode.features.map((f) => `${featureName(f.name)} 1 in ${Number(f.one_in) < 100 ? Number(f.one_in).toFixed(1) : Math.round(Number(f.one_in))}`).join(", ")} spins</li>`)}</ul>` : null}
		${game.jackpot ? html`<p>Each bet adds ${game.jackpot.contribution_ppm / 10000} % of its stake to the jackpots. Each coin value has its own jackpot, in proportion.</p>
			${contributionWords(game, currency).concat(nearWinnerWords()).map((text) => html`<p>${text}</p>`)}` : null}
		${longRunWords(game, exact).map((text) => html`<p>${text}</p>`)}
		<p class="digest quiet">definition ${game.math_version}, version ${game.version}</p>`;
}

const Paragraphs = ({ title, words }) => html`<h3>${title}</h3>${words.map((text) => html`<p>${text}</p>`)}`;

// RULE bewitched 8.4, 8.7, RULE mona-lisa 7.4, 7.7: a separate window with a button that closes it.
export function Help({ app, game, bet, currency, figures, close }) {
	const dialog = useRef(null);
	useEffect(() => { dialog.current.showModal(); }, []);
	const bought = game.modes.filter(isBought);
	const { autoplay } = game;
	return html`<dialog class="help" id="help" ref=${dialog} onClose=${close} aria-label="Rules of ${game.name}"><div class="helphead"><h2>${game.name}: rules and paytable</h2><button id="help-close" class="main" onClick=${() => dialog.current.close()}>Back to the game</button></div><div class="helpbody">
		<p>${game.reels} reels of ${game.rows} rows, ${game.lines_min === game.lines_max ? `${game.lines_max} lines, always played` : `${game.lines_min} to ${game.lines_max} lines`}. The total bet is coin value × coins a line × lines; now ${money(totalBet(bet), currency)}. Like symbols on adjacent reels pay along lines from the leftmost reel. Each line pays its highest win only; all wins are added. A line win is its entry below × coin value × coins a line. A malfunction voids all pays and plays.</p>
		<h3>Symbols</h3><div class="symbols">${game.symbols.map((symbol, i) => html`<${SymbolRow} key=${symbol.id} game=${game} symbol=${symbol} index=${i} bet=${bet} currency=${currency} />`)}</div>
		<${Witch} app=${app} id="witch-here" />
		${FEATURES.filter(([kind]) => has(game, kind)).map(([kind, title, words]) => html`<${Paragraphs} key=${kind} title=${title} words=${words(game, game[kind])} />`)}
		${bought.length ? html`<${Paragraphs} title="Bought spins" words=${bought.map((mode) => `${mode.name}, ${times(mode.price_hundredths)} the total bet: ${modeWords(game, mode)}.`).concat("All wins are still multiples of the line bet and the total bet, not of the price.", bought.some((mode) => mode.one_spin) ? "A bought feature is for one spin: after it the base game is selected again. Autospin does not buy features." : "Your choice stays until you turn it off.")} />` : null}
		${game.gamble ? html`<${Paragraphs} title="Gamble" words=${gambleWords(game, currency)} />` : null}
		${game.cards?.eligible ? html`<${Paragraphs} title="Jackpot Cards" words=${cardsWords({ game, currency, price: priceOf(bet, modeOf(game, bet.mode)) })} />` : null}
		${autoplay ? html`<${Paragraphs} title="Autospin" words=${[`Up to ${autoplay.spins_max} spins at the selected bet. It stops at your loss limit (${AUTOPLAY[autoplay.loss_limit_stops] ?? "as set"}), when a win ${autoplay.single_win_stops} the value you set, and when you stop it. It never starts a feature for you.`]} />` : null}
		<h3>Lines</h3><div class="paylines">${game.lines.map((rows, i) => html`<${Line} key=${i} game=${game} rows=${rows} number=${i + 1} />`)}</div>
		<${Figures} game=${game} figures=${figures} currency=${currency} />
		<h3>Fairness</h3><p>The game shows the hash of each round's secret before your own random number is sent, and the secret when the round has closed. The check is under the reels. The first move of a round fixes all its draws: nothing that you press later changes them, and neither does your speed.</p>
		<p>If you leave a round, it continues where you left it when you come back. After ${game.resolve_after_hours} hours it is played to its end and paid.</p>
		<h3>Keyboard</h3><p><kbd>Space</kbd> spins, continues a feature and skips the display of a result. <kbd>Tab</kbd> moves to every control; on a win it shows the line. <kbd>Escape</kbd> closes these rules.</p></div></dialog>`;
}
