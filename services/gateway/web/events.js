// Live events over WebSocket: subscribes, resumes the winners at the last offset, and reconnects with growing, jittered pauses. The subscription names
// the current game, because some games refuse the player for some time after a lost connection.

const TOKEN_REFUSED = 4001;
const SESSION_IDLE = 4004;
const LOGGED_OUT = 4005;

export function listen(url, { channels, token, onEvent, onState, onBack, onIdle }) {
	let socket = null;
	let attempt = 0;
	let closed = false;
	let game = null;
	let late = false;
	const positions = {};

	function connect() {
		socket = new WebSocket(url);
		socket.onopen = () => {
			if (attempt) onBack?.();
			attempt = 0;
			late = false;
			onState?.("live");
			const subscribe = { subscribe: channels };
			if (token) Object.assign(subscribe, { token, game });
			if (Object.keys(positions).length) subscribe.resume = positions;
			socket.send(JSON.stringify(subscribe));
		};
		socket.onmessage = ({ data }) => {
			const event = JSON.parse(data);
			const { channel, type, epoch, offset } = event;
			// Old news are said to be old, and go on.
			if ((event.late ?? late) !== late) {
				late = event.late;
				onState?.(late ? "late" : "live");
			}
			if (channel === "winners") positions.winners = { epoch, offset };
			if (type === "balance") positions.player = { epoch, offset };
			onEvent(event);
		};
		socket.onclose = (event) => {
			if (closed) return;
			if ([TOKEN_REFUSED, LOGGED_OUT].includes(event.code)) return onState?.("token refused");
			if (event.code === SESSION_IDLE) return onIdle?.();
			onState?.("reconnecting");
			attempt += 1;
			setTimeout(connect, Math.min(250 * 2 ** attempt, 15000) * (0.5 + Math.random()));
		};
	}

	connect();
	return {
		play(id) {
			game = id;
			if (token && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ subscribe: ["player"], token, game }));
		},
		close() {
			closed = true;
			socket?.close();
		},
	};
}
