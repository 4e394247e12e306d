// Windows of the page. They are native dialogs: focus stays inside, Escape closes, and focus returns to what opened them.
import { html, useLayoutEffect, useRef } from "/vendor/htm-preact.js";
import { t } from "/lang.js";

export function Dialog({ id, title, close, children, wide }) {
	const dialog = useRef(null);
	useLayoutEffect(() => {
		dialog.current.showModal();
		return () => dialog.current?.close();
	}, []);
	return html`<dialog class="window ${wide ? "wide" : ""}" id=${id} ref=${dialog} aria-label=${title} onCancel=${(event) => { event.preventDefault(); close(); }}>
		<div class="windowhead"><h2>${title}</h2><button class="x" id="${id}-close" aria-label=${t("close")} onClick=${close}>✕</button></div>
		<div class="windowbody">${children}</div></dialog>`;
}

// Asks before money is spent in an unusual way; resolves with the player's answer. `dispatch` shows the question.
export const ask = (dispatch, question) => new Promise((resolve) => {
	const answer = (yes) => {
		dispatch({ type: "ask", question: null });
		resolve(yes);
	};
	dispatch({ type: "ask", question: { ...question, answer } });
});

export function Question({ question }) {
	const { title, words, yes, answer } = question;
	return html`<${Dialog} id="question" title=${title} close=${() => answer(false)}>
		${words.map((text) => html`<p key=${text}>${text}</p>`)}
		<div class="choices"><button id="no" onClick=${() => answer(false)}>${t("cancel")}</button><button id="yes" class="main" onClick=${() => answer(true)}>${yes}</button></div><//>`;
}
