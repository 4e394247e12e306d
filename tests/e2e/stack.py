#!/usr/bin/env python3
"""The house itself, on real servers: the supervisor, and stacks of Postgres, Redis and Kafka under it: started, killed, stopped, several at
once, on ports that somebody else takes, with servers that are there already. Prints one line a check and "N passed, N failed"."""
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from lib_patience import comes, let_time_pass, time_out

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
SUPERVISOR = f"{ROOT}/build/bin/carillon-supervisor"
results = {"passed": 0, "failed": 0}


def check(text, good, detail=""):
    results["passed" if good else "failed"] += 1
    print(f"{'ok  ' if good else 'FAIL'} {text}{'' if good else ': ' + str(detail)}", flush=True)


def until(condition, seconds=15):
    """The seconds that it took until condition() was true, or None."""
    start = time.monotonic()
    return time.monotonic() - start if comes("what is checked next", condition, seconds, 0.01) else None


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def end(pid):
    if pid:  # 0, of one that waits for its next start, would be everybody in our own group
        os.kill(pid, signal.SIGKILL)


def running(pid):
    try:
        os.kill(pid, 0)
        return "\nState:\tZ" not in read(f"/proc/{pid}/status")
    except (OSError, ValueError):
        return False


def pids(data, name):
    """The programs of one supervisor: name -> pid."""
    rows = [line.split("\t") for line in read(f"{data}/run/{name}.status").splitlines()]
    return {row[0]: int(row[2]) for row in rows if len(row) > 2}


def script(name, *arguments, data, **env):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("CARILLON_") or key == "CARILLON_CACHE"}
    environment.update(CARILLON_DATA=data, CARILLON_KAFKA_JAVA="-XX:TieredStopAtLevel=1", **env)  # it never lives for long
    return subprocess.run([f"{ROOT}/scripts/{name}", *arguments], env=environment, capture_output=True, text=True, timeout=time_out(100), check=False)


def pairs(path):
    return dict(line.split("=", 1) for line in read(path).splitlines() if "=" in line)


# ---- the supervisor --------------------------------------------------------------------------------------------------------------

def start_supervisor(data, text, *options):
    write(f"{data}/set-up.conf", text)
    if os.path.exists(f"{data}/run/set-up.status"):
        os.unlink(f"{data}/run/set-up.status")  # of the supervisor before
    process = subprocess.Popen([SUPERVISOR, f"--dir={data}", *options, "set-up.conf"], stderr=subprocess.PIPE, text=True)
    until(lambda: read(f"{data}/run/set-up.status") != "")
    return process


def test_restart_and_hold(data):
    process = start_supervisor(data, "a : sleep 1000\nb VALUE=\"1 2\" : sh -c \"echo $VALUE; exec sleep 1000\"\n")
    check("the supervisor passes variables on", until(lambda: read(f"{data}/log/b.log") == "1 2\n") is not None)
    first = pids(data, "set-up")["a"]
    os.kill(first, signal.SIGKILL)
    took = until(lambda: pids(data, "set-up").get("a") not in (0, None, first))
    check("a killed program is started again", took is not None)
    if took is not None:
        print(f"note: started again after {took * 1000:.0f} ms")
    os.makedirs(f"{data}/run/hold")
    write(f"{data}/run/hold/a", "")
    end(pids(data, "set-up")["a"])
    check("a held program stays dead", until(lambda: "a\theld" in read(f"{data}/run/set-up.status")) is not None)
    os.unlink(f"{data}/run/hold/a")
    check("and comes back when let go", until(lambda: "a\trunning" in read(f"{data}/run/set-up.status")) is not None)
    other = subprocess.run([SUPERVISOR, f"--dir={data}", "set-up.conf"], capture_output=True, text=True, timeout=time_out(15), check=False)
    check("a second supervisor of the same set-up is refused", other.returncode == 1 and "another supervisor" in other.stderr, other.stderr)
    return process


