// The rules of a game, made from its definition: paytable, lines, features, return, odds.
import { html, useLayoutEffect, useRef } from "/vendor/htm-preact.js";
import { Art, hueOf } from "/art.js";
import { cardsWords } from "/cards.js";
import { Witch } from "/controls.js";
import { Dialog } from "/dialog.js";
import { money } from "/format.js";
import { featureName, isBought, listed, modeOf, modeWords, priceOf, publishedReturn, symbolOf, times, totalBet } from "/game.js";
import { locale, named, t } from "/lang.js";

const percent = (text, digits = 2) => `${(Number(text) * 100).toFixed(digits)} %`;
const pays = (symbol) => Object.entries(symbol.pays ?? {}).map(([n, pay]) => [Number(n), pay]).sort((a, b) => b[0] - a[0]);
const CARDS_TOLD = 4; // what they are, start, are turned, pay
const perBet = (symbol) => symbol.kind === "scatter";

// ---- symbols ----

// RULE bewitched 8.1, RULE mona-lisa 7.1: pays in coins; RULE witch-feature 2.7: and in the player's currency at the current bet.
function SymbolRow({ game, symbol, index, bet, currency }) {
	const unit = perBet(symbol) ? totalBet(bet) : bet.coin_minor * bet.coins;
	return html`<div class="symbol"><span class="cell kind-${symbol.kind}" style=${{ "--hue": hueOf(symbol, index) }}><${Art} symbol=${symbol} /></span><div><b>${named(symbol.name)}</b>
		${pays(symbol).map(([n, pay]) => html`<div class="pay"><span>${n} ×</span> <span>${perBet(symbol) ? t("h.times-bet", { pay }) : pay}</span> <span class="gold">${money(pay * unit, currency)}</span></div>`)}
		<div class="quiet">${roleOf(game, symbol)}</div></div></div>`;
}

const progressiveWords = ({ bets, where }, n) => t(bets === "max" ? "h.progressive-max" : "h.progressive", { n, where: t(where === "line" ? "h.on-a-line" : "h.anywhere") });

function roleOf(game, symbol) {
	const { hold_and_win: hold, free_spins: free, sticky_respins: sticky, progressive_symbols: progressive, battle } = game;
	const words = [];
	const add = (key, values) => words.push(t(key, values));
	if (symbol.kind === "wild") add(symbol.pays ? "h.wild-pays" : "h.wild");
	if (symbol.kind === "wild" && game.expanding_wild) add("h.wild-expands", { reels: listed(game.expanding_wild.reels) });
	if (symbol.kind === "scatter" && symbol.pays) add("h.scatter");
	if (symbol.wild_counts) add("h.wild-counts");
	if (battle?.symbol === symbol.id) add("h.starts-battle", { n: battle.scatters_min });
	if (free?.awards?.symbol === symbol.id) add("h.awards");
	if (hold?.symbol === symbol.id) add("h.starts-hold", { n: hold.at_least });
	else if (symbol.kind === "bonus") add("h.starts-vials", { n: game.bonus_min });
	if (sticky?.symbol === symbol.id) add("h.starts-sticky", { n: sticky.at_least, reel: sticky.reel, symbol: named(symbol.id) });
	if (progressive?.symbol === symbol.id) words.push(progressiveWords(progressive, progressive.count));
	if (symbol.kind === "potion") add("h.potion");
	return words.join("; ");
}

// ---- features ----

const nameOf = (game, id) => named(symbolOf(game, id).name);

function awardWords({ symbol, base, free, respin }, game) {
	const say = (table) => Object.entries(table ?? {}).map(([n, spins]) => `${n}: ${spins}`).join(", ");
	const parts = [["h.in-base", base], ["h.in-free", free], ["h.in-respins", respin]].filter(([, table]) => Object.keys(table ?? {}).length);
	return t("h.award-table", { symbol: nameOf(game, symbol), parts: parts.map(([where, table]) => `${t(where)} ${say(table)}`).join("; ") });
}

function wildWords(list) {
	const most = list.length - 1;
	return t("h.wild-multipliers", { list: list.slice(1).map((x, i) => t(i + 1 === most ? "h.wilds-or-more" : "h.wilds", { n: i + 1, x })).join(", ") });
}

