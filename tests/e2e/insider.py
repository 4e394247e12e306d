#!/usr/bin/env python3
"""An attacker inside: holds the passwords and keys of one service after the other, and tries what the others may do. Each try is refused, found by the proof
of the ledger, or it is one that docs/security.md names among what remains. Prints the table of tries and results."""
import os
import re
import subprocess

import roles
from lib_play import RULES, Person, force
from lib_stack import BIN, PSQL, ROOT, Installation, read_text, run
from roles import SERVICES, kafka_granted, kafka_tool, kafka_tried

place = person = None
table = []  # (service, what was tried, what came of it)
REMAINS = " ".join(read_text(f"{ROOT}/docs/security.md").split())

# Whoever it is: the journal and its proofs, the powers of others, the machine. SQL with {player}, {shard}, {seq} of a booked bet.
EVERYBODY = {
    "rewrite a booked win": "update wallet.journal set win_balance = win_balance + 1000000 where shard = {shard} and seq = {seq}",
    "delete a lost bet": "delete from wallet.journal where shard = {shard} and seq = {seq}",
    "empty the journal": "truncate wallet.journal",
    "rewrite a partition of the journal": "update wallet.{leaf} set win_balance = 1",
    "replace a digest": "update wallet.batch set digest = '\\x00'",
    "rewrite a leg": "update wallet.house_leg set amount = 0",
    "erase the audit log": "delete from gateway.audit",
    "rewrite the audit log": "update gateway.audit set actor = 'nobody'",
    "drop a day": "select wallet.leaf_drop({shard}, current_date)",
    "remove a table of the journal": "drop table wallet.journal cascade",
    "switch triggers off": "alter table pool.event disable trigger all",
    "become the owner": "set role carillon",
    "read a password's hash": "select * from pg_authid",
    "read a file of the server": "select pg_read_file('/etc/passwd')",
    "run a program on the server": "copy (select 1) to program 'id'",
    "plant a function": "create function wallet.rows_mine() returns int language sql as 'select 1'",
    "change the installation's kind": "update carillon.installation set kind = 'test'",
    "forge a definition": "update carillon.game set demo = false",
    "set a rate alone": "insert into carillon.fx_rate (currency, rate_nano) values (752, 1)",
    "rewrite a hit": "update pool.hit set paid_minor = paid_minor * 10",
    "rewrite a hit of cards": "update cards.hit set paid_minor = paid_minor * 10",
    "approve for another operator": "update gateway.fx_request set status = 'set'",
    "approve an amount past its function": "update gateway.amount_request set status = 'approved'",
}
# What is one service's own work, and must be nobody else's.
OWN = {
    "wallet": {"book a deposit": "insert into wallet.journal (shard) values (0)", "raise a balance": "update wallet.account set balance = balance + 1",
               "close a claim": "update wallet.claim set paid_minor = 1", "lift a limit": "update wallet.player_limit set state = '{{}}'", "give bonus spins": "update wallet.spin_grant set used = 0",
               "settle a withdrawal": "update wallet.hold set settled = 0", "make a partition": "select wallet.leaves_make(0, current_date, 0)"},
    "spin-engine": {"plant a state of play": "update engine.game_state set state = ''", "read states with salts": "select state from engine.player", "serve a definition": "insert into carillon.game (number) values (1)",
                    "use a forced draw": "update engine.forced_draw set used = null", "start a stopped game": "delete from engine.stopped_game"},
    "progressive-pool": {"raise a jackpot": "update pool.pool set jp_pool_e27 = 0", "raise a row of a jackpot": "update pool.row set r_e27 = 0", "pay a hit": "insert into pool.hit (pool) values (1)",
                         "move money between pools": "insert into pool.transfer_out (pool) values (1)"},
    "jackpot-cards": {"choose the odds": "insert into cards.odds (pool) values (1)", "turn a player's cards": "update cards.round set won = true", "read the salts of card rounds": "select salt from cards.round",
                      "raise a level": "update cards.level set r_e27 = 0"},
    "payments": {"mark a withdrawal as paid": "update payments.payout set outcome = 1", "raise an alarm": "insert into payments.alarm (payout) values ('')", "ask the provider": "select payments.may_ask('')"},
    "notifications": {},
    "gateway": {"write a line of audit": "insert into gateway.audit (operator) values (1)", "ask for a rate": "select gateway.fx_ask(1, null, null, null, null, null, 1, 1, null, null, 1)",
                "decide a withdrawal": "select gateway.decide(null, null, 29, true, null, null, null)", "approve a change of a pool": "update gateway.pool_request set status = 'approved'",
                "approve an amount": "select gateway.amount_decide(1, null, true, null, null, null, null, null)",
                "end a session": "insert into gateway.revoked (player) values (1)", "lift a pause": "update gateway.player set pause = null"},
}
# Reading is part of several services' work.
SHARED = {("jackpot-cards", "read the salts of card rounds"), ("spin-engine", "read states with salts")}