def test_reload(data, process):
    kept = pids(data, "set-up")["b"]
    gone = pids(data, "set-up")["a"]
    write(f"{data}/set-up.conf", "b VALUE=\"1 2\" : sh -c \"echo $VALUE; exec sleep 1000\"\nc : sleep 1000\n")
    process.send_signal(signal.SIGHUP)
    check("SIGHUP starts what is new", until(lambda: pids(data, "set-up").get("c", 0) > 0) is not None)
    check("SIGHUP stops what is missing", until(lambda: not running(gone) and "a" not in pids(data, "set-up")) is not None)
    check("SIGHUP leaves the others alone", pids(data, "set-up").get("b") == kept)
    write(f"{data}/set-up.conf", "b order=100 : x\n")
    process.send_signal(signal.SIGHUP)
    fault = "line 1: order: found '100', expected a whole number from 0 to 99"
    check("the fault of a wrong set-up is said", any(fault in line for line in iter(process.stderr.readline, "")))
    check("and it changes nothing", running(kept) and pids(data, "set-up").get("b") == kept)
    process.terminate()
    process.communicate(timeout=time_out(15))


def test_stop_order(data):
    mark = f"{data}/order"
    # Each says when it stops; the first takes its time; the last does not listen and has to be killed.
    text = (f"last order=9 grace_ms=300 : sh -c \"trap '' TERM; echo >{mark}.last; while :; do sleep 0.05; done\"\n"
            f"second order=2 : sh -c \"trap 'echo second >>{mark}; exit 0' TERM; echo >{mark}.second; while :; do sleep 0.05; done\"\n"
            f"first order=1 : sh -c \"trap 'sleep 0.3; echo first >>{mark}; exit 0' TERM; echo >{mark}.first; while :; do sleep 0.05; done\"\n")
    process = start_supervisor(data, text)
    check("all of them run", until(lambda: all(os.path.exists(f"{mark}.{name}") for name in ("first", "second", "last"))) is not None)
    stubborn = pids(data, "set-up")["last"]
    process.terminate()
    errors = process.communicate(timeout=time_out(15))[1]
    check("programs are stopped in order", read(mark) == "first\nsecond\n", read(mark))
    check("one that does not stop is killed after its grace", not running(stubborn) and "SIGKILL" in errors, errors)
    process = start_supervisor(data, "orphan : sleep 1000\n")
    child = pids(data, "set-up")["orphan"]
    process.kill()
    process.communicate(timeout=time_out(15))
    check("the children go when the supervisor is killed", until(lambda: not running(child)) is not None)
    process = start_supervisor(data, "bad backoff_ms=100 : /no/such/program\n")
    check("a program that cannot start is tried again and again",
          until(lambda: any(int(line.split("\t")[3]) > 3 for line in read(f"{data}/run/set-up.status").splitlines())) is not None)
    check("and the reason is in its log", "cannot start '/no/such/program'" in read(f"{data}/log/bad.log"))
    process.terminate()
    process.communicate(timeout=time_out(15))


def test_logs_are_bounded(data):
    """A program that never ends writes; its log moves away under it, again and again, and none grows with the run."""
    program = "i=0; while :; do i=$((i + 1)); echo line $i of what it says; sleep 0.002; done"
    process = start_supervisor(data, f"talks : sh -c \"{program}\"\nsilent : sleep 1000\n", "--log-bytes=2048")
    first = pids(data, "set-up")["talks"]
    begins = []

    def older():
        line = read(f"{data}/log/talks.log.1").split("\n")[0]
        if line and line not in begins:
            begins.append(line)
        return len(begins) > 2
    check("a log that is too large moves away, and the one before it goes", until(older) is not None, begins)
    check("the program that writes it goes on", running(first) and pids(data, "set-up")["talks"] == first)
    check("no line is torn at the beginning of a log", all(line.startswith("line ") and line.endswith(" says") for line in begins), begins)
    numbers = [int(line.split()[1]) for line in begins]
    check("each log begins after the one before it", numbers == sorted(numbers), numbers)
    check("there are no more logs than these", sorted(name for name in os.listdir(f"{data}/log") if name.startswith(("talks", "silent"))) == ["silent.log", "talks.log", "talks.log.1"],
          os.listdir(f"{data}/log"))
    process.terminate()
    process.communicate(timeout=time_out(15))
    for wrong in ("0", "many", "-5", "1e6", ""):
        done = subprocess.run([SUPERVISOR, f"--dir={data}", f"--log-bytes={wrong}", "set-up.conf"], capture_output=True, text=True, timeout=time_out(15), check=False)
        check(f"--log-bytes={wrong} is refused", done.returncode == 2 and f"found '{wrong}', expected a number from 1024" in done.stderr, done)


# ---- stacks ----------------------------------------------------------------------------------------------------------------------