function potionWords(game, rules, { kind, needs }, i) {
	const list = needs.map((n, colour) => n ? `${n} ${nameOf(game, rules.symbols[colour])}` : "").filter(Boolean).join(", ");
	const locked = i ? ` ${t("h.locked-until", { feature: featureName(rules.features[i - 1].kind) })}` : "";
	return `${featureName(kind)}: ${list}. ${t(`h.potion.${kind}`, { list: listed(rules.multipliers, "disjunction") })}${locked}`;
}

const FEATURES = [
	["battle", "p.battle", (game, rules) => [t("h.battle", { n: rules.scatters_min, symbol: nameOf(game, rules.symbol) }), t("h.battle-choice")]],
	["vials", "h.the-vials", (game) => [t("h.vials", { n: game.bonus_min, vials: game.vials, picks: game.picks }), `${game.jackpot ? `${t("h.vials-odds")} ` : ""}${t("h.vials-drawn")}`]],
	["free_spins", "h.free-spins", (game, rules) => [
		rules.awards ? awardWords(rules.awards, game) : t("h.features-award"),
		...(rules.line_multiplier > 1 ? [t("h.line-times", { n: rules.line_multiplier })] : []),
		...(rules.wild_multipliers ? [wildWords(rules.wild_multipliers)] : []),
		t("h.free-cost"),
	]],
	["sticky_respins", "h.sticky", (game, rules) => [t("h.sticky-words", { n: rules.at_least, symbol: nameOf(game, rules.symbol), reel: rules.reel, spins: rules.spins, list: listed(rules.sticky.map((id) => nameOf(game, id))) }), t("h.sticky-order")]],
	["hold_and_win", "p.hold", (game, rules) => [
		t("h.hold", { n: rules.at_least, symbol: nameOf(game, rules.symbol), respins: rules.respins }),
		t("h.hold-values", { least: Math.min(...rules.values), most: Math.max(...rules.values) }),
		t("h.hold-end", { list: listed(rules.multipliers.map((x) => `×${x}`), "disjunction"), awards: listed(rules.awards.map((a) => `${a.name} ${a.x}×`), "disjunction") }),
		...(rules.exclude?.length ? [t("h.hold-exclude", { names: listed(rules.exclude.map((id) => rules.awards.find((a) => a.id === id)?.name ?? id)), x: rules.exclude_from_multiplier })] : []),
		t("h.hold-full", { n: rules.full_screen_multiplier }),
	]],
	["potions", "h.potions", (game, rules) => [
		t("h.potions-words"),
		...rules.features.map((feature, i) => potionWords(game, rules, feature, i)),
		t("h.explosion", { list: listed(rules.reveals.map((id) => nameOf(game, id)), "disjunction") }),
		...(game.free_spins ? [t("h.potions-free")] : []),
	]],
];
// A game has vials if its definition gives their number.
const has = (game, kind) => kind === "vials" ? Boolean(game.vials) : game[kind];

function gambleWords({ gamble }, currency) {
	const most = gamble.stake_max?.[currency];
	return [`${t(gamble.of === "win" ? "h.gamble-win" : "h.gamble-lines", { n: gamble.attempts_max })}${most ? ` ${t("h.gamble-most", { amount: money(most, currency) })}` : ""} ${t("h.gamble-loses")}`,
		gamble.jokers ? t("h.gamble-jokers", { n: gamble.jokers }) : t("h.gamble-cards"),
		...(gamble.halve ? [t("h.gamble-halve")] : [])];
}

// ---- lines, returns ----

function Line({ game, rows, number }) {
	const cells = [];
	for (let reel = 0; reel < game.reels; reel++)
		for (let row = 0; row < game.rows; row++) cells.push(html`<rect x=${reel * 10 + 1} y=${row * 10 + 1} width="8" height="8" rx="2" class=${rows[reel] === row ? "on" : "off"} />`);
	return html`<figure class="payline"><svg viewBox="0 0 ${game.reels * 10} ${game.rows * 10}" role="img" aria-label=${t("h.line-rows", { line: number, rows: rows.map((r) => r + 1).join(", ") })}>${cells}</svg><figcaption>${number}</figcaption></figure>`;
}

function oddsOf(fraction) {
	const [p, q] = fraction.split("/").map(BigInt);
	const one = q / p;
	return one.toString().length > 18 ? t("h.odds-tiny") : t("h.one-in", { n: new Intl.NumberFormat(locale()).format(one) });
}

