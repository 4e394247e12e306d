#!/usr/bin/env python3
"""A winner's event of 200 bytes to ten thousand WebSocket clients: when the first, the median and the last one has it, best and median of twenty. Beside
notifications, in the same run: a plain epoll loop that sends one buffer to all (what the kernel alone costs), and Debian's nginx with nchan. Then: bytes of
the server's memory a connection, what clients who never read cost the others, and a reconnect of all at once, with winners in between, of whom none may be
missed. Prints a table and writes build/bench/broadcast.json.

    broadcast.py [--clients=N] [--rounds=N] [--turns=N] [--short | --try]

--turns: how often each server gets its turn; the figures are of all its turns together."""
import json
import os
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from lib_bench import ROOT, bench_options, process_end, result_write

BENCH = f"{ROOT}/build/bin/broadcast-bench"
NCHAN = "/usr/lib/nginx/modules/ngx_nchan_module.so"
SPARE = 500  # descriptors for what is not a client


class Server:
    """One that prints its port."""

    path, publish, kind = "/v1/events", "/publish", "ours"

    def __init__(self, role):
        self.process = subprocess.Popen([BENCH, role], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pids = [self.process.pid]
        self.port = json.loads(self.process.stdout.readline())["port"]
        if role == "plain":
            self.kind = "bare"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        process_end(self.process, f"the server ({type(self).__name__})", stop=True)

    def memory(self):
        return sum(int(line.split()[1]) * 1024 for pid in self.pids for line in open(f"/proc/{pid}/status", encoding="ascii") if line.startswith("VmRSS"))

    def cpu_ms(self):
        ticks = sum(int(n) for pid in self.pids for n in open(f"/proc/{pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()[11:13])
        return 1e3 * ticks / os.sysconf("SC_CLK_TCK")


class Nchan(Server):
    path, publish, kind = "/sub", "/pub", "bare"

    def __init__(self, clients):
        room = min(2 * clients + SPARE, resource.getrlimit(resource.RLIMIT_NOFILE)[1])  # nginx needs more of them than it has clients
        self.folder = tempfile.mkdtemp(prefix="carillon-nchan-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        with open(f"{self.folder}/nginx.conf", "w", encoding="ascii") as file:
            file.write(f"""load_module {NCHAN};
daemon off; worker_processes 1; worker_rlimit_nofile {room}; pid {self.folder}/pid; error_log {self.folder}/error.log warn;
events {{ worker_connections {room}; multi_accept on; }}
http {{
    access_log off; client_body_temp_path {self.folder}/a; proxy_temp_path {self.folder}/b; fastcgi_temp_path {self.folder}/c; uwsgi_temp_path {self.folder}/d;
    scgi_temp_path {self.folder}/e;
    server {{
        listen 127.0.0.1:{self.port} backlog=4096; keepalive_requests 1000000;
        location = /sub {{ nchan_subscriber websocket; nchan_channel_id one; nchan_subscriber_first_message newest; }}
        location = /pub {{ nchan_publisher http; nchan_channel_id one; nchan_message_buffer_length 5; }}
    }}
}}
""")
        self.process = subprocess.Popen(["/usr/sbin/nginx", "-p", self.folder, "-c", f"{self.folder}/nginx.conf"], stderr=subprocess.PIPE, text=True)
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                break
            except OSError:
                if self.process.poll() is not None:
                    raise SystemExit(f"nginx ended: {self.process.stderr.read()[-2000:]}") from None
                time.sleep(0.05)
        found = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=True)
        self.pids = [int(p) for p in found.stdout.split()]

    def __exit__(self, *_):
        super().__exit__()
        shutil.rmtree(self.folder)


def swarm(server, clients, rounds, silent=0):
    """Connects, measures the rounds, and (notifications, where all read) reconnects all."""
    before = server.memory()
    process = subprocess.Popen([BENCH, "swarm", str(server.port), server.path, server.publish, str(clients), str(silent), str(rounds), server.kind],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    result = {"rounds": []}

    def until(step):
        for line in process.stdout:
            one = json.loads(line)
            if one["step"] == "round":
                result["rounds"].append(one)
            elif one["step"] == "reconnect":
                result["reconnect"] = one
            else:
                assert one["step"] == step, one
                return one
        raise SystemExit(f"the clients ended before '{step}'")

    def go():
        process.stdin.write("\n")
        process.stdin.flush()

    result["connect_ms"] = until("connected")["ms"]
    result["bytes"] = (server.memory() - before) / clients
    cpu = server.cpu_ms()
    go()
    until("rounds")
    result["cpu_ms"] = (server.cpu_ms() - cpu) / rounds
    go()
    until("end")
    process.stdin.close()
    process_end(process, "the clients")
    return result


def together(turns):
    rounds = [r for turn in turns for r in turn["rounds"]]
    out = {}
    for name in ("first_ms", "median_ms", "last_ms"):
        values = [r[name] for r in rounds]
        out[name] = round(statistics.median(values), 2)
        out["best_" + name] = round(min(values), 2)
    out["cpu_ms"] = round(statistics.median(t["cpu_ms"] for t in turns), 2)
    out["bytes_a_connection"] = round(statistics.median(t["bytes"] for t in turns))
    out["connect_ms"] = round(statistics.median(t["connect_ms"] for t in turns))
    return out


def descriptors(clients):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = clients + SPARE
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise SystemExit(f"broadcast: the limit on open files: found {hard}, expected {wanted} for {clients} clients; raise it (ulimit -Hn {wanted}), "
                         "or give --clients=N")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted) if soft != resource.RLIM_INFINITY else soft, hard))


def main():
    options = bench_options(__doc__, clients=(10000, 10000, 500), rounds=(20, 20, 3), turns=(2, 1, 1))
    descriptors(options.clients)
    print(f"about {options.turns * 50} s", flush=True)  # 10,000 clients, 20 events
    turns = {"plain": [], "ours": [], "nchan": []}
    silent = []
    for _ in range(options.turns):
        for name, make in (("plain", lambda: Server("plain")), ("ours", lambda: Server("server")), ("nchan", lambda: Nchan(options.clients))):
            with make() as server:
                turns[name].append(swarm(server, options.clients, options.rounds))
        with Server("server") as server:
            silent.append(swarm(server, options.clients, options.rounds, options.clients // 20))
    found = {name: together(each) for name, each in turns.items()}
    found["ours, 5 % never read"] = together(silent)
    print(f"{options.clients} clients, {options.rounds * options.turns} events; ms from the request to publish: median (best)")
    print(f"{'':<24} {'first':>16} {'median':>18} {'last':>18} {'CPU ms':>8} {'bytes':>7}")
    for name, row in found.items():
        cells = "".join(f"{row[n]:>10.1f} ({row['best_' + n]:>6.1f})" for n in ("first_ms", "median_ms", "last_ms"))
        print(f"{name:<22} {cells} {row['cpu_ms']:>8.1f} {row['bytes_a_connection']:>7}")
    again = max((turn["reconnect"] for turn in turns["ours"]), key=lambda r: r["ms"])
    lost = sum(t["reconnect"][n] for t in turns["ours"] for n in ("missed", "doubled", "unrecovered", "behind"))
    print(f"reconnect of all: {again['ms'] / 1e3:.2f} s; winners missed or told twice: {lost}")
    result_write(options, "broadcast", {"clients": options.clients, "last_ms": found["ours"]["last_ms"], "median_ms": found["ours"]["median_ms"],
                               "best_last_ms": found["ours"]["best_last_ms"], "nchan_last_ms": found["nchan"]["last_ms"],
                               "nchan_best_last_ms": found["nchan"]["best_last_ms"], "plain_last_ms": found["plain"]["last_ms"],
                               "bytes_a_connection": found["ours"]["bytes_a_connection"], "silent_last_ms": found["ours, 5 % never read"]["last_ms"],
                               "reconnect_ms": again["ms"], "lost": lost, "servers": found})


if __name__ == "__main__":
    sys.exit(main())
