#!/usr/bin/env python3
"""Where root starts the stack, each service is a user of its own: what that user may open, to whom it may send, what its process has left to lose. Every user tries
every file of every other one. Where an ordinary user starts it, all services are that user: what only root can try is counted and said."""
import glob
import json
import os
import re
import shutil
import stat
import subprocess
import tempfile

from lib_play import RULES, Person, checking, force
from lib_stack import ROOT, Installation, eventually, read_text, run
from roles import SERVICES

place = None
ROOT_RUNS = os.getuid() == 0
PROGRAMS = ("redis", "kafka", "payment-stub")  # with users of their own, and no keys of ours

# Tries each (how, path) of a JSON list on stdin, and prints what came of each. A folder is searched for anything, and a file opened; a socket is connected to.
TRIES = """
import json, os, socket, sys
def tried(how, path):
    try:
        if how == "connect":
            os.chdir(os.path.dirname(os.path.dirname(path)))
            with socket.socket(socket.AF_UNIX) as stream:
                stream.connect(os.path.relpath(path))
        elif how == "write":
            return "yes" if os.access(path, os.W_OK) else "no"
        elif os.path.isdir(path):
            os.listdir(path)
        else:
            with open(path, "rb", buffering=0) as file:
                if not path.endswith("/mem"):
                    file.read(1)
        return "yes"
    except (PermissionError, FileNotFoundError):
        return "no"
print(json.dumps([tried(how, path) for how, path in json.load(sys.stdin)]))
"""


def process(name):
    """Of a service's first instance, or of a program: its number and what /proc says of it."""
    pid = place.running(f"{name}-1" if name in SERVICES else name)
    return pid, dict(line.split(":\t", 1) for line in read_text(f"/proc/{pid}/status").splitlines() if ":\t" in line)


def sends():
    """service -> those to which it sends, by the set-up."""
    found, service = {}, None
    for line in read_text(f"{ROOT}/deploy/local/services.conf").splitlines():
        words = line.split()
        if words[:1] == ["service"]:
            service, found[words[1]] = words[1], set()
        elif words[:1] == ["sends"]:
            found[service] = set(words[1:])
    return found


def test_sockets_are_open_to_whom_the_permits_name():
    permitted = {}
    for sender, receiver in re.findall(r'^\t\{ "([a-z-]+)", "([a-z-]+)",', read_text(f"{ROOT}/libcommon/service/permit.c"), re.M):
        permitted.setdefault(sender, set()).add(receiver)
    assert permitted == sends(), (permitted, sends())


def test_processes_have_nothing_to_lose():
    users = {}
    for name in (*SERVICES, *PROGRAMS):
        pid, about = process(name)
        user = about["Uid"].split()
        assert len(set(user)) == 1 and about["NoNewPrivs"] == "1", (name, about)
        assert re.search(r"^Max core file size\s+0\s+0 ", read_text(f"/proc/{pid}/limits"), re.M), name
        if name in SERVICES:  # one that is not dumpable belongs to nobody but root
            assert os.stat(f"/proc/{pid}/environ").st_uid != int(user[0]), (name, "is dumpable")
        users.setdefault(user[0], []).append(name)
        assert int(about["CapEff"], 16) == 0 and (not ROOT_RUNS or user[0] != "0"), (name, about)
        assert not ROOT_RUNS or all(int(about[f"Cap{which}"], 16) == 0 for which in ("Inh", "Prm", "Bnd", "Amb")), (name, about)
    assert all(len(names) == 1 for names in users.values()) if ROOT_RUNS else len(users) == 1, users
    assert int(process("postgres")[1]["CapEff"], 16) == 0
    assert not ROOT_RUNS or 'CARILLON_GAMES="code/games"' in read_text(f"{place.data}/run/supervisor.conf")
    # A line for whoever starts it.
    said = place.script(f"{ROOT}/scripts/services.sh").stderr
    assert ("each service runs as a user of its own" if ROOT_RUNS else "all services run as the user") in said, said