function modeTitle(game, id) {
	const mode = game.modes.find((one) => one.id === id);
	return mode ? named(mode.name) : t(id.endsWith("_below_max") ? "h.mode-below" : "h.mode-max", { mode: named(game.modes[0].name) });
}
// RULE witch-feature 2.6: rounds a largest win down. The text is exact, and Intl reads it as it is.
export const grouped = (text) => new Intl.NumberFormat(locale(), { minimumFractionDigits: 1, maximumFractionDigits: 1, roundingMode: "trunc" }).format(text);

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
	const percent = (ppm) => (seeds + ppm / 10000).toFixed(2);
	const words = t(largest ? "h.contribution-max" : "h.contribution", { seeds: seeds.toFixed(2), currency, own: percent(rows[currency]), all: percent(all), whole: whole.toFixed(2) });
	return largest ? [t("h.only-largest"), words] : [words];
}

// RULE bewitched 4.9, RULE mona-lisa 4.12: what a second winner gets.
export const nearWinnerWords = () => t("h.near-winner");

// RULE witch-feature 1.6: the returns of the first spins are exact figures too.
export function longRunWords({ potions }, exact) {
	if (!potions) return [];
	const first = (exact?.modes[0].states ?? []).filter(({ state }) => state.startsWith("first "));
	if (!first.length) return [t("h.long-run")];
	return [t("h.long-run-first", { spins: listed(first.map(({ state }) => state.slice(6))), returns: listed(first.map(({ rtp }) => (Number(rtp) * 100).toFixed(1))) })];
}

// RULE mystery-elves 2.9, RULE witch-feature 2.6: the chance shown is for one spin or one feature.
function Figures({ game, figures, currency }) {
	const exact = figures.find((one) => one.math_version === game.math_version);
	const demo = t("h.none-demo");
	const oneIn = (feature) => Number(feature.one_in) < 100 ? Number(feature.one_in).toFixed(1) : Math.round(Number(feature.one_in));
	return html`<h3>${t("h.return-and-odds")}</h3><table class="facts"><thead><tr><th>${t("h.play")}</th><th class="number">${t("h.published")}</th>${exact ? html`<th class="number">${t("h.exact")}</th><th class="number">${t("h.hit-rate")}</th><th class="number">${t("h.largest-win")}</th>` : null}</tr></thead>
		<tbody>${exact ? exact.modes.map((mode) => html`<tr><td>${modeTitle(game, mode.mode)}</td><td class="number">${mode.published ? `${mode.published} %` : demo}</td><td class="number">${percent(mode.rtp, 4)}</td><td class="number">${percent(mode.hit_rate)}</td>
			<td class="number">${mode.max_win_x ? `${t("h.times-price", { x: grouped(mode.max_win_x) })}, ${oddsOf(mode.max_win_probability_exact)}` : "–"}</td></tr>`)
			: game.modes.map((mode) => html`<tr><td>${named(mode.name)}</td><td class="number">${publishedReturn(mode) || demo}</td></tr>`)}</tbody></table>
		${exact ? html`<p>${t("h.largest-words")}</p>` : null}
		${exact ? html`<ul>${exact.modes.filter((mode) => mode.features.length).map((mode) => html`<li><b>${modeTitle(game, mode.mode)}:</b> ${mode.features.map((f) => t("h.feature-odds", { feature: featureName(f.name), n: oneIn(f) })).join(", ")}</li>`)}</ul>` : null}
		${game.jackpot ? html`<p>${t("h.each-bet-adds", { percent: game.jackpot.contribution_ppm / 10000 })}</p>
			${contributionWords(game, currency).concat(nearWinnerWords()).map((text) => html`<p>${text}</p>`)}` : null}
		${longRunWords(game, exact).map((text) => html`<p>${text}</p>`)}
		<p class="digest quiet">${t("h.definition", { digest: game.math_version, version: game.version })}</p>`;
}

const Paragraphs = ({ title, words }) => html`<h3>${title}</h3>${words.map((text) => html`<p>${text}</p>`)}`;

function Bought({ game, bought }) {
	const words = bought.map((mode) => t("h.bought-mode", { mode: named(mode.name), times: times(mode.price_hundredths), words: modeWords(game, mode) }));
	return html`<${Paragraphs} title=${t("h.bought")} words=${[...words, t("h.bought-wins"), t(bought.some((mode) => mode.one_spin) ? "h.bought-once" : "h.bought-stays")]} />`;
}

