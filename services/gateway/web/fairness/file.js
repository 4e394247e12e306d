// A round as a file: all that is needed to play it again. The game's page makes it for the fairness page where that one has no session of its own: a
// window that was opened from a game in another site's frame shares nothing with it but the opener.
import { session } from "/kept.js";
import { promiseOf } from "/fairness/promises.js";

const ASKED = "carillon-round"; // the message's name, both ways
const ANSWER_MS = 5000;

// `word` is the message that says it on the fairness page.
const refused = (word) => Object.assign(new Error(word), { word });

async function textOf(path, token) {
	const answer = await fetch(path, { headers: token ? { Authorization: `Bearer ${token}` } : {} });
	const text = await answer.text();
	if (!answer.ok) throw new Error(text.startsWith("{") ? JSON.parse(text).error?.message : `The server answered ${answer.status}.`);
	return text;
}

// The server's answers go into the file as they came: a number of 64 bits would not survive JavaScript.
async function make(round, token) {
	const answer = await textOf(`/v1/rounds/${round}`, token);
	const { round: shown, math_version: version } = JSON.parse(answer);
	if (!shown.closed) throw refused("fair.open-round");
	const definition = await textOf(`/v1/definitions/${version}`);
	const promised = promiseOf(session.get("player"), round);
	return `{"carillon_round":1,"promised":${JSON.stringify(promised)},"answer":${answer.trim()},"definition":${definition.trim()}}`;
}

function askOpener(round) {
	return new Promise((resolve, reject) => {
		const end = (settle, value) => {
			removeEventListener("message", heard);
			clearTimeout(timer);
			settle(value);
		};
		const heard = ({ origin, data }) => {
			if (origin !== location.origin || data?.type !== ASKED || data.round !== round) return;
			if (data.text) end(resolve, data.text);
			else end(reject, data.word ? refused(data.word) : new Error(data.error));
		};
		const timer = setTimeout(() => end(reject, refused("fair.no-session")), ANSWER_MS);
		addEventListener("message", heard);
		window.opener.postMessage({ type: ASKED, round }, location.origin);
	});
}

// The file of a closed round of the player who is logged in here or in the window that opened this one.
export function fileOf(round) {
	const token = session.get("token");
	if (token) return make(round, token);
	return window.opener ? askOpener(round) : Promise.reject(refused("fair.no-session"));
}

// The game's page answers the fairness page that it opened. Only pages of this very origin are heard.
export function answerProver() {
	addEventListener("message", async ({ origin, source, data }) => {
		const token = session.get("token");
		if (origin !== location.origin || source === window || data?.type !== ASKED || !/^[1-9][0-9]*$/.test(data.round)) return;
		const { round } = data;
		const made = token ? make(round, token) : Promise.reject(refused("fair.no-session"));
		const told = await made.then((text) => ({ text }), ({ word, message }) => ({ word, error: message }));
		source?.postMessage({ type: ASKED, round, ...told }, location.origin);
	});
}
