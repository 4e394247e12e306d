"""Messages by hand, for what no client may send: protobuf by its wire format, and bytes put on a topic, or sent to the owners of a shard, as they are."""
import os
import subprocess
import time

from lib_patience import time_out
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


def deposit(person, amount, id_=None, schema=1):
    """A WalletCommand as the gateway sends it, in euros."""
    outside = field(1, 20) + field(2, id_ or os.urandom(16)) + field(3, bytes(16)) + field(4, amount) + field(5, 978) + field(7, b"operator-1")
    return field(1, field(1, schema) + field(6, b"gateway-1")) + field(2, person.id) + field(4, outside)


def letter(topic, payload, reason="a test", partition=0, offset=-1):
    """A DeadLetter."""
    return field(1, field(1, 1) + field(4, time.time_ns() // 1000) + field(6, b"test-1")) + field(2, topic.encode()) + field(3, partition) + field(4, offset & (1 << 64) - 1) + field(5, reason.encode()) \
        + field(6, payload)


# Who sends what, if nothing else is said.
SENDERS = {"wallet.facts": "wallet", "jackpot.feed": "wallet", "jackpot.facts": "progressive-pool", "dead.letters": "wallet"}


def raw(place, topic, message, partitions=range(4), sender=None):
    """To each partition, where nothing else is said: who does not hold the pool does not heed it. With the keys of the service `sender`."""
    for partition in partitions:
        subprocess.run([f"{BIN}/kafka-raw", "send", topic, str(partition), sender or SENDERS.get(topic, "gateway")], input=message.hex(), text=True, check=True, timeout=time_out(30),
                       env={**place.environment, **place.stack}, cwd=place.data)