// All rules of a game. `children`: what the player may choose here.
export function Rules({ game, bet, currency, figures, children }) {
	const bought = game.modes.filter(isBought);
	const { autoplay } = game;
	return html`<p>${t("h.grid", { reels: game.reels, rows: game.rows })} ${t(game.lines_min === game.lines_max ? "h.lines-fixed" : "h.lines-chosen", { least: game.lines_min, most: game.lines_max })} ${t("h.total-bet", { amount: money(totalBet(bet), currency) })} ${t("h.basics")}</p>
		<h3>${t("h.symbols")}</h3><div class="symbols">${game.symbols.map((symbol, i) => html`<${SymbolRow} key=${symbol.id} game=${game} symbol=${symbol} index=${i} bet=${bet} currency=${currency} />`)}</div>
		${children}
		${FEATURES.filter(([kind]) => has(game, kind)).map(([kind, title, words]) => html`<${Paragraphs} key=${kind} title=${t(title)} words=${words(game, game[kind])} />`)}
		${bought.length ? html`<${Bought} game=${game} bought=${bought} />` : null}
		${game.gamble ? html`<${Paragraphs} title=${t("h.gamble")} words=${gambleWords(game, currency)} />` : null}
		${game.cards?.eligible ? html`<${Paragraphs} title=${t("cards.name")} words=${cardsWords({ game, currency, price: priceOf(bet, modeOf(game, bet.mode)) })} />` : null}
		${autoplay ? html`<${Paragraphs} title=${t("autospin")} words=${[t("h.autospin", { most: autoplay.spins_max, loss: t(`h.loss.${autoplay.loss_limit_stops}`), single: t(`h.single.${autoplay.single_win_stops}`) })]} />` : null}
		<h3>${t("lines")}</h3><div class="paylines">${game.lines.map((rows, i) => html`<${Line} key=${i} game=${game} rows=${rows} number=${i + 1} />`)}</div>
		<${Figures} game=${game} figures=${figures} currency=${currency} />
		<h3>${t("h.fairness")}</h3><p>${t("h.fairness-words")}</p><p>${t("h.left", { hours: game.resolve_after_hours })}</p>
		<h3>${t("h.keyboard")}</h3><p>${t("h.keyboard-words")}</p>`;
}

// What the counters above the reels are, and what wins them.
export function JackpotsWindow({ state: { game, bet, currency = "EUR" }, close }) {
	const { progressive_symbols: symbols } = game;
	const won = symbols ? `${progressiveWords(symbols, `${symbols.count} × ${nameOf(game, symbols.symbol)}`)}.` : t("jackpots.vials");
	return html`<${Dialog} id="jackpotswindow" title=${t("jackpots")} close=${close}>
		${game.jackpot ? html`<${Paragraphs} title=${t("p.progressive")} words=${[won, t("h.each-bet-adds", { percent: game.jackpot.contribution_ppm / 10000 }), nearWinnerWords()]} />` : null}
		${game.cards?.eligible ? html`<${Paragraphs} title=${t("cards.name")} words=${cardsWords({ game, currency, price: priceOf(bet, modeOf(game, bet.mode)) }).slice(0, CARDS_TOLD)} />` : null}<//>`;
}

// RULE bewitched 8.4, 8.7, RULE mona-lisa 7.4, 7.7: a separate window with a button that closes it; the same rules have a page of their own.
export function Help({ app, game, bet, currency, figures, close }) {
	const dialog = useRef(null);
	useLayoutEffect(() => { dialog.current.showModal(); }, []);
	return html`<dialog class="help" id="help" ref=${dialog} onClose=${close} aria-label=${t("h.rules-of", { game: named(game.name) })}><div class="helphead"><h2>${t("h.rules-of", { game: named(game.name) })}</h2><button id="help-close" class="main" onClick=${() => dialog.current.close()}>${t("h.back")}</button></div>
		<div class="helpbody"><p><a href="/rules/${game.id}/" target="_blank" rel="noreferrer">${t("h.own-page")}</a></p><${Rules} game=${game} bet=${bet} currency=${currency} figures=${figures}><${Witch} app=${app} id="witch-here" /><//></div></dialog>`;
}
