#!/usr/bin/env python3
"""Requests a second of the edge that the gateway and notifications stand on, with nothing behind it: one connection that is kept, and a thousand, beside
Debian's nginx with one worker that returns the same constant, in turns. CPU microseconds of the server a request. Prints a table and writes
build/bench/http.json.

    http_edge.py [--seconds=N] [--turns=N] [--short | --try]"""
import json
import os
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

from lib_bench import ROOT, bench_options, process_end, result_write
from lib_database import process_cpu

BENCH = f"{ROOT}/build/bin/http-bench"
TICKS = os.sysconf("SC_CLK_TCK")
CONSTANT = '{"constant":true,"balance_minor":100000,"expect":1,"round":null}'


class Edge:
    def __init__(self):
        self.process = subprocess.Popen([BENCH, "server"], stdout=subprocess.PIPE, text=True)
        self.port = json.loads(self.process.stdout.readline())["port"]
        self.pids = [self.process.pid]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        process_end(self.process, f"the server ({type(self).__name__})", stop=True)

    def cpu(self):
        return sum(process_cpu(pid, False) for pid in self.pids) / TICKS


class Nginx(Edge):
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="carillon-nginx-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        with open(f"{self.folder}/nginx.conf", "w", encoding="ascii") as file:
            file.write(f"""daemon off; worker_processes 1; pid {self.folder}/pid; error_log {self.folder}/error.log warn; events {{ worker_connections 4096; }}
http {{ access_log off; keepalive_requests 1000000000; client_body_temp_path {self.folder}/a; proxy_temp_path {self.folder}/b;
fastcgi_temp_path {self.folder}/c; uwsgi_temp_path {self.folder}/d; scgi_temp_path {self.folder}/e;
server {{ listen 127.0.0.1:{self.port} backlog=4096; location = /constant {{ default_type application/json; return 200 '{CONSTANT}'; }} }} }}
""")
        self.process = subprocess.Popen(["/usr/sbin/nginx", "-p", self.folder, "-c", f"{self.folder}/nginx.conf"], stderr=subprocess.DEVNULL)
        end = time.monotonic() + 10
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                break
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    raise SystemExit("nginx does not begin") from None
                time.sleep(0.05)
        self.pids = [int(p) for p in subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=True).stdout.split()]

    def __exit__(self, *_):
        super().__exit__()
        shutil.rmtree(self.folder)


def measure(make, connections, seconds):
    with make() as server:
        before = server.cpu()
        done = subprocess.run([BENCH, "client", str(server.port), str(connections), str(seconds)], capture_output=True, text=True, check=True)
        result = json.loads(done.stdout)
        result["cpu_us"] = 1e6 * (server.cpu() - before) / (result["requests_per_s"] * seconds)
    return result


def main():
    options = bench_options(__doc__, seconds=(5, 2, 1), turns=(5, 1, 1))
    print(f"about {4 * options.turns * (options.seconds + 1)} s", flush=True)
    found = {}
    for _ in range(options.turns):
        for connections in (1, 1000):
            for name, make in (("edge", Edge), ("nginx", Nginx)):
                found.setdefault((name, connections), []).append(measure(make, connections, options.seconds))
    result = {f"{name}_{connections}": {key: round(statistics.median(turn[key] for turn in turns), 2) for key in turns[0]}
              for (name, connections), turns in found.items()}
    print(f"{'requests a second, CPU us of the server each':<46} {'edge':>18} {'nginx':>18} {'ratio':>7}")
    for connections in (1, 1000):
        ours, theirs = result[f"edge_{connections}"], result[f"nginx_{connections}"]
        print(f"{connections:>5} connection{'s kept' if connections > 1 else ' kept':<30} {ours['requests_per_s']:>10.0f} {ours['cpu_us']:>7.1f} "
              f"{theirs['requests_per_s']:>10.0f} {theirs['cpu_us']:>7.1f} {ours['requests_per_s'] / theirs['requests_per_s']:>7.2f}")
    result_write(options, "http", result)


if __name__ == "__main__":
    main()
