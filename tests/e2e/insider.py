#!/usr/bin/env python3
"""An attacker inside: holds the passwords and keys of one service after the other, and tries what the others may do. Each try is refused, found by the proof
of the ledger, or it is one that docs/security.md names among what remains. Prints the table of tries and results."""
import glob
import hashlib
import os
import re
import subprocess

import forged
import roles
import users
from lib_bus import DEAF, MAY, Insider, Target, refused as counted
from lib_insider import Tries, token
from lib_play import RULES, Person, Socket, force, operator
from lib_raw import envelope, field, raw
from lib_stack import BIN, PSQL, ROOT, Installation, eventually, read_text, run
from roles import SERVICES, kafka_granted, kafka_tool, kafka_tried

POOL, EUR, SILENT = 1, 978, 10  # a provider says nothing to an amount that ends so (tests/support/payment-stub)
place = person = None
table = Tries()

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
                "approve a void with its jackpot": "update gateway.void_request set status = 'approved'",
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


def refused(said):
    return "permission denied" in said or "must be" in said or "row-level security" in said


def test_nobody_changes_the_truth():
    shard, seq, day = place.sql(f"select shard, seq, to_char(day, 'YYYYMMDD') from wallet.journal where player = {person.id} and kind = 2 order by seq limit 1")[0]
    for service in SERVICES:
        tries = {what: sql.format(player=person.id, shard=shard, seq=seq, leaf=f"journal_{shard}_{day}") for what, sql in EVERYBODY.items()}
        for what, said in as_service(service, tries).items():
            table.refused(service, what, said)
            assert refused(said), (service, what, said)


def test_nobody_does_the_work_of_others():
    for service in SERVICES:
        for owner, tries in OWN.items():
            for what, said in as_service(service, {what: sql.format() for what, sql in tries.items()}).items():
                if service == owner:
                    assert not refused(said), (service, what, said)  # or the try shows nothing about the others
                    continue
                table.refused(service, what, said)
                assert refused(said), (service, what, said)


def test_nobody_takes_the_place_of_another():
    for service in SERVICES:
        others = [other for other in SERVICES if other != service]
        registered = as_service(service, {o: f"insert into carillon.instance (name, service, nn_url, pid) values ('{o}-9', '{o}', 'tcp://127.0.0.1:1', 1)" for o in others})
        taken = as_service(service, {o: f"with t as (update carillon.shard set epoch = epoch + 1, owner = 'me' where service = '{o}' returning 1) select 1 / count(*) from t" for o in others})
        for other in others:
            table.refused(service, f"register as {other}", registered[other])
            table.refused(service, f"take the shards of {other}", taken[other])
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
        table.refused(service, "log in to Postgres as another", "password authentication failed")
    for service in ("gateway", "notifications", "progressive-pool", "jackpot-cards"):
        tries = {"empty Redis": "FLUSHALL", "read Redis's settings": "CONFIG GET *"}
        tries.update({"show another jackpot": "HSET carillon:counters:1 meta x"} if service in ("gateway", "notifications") else {"keep a session awake": "SET carillon:session:x 1"})
        for what, command in tries.items():
            said = place.redis(*command.split(" "), login=service)
            table.refused(service, what, said.strip())
            assert "NOPERM" in said, (service, command, said)


def test_nobody_reads_or_writes_the_topics_of_others():
    granted = kafka_granted()
    topics = sorted({topic for _, _, topic in granted})
    for service in SERVICES:
        if not any(name == service for name, _, _ in granted):
            assert not os.path.exists(f"{place.data}/keys/{service}/kafka")
            table.refused(service, "log in to Kafka", "it has no user there")
            continue
        for (verb, topic), answer in kafka_tried(service, topics).items():
            if (service, verb, topic) not in granted:
                table.refused(service, f"{verb} {topic}", "Kafka's authorizer")
                assert answer == "no", (service, verb, topic, answer)
        other = "wallet" if service != "wallet" else "spin-engine"
        kafka_tool("--keys=keys", f"--user={other}", "--wait=1", login=service, status=1)
        table.refused(service, "set the password of another in Kafka", "Kafka's authorizer")


