// The menu: what is not needed for each spin. RULE witch-feature 9.2, 9.5
import { html, useState } from "/vendor/htm-preact.js";
import { Dialog } from "/dialog.js";
import { LANGUAGES, chooseLanguage, language, t } from "/lang.js";
import { sound } from "/sound.js";

// RULE bewitched 8.6, RULE mona-lisa 7.6, RULE mystic-gem 8.7: Escape leaves full screen.
const fullScreen = () => document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen().catch(() => {});

// RULE bewitched 8.3, RULE mona-lisa 7.3, RULE witch-feature 9.3: effects and music have a switch each; both are off until the player turns them on.
function Sounds() {
	const [volumes, put] = useState(sound.settings());
	const flip = (name) => put(sound.settings({ [name]: volumes[name] ? 0 : 0.7 }) ?? { ...volumes, [name]: volumes[name] ? 0 : 0.7 });
	return html`<div class="choices">${["effects", "music"].map((name) => html`<button id="sound-${name}" aria-pressed=${Boolean(volumes?.[name])} onClick=${() => flip(name)}>${t(`sound.${name}`)}: ${t(volumes?.[name] ? "on" : "off")}</button>`)}</div>`;
}

export function Menu({ app, close }) {
	const { dispatch, state } = app;
	const open = (name) => () => dispatch({ type: "window", name });
	const choose = async (event) => {
		await chooseLanguage(event.target.value);
		dispatch({ type: "words" });
	};
	return html`<${Dialog} id="menuwindow" title=${t("menu")} close=${close}>
		<div class="menulist"><button id="menu-round" onClick=${open("round")}>${t("this-round")}</button><button id="menu-rules" onClick=${open("rules")}>${t("rules-and-paytable")}</button>
		${state.token ? html`<button id="menu-history" onClick=${open("history")}>${t("history")}</button>` : null}<button id="full" onClick=${() => { close(); fullScreen(); }}>${t("full-screen")}</button></div>
		<${Sounds} />
		<div class="picker"><label for="language">${t("language")}</label><select id="language" value=${language()} onChange=${choose}>${LANGUAGES.map(([code, name]) => html`<option key=${code} value=${code}>${name}</option>`)}</select></div><//>`;
}