def test_containers_have_only_their_own():
    """Each service of deploy/compose.yaml: a user, a secret, a role and a file system of its own."""
    text = read_text(f"{ROOT}/deploy/compose.yaml")
    parts = dict(re.findall(r"^  ([a-z-]+):\n((?:    .*\n)+)", text.split("\nservices:\n")[1], re.M))
    shut = re.search(r"^x-closed: &closed\n((?:  .*\n)+)", text, re.M).group(1)
    assert all(line in shut for line in ("read_only: true", 'security_opt: ["no-new-privileges:true"]', "cap_drop: [ALL]")), shut
    assert set(parts) == {*SERVICES, "postgres", "redis", "kafka", "init"} and all(re.search(r"<<: \*(closed|service)$", part, re.M) for part in parts.values()), parts
    assert "<<: *closed" in text.split("x-service: &service\n")[1].split("\n\n")[0]
    order = re.search(r"^SERVICES=\((.*)\)", read_text(f"{ROOT}/scripts/lib.sh"), re.M).group(1).split()
    for name in SERVICES:
        number, role = 10001 + order.index(name), f"carillon_{name.replace('-', '_')}"
        assert re.findall(r'^    user: "(.*)"$', parts[name], re.M) == [f"{number}:{number}"], name
        assert re.findall(r"^    secrets: (.*)$", parts[name], re.M) == [f"[{{source: {name}, target: /data/keys/{name}}}]"], name
        assert set(re.findall(r"user=(\S+) passfile=(\S+)", parts[name])) == {(role, f"/data/keys/{name}/pgpass")}, name
        assert f'USER {number}:{number}\nCMD ["{name}"]' in read_text(f"{ROOT}/deploy/Dockerfile"), name
        assert re.search(rf'^  {name}: {{file: "\S+/keys/{name}"}}$', text, re.M), name
    assert len(set(re.findall(r'^    user: "(.*)"$', text, re.M))) == len(SERVICES) + 1


def objects():
    """(whose, how, path) of all that belongs to one, and of what is nobody's."""
    for name in SERVICES:
        for path in sorted(glob.glob(f"{place.data}/keys/{name}/*")):
            yield name, "read", path
        for folder in ("keys", "hand", "nn"):
            yield name, "read", f"{place.data}/{folder}/{name}"
        yield name, "connect", f"{place.data}/nn/{name}/{name}-1"
        for file in ("mem", "environ", "maps"):
            yield None, "read", f"/proc/{process(name)[0]}/{file}"
        yield None, "read", f"{place.data}/log/{name}-1.log"
        program = re.search(rf'^{name}-1 .* : "(.*)"$', read_text(f"{place.data}/run/supervisor.conf"), re.M).group(1)
        yield None, "write", os.path.join(place.data, program)
    for folder in ("heads", "heads-copy"):
        yield "wallet", "read", f"{place.data}/{folder}"
        yield "wallet", "write", f"{place.data}/{folder}"
    for name in ("redis", "kafka", "payment-stub"):
        yield name, "read", f"{place.data}/{name}"
    for name in ("owner", "ro", "reports", "archiver"):
        yield None, "read", f"{place.data}/keys/{name}/pgpass"
    for path in ("keys/admin/redis", "run/stack.env", "run/supervisor.conf", "pg/data", "keys", "nn"):
        yield None, "read", f"{place.data}/{path}"
    for path in ("", "keys", "nn", "hand", "run", "log", "code/games"):
        yield None, "write", f"{place.data}/{path}"


def tried(name, whose):
    """What came of each, tried as the user of a service or program."""
    about = process(name)[1]
    user, groups = about["Uid"].split()[0], ",".join(about["Groups"].split())
    done = subprocess.run(["setpriv", "--reuid", user, "--regid", user, "--groups", groups, "--bounding-set=-all", "--inh-caps=-all", "python3", "-ISc", TRIES],
                          input=json.dumps([(how, path) for _, how, path in whose]), capture_output=True, text=True, timeout=120, check=True)
    return json.loads(done.stdout)


def test_nobody_opens_what_is_another_s():
    whose, may_send = list(objects()), sends()
    table, untried = {}, 0
    for name in (*SERVICES, *PROGRAMS):
        if not ROOT_RUNS:
            continue
        for (owner, how, path), found in zip(whose, tried(name, whose)):
            may = owner == name or how == "connect" and owner in may_send.get(name, ())
            table[name, how, path] = found
            assert found == ("yes" if may else "no"), (name, how, path, found, "expected", may)
    if not ROOT_RUNS:
        # What holds among the processes of one user, too.
        for owner, how, path in whose:
            if owner is None and path.startswith("/proc/"):
                assert subprocess.run(["cat", path], capture_output=True, check=False).returncode != 0, path
                table["", how, path] = "no"
        untried = len(whose) * len((*SERVICES, *PROGRAMS))
    print(f"note: {len(table)} tries by {len({name for name, _, _ in table})} users, {sum(found == 'no' for found in table.values())} refused"
          + (f"; not root: {untried} not tried" if untried else ""))
    assert len(table) >= (500 if ROOT_RUNS else 20)