def as_service(service, tries):
    """what -> what Postgres says to the service of each SQL; "done" if it lets it, and then it is undone."""
    dsn = f"host=127.0.0.1 port={place.ports['PG_PORT']} dbname=carillon user=carillon_{service.replace('-', '_')} passfile={place.data}/keys/{service}/pgpass"
    script = "".join(f"do $try$ begin execute $sql${sql}$sql$; raise exception 'done'; exception when others then raise notice 'said %', sqlerrm; end $try$;\n" for sql in tries.values())
    done = subprocess.run([PSQL, "-w", "-d", dsn, "-XAtq", "-v", "ON_ERROR_STOP=1"], input=script, capture_output=True, text=True, timeout=60, check=False)
    said = re.findall(r"NOTICE:  said (.*)", done.stderr)
    assert done.returncode == 0 and len(said) == len(tries), (service, done.stderr[-500:])
    return dict(zip(tries, said))


def told(service, what, result):
    table.append((service, what, result))


def refused(said):
    return "permission denied" in said or "must be" in said or "row-level security" in said


def test_nobody_changes_the_truth():
    shard, seq, day = place.sql(f"select shard, seq, to_char(day, 'YYYYMMDD') from wallet.journal where player = {person.id} and kind = 2 order by seq limit 1")[0]
    for service in SERVICES:
        tries = {what: sql.format(player=person.id, shard=shard, seq=seq, leaf=f"journal_{shard}_{day}") for what, sql in EVERYBODY.items()}
        for what, said in as_service(service, tries).items():
            told(service, what, f"refused: {said}")
            assert refused(said), (service, what, said)


def test_nobody_does_the_work_of_others():
    for service in SERVICES:
        for owner, tries in OWN.items():
            for what, said in as_service(service, {what: sql.format() for what, sql in tries.items()}).items():
                if service == owner:
                    assert not refused(said), (service, what, said)  # or the try shows nothing about the others
                    continue
                told(service, what, f"refused: {said}")
                assert refused(said), (service, what, said)


def test_nobody_takes_the_place_of_another():
    for service in SERVICES:
        others = [other for other in SERVICES if other != service]
        registered = as_service(service, {o: f"insert into carillon.instance (name, service, nn_url, pid) values ('{o}-9', '{o}', 'tcp://127.0.0.1:1', 1)" for o in others})
        taken = as_service(service, {o: f"with t as (update carillon.shard set epoch = epoch + 1, owner = 'me' where service = '{o}' returning 1) select 1 / count(*) from t" for o in others})
        for other in others:
            told(service, f"register as {other}", f"refused: {registered[other]}")
            told(service, f"take the shards of {other}", f"refused: {taken[other]}")
            assert refused(registered[other]), (service, other, registered)
            # Row security shows no row of theirs to change: none is there to be counted.
            assert refused(taken[other]) or taken[other] == "division by zero", (service, other, taken)


def test_passwords_open_one_door():
    for service in SERVICES:
        for other in [s for s in ("wallet", "gateway") if s != service] + ["owner"]:
            user = "carillon" if other == "owner" else f"carillon_{other}"
            dsn = f"host=127.0.0.1 port={place.ports['PG_PORT']} dbname=carillon user={user}"
            password = read_text(f"{place.data}/keys/{service}/pgpass").strip().rsplit(":", 1)[1]
            done = subprocess.run([PSQL, "-w", "-d", dsn, "-Xc", "select 1"], env={**os.environ, "PGPASSWORD": password}, capture_output=True, text=True, check=False)
            assert "password authentication failed" in done.stderr, (service, other, done.stderr)
        told(service, "log in to Postgres as another", "refused: password authentication failed")
    for service in ("gateway", "notifications", "progressive-pool", "jackpot-cards"):
        tries = {"empty Redis": "FLUSHALL", "read Redis's settings": "CONFIG GET *"}
        tries.update({"show another jackpot": "HSET carillon:counters:1 meta x"} if service in ("gateway", "notifications") else {"keep a session awake": "SET carillon:session:x 1"})
        for what, command in tries.items():
            said = place.redis(*command.split(" "), login=service)
            told(service, what, f"refused: {said.strip()}")
            assert "NOPERM" in said, (service, command, said)


