"""Messages by hand, for what no client may send: protobuf by its wire format, and bytes put on a topic, or sent to the owners of a shard, as they are."""
import subprocess

from lib_stack import BIN


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def field(number, value):
    """A field of a message: a number, or bytes."""
    return varint(number << 3) + varint(value) if isinstance(value, int) else varint(number << 3 | 2) + varint(len(value)) + value


def envelope(seq=0, incarnation=1):
    return field(1, field(1, 1) + field(2, incarnation) + field(3, seq) + field(6, b"test"))


# Who sends what, if nothing else is said.
SENDERS = {"wallet.facts": "wallet", "jackpot.feed": "wallet", "jackpot.facts": "progressive-pool", "dead.letters": "wallet"}


def raw(place, topic, message, partitions=range(4), sender=None):
    """To each partition, where nothing else is said: who does not hold the pool does not heed it. With the keys of the service `sender`."""
    for partition in partitions:
        subprocess.run([f"{BIN}/kafka-raw", "send", topic, str(partition), sender or SENDERS.get(topic, "gateway")], input=message.hex(), text=True, check=True, timeout=20,
                       env={**place.environment, **place.stack}, cwd=place.data)