def found(service, what, sql, undo):
    """Done with the service's own rights, so that nobody refuses it: the proof finds it."""
    dsn = f"host=127.0.0.1 port={place.ports['PG_PORT']} dbname=carillon user=carillon_{service.replace('-', '_')} passfile={place.data}/keys/{service}/pgpass"
    done = subprocess.run([PSQL, "-w", "-d", dsn, "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (service, what, done.stderr)
    status, broken, _ = place.prove()
    subprocess.run([PSQL, "-d", place.stack["CARILLON_PG_ADMIN_DSN"], "-Xqc", f"set session_replication_role = replica; {undo}"], check=True)
    assert status == 1, (service, what)
    point, (one, *_) = min(broken.items())
    table.found(service, what, f"point {point}, {one['where']}: {one['found']}")


def test_own_rights_misused_are_found():
    """The services stand still, so that what is found is what was done here."""
    place.verify()
    place.script(f"{ROOT}/scripts/run.sh", "--stop")
    place.script(f"{ROOT}/scripts/stack.sh", "start")
    try:
        player, shard, balance, seq = place.sql(f"select player, shard, balance, last_seq from wallet.account where player = {person.id}")[0]
        columns = place.sql("select string_agg(attname, ', ' order by attnum) from pg_attribute where attrelid = 'wallet.journal'::regclass and attnum > 0 and not attisdropped")[0][0]
        changed = columns.replace("seq,", "(select max(seq) + 1 from wallet.journal where shard = {0}),".format(shard), 1).replace("balance_after", "balance_after + 100000")
        found("wallet", "book a deposit that nobody made", f"insert into wallet.journal ({columns}) select {changed} from wallet.journal where shard = {shard} and seq = {seq}",
              f"delete from wallet.journal where shard = {shard} and seq > (select max(last_seq) from wallet.batch where shard = {shard})")
        found("wallet", "raise a balance", f"update wallet.account set balance = balance + 100000 where player = {player}", f"update wallet.account set balance = {balance} where player = {player}")
        found("wallet", "leave a total out", "update wallet.tally_total set total = total + 1000000", "update wallet.tally_total set total = total - 1000000")
        found("progressive-pool", "raise a jackpot", "update pool.pool set jp_pool_e27 = jp_pool_e27 + 1000000000000000000000000000 where pool = 1",
              "update pool.pool set jp_pool_e27 = jp_pool_e27 - 1000000000000000000000000000 where pool = 1")
        found("jackpot-cards", "raise a level", "update cards.card_set set jp_pool_e27 = jp_pool_e27 + 1000000000000000000000000000",
              "update cards.card_set set jp_pool_e27 = jp_pool_e27 - 1000000000000000000000000000")
        assert place.prove()[0] == 0
    finally:
        place.start()


# ---- files ----

def secrets(text):
    return {found.lower() for found in re.findall(r"\b[0-9a-fA-F]{64}\b", text)}


def held():
    """(service, file) -> the keys of 32 bytes in it."""
    return {(service, os.path.basename(path)): secrets(read_text(path)) for service in SERVICES for path in glob.glob(f"{place.data}/keys/{service}/*")}


def test_each_folder_has_its_own_keys():
    """A key lies in one folder; those of the bus in the two folders of their pair."""
    keys = held()
    for service in SERVICES:
        mine = set().union(*(of for (owner, _), of in keys.items() if owner == service))
        for (owner, file), of in keys.items():
            if owner == service or file == "bus.keys":
                continue
            table.refused(service, f"find {owner}/{file} in its folder", "not there", len(of))
            assert not of & mine, (service, owner, file)
        for line in read_text(f"{place.data}/keys/{service}/bus.keys").splitlines():
            assert service in line.split()[:2], (service, line.split()[:2])
        table.refused(service, "find a key of the bus between two others", "not there", (len(SERVICES) - 1) ** 2)


def test_nobody_opens_the_files_of_others():
    whose = list(users.objects())
    for service in SERVICES if users.ROOT_RUNS else ():
        answers = users.tried(service, whose)
        others = [answer for (owner, how, _), answer in zip(whose, answers) if owner != service and how != "connect"]
        table.refused(service, "open keys, sockets, memory and files of others", "permission denied (users.py has each)", len(others))
        assert set(others) == {"no"}, (service, others)


def test_tokens_need_the_key_of_the_gateway():
    for service in SERVICES:
        keys = set().union(*(of for (owner, _), of in held().items() if owner == service))
        texts = [token(bytes.fromhex(key), person.name) for key in sorted(keys)]
        answers = [place.http("GET", "/v1/state?game=bewitched", token=text).status for text in texts]
        if service == "gateway":
            assert 200 in answers, "or the try shows nothing about the others"
            continue
        table.refused(service, "make a player's token with each key that it has", "401", len(answers))
        assert set(answers) == {401}, (service, answers)


# ---- the bus ----

BOOKS = ("wallet.journal", "wallet.outside", "wallet.claim", "wallet.hold", "wallet.player_limit", "wallet.spin_grant", "wallet.void", "pool.hit", "pool.operator_action", "pool.transfer_out",
         "pool.transfer_in", "cards.hit", "cards.round", "cards.operator_action", "payments.payout", "payments.alarm", "gateway.revoked", "gateway.audit", "engine.quarantine", "pool.quarantine",
         "cards.quarantine", "carillon.command_death")


def books():
    """All rows of what commands book, priced, decided or stopped."""
    return {name: place.sql(f"select count(*), md5(coalesce(string_agg(t::text, '|' order by t::text), '')) from {name} t")[0] for name in BOOKS}


def target(of=None):
    one = of or person
    one.refresh()
    return Target(place, one, POOL)


def refuse_all(insider, said, tries):
    """Sends what nobody may take. True once each receiver has counted each message as forbidden; False if one did not list us at the time."""
    was = {to: counted(place, to) for to in SERVICES}
    insider.send(*((to, said[what]) for to, what in tries))
    for to in SERVICES:
        n = sum(receiver == to for receiver, _ in tries)
        now = eventually(f"{to} to refuse {n}", lambda to=to, n=n: insider.counted(to, was[to], n), 60)
        rose = {reason: count - was[to].get(reason, 0) for reason, count in now.items() if count != was[to].get(reason, 0)}
        assert set(rose) <= {"forbidden", "unlisted"}, (insider.service, to, rose)
        if "unlisted" in rose and to != DEAF:
            return False
        assert rose == ({"unlisted" if to == DEAF else "forbidden": n} if n else {}), (insider.service, to, n, rose)
    return True


def test_nobody_says_what_others_may():
    """Every kind of message to every service, sealed with the sender's own keys: each that another may say is refused, counted and logged, and books nothing."""
    place.verify()
    before, victim = books(), target()
    said = victim.messages()
    assert set().union(*MAY.values()) <= set(said)
    for service in SERVICES:
        tries = [(to, what) for to in SERVICES for what in said if what not in MAY.get((service, to), ())]
        with Insider(place, service) as insider:
            insider.heard(SERVICES)
            eventually(f"all that {service} says to be refused", lambda: refuse_all(insider, said, tries), 60)
        for what in said:
            n = sum(tried == what for _, tried in tries)
            table.refused(service, f"{what}, on the bus", f"forbidden, counted and logged by {n} of {len(SERVICES)} receivers", n)
        assert books() == before, (service, {name: rows for name, rows in books().items() if rows != before[name]})
    place.verify()


def test_a_gateway_acts_as_operators_and_players():
    """What it may say, without anybody who asked it to."""
    victim = target()
    force(place, person.name, RULES.stops())
    seq = int(place.sql("select max(seq) from wallet.journal")[0][0])

    def rows(kind):
        return place.sql(f"select encode(outside_id, 'hex') from wallet.journal where player = {person.id} and kind = {kind} and refusal = 0 and seq > {seq}")
    with Insider(place, "gateway") as insider:
        insider.heard(("wallet", "spin-engine", "progressive-pool"))
        before = counted(place, "wallet")
        insider.send(("wallet", victim.proposal(person.expect)), ("wallet", victim.award(person.expect - 1)))
        eventually("refusals", lambda: insider.counted("wallet", before, 2), 60)
        insider.send(("wallet", victim.outside(20)), ("spin-engine", victim.bet()), ("progressive-pool", victim.operator(1)))
        deposit = eventually("the deposit", lambda: rows(20), 60)[0][0]
        eventually("the bet", lambda: rows(2), 60)
        eventually("the pause", lambda: place.sql("select 1 from pool.operator_action where actor = 'nobody' and done"), 60)
        insider.send(("progressive-pool", victim.operator(2)))
        eventually("play", lambda: place.sql(f"select 1 from pool.pool where pool = {POOL} and state = 'live'"), 60)
    place.verify()
    ordered = [",".join(row) for row in place.sql("select encode(outside_id, 'hex'), (player >> 48) || '-' || (player & 281474976710655), 'EUR', amount from wallet.journal"
                                                  f" where kind = 20 and refusal = 0 and player >> 48 = 1 and outside_id <> '\\x{deposit}'")]
    status, out, _ = forged.reconcile(ordered)
    assert status == 1 and f"deposit {deposit}: found " in out, (status, out)
    table.remains("gateway", "book a deposit, pause a pool", "acts as an operator")
    table.remains("gateway", "bet with a player's money", "acts as a player")


def test_notifications_requests_rows():
    before, victim = books(), target()
    with Insider(place, "notifications") as insider:
        insider.heard(("wallet",))
        insider.send(*[("wallet", victim.plain(4, field(1, shard) + field(2, 1))) for shard in range(victim.shards)])
    assert books() == before
    table.remains("notifications", "request all rows again", "requests rows again")


def test_the_engine_knows_outcomes_before_the_bet():
    """Its key and the salt of the last row give the next secret. Whoever reads the row without the key, as notifications does on Kafka, has a salt and no secret."""
    person.refresh()
    hidden = {key for (service, _), of in held().items() if service != "spin-engine" for key in of}
    assert hashlib.sha256(person.next_secret()).hexdigest() == person.state["secret_hash"]
    for key in hidden:
        assert hashlib.sha256(person.next_secret(bytes.fromhex(key))).hexdigest() != person.state["secret_hash"]
    table.remains("spin-engine", "compute the next outcome", "computes outcomes")
    table.remains("notifications", "read the row of a round, with its salts", "reads rows that a player has not been shown")
    for service in ("notifications", "wallet"):
        table.refused(service, "compute the next outcome from the salts that it reads", "no key of another service gives the secret", len(hidden))


# ---- false events ----

def test_false_hits_are_announced():
    """Who may write jackpot.facts is believed by what pages show, and by no book."""
    hits = place.sql("select count(*) from pool.hit")[0]
    client = Socket(place.http("GET", "/v1/config").json["events_url"], {"subscribe": ["jackpots", "winners"]})
    client.until(lambda event: event["type"] == "snapshot")
    for number, service in enumerate(("progressive-pool", "jackpot-cards"), 1):
        paid = 777000 + number
        claim = field(4, 100) + field(5, EUR) + field(7, person.id)
        raw(place, "jackpot.facts", envelope(number) + field(2, 70 + number) + field(3, field(1, 1) + field(2, claim) + field(3, paid)), [0], service)
        client.until(lambda event, paid=paid: event["type"] == "winner" and event["paid_minor"] == paid)
        table.remains(service, "announce a hit that nobody made", "announces hits")
    client.close()
    assert place.sql("select count(*) from pool.hit")[0] == hits
    place.verify()


def letter_of(found):
    answer = operator(place, "/dead-letters", None, method="GET")
    return next((letter for letter in answer.json["letters"] if letter["found"] == found), None) if answer.status == 200 else None


def test_dead_letters_are_believed_by_people_alone():
    """People read what anybody has written; a person who sends it again sends it to its writer, and what a writer may tell itself it may tell anyway."""
    victim = target(Person(place))
    before = books()
    writers = [service for service, verb, topic in sorted(kafka_granted()) if (verb, topic) == ("write", "dead.letters")]
    for service in writers:
        raw(place, "dead.letters", envelope() + field(2, b"wallet.facts") + field(5, f"invented by {service}".encode()), [0], service)
        deposit = envelope() + field(2, victim.player) + field(4, field(1, 20) + field(2, os.urandom(16)) + field(3, os.urandom(16)) + field(4, 100000) + field(5, EUR))
        raw(place, "dead.letters", envelope() + field(2, b"wallet.commands") + field(5, f"deposited by {service}".encode()) + field(6, deposit), [0], service)
    for service in writers:
        letter = eventually(f"the letter of {service}", lambda s=service: letter_of(f"deposited by {s}"), 60)
        assert letter["service"] == service and letter["sendable"] == (service == "wallet"), letter
        if service == "wallet":
            continue  # it needs nobody to book a deposit, and the proof finds one
        answer = operator(place, f"/dead-letters/{letter['id']}/send", {"reason": "it looks good"})
        assert answer.status == 409 and answer.error["code"] == "letter_not_sent", answer
        table.refused(service, "let a user send an invented deposit", "the letter is not of the owner of such commands")
    done = subprocess.run([f"{BIN}/kafka-raw", "letters"], cwd=place.data, env={**place.environment, **place.stack}, capture_output=True, text=True, timeout=120, check=True)
    for service in writers:
        assert f"invented by {service}" in done.stdout, (service, done.stdout)
        table.remains(service, "write a dead letter about nothing", "writes dead letters")
    audited = {"gateway.audit": 0}  # with what was refused above
    assert writers and {**books(), **audited} == {**before, **audited}


def test_payments_says_that_a_provider_has_paid():
    victim = target(Person(place, deposit=5000))
    amount = 1000 + SILENT
    hold = victim.person.operator("withdrawals", {"amount_minor": amount, "currency": "EUR"}, status=200).json["id"]
    with Insider(place, "payments") as insider:
        insider.heard(("wallet",))
        insider.send(("wallet", victim.outside(29, amount, field(9, os.urandom(16)))), ("wallet", victim.outside(29, amount, field(9, bytes.fromhex(hold)))))
        eventually("the hold of nobody", lambda: place.sql(f"select 1 from wallet.journal where player = {victim.player} and kind = 29 and refusal = 13"), 60)
        eventually("the payout", lambda: place.sql(f"select 1 from wallet.journal where player = {victim.player} and kind = 29 and refusal = 0"), 60)
    place.verify()
    table.refused("payments", "settle a withdrawal that nobody requested", "the wallet: no such hold")
    table.remains("payments", "settle a withdrawal that was not paid", "says that the provider has paid")


# ---- words that another owner must say ----

known = set()  # breaches of what was tried before


def breached(service, what, point):
    """The proof names something at that point that it did not name before."""
    def new():
        found = {(number, one["where"], one["found"]) for number, some in place.prove()[1].items() for one in some} - known
        return found if any(number == point for number, _, _ in found) else None
    found = eventually(f"the proof to find: {what}", new, 60, 0.3)
    known.update(found)
    _, where, said = min(one for one in found if one[0] == point)
    table.found(service, what, f"point {point}, {where}: {said}")


def open_claim(one):
    """A jackpot drawn while no pool answers."""
    force(place, one.name, forged.JACKPOT)
    one.bet_through(1, 5, 1)
    return int(eventually("the claim", lambda: place.sql(f"select move from wallet.claim where player = {one.id} and closed_seq is null"), 60)[0][0])


def test_jackpots_that_no_pool_priced():
    """Whoever may pay a jackpot pays what it likes to whoever claims one; none without a claim."""
    people = {service: Person(place, deposit=1000) for service in ("progressive-pool", "jackpot-cards")}
    before = place.pid("progressive-pool-1")
    place.hold("progressive-pool-1")
    place.kill("progressive-pool-1")
    moves = {service: open_claim(one) for service, one in people.items()}
    for service, one in people.items():
        victim = target(one)
        with Insider(place, service) as insider:
            insider.heard(("wallet",))
            insider.send(("wallet", victim.award(moves[service], index=7)), ("wallet", victim.award(moves[service], paid=123456, hit=900000 + victim.shard)))
            eventually("the refusal", lambda v=victim: place.sql(f"select 1 from wallet.journal where player = {v.player} and kind = 24 and refusal = 10"), 60)
            eventually("the award", lambda v=victim: place.sql(f"select 1 from wallet.claim where player = {v.player} and paid_minor = 123456"), 60)
        table.refused(service, "pay a jackpot that nobody claimed", "the wallet: no such claim")
        breached(service, "pay a jackpot that no pool priced", 8)
    place.release("progressive-pool-1")
    eventually("the pools", lambda: place.pid("progressive-pool-1") not in (0, before) and counted(place, "progressive-pool") is not None, 60)


def test_a_win_that_was_not_drawn():
    """forged.py tries it in all its parts; here with the credentials of the engine alone."""
    victim = Person(place, deposit=1000)
    _, move, record = forged.win_of(victim)
    proposal = target(victim).proposal(move, 5000, record)
    with Insider(place, "spin-engine") as insider:
        insider.heard(("wallet",))
        insider.send(("wallet", proposal))
        eventually("the win", lambda: place.sql(f"select 1 from wallet.journal where player = {victim.id} and move = {move} and refusal = 0"), 60)
    breached("spin-engine", "book a win that was not drawn", 14)


def test_rows_that_the_wallet_did_not_book():
    """The others believe it: its rows are the truth, and the proof compares them with what it said."""
    one = Person(place)
    one.operator("withdrawals", {"amount_minor": one.balance - 5, "currency": "EUR"}, status=200)
    victim = target(one)
    with Insider(place, "wallet") as insider:
        insider.heard(("progressive-pool", "spin-engine"))
        insider.send(("progressive-pool", victim.claim(one.expect + 5)))
        eventually("the hit", lambda: place.sql(f"select 1 from pool.hit where player = {one.id}"), 60)
        breached("wallet", "claim a jackpot that nobody drew", 8)
        insider.send(("spin-engine", victim.plain(2, victim.fact())))
        eventually("the balance", lambda: one.refresh()["balance_minor"] == 9_000_000_000, 60)
    # Shown, but not there: the bet is the wallet's to book.
    eventually("the refusal", lambda: one.bet(1, 15, 10, status=402), 60)
    table.remains("wallet", "show a balance that is not there", "tells others of rows")
    victim.shard, victim.seq, tally, total = map(int, place.sql(f"select shard, seq, tally, total from wallet.tally_total where tally in (select id from pool.tally where pool = {POOL}) limit 1")[0])
    raw(place, "jackpot.feed", victim.feed(field(4, field(1, tally) + field(2, total + 1_000_000))), [victim.shard_of(POOL)], "wallet")
    breached("wallet", "tell a pool of stakes that nobody placed", 6)


# ---- what remains ----

def test_what_remains_is_named():
    """Each row of the table that this test is to try was tried; remains() has looked each try up there."""
    if os.getuid() != 0:
        table.remains("every service", "read the keys of others", "read the keys of the others")
    table.all_named(os.getuid() == 0)


def test_the_table():
    table.show(SERVICES)


if __name__ == "__main__":
    with Installation("insider") as place:
        place.denials = True
        roles.place = users.place = forged.place = place
        person = Person(place, deposit=100000)
        force(place, person.name, RULES.stops())
        person.bet()
        try:
            run(*[test for name, test in list(globals().items()) if name.startswith("test_")])
        except SystemExit as status:
            if status.code:
                raise
