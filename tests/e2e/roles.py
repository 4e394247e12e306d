#!/usr/bin/env python3
"""What each role of the database may do: every role, every table, every verb is tried as that role, and compared with the grants.sql beside the migrations;
and what no grants.sql may ever say. Then the doors: passwords, sockets, row security, the users of Redis and of Kafka, new passwords while players play."""
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from lib_outage import kafka_has_all
from lib_patience import time_out
from lib_stack import BIN, PSQL, ROOT, Installation, eventually, pairs, read_text, run

SERVICES = ("wallet", "spin-engine", "progressive-pool", "jackpot-cards", "payments", "notifications", "gateway")
ROLES = [f"carillon_{name.replace('-', '_')}" for name in SERVICES] + ["carillon_reports", "carillon_archiver", "carillon_ro"]
READ_ALL = ("carillon_archiver", "carillon_ro")
VERBS = ("select", "insert", "update", "delete", "truncate")
# Only added to, by anybody: the truth and its proofs.
ADDED_ONLY = ("wallet.journal", "wallet.outside", "wallet.house_leg", "wallet.close_run", "wallet.close", "wallet.close_tally", "wallet.void", "wallet.leaf", "gateway.audit", "gateway.note",
              "pool.hit", "pool.operator_action", "pool.event", "pool.event_fold", "cards.hit", "cards.operator_action", "cards.odds", "cards.set_odds", "cards.terms", "cards.weights",
              "carillon.game", "carillon.fx_rate",
              "carillon.migration", "carillon.installation")
# But for what the archiver folds into a file, which a trigger holds to the fold's row.
FOLDED = {("carillon_archiver", "pool.event"): {"delete"}}
# Orders to the wallet: a close, and a try of a quarantined player.
ORDERS = {("carillon_archiver", "wallet.close_request", "insert"), ("carillon_archiver", "wallet.quarantine", "update")}
SECRET = {("cards.round", "salt"), ("wallet.journal", "record"), ("wallet.carried", "record"), ("wallet.entry", "record"), ("engine.player", "state"), ("engine.game_state", "state")}
place = None


def ask(role, sql):
    """(done, what psql said) of one script as this role."""
    name = role.removeprefix("carillon_").replace("_", "-") if role != "carillon" else "owner"
    dsn = subprocess.run([f"{ROOT}/scripts/roles.sh", "dsn", name], env=place.environment, capture_output=True, text=True, check=True).stdout
    done = subprocess.run([PSQL, "-d", dsn, "-XAtq", "-v", "ON_ERROR_STOP=1"], input=sql, capture_output=True, text=True, timeout=time_out(30), check=False)
    return done.returncode == 0, done.stdout + done.stderr


def split(text):
    """At commas outside parentheses."""
    return [part.strip() for part in re.split(r",(?![^(]*\))", text)]


def granted():
    """role -> table -> verb -> the columns, or True for all of them; and role -> functions."""
    tables, functions = {role: {} for role in ROLES}, {role: set() for role in ROLES}
    for path in [f"{ROOT}/libcommon/io/grants.sql", *glob.glob(f"{ROOT}/services/*/grants.sql")]:
        text = re.sub(r"--.*", "", read_text(path)).replace(":services", ", ".join(ROLES[:len(SERVICES)]))
        for statement in filter(None, (" ".join(s.split()) for s in text.split(";"))):
            verbs, what, roles = re.fullmatch(r"grant (.*?) on (.*) to (.*)", statement).groups()
            for role in split(roles):
                if what.startswith("function "):
                    functions[role].update(split(what.removeprefix("function ")))
                elif not what.startswith(("schema ", "sequence ")):
                    for table in split(what):
                        for verb in split(verbs):
                            name, columns = re.fullmatch(r"(\w+)(?: ?\((.*)\))?", verb).groups()
                            tables[role].setdefault(table, {})[name] = set(split(columns)) if columns else True
    return tables, functions


