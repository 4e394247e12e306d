// Tells the site around the page, by postMessage, what happens in the game, and hears what that site asks (docs/launch.md).
import { useEffect, useRef } from "/vendor/htm-preact.js";
import { exponentOf } from "/format.js";
import { NAME, framed, tell } from "/launch.js";
import { isWatching, shownMoney } from "/state.js";

const resultOf = (round, currency) => ({ currency, round: round.round, stake_minor: round.stake_minor, win_minor: round.win_minor + (round.jackpots ?? []).reduce((sum, one) => sum + one.paid_minor, 0) });

// The round on the screen while it is not over. One with a win that may be doubled is over once that is collected, which the next bet does too.
const openOf = ({ round, last }) => round && !last && !round.closed ? round : null;

// What changed since `before`, as messages; and what to compare with next time.
function news(before, state) {
	const { round, token, currency } = state;
	const told = [];
	const say = (type, more) => told.push([type, more]);
	if (token && !before.token) say("ready", { player: state.player, currency, digits: exponentOf(currency), balance_minor: state.balance_minor });
	if (!token && before.token) say("session_ended");
	if (state.spinning && !before.spinning) say("round_begun", { currency, stake_minor: state.paying?.price ?? 0 });
	const { balance } = shownMoney(state);
	if (token && balance !== undefined && balance !== before.balance) say("balance", { currency, digits: exponentOf(currency), balance_minor: balance });
	let { open } = before;
	if (!state.busy) {
		if (open && open.round !== round?.round) say("round_ended", resultOf(open, currency));
		if (round?.closed && !state.last && round.round !== before.closed) say("round_ended", resultOf(round, currency));
		open = openOf(state);
	}
	if (state.message?.limit && state.message !== before.message) say("limit_reached", { limit: state.message.limit });
	const closed = state.busy ? before.closed : round?.closed ? round.round : before.closed;
	return { told, next: { token, balance, open, closed, spinning: state.spinning, message: state.message } };
}

// The site around may stop autospin, and have the balance read again after its cashier.
export function useHost({ state, latest, dispatch, rejoin }) {
	const before = useRef({ token: null });
	const stale = useRef(false); // asked to read the balance while a move was under way
	const refresh = () => {
		if (!stale.current || !latest.current.token || latest.current.busy) return;
		stale.current = false;
		rejoin(0);
	};
	useEffect(refresh, [state.busy, state.token]);
	useEffect(() => {
		if (!framed) return undefined;
		const heard = ({ source, data }) => {
			if (source !== window.parent || data?.target !== NAME) return;
			if (data.type === "stop") dispatch({ type: "autospin", spins: 0 });
			if (data.type !== "refresh") return;
			stale.current = true;
			refresh();
		};
		addEventListener("message", heard);
		return () => removeEventListener("message", heard);
	}, []);
	useEffect(() => {
		if (!framed || !state.game) return;
		const { told, next } = news(before.current, state);
		before.current = next;
		for (const [type, more] of told) tell(type, more);
	});
}
