"""A mobile network in front of the gateway: a proxy on this machine that delays and paces what goes through it. What a browser's own tools emulate instead
costs the page a third of its processor time."""
import asyncio
import contextlib
import threading

PIECE = 1400  # bytes that travel together, about a packet
AHEAD = 64  # pieces on their way in a connection and direction


class Link:
    """One direction of the network, shared by all connections: a piece is sent after those before it, and arrives `delay` seconds later."""

    def __init__(self, bits_a_second, delay):
        self.rate, self.delay, self.free = bits_a_second / 8, delay, 0.0

    def arrival(self, now, length):
        self.free = max(now, self.free) + length / self.rate
        return self.free + self.delay


async def carry(reader, writer, link):
    """Copies one direction of a connection through the link, until its end."""
    loop, pieces = asyncio.get_running_loop(), asyncio.Queue(AHEAD)

    async def deliver():
        while (piece := await pieces.get()) is not None:
            at, data = piece
            await asyncio.sleep(at - loop.time())
            writer.write(data)
            await writer.drain()
        writer.close()

    delivery = asyncio.create_task(deliver())
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(PIECE):
            await pieces.put((link.arrival(loop.time(), len(data)), data))
    await pieces.put(None)
    with contextlib.suppress(ConnectionError):
        await delivery


@contextlib.contextmanager
def mobile(gateway, round_trip=0.15, down=1_600_000, up=750_000):
    """Its address, for the time of the block. `gateway`: a port. `round_trip` in seconds, `down` and `up` in bits a second."""
    loop, up_link, down_link = asyncio.new_event_loop(), Link(up, round_trip / 2), Link(down, round_trip / 2)

    async def connected(reader, writer):
        await asyncio.sleep(round_trip)  # the handshake
        to_reader, to_writer = await asyncio.open_connection("127.0.0.1", gateway)
        await asyncio.gather(carry(reader, to_writer, up_link), carry(to_reader, writer, down_link))

    server = loop.run_until_complete(asyncio.start_server(connected, "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        server.close()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()