def relations():
    """table -> its columns; of the journal's leaves one shard and one day stand for all."""
    rows = place.sql("""select n.nspname || '.' || c.relname, string_agg(a.attname, ' ' order by a.attnum) from pg_class c join pg_namespace n on n.oid = c.relnamespace
        join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped where c.relkind in ('r', 'p', 'v')
        and n.nspname in ('carillon', 'wallet', 'pool', 'cards', 'engine', 'payments', 'gateway')
        and c.relname !~ '^journal_([1-9]|0_.*[1-9]$)|^outside_[1-9]' group by 1 order by 1""")
    return {name: columns.split() for name, columns in rows}


def by_column():
    """Tables of which somebody may read or write some columns only: there each column is a cell of its own."""
    expected, _ = granted()
    return {table for role in ROLES for table, verbs in expected[role].items() if any(columns is not True for columns in verbs.values())}


def cells(table, columns):
    """(verb, column or None, SQL that needs this right alone and changes nothing)."""
    for verb in VERBS:
        if verb in ("delete", "truncate"):
            yield verb, None, f"delete from {table} where false" if verb == "delete" else f"truncate {table}"
            continue
        for column in columns:
            yield verb, column, {"select": f'select "{column}" from {table} limit 0', "insert": f'insert into {table} ("{column}") select null where false',
                                 "update": f'update {table} set "{column}" = null where false'}[verb]


def tried(role, tables):
    """(table, verb, column) -> allowed? A refusal for another reason, as that a view cannot be written, counts as refused."""
    single = by_column()
    script, keys = ["set client_min_messages = notice; set default_transaction_read_only = off;"], []
    for table, columns in tables.items():
        for verb, column, sql in cells(table, columns if table in single else columns[-1:]):
            keys.append((table, verb, column))
            script.append(f"""do $try$ begin begin execute $sql${sql}$sql$; raise exception 'allowed' using errcode = 'ZZ001';
                exception when sqlstate 'ZZ001' then raise notice 'yes'; when insufficient_privilege then raise notice 'no';
                when others then raise notice 'other % %', sqlstate, sqlerrm; end; end $try$;""")
    good, said = ask(role, "\n".join(script))
    answers = re.findall(r"NOTICE:  (yes|no|other .*)", said)
    assert good and len(answers) == len(keys), (role, len(answers), len(keys), said[-500:])
    return dict(zip(keys, answers))


# Refused to anybody, before rights are looked at: a number that the system gives, a view that cannot be written.
NOBODY = r"other (428C9|55000|42809)"


def test_every_role_may_do_what_its_grants_say():
    tables, (expected, _) = relations(), granted()
    count, wrong = 0, []
    for role in ROLES:
        unknown = set(expected[role]) - set(tables)
        assert not unknown, (role, unknown)
        for (table, verb, column), answer in tried(role, tables).items():
            right = expected[role].get(table, {}).get(verb, False)
            may = right is True or (right is not False and column in right) or (verb == "select" and role in READ_ALL)
            count += 1
            if answer != ("yes" if may else "no") and not (re.match(NOBODY, answer) and verb in ("insert", "update", "delete", "truncate")):
                wrong.append((role, table, verb, column, answer, "expected", may))
    assert not wrong, wrong[:20]
    print(f"        {len(ROLES)} roles, {len(tables)} tables and views, {count} cells tried")
    assert count > 5000


def test_what_no_grant_may_say():
    """Whatever the files say."""
    expected, functions = granted()
    for role in ROLES:
        for table, verbs in expected[role].items():
            assert "truncate" not in verbs, (role, table)
            assert table not in ADDED_ONLY or not set(verbs) - {"select", "insert"} - FOLDED.get((role, table), set()), (role, table, verbs)
            for verb in ("insert", "update", "delete"):
                if verb in verbs and table.startswith("wallet.") and (role, table, verb) not in ORDERS:
                    assert role == "carillon_wallet", (role, table, verb)
        for hidden, column in SECRET:
            columns = expected[role].get(hidden, {}).get("select")
            if role in ("carillon_gateway", "carillon_notifications", "carillon_reports", "carillon_payments"):
                assert columns is None or (columns is not True and column not in columns), (role, hidden)
        assert role == "carillon_archiver" or not functions[role] & {"wallet.leaf_drop", "wallet.leaf_remove", "wallet.leaf_archived"}, role
    assert expected["carillon_wallet"]["wallet.batch"]["update"] == {"checkpoint"}
    assert expected["carillon_archiver"]["wallet.quarantine"]["update"] == {"released"}
    assert not [role for role in ROLES if "delete" in expected[role].get("wallet.batch", {})]
    assert {t for t, v in expected["carillon_archiver"].items() if set(v) - {"select"}} == {"wallet.close_request", "pool.event_fold", "pool.event", "carillon.command_death",
                                                                                             "wallet.quarantine", "engine.quarantine", "pool.quarantine", "cards.quarantine"}