def test_nobody_reads_or_writes_the_topics_of_others():
    granted = kafka_granted()
    topics = sorted({topic for _, _, topic in granted})
    for service in SERVICES:
        if not any(name == service for name, _, _ in granted):
            assert not os.path.exists(f"{place.data}/keys/{service}/kafka")
            told(service, "log in to Kafka", "refused: it has no user there")
            continue
        for (verb, topic), answer in kafka_tried(service, topics).items():
            if (service, verb, topic) not in granted:
                told(service, f"{verb} {topic}", "refused: Kafka's authorizer")
                assert answer == "no", (service, verb, topic, answer)
        other = "wallet" if service != "wallet" else "spin-engine"
        kafka_tool("--keys=keys", f"--user={other}", "--wait=1", login=service, status=1)
        told(service, "set the password of another in Kafka", "refused: Kafka's authorizer")


def proof():
    done = subprocess.run([f"{BIN}/jackpotctl", "ledger", "verify", "--json"], cwd=place.data, env={**place.environment, **place.stack}, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, re.sub(r"\s+", " ", done.stdout)


def found(service, what, sql, undo):
    """Done with the service's own rights, so that nobody refuses it: the proof finds it."""
    dsn = f"host=127.0.0.1 port={place.ports['PG_PORT']} dbname=carillon user=carillon_{service.replace('-', '_')} passfile={place.data}/keys/{service}/pgpass"
    done = subprocess.run([PSQL, "-w", "-d", dsn, "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (service, what, done.stderr)
    status, said = proof()
    subprocess.run([PSQL, "-d", place.stack["CARILLON_PG_ADMIN_DSN"], "-Xqc", f"set session_replication_role = replica; {undo}"], check=True)
    assert status == 1, (service, what, said[:500])
    told(service, what, "done, and found by ledger verify")


def test_own_rights_misused_are_found():
    """The services stand still, so that what is found is what was done here."""
    place.verify()
    place.script(f"{ROOT}/scripts/run.sh", "--stop")
    place.script(f"{ROOT}/scripts/stack.sh", "start")
    try:
        player, shard, balance, seq = place.sql(f"select player, shard, balance, last_seq from wallet.account where player = {person.id}")[0]
        columns = place.sql("select string_agg(attname, ', ' order by attnum) from pg_attribute where attrelid = 'wallet.journal'::regclass and attnum > 0 and not attisdropped")[0][0]
        forged = columns.replace("seq,", "(select max(seq) + 1 from wallet.journal where shard = {0}),".format(shard), 1).replace("balance_after", "balance_after + 100000")
        found("wallet", "book a deposit that nobody made", f"insert into wallet.journal ({columns}) select {forged} from wallet.journal where shard = {shard} and seq = {seq}",
              f"delete from wallet.journal where shard = {shard} and seq > (select max(last_seq) from wallet.batch where shard = {shard})")
        found("wallet", "raise a balance", f"update wallet.account set balance = balance + 100000 where player = {player}", f"update wallet.account set balance = {balance} where player = {player}")
        found("wallet", "leave a total out", "update wallet.tally_total set total = total + 1000000", "update wallet.tally_total set total = total - 1000000")
        found("progressive-pool", "raise a jackpot", "update pool.pool set jp_pool_e27 = jp_pool_e27 + 1000000000000000000000000000 where pool = 1",
              "update pool.pool set jp_pool_e27 = jp_pool_e27 - 1000000000000000000000000000 where pool = 1")
        found("jackpot-cards", "raise a level", "update cards.card_set set jp_pool_e27 = jp_pool_e27 + 1000000000000000000000000000",
              "update cards.card_set set jp_pool_e27 = jp_pool_e27 - 1000000000000000000000000000")
        assert proof()[0] == 0
    finally:
        place.start()


# Nobody refuses or finds these: docs/security.md names each by these words.
REMAIN = (("spin-engine", "computes outcomes with the key of the draws"), ("payments", "says that the provider has paid"), ("gateway", "acts as an operator"),
          ("gateway", "acts as a player"), ("notifications", "shows wrong news"), ("wallet", "books a deposit with proofs that fit"))
# Where root starts the services, users.py shows that each file and each process is closed to all others.
if os.getuid() != 0:
    REMAIN += (("every service", "one that was taken over can read the keys of the others"),)


def test_what_remains_is_named():
    for service, what in REMAIN:
        assert what in REMAINS, what
        told(service, what, "remains: docs/security.md")


def test_the_table():
    width = max(len(what) for _, what, _ in table)
    for service, what, result in table:
        print(f"        {service:17} {what:{width}} {result[:90]}")
    print(f"        {len(table)} tries: {sum(r.startswith('refused') for _, _, r in table)} refused, {sum('found' in r for _, _, r in table)} found, "
          f"{sum(r.startswith('remains') for _, _, r in table)} remain")


if __name__ == "__main__":
    with Installation("insider") as place:
        place.denials = True
        roles.place = place
        person = Person(place, deposit=100000)
        force(place, person.name, RULES.stops())
        person.bet()
        try:
            run(*[test for name, test in list(globals().items()) if name.startswith("test_")])
        except SystemExit as status:
            if status.code:
                raise
