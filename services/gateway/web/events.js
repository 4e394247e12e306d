// Live events: subscribes over WebSocket, resumes the winners where it left off, and comes back with growing, jittered pauses.

export function listen(url, { channels, token, onEvent, onState }) {
	let socket = null;
	let attempt = 0;
	let closed = false;
	const positions = {};

	function connect() {
		socket = new WebSocket(url);
		socket.onopen = () => {
			attempt = 0;
			onState?.("live");
			const subscribe = { subscribe: channels };
			if (token) subscribe.token = token;
			if (positions.winners) subscribe.resume = { winners: positions.winners };
			socket.send(JSON.stringify(subscribe));
		};
		socket.onmessage = ({ data }) => {
			const event = JSON.parse(data);
			if (event.channel === "winners") positions.winners = { epoch: event.epoch, offset: event.offset };
			onEvent(event);
		};
		socket.onclose = (event) => {
			if (closed) return;
			if (event.code === 4001) return onState?.("token refused");
			onState?.("reconnecting");
			attempt += 1;
			setTimeout(connect, Math.min(250 * 2 ** attempt, 15000) * (0.5 + Math.random()));
		};
	}

	connect();
	return () => {
		closed = true;
		socket?.close();
	};
}