def test_functions_are_for_whom_they_are_granted():
    _, functions = granted()
    rows = place.sql(f"""select r.rolname, n.nspname || '.' || p.proname from pg_roles r cross join pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where r.rolname in ({', '.join(f"'{role}'" for role in ROLES)}) and n.nspname in ('wallet', 'pool', 'cards', 'engine', 'payments', 'gateway', 'carillon')
        and has_function_privilege(r.oid, p.oid, 'execute')""")
    assert {(role, name) for role, name in rows} == {(role, name) for role in ROLES for name in functions[role]}
    definers = place.sql("""select n.nspname || '.' || p.proname, coalesce(array_to_string(p.proconfig, ' '), '') from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where p.prosecdef and n.nspname not in ('pg_catalog', 'information_schema')""")
    assert definers and all("search_path=pg_catalog, pg_temp" in config for _, config in definers), definers


def test_no_service_owns_or_outranks():
    listed = ", ".join(f"'{role}'" for role in ROLES)
    assert place.sql(f"select rolname from pg_roles where rolname in ({listed}, 'carillon') and (rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or rolreplication)") == []
    assert place.sql(f"select c.oid::regclass from pg_class c join pg_roles r on r.oid = c.relowner where r.rolname in ({listed})") == []
    assert place.sql(f"select n.nspname from pg_namespace n join pg_roles r on r.oid = n.nspowner where r.rolname in ({listed})") == []
    tries = ("create table public.mine (n int)", "create temporary table mine (n int)", "create schema mine", "set role carillon", "alter table wallet.journal disable trigger all",
             "alter role carillon password 'x'", "create function wallet.mine() returns int language sql as 'select 1'", "copy (select 1) to program 'true'")
    for role in ROLES:
        good, said = ask(role, "set default_transaction_read_only = off;" + "".join(f"""do $try$ begin execute $sql${sql}$sql$; raise exception 'allowed: %', $sql${sql}$sql$;
            exception when insufficient_privilege then null; end $try$;""" for sql in tries))
        assert good, (role, said)


def test_a_service_holds_its_own_shards_only():
    before = place.sql("select service, shard, epoch, owner from carillon.shard order by 1, 2")
    for service, role in zip(SERVICES, ROLES):
        good, said = ask(role, f"begin; update carillon.shard set owner = 'me', epoch = epoch where service <> '{service}'; rollback;")
        assert good or service in ("notifications", "gateway"), (role, said)
        seen = ask(role, f"begin; with x as (update carillon.shard set owner = 'me' where service <> '{service}' returning 1) select count(*) from x; rollback;")[1]
        assert seen.strip() == "0" or "permission denied" in seen, (role, seen)
        seen = ask(role, f"begin; with x as (update carillon.instance set nn_url = 'x' where service <> '{service}' returning 1) select count(*) from x; rollback;")[1]
        assert seen.strip() == "0", (role, seen)
        other = "wallet" if service != "wallet" else "payments"
        good, said = ask(role, f"insert into carillon.instance (name, service, nn_url, pid) values ('mine', '{other}', 'x', 1);")
        assert not good and "row-level security" in said, (role, said)
    after = place.sql("select service, shard, epoch, owner from carillon.shard order by 1, 2")
    assert [row[:2] + row[3:] for row in before] == [row[:2] + row[3:] for row in after]


