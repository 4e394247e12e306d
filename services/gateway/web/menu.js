// The menu: what is not needed for each spin. RULE witch-feature 9.2, 9.5
import { html, useState } from "/vendor/htm-preact.js";
import { Dialog } from "/dialog.js";
import { Icon } from "/icons.js";
import { launch, mayPay, openCashier } from "/launch.js";
import { LANGUAGES, chooseLanguage, language, t } from "/lang.js";
import { sound } from "/sound.js";

// RULE bewitched 8.6, RULE mona-lisa 7.6, RULE mystic-gem 8.7: Escape leaves full screen.
const fullScreen = () => document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen().catch(() => {});

// RULE bewitched 8.3, RULE mona-lisa 7.3, RULE witch-feature 9.3: effects and music have a volume each; both are off until the player turns them on.
function Sounds() {
	const [volumes, put] = useState(sound.settings());
	const set = (name) => (event) => put(sound.settings({ [name]: Number(event.target.value) / 100 }));
	return html`<div class="volumes">${["effects", "music"].map((name) => html`<label for="sound-${name}">${t(`sound.${name}`)}<input type="range" id="sound-${name}" min="0" max="100" step="5" value=${Math.round(100 * (volumes[name]))} aria-valuetext=${volumes[name] ? undefined : t("off")} onInput=${set(name)} /></label>`)}</div>`;
}

// Whether live events arrive: a green dot while they do, else words.
export const Feed = ({ feed }) => html`<span id="feed" class=${feed === "live" ? "feed live" : "feed"} title=${t(`feed.${feed.replaceAll(" ", "-")}`)}><span>${t(`feed.${feed.replaceAll(" ", "-")}`)}</span></span>`;

// All sound at once, on the game's own screen.
export function SoundButton() {
	const [, put] = useState(null);
	const volumes = sound.settings(); // the menu may have changed them
	const on = Boolean(volumes.effects || volumes.music);
	const flip = () => put(sound.settings({ effects: on ? 0 : 0.7, music: on ? 0 : 0.7 }));
	return html`<button type="button" id="sound" class="icon" aria-label=${t("sound.all")} aria-pressed=${on} onClick=${flip}><${Icon} name=${on ? "sound" : "mute"} /></button>`;
}

export function Menu({ app, close }) {
	const { dispatch, state } = app;
	const open = (name) => () => dispatch({ type: "window", name });
	const choose = async (event) => {
		await chooseLanguage(event.target.value);
		dispatch({ type: "words" });
	};
	return html`<${Dialog} id="menuwindow" title=${t("menu")} close=${close}>
		<div class="menulist"><button id="menu-round" class="unlesswide" onClick=${open("round")}>${t("this-round")}</button><button id="menu-rules" onClick=${open("rules")}>${t("rules-and-paytable")}</button>${state.game.jackpot || state.game.cards?.eligible ? html`<button id="menu-jackpots" onClick=${open("jackpots")}>${t("jackpots")}</button>` : null}
		${state.token ? html`<button id="menu-history" onClick=${open("history")}>${t("history")}</button><button id="menu-session" onClick=${open("session")}>${t("session")}</button><button id="menu-limits" onClick=${open("limits")}>${t("limits")}</button>` : null}${state.token && !launch ? html`<button id="menu-logout" onClick=${() => { close(); app.logout(false); }}>${t("logout")}</button>` : null}${mayPay() ? html`<button id="menu-cashier" onClick=${() => { close(); openCashier(); }}>${t("cashier")}</button>` : null}<button id="full" onClick=${() => { close(); fullScreen(); }}>${t("full-screen")}</button></div>
		<${Sounds} />
		<div class="picker"><label for="language">${t("language")}</label><select id="language" value=${language()} onChange=${choose}>${LANGUAGES.map(([code, name]) => html`<option key=${code} value=${code}>${name}</option>`)}</select></div><//>`;
}