def test_modes_are_closed():
    """Also where all are one user."""
    for name in SERVICES:
        user = int(process(name)[1]["Uid"].split()[0])
        for path, mode in [(f"{place.data}/keys/{name}", 0o700), (f"{place.data}/hand/{name}", 0o700), (f"{place.data}/nn/{name}", 0o2710 if ROOT_RUNS else 0o700),
                           (f"{place.data}/nn/{name}/{name}-1", 0o660), *((path, 0o600) for path in glob.glob(f"{place.data}/keys/{name}/*"))]:
            about = os.stat(path)
            assert (stat.S_IMODE(about.st_mode), about.st_uid) == (mode, user), (path, oct(about.st_mode), about.st_uid)
    assert not glob.glob(f"{place.data}/keys/*.key") and sorted(os.path.basename(p) for p in glob.glob(f"{place.data}/keys/spin-engine/*.key")) == ["spin-engine.key"]


def stopped(name, change, back, says):
    """The service does not start while something is wrong with its keys, and says what; then it plays on."""
    place.deaths.allow(f"{name}-1", [70], "it refuses its keys")
    place.hold(f"{name}-1")
    log, before = f"{place.data}/log/{name}-1.log", place.status()[f"{name}-1"][1]
    try:
        change()
        place.kill(f"{name}-1")
        place.release(f"{name}-1")
        eventually("the reason", lambda: says in read_text(log), 10)
    finally:
        back()
    # One that refuses its keys runs for a moment, but never gets as far as its row.
    eventually(f"{name} again", lambda: place.status()[f"{name}-1"][1] not in (0, before)
               and place.sql(f"select pid from carillon.instance where name = '{name}-1'") == [[str(place.status()[f"{name}-1"][1])]], 20)


def test_a_key_that_others_may_read_is_refused():
    for name, file in (("gateway", "token.key"), ("notifications", "token.key"), ("payments", "payment-provider.key"), ("wallet", "pgpass"), ("spin-engine", "spin-engine.key")):
        path = f"{place.data}/keys/{name}/{file}"
        stopped(name, lambda: os.chmod(path, 0o644), lambda: os.chmod(path, 0o600), f"keys/{name}/{file}: found mode 644, expected 600")
    path = f"{place.data}/keys/payments/link"
    stopped("payments", lambda: os.symlink("/etc/passwd", path), lambda: os.unlink(path), "keys/payments/link: found a link, expected a file")
    if ROOT_RUNS:
        path = f"{place.data}/keys/payments/pgpass"
        user = os.stat(path).st_uid
        stopped("payments", lambda: os.chown(path, user + 1, user + 1), lambda: os.chown(path, user, user), f"keys/payments/pgpass: found the owner {user + 1}, expected {user} or root")
    eventually("the engine", lambda: Person(place), 20)