def psql(data, sql):
    done = subprocess.run(["/usr/lib/postgresql/15/bin/psql", "-d", pairs(f"{data}/run/stack.env")["CARILLON_PG_DSN"], "-XAtqc", sql],
                          capture_output=True, text=True, timeout=time_out(15), check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def answers(data):
    return script("stack.sh", "status", data=data).returncode == 0


def test_two_stacks(one, two):
    both = [subprocess.Popen([f"{ROOT}/scripts/stack.sh", "start"], stderr=subprocess.PIPE, text=True,
                             env={**os.environ, "CARILLON_DATA": data}) for data in (one, two)]
    errors = [process.communicate(timeout=time_out(100))[1] for process in both]
    check("two stacks start at the same time", all(process.returncode == 0 for process in both), errors)
    check("and both answer", answers(one) and answers(two))
    ports = [line for data in (one, two) for line in pairs(f"{data}/run/ports").values()]
    check("on ports of their own", len(set(ports)) == len(ports) == 8, ports)
    for _ in range(2):
        done = script("topics.sh", data=one)
        check("topics are made, and found again", done.returncode == 0, done.stderr)
    done = script("stack.sh", "start", data=one)
    check("a second start of a running stack changes nothing", done.returncode == 0, done.stderr)


def test_a_start_while_the_supervisor_dies(one):
    """All servers are gone, and their supervisor still seems to run when the start looks."""
    supervisor = int(read(f"{one}/run/stack.pid"))
    os.kill(supervisor, signal.SIGSTOP)
    for pid in pids(one, "stack").values():
        end(pid)
    until(lambda: not any(running(pid) for pid in pids(one, "stack").values()))
    done = []
    thread = threading.Thread(target=lambda: done.append(script("stack.sh", "start", data=one)))
    thread.start()
    let_time_pass(1, "the start looks at the supervisor before it ends")
    end(supervisor)
    thread.join()
    check("a start succeeds though the supervisor that it saw was about to end", done[0].returncode == 0, done[0].stderr)
    check("another supervisor runs", int(read(f"{one}/run/stack.pid")) not in (0, supervisor))
    check("and all servers answer", until(lambda: answers(one), 15) is not None)


def test_kills(one):
    psql(one, "create table kept (n integer); insert into kept values (7)")
    for name, seconds in (("redis", 15), ("postgres", 20), ("kafka", 40)):
        pid = pids(one, "stack").get(name, 0)
        check(f"{name} runs", pid > 0, read(f"{one}/run/stack.status"))
        end(pid)
        until(lambda pid=pid: pid == 0 or not running(pid))  # what answers is another one
        took = until(lambda: answers(one), seconds)
        check(f"{name} answers again after kill -9", took is not None, read(f"{one}/log/{name}.log")[-500:])
        if took is not None:
            print(f"note: {name} answered {took:.1f} s after kill -9")
    check("what was committed is still there", psql(one, "select n from kept") == "7")
    done = script("topics.sh", data=one)
    check("the topics are still there", done.returncode == 0, done.stderr)


def test_stop_and_ports(one, two):
    before = pids(one, "stack")
    done = script("stack.sh", "stop", data=one)
    check("stop ends every server", done.returncode == 0 and not any(running(pid) for pid in before.values()), done.stderr)
    check("and leaves the other stack alone", answers(two))
    port = int(pairs(f"{one}/run/ports")["PG_PORT"])
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", port))
            taken.listen()
        except OSError:
            pass  # an installation beside this one has just chosen it: taken all the same
        done = script("stack.sh", "start", data=one)
        moved = pairs(f"{one}/run/ports")["PG_PORT"]
        check("a port that somebody took is chosen again, and said", done.returncode == 0 and int(moved) != port and str(port) in done.stderr,
              done.stderr)
        check("with the same data", psql(one, "select n from kept") == "7")
        script("stack.sh", "stop", data=one)
        done = script("stack.sh", "start", data=one, CARILLON_PG_PORT=str(port))
        check("a given port that is taken is refused", done.returncode != 0 and f"{port} is taken" in done.stderr, done.stderr)
    for name, value, says in (("CARILLON_PG_PORT", "x", "found 'x', expected a number"),
                              ("CARILLON_KAFKA_PORT", "70000", "found '70000', expected a number"),
                              ("CARILLON_SHARDS", "5", "found 5, expected 4"),
                              ("CARILLON_SHARDS", "0", "found '0', expected a number from 1 to 256"),
                              ("KAFKA", "embedded", "found 'embedded', expected the word none, or no KAFKA at all")):
        done = script("stack.sh", "start", data=one, **{name: value})
        check(f"{name}={value} is refused", done.returncode != 0 and says in done.stderr, done.stderr)


def test_external_servers(two, three):
    env = pairs(f"{two}/run/stack.env")
    addresses = {name: env[name] for name in ("CARILLON_PG_DSN", "CARILLON_REDIS", "CARILLON_KAFKA")}
    addresses.update(CARILLON_REDIS_LOGIN=f"{two}/keys/admin/redis", CARILLON_KAFKA_LOGIN=f"{two}/keys/admin/kafka")
    done = script("stack.sh", "start", data=three, **addresses)
    check("servers whose addresses are given are used", done.returncode == 0 and not os.path.exists(f"{three}/pg"), done.stderr)
    check("and named in stack.env", pairs(f"{three}/run/stack.env")["CARILLON_PG_DSN"] == addresses["CARILLON_PG_DSN"])
    done = script("services.sh", data=three, **addresses)
    told = read(f"{three}/run/supervisor.conf") if done.returncode == 0 else ""
    for name in ("redis", "kafka"):
        copy = f"{three}/keys/wallet/{name}-foreign"
        check(f"each service has the login to that {name} in its own folder", f"CARILLON_{name.upper()}_LOGIN=keys/wallet/{name}-foreign " in told
              and read(copy) == read(f"{two}/keys/admin/{name}") and os.stat(copy).st_uid == os.stat(f"{three}/keys/wallet").st_uid, done.stderr)
    script("stack.sh", "stop", data=three)
    check("and not stopped", answers(two))
    done = script("migrate.sh", data=two)
    check("migrations apply", done.returncode == 0, done.stderr)
    count = psql(two, "select count(*) from carillon.migration")
    done = script("migrate.sh", data=two)
    check("and apply once", done.returncode == 0 and psql(two, "select count(*) from carillon.migration") == count, done.stderr)
    psql(two, "update carillon.migration set digest = 'x' where name = (select min(name) from carillon.migration)")
    done = script("migrate.sh", data=two)
    check("an edited migration is refused", done.returncode != 0 and "was edited after it was applied" in done.stderr, done.stderr)
    done = script("migrate.sh", data=two, CARILLON_KIND="toy")
    check("an unknown kind is refused", done.returncode != 0 and "found 'toy', expected live, demo or test" in done.stderr, done.stderr)


def test_without_kafka(data):
    done = script("stack.sh", "start", data=data, KAFKA="none")
    check("KAFKA=none starts without a broker and says what is missing", done.returncode == 0 and "Missing:" in done.stderr, done.stderr)
    check("none runs", "kafka" not in pids(data, "stack"), pids(data, "stack"))
    check("its address says so", pairs(f"{data}/run/stack.env")["CARILLON_KAFKA"] == "none")
    done = script("stack.sh", "status", data=data)
    check("the status too", done.returncode == 0 and "KAFKA=none" in done.stdout, done.stdout)
    done = script("topics.sh", data=data)
    check("no topics are asked for", done.returncode == 0, done.stderr)
    psql(data, "create table kept (n integer); insert into kept values (8)")
    script("stack.sh", "stop", data=data)
    done = script("stack.sh", "start", data=data)
    check("the same folder starts with Kafka later", done.returncode == 0 and pids(data, "stack").get("kafka", 0) > 0, done.stderr)
    check("with the same data", psql(data, "select n from kept") == "8")


def main():
    subprocess.run(["make", "-s", "-C", ROOT, "build/bin/carillon-supervisor", "build/bin/kafka-topics"], check=True)
    with tempfile.TemporaryDirectory(prefix="carillon-stack-") as folder:
        os.chmod(folder, 0o755)  # Postgres's own user has to reach its data
        places = [f"{folder}/{name}" for name in ("supervisor", "one", "two", "three", "four")]
        for place in places:
            os.mkdir(place)
        supervisor, one, two, three, four = places
        try:
            test_reload(supervisor, test_restart_and_hold(supervisor))
            test_stop_order(supervisor)
            test_logs_are_bounded(supervisor)
            test_two_stacks(one, two)
            test_a_start_while_the_supervisor_dies(one)
            test_kills(one)
            test_stop_and_ports(one, two)
            test_external_servers(two, three)
            test_without_kafka(four)
        finally:
            for place in (one, two, three, four):
                script("stack.sh", "stop", data=place)
    print(f"{results['passed']} passed, {results['failed']} failed")
    return 1 if results["failed"] or not results["passed"] else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started is stopped
    sys.exit(main())
