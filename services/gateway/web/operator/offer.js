// What the operator offers its players: games, and currencies of new accounts and deposits.
import { html } from "/vendor/htm-preact.js";
import { Act, Panel, REASON, Trouble, time } from "/operator/parts.js";

export const offersGame = (offer, id) => !offer?.games || offer.games.includes(id);

const listed = (list) => list ? list.join(", ") : "all";
const typed = (text) => text.replaceAll(" ", "");

function change(base, offer) {
	return { title: "Change the offer", path: () => base, fields: [
		{ name: "games", label: "Games", value: offer.games?.join(",") ?? "all", example: "bewitched,mona-lisa", help: "all, or ids of games, separated by commas.", most: 999 },
		{ name: "currencies", label: "Currencies", value: offer.currencies?.join(",") ?? "all", example: "EUR,SEK", help: "all, or codes of currencies, separated by commas.", most: 999 }, REASON],
	what: () => "Within two seconds new rounds of other games, and new accounts and deposits in other currencies, are refused. Open rounds can be finished, and every account can be played with and paid out.",
	shows: (now) => html`<p>Games: ${listed(now.games)}. Currencies: ${listed(now.currencies)}.</p>`,
	body: (v) => ({ games: typed(v.games), currencies: typed(v.currencies).toUpperCase().replace(/^ALL$/, "all"), reason: v.reason }) };
}

export function Offer({ operator, offer, may }) {
	const { data } = offer;
	return html`<${Panel} title="What players are offered" id="offer" of=${offer} aside=${may && data ? html`<${Act} key=${data.changed_us} action=${change(`/v1/operators/${operator}/offer`, data)} onDone=${offer.again} />` : null}>
		<${Trouble} state=${offer} />${data ? html`<p>Games: <b>${listed(data.games)}</b>. Currencies: <b>${listed(data.currencies)}</b>.
			${data.changed_us ? html` <small class="quiet">Since ${time(data.changed_us)} by ${data.changed_by}: ${data.reason}</small>` : null}</p>` : null}<//>`;
}