def test_the_database_opens_to_passwords_only():
    port = place.ports["PG_PORT"]
    for dsn, says in ((f"host=127.0.0.1 port={port} dbname=carillon user=carillon_wallet", "no password supplied"),
                      (f"host=127.0.0.1 port={port} dbname=carillon user=carillon_wallet password=x", "password authentication failed"),
                      (f"host=127.0.0.1 port={port} dbname=carillon user=postgres password=x", "pg_hba.conf rejects"),
                      (f"host={place.data}/pg/data port={port} dbname=carillon user=carillon_wallet", "no pg_hba.conf entry")):
        done = subprocess.run([PSQL, "-w", "-d", dsn, "-Xc", "select 1"], capture_output=True, text=True, env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"}, check=False)
        assert done.returncode != 0 and says in done.stderr, (dsn, done.stderr)
    assert place.sql("select count(*) from pg_roles where rolname like 'carillon%' and rolcanlogin") == [["11"]]
    for path, mode in ((f"{place.data}/pg", 0o700), (f"{place.data}/pg/data", 0o700), (f"{place.data}/keys", 0o710 if os.getuid() == 0 else 0o700),
                       *((f"{place.data}/keys/{name}/pgpass", 0o600) for name in ("owner", "ro", "reports", "archiver", *SERVICES))):
        assert os.stat(path).st_mode & 0o777 == mode, (path, oct(os.stat(path).st_mode))
    socket = os.stat(f"{place.data}/pg/data/.s.PGSQL.{port}")
    assert socket.st_mode & 0o777 == 0o700, oct(socket.st_mode)
    passwords = [read_text(f"{place.data}/keys/{name}/pgpass").strip().rsplit(":", 1)[1] for name in ("owner", *SERVICES)]
    told = "".join(read_text(path) for path in [f"{place.data}/run/supervisor.conf", f"{place.data}/run/stack.env", *glob.glob(f"{place.data}/log/*")])
    assert len(set(passwords)) == len(passwords) and not any(password in told for password in passwords)
    for pid in [row[1] for row in place.status().values()]:
        shown = read_text(f"/proc/{pid}/environ") + read_text(f"/proc/{pid}/cmdline")
        assert not any(password in shown for password in passwords)


def test_programs_gain_no_power_and_leave_no_core():
    for name, row in {**place.status(), **place.status("stack")}.items():
        assert re.search(r"^NoNewPrivs:\s+1$", read_text(f"/proc/{row[1]}/status"), re.M), name
        assert re.search(r"^Max core file size\s+0\s+0 ", read_text(f"/proc/{row[1]}/limits"), re.M), name


# What each user of Redis tries, and whether it may.
REDIS = {
    "gateway": {"SET carillon:session:x 1 PX 10": True, "GET carillon:session:x": True, "HGETALL carillon:counters:1": True, "ZSCORE carillon:dropped x": True,
                "HSET carillon:counters:1 meta x": False, "ZADD carillon:dropped 1 x": False, "GET other": False},
    "notifications": {"HGETALL carillon:counters:1": True, "GET carillon:session:x": True, "ZADD carillon:dropped 1 x:y": True, "SET carillon:session:x 1": False,
                      "HSET carillon:counters:1 meta x": False},
    "progressive-pool": {"HSET carillon:counters:60000 meta x": True, "DEL carillon:counters:60000": True, "HGETALL carillon:counters:1": False, "GET carillon:session:x": False,
                         "ZADD carillon:dropped 1 x": False},
    "jackpot-cards": {"HSET carillon:counters:60000 meta x": True, "DEL carillon:counters:60000": True, "SET carillon:session:x 1": False},
}


def test_redis_gives_each_service_its_own():
    for name, tries in REDIS.items():
        for command, may in {**tries, **{refused: False for refused in ("FLUSHALL", "CONFIG GET *", "KEYS *", "ACL LIST", "SHUTDOWN", "EVAL return 0", "MONITOR")}}.items():
            said = place.redis(*command.split(" "), login=name)
            assert ("NOPERM" in said) != may and ("NOPERM" in said or "ERR" not in said), (name, command, said)
    for user, password in (("default", ""), ("default", "x"), ("carillon_gateway", "x")):
        done = subprocess.run(["redis-cli", *(("--user", user, "--pass", password) if password else ()), "-p", place.stack["CARILLON_REDIS"].rsplit(":", 1)[1], "PING"],
                              capture_output=True, text=True, check=False)
        assert "NOAUTH" in done.stdout + done.stderr or "WRONGPASS" in done.stdout + done.stderr, done
    assert all(os.stat(f"{place.data}/{folder}").st_mode & 0o777 == 0o700 for folder in ("redis", "kafka"))
    logins = [f"{place.data}/keys/{name}/redis" for name in ("admin", *REDIS)]
    assert all(os.stat(path).st_mode & 0o777 == 0o600 for path in logins) and len({read_text(path).split()[1] for path in logins}) == len(logins)
    assert not any(read_text(path).split()[1] in read_text(f"{place.data}/redis/users.acl") + read_text(f"{place.data}/run/supervisor.conf") for path in logins)


def test_redis_keeps_transactions_over_a_restart():
    """Redis replays its log as its default user, who may not log in but must have the rights."""
    place.redis("EVAL", "redis.call('set', KEYS[1], 'first') redis.call('set', KEYS[2], 'second')", "2", "kept:1", "kept:2")
    before = place.pid("redis")
    place.kill("redis")

    def is_back():
        try:
            return place.pid("redis") not in (0, None, before) and "PONG" in place.redis("PING")
        except ConnectionError:
            return False
    eventually("Redis", is_back, 30)
    assert place.redis("MGET", "kept:1", "kept:2").split() == ["first", "second"]
    assert "NOPERM" not in read_text(f"{place.data}/log/redis.log")
    place.redis("DEL", "kept:1", "kept:2")


def kafka_tool(*arguments, login="admin", status=0):
    """What kafka-topics says with the login of a service."""
    done = subprocess.run([f"{BIN}/kafka-topics", f"--brokers={place.stack['CARILLON_KAFKA']}", f"--login={login if '/' in login else f'keys/{login}/kafka'}", *arguments],
                          cwd=place.data, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, timeout=time_out(50), check=False)
    assert (done.returncode == 0) == (status == 0), (login, arguments, done)
    return done.stdout + done.stderr


def kafka_granted():
    """{(service, verb, topic)}: the table."""
    done = subprocess.run([f"{BIN}/kafka-topics", "--grants"], capture_output=True, text=True, check=True)
    return {tuple(line.split()) for line in done.stdout.splitlines()}


def kafka_tried(service, topics):
    """{(verb, topic): answer} of each verb, as that service."""
    done = subprocess.run([f"{BIN}/kafka-try", *topics], cwd=place.data, env={"PATH": os.environ["PATH"], "CARILLON_KAFKA": place.stack["CARILLON_KAFKA"],
                          "CARILLON_KAFKA_LOGIN": f"keys/{service}/kafka"}, capture_output=True, text=True, timeout=time_out(300), check=True)
    return {(verb, topic): answer for topic, verb, answer in (line.split(" ", 2) for line in done.stdout.splitlines())}


def test_kafka_gives_each_service_its_own():
    """Every user, every topic, every verb."""
    expected, count = kafka_granted(), 0
    topics = sorted({topic for _, _, topic in expected})
    services = sorted({service for service, _, _ in expected})
    for service in services:
        answers = kafka_tried(service, topics)
        assert len(answers) == 4 * len(topics), answers
        for (verb, topic), answer in answers.items():
            assert answer == ("yes" if (service, verb, topic) in expected else "no"), (service, verb, topic, answer)
            count += 1
    print(f"        {len(services)} users, {len(topics)} topics, {count} cells tried")
    assert {(verb, topic) for service, verb, topic in expected if service == "gateway"} == {("read", "dead.letters")}
    assert not any((verb, topic) == ("read", "dead.letters") for service, verb, topic in expected if service != "gateway")
    for verb in ("create", "delete"):
        assert not any(granted == verb for _, granted, _ in expected)
    # What the table does not have is taken away at the next start, and at each topics.sh.
    assert "takes away" not in place.script(f"{ROOT}/scripts/topics.sh").stdout


def test_kafka_opens_to_passwords_only():
    host, port = place.stack["CARILLON_KAFKA"].rsplit(":", 1)
    for one in (port, place.ports["KAFKA_CONTROLLER_PORT"]):
        with socket.create_connection((host, int(one)), timeout=60) as nobody:  # a request for metadata, by somebody who did not log in
            nobody.sendall(bytes.fromhex("00000015 0003 0001 00000001 0001 78 00000001 0004 74657374".replace(" ", "")))
            try:
                assert nobody.recv(100) == b""
            except ConnectionResetError:
                pass
    wallet = read_text(f"{place.data}/keys/wallet/kafka").split()
    with tempfile.TemporaryDirectory() as folder:
        for user, password in ((wallet[0], "x"), ("carillon_admin", wallet[1]), ("carillon_gateway", wallet[1]), ("broker", wallet[1])):
            with open(f"{folder}/login", "w", encoding="utf-8") as file:
                file.write(f"{user} {password}\n")
            said = kafka_tool("--only-wait", "--wait=1", login=f"{folder}/login", status=1)
            assert f"{folder}/login"[:60] in said and "found the user" in said and "expected" in said, said
        said = kafka_tool("--only-wait", "--wait=1", login=f"{folder}/none", status=1)
        assert "found no readable user and password" in said, said
    # A service sets no passwords, and its own opens no other listener.
    assert "could not be set" in kafka_tool("--keys=keys", "--user=wallet", "--wait=1", login="wallet", status=1)
    # Nor does it choose another's password, or whose file is read, by what it writes into its own folder.
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/wallet")
        shutil.copy(f"{place.data}/keys/payments/kafka", f"{folder}/wallet/kafka")
        assert "found the user 'carillon_payments', expected 'carillon_wallet'" in kafka_tool(f"--keys={folder}", "--user=wallet", "--wait=1", status=1)
        os.unlink(f"{folder}/wallet/kafka")
        os.symlink(f"{place.data}/keys/wallet/kafka", f"{folder}/wallet/kafka")
        assert "found no readable user and password" in kafka_tool(f"--keys={folder}", "--user=wallet", "--wait=1", status=1)
        os.unlink(f"{folder}/wallet/kafka")
        os.mkfifo(f"{folder}/wallet/kafka")
        assert "found no readable user and password" in kafka_tool(f"--keys={folder}", "--user=wallet", "--wait=1", status=1)
    said = kafka_tool(f"--controller={host}:{place.ports['KAFKA_CONTROLLER_PORT']}", "--controller-login=keys/wallet/kafka", "--only-wait", "--wait=1", status=1)
    assert "could not be set" in said, said
    logins = {name: f"{place.data}/keys/{name}/kafka" for name in ("admin", *{service for service, _, _ in kafka_granted()})}
    assert all(os.stat(path).st_mode & 0o777 == 0o600 for path in (*logins.values(), f"{place.data}/kafka/server.properties", f"{place.data}/run/broker.login"))
    passwords = {read_text(path).split()[1] for path in (*logins.values(), f"{place.data}/run/broker.login")}
    assert len(passwords) == len(logins) + 1
    told = "".join(read_text(path) for path in [f"{place.data}/run/supervisor.conf", f"{place.data}/run/stack.conf", f"{place.data}/run/stack.env", *glob.glob(f"{place.data}/log/*")])
    for pid in [row[1] for row in (*place.status().values(), *place.status("stack").values())]:
        told += read_text(f"/proc/{pid}/environ") + read_text(f"/proc/{pid}/cmdline")
    assert not any(password in told for password in passwords)


def readyz(instance):
    address = place.sql(f"select health from carillon.instance where name = '{instance}'")[0][0]
    try:
        with urllib.request.urlopen(f"http://{address}/readyz", timeout=10) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.read().decode()


def test_a_service_with_a_wrong_password_says_so_and_waits():
    path = f"{place.data}/keys/spin-engine/kafka"
    right = read_text(path)
    for wrong, says in (("carillon_spin_engine wrong\n", "found the user carillon_spin_engine, who is refused"), ("", "found no readable user and password")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(wrong)
        place.kill("spin-engine-1")
        eventually("what it is told", lambda: says in readyz("spin-engine-1") and "CARILLON_KAFKA_LOGIN: keys/spin-engine/kafka" in readyz("spin-engine-1"), 30)
        eventually("its log", lambda: says in read_text(f"{place.data}/log/spin-engine-1.log"), 10)
        with open(path, "w", encoding="utf-8") as file:
            file.write(right)
        pid = place.running("spin-engine-1")
        eventually("its log-in", lambda: "CARILLON_KAFKA_LOGIN" not in readyz("spin-engine-1"), 30)
        assert place.running("spin-engine-1") == pid


def test_new_passwords_under_play():
    players = place.players(players=10, seconds=120, think_time=20)  # until finish()
    eventually("some rounds", lambda: players.settled() > 20, 20)
    old = {name: read_text(f"{place.data}/keys/{name}/pgpass") for name in SERVICES}
    users = sorted({service for service, _, _ in kafka_granted()})
    old_kafka = {name: read_text(f"{place.data}/keys/{name}/kafka") for name in users}
    place.script(f"{ROOT}/scripts/roles.sh", "rotate", *SERVICES)
    assert all(read_text(f"{place.data}/keys/{name}/pgpass") != text for name, text in old.items())
    assert ask("carillon_wallet", "select 1")[0] and "PONG" not in place.redis("PING", login="gateway")
    assert all(read_text(f"{place.data}/keys/{name}/kafka") not in ("", text) for name, text in old_kafka.items())
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/login", "w", encoding="utf-8") as file:
            file.write(old_kafka["wallet"])
        assert "who is refused" in kafka_tool("--only-wait", "--wait=1", login=f"{folder}/login", status=1)
    place.kill("redis")
    # Whoever connects anew does so with the new one: a killed wallet, and those whose connections are cut.
    wallet = place.running("wallet-1")
    place.kill("wallet-1")
    place.kill("kafka")
    eventually("another wallet", lambda: place.pid("wallet-1") not in (0, wallet), 20)
    subprocess.run([PSQL, "-d", place.stack["CARILLON_PG_ADMIN_DSN"], "-Xqc", "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'carillon_gateway'"],
                   capture_output=True, check=True)
    booked = players.settled()
    eventually("further rounds", lambda: players.settled() > booked + 20, 20)
    eventually("the gateway's own user in Redis", lambda: "user=carillon_gateway" in place.redis("CLIENT", "LIST"), 10)
    players.finish()
    eventually("all facts in Kafka", lambda: kafka_has_all(place), 60)
    place.verify()
    assert pairs(f"{place.data}/run/stack.env") == place.stack


def test_watch_may_read_what_it_tells():
    """All that carillon-watch tells, and the instances that it lists, with what carillon_ro may read."""
    targets = f"{place.data}/run/targets.json"
    log = f"{place.data}/log/watch.log"
    with open(log, "w", encoding="utf-8") as file:
        watch = subprocess.Popen([f"{BIN}/carillon-watch", "--listen=127.0.0.1:0", f"--targets={targets}", f"--heads={place.data}/heads", f"--keys={place.data}/keys",
                                  f"--disk={place.data}", f"--redis={place.stack['CARILLON_REDIS']}", f"--kafka={place.stack['CARILLON_KAFKA']}", "--every-ms=200"],
                                 env={**os.environ, "CARILLON_PG_RO_DSN": place.stack["CARILLON_PG_RO_DSN"]}, stderr=file)
    try:
        address = eventually("its address", lambda: re.search(r"metrics on ([0-9.:]+)", read_text(log)), 10).group(1)

        def told():
            with urllib.request.urlopen(f"http://{address}/metrics", timeout=60) as answer:
                text = answer.read().decode()
            return all(re.search(line, text, flags=re.M) for line in expected)
        expected = [rf'^carillon_instances{{service="{name}"}} 1$' for name in SERVICES] + [rf"^carillon_{name}_up 1$" for name in ("postgres", "redis", "kafka")] + [
            rf"^{name}(\{{|\b)" for name in ("carillon_watch_read_time_seconds", "carillon_jackpot_reserve_microeuro", "carillon_disk_free_bytes",
                                             "carillon_key_age_seconds", "carillon_ledger_proof_age_seconds", "carillon_fx_rate_age_seconds")]
        eventually("all that carillon-watch tells", told, 20)
        assert sorted(t["labels"]["service"] for t in json.loads(read_text(targets))) == sorted(SERVICES)
    finally:
        watch.terminate()
        watch.wait(time_out(5))


def jackpotctl(*arguments, status=0, **environment):
    done = subprocess.run([f"{BIN}/jackpotctl", *arguments], cwd=place.data, env={**place.environment, **place.stack, **environment}, capture_output=True, text=True, timeout=time_out(30), check=False)
    assert done.returncode == status, (arguments, done)
    return done.stdout + done.stderr


def test_new_keys_of_draws_and_heads_under_play():
    """Both keys are replaced while players play: what was drawn and signed before stays provable, and what comes after needs the new keys."""
    keys = f"{place.data}/keys"
    players = place.players(players=10, seconds=120, think_time=20)  # until finish()
    booked = players.settled()
    eventually("some rounds", lambda: players.settled() > booked + 20, 20)
    with tempfile.TemporaryDirectory() as old:
        for name in ("keys/spin-engine/spin-engine.key", "keys/jackpot-cards/jackpot-cards.key", "heads/wallet-heads.pub"):
            if os.path.exists(f"{place.data}/{name}"):
                shutil.copy(f"{place.data}/{name}", old)
        engine = place.running("spin-engine-1")
        assert "key 2 of the draws" in jackpotctl("keys", "rotate", "draw", "--in", "2")
        assert "key 2 of the heads" in jackpotctl("keys", "rotate", "heads")
        assert "expected 'keys rotate draw'" in jackpotctl("keys", "rotate", "bus", status=2)
        assert os.stat(f"{keys}/spin-engine/spin-engine.key").st_mode & 0o777 == os.stat(f"{keys}/wallet/wallet-heads.key").st_mode & 0o777 == 0o600
        since = int(read_text(f"{keys}/spin-engine/spin-engine.key").splitlines()[-1].split()[2])
        eventually("the key to be known", lambda: place.sql("select count(*) from engine.key") == [["2"]], 20)
        eventually("the key to be used", lambda: time.time() > since, 20)
        booked = players.settled()
        eventually("rounds with the new key", lambda: players.settled() > booked + 200, 60)
        assert place.running("spin-engine-1") == engine
        place.kill("wallet-1", signal.SIGTERM)  # its last heads are signed with the new key
        booked = players.settled()
        eventually("further rounds", lambda: players.settled() > booked + 20, 30)
        players.finish()
        place.verify()
        # With the old keys alone, what came after is not proven.
        broken = {p["point"]: p["breaches"] for p in json.loads(jackpotctl("ledger", "verify", "--json", status=1, CARILLON_KEYS=old))["points"] if not p["ok"]}
        assert set(broken) == {14} and any("no such key" in b["found"] for b in broken[14]), broken
        broken = {p["point"]: p["breaches"] for p in json.loads(jackpotctl("ledger", "verify", "--json", "--no-replay", "--public-key", f"{old}/wallet-heads.pub", status=1))["points"] if not p["ok"]}
        assert set(broken) == {10} and any("another key" in b["found"] for b in broken[10]), broken


if __name__ == "__main__":
    with Installation("roles") as place:
        place.denials = True
        try:
            run(*[test for name, test in list(globals().items()) if name.startswith("test_")])
        except SystemExit as status:
            if status.code:
                raise