def refused(*command):
    """What a script says that fails."""
    done = subprocess.run(command, cwd=ROOT, env={**place.scripts, **place.environment}, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode != 0, (command, done)
    return done.stdout + done.stderr


def test_root_does_not_believe_what_a_service_wrote():
    """A service may write the files in its own folder. What root's scripts read there is no statement, no other's key and no other's file."""
    keys, outside = f"{place.data}/keys", f"{place.data}/outside"
    for file, word in (("pgpass", "sql"), ("redis", "redis")):
        path = f"{keys}/notifications/{file}"
        right = read_text(path)
        with open(path, "r+", encoding="utf-8") as text:
            text.truncate()
            text.write(f"*:*:*:carillon_notifications:x'; \\! touch {outside} #\n" if file == "pgpass" else "carillon_notifications x ~* +@all\n")
        said = refused(f"{ROOT}/scripts/roles.sh", word)
        assert f"keys/notifications/{file}: found another password" in said and "touch" not in said, said
        with open(path, "r+", encoding="utf-8") as text:
            text.truncate()
            text.write(right)
    with open(f"{keys}/payments/bus.keys", "a", encoding="utf-8") as file:
        file.write(f"gateway wallet 9 {'ab' * 32} 0\ngateway payments 9 {'cd' * 32} 0\n")
    place.script(f"{ROOT}/scripts/bus-keys.sh", "make")
    gateway = read_text(f"{keys}/gateway/bus.keys")
    assert "gateway payments 9 " in gateway and not any("gateway wallet 9 " in read_text(f"{keys}/{name}/bus.keys") for name in SERVICES)
    for _ in range(2):  # the second leaves out what the first has replaced
        place.script(f"{ROOT}/scripts/bus-keys.sh", "rotate", "0")
    # A link to a folder is replaced, and nothing is put into that folder.
    os.mkdir(outside)
    os.unlink(f"{keys}/notifications/token.key")
    os.symlink(outside, f"{keys}/notifications/token.key")
    place.script(f"{ROOT}/scripts/keys.sh", "make")
    assert not os.listdir(outside) and read_text(f"{keys}/notifications/token.key") == checking(read_text(f"{keys}/gateway/token.key"))
    os.rmdir(outside)
    if ROOT_RUNS:  # a link to what the service itself may not read
        for name, file, command in (("gateway", "token.key", ("token-key.sh", "list")), ("gateway", "token.key", ("keys.sh", "make")),
                                    ("payments", "bus.keys", ("bus-keys.sh", "list")), ("payments", "pgpass", ("roles.sh", "sql"))):
            path = f"{keys}/{name}/{file}"
            os.rename(path, f"{path}.kept")
            os.symlink(f"{keys}/admin/redis", path)
            said = refused(f"{ROOT}/scripts/{command[0]}", *command[1:])
            os.rename(f"{path}.kept", path)
            assert f"{path}: found a file that the owner of its folder cannot read" in said, said
    test_modes_are_closed()


def test_new_keys_belong_to_their_services():
    for command in (("roles.sh", "rotate"), ("bus-keys.sh", "rotate", "1"), ("token-key.sh", "rotate", "1")):
        place.script(f"{ROOT}/scripts/{command[0]}", *command[1:])
    test_modes_are_closed()
    person = eventually("the gateway", lambda: Person(place, deposit=10000), 20)
    person.bet_through(1, 5, 1)


def test_an_older_installation_is_given_its_owners():
    """As an earlier version left it: one folder of keys, one of commands in hand, all of root."""
    person = Person(place, deposit=10000)
    force(place, person.name, RULES.stops(), RULES.stops())
    person.bet_through(1, 5, 1)
    place.stop()
    keys = {}
    for name in SERVICES:
        for path in glob.glob(f"{place.data}/keys/{name}/*.key"):
            if os.path.basename(path) in ("report.key", "webhook.key"):
                continue
            keys[os.path.relpath(path, place.data)] = read_text(path)
            os.replace(path, f"{place.data}/keys/{os.path.basename(path)}")
        for path in glob.glob(f"{place.data}/hand/{name}/*.hand"):
            os.replace(path, f"{place.data}/hand/{os.path.basename(path)}")
        shutil.rmtree(f"{place.data}/nn/{name}")
        os.rmdir(f"{place.data}/hand/{name}")
    os.unlink(f"{place.data}/run/users")
    for folder in ("keys", "hand", "heads", "heads-copy", "redis", "kafka", "payment-stub"):
        for path, _, files in os.walk(f"{place.data}/{folder}"):
            for one in (path, *(os.path.join(path, file) for file in files)):
                os.lchown(one, os.getuid(), os.getgid())
    place.start()
    test_modes_are_closed()
    assert all(read_text(f"{place.data}/{path}") == text for path, text in keys.items()), "another key"
    person.bet_through(1, 5, 1)
    place.verify()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="carillon-closed-") as closed:  # of root alone: services get a copy of what is in it
        shutil.copytree(f"{ROOT}/services/spin-engine/games", f"{closed}/games")
        place = Installation("users")
        place.environment["CARILLON_GAMES"] = f"{closed}/games"
        with place:
            run(*[test for name, test in list(globals().items()) if name.startswith("test_")])
