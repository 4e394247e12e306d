#!/usr/bin/env python3
"""Jackpot Cards on the real stack: from the round whose end begins them to the payment, with two players on one level, picks that are repeated, early
or wrong, services killed in the middle, a key that is replaced, and the ledger's proof."""
import hashlib
import hmac
import json
import os
import shutil
import struct
import subprocess
import tempfile
import threading
import time

from lib_patience import let_time_pass, time_out
from lib_play import GAME, RULES, Person, Refused, Socket, force
from lib_rules import Stream, stream_key
from lib_stack import BIN, Installation, eventually, read_text, run

SUITS = ["clubs", "diamonds", "hearts", "spades"]
SEEDS = [500, 1000, 2000, 4000]
WEIGHTS = [1, 0, 0, 0]  # one level, so that players meet on it
LOSS, WIN = RULES.stops(), RULES.stops(win=True, bet={"coin_minor": 1, "lines": 1, "coins": 1})  # the cards are another stream's


def sets_folder():
    """Sets whose cards begin with every stake of a euro, half of them at 0.50; in crowns with every one of 10.00."""
    folder = tempfile.mkdtemp(prefix="carillon-sets-", dir=os.environ.get("CARILLON_TEST_TMP", "/tmp"))
    levels = [{"suit": s, "seed_eur_minor": SEEDS[i], "wager_ppm": [2500, 1500, 700, 300][i], "weight": WEIGHTS[i]} for i, s in enumerate(SUITS)]
    with open(f"{folder}/cards.json", "w", encoding="utf-8") as file:
        json.dump({"set": "cards", "set_number": 2, "levels": levels, "odds": {"EUR": {"in": 1, "of": 100}, "SEK": {"in": 1, "of": 1000}}}, file)
    return folder


class CardsInstallation(Installation):
    def __init__(self):
        super().__init__("cards")
        self.sets = sets_folder()
        self.environment.update(CARILLON_CARD_SETS=self.sets)

    def __exit__(self, *rest):
        super().__exit__(*rest)
        shutil.rmtree(self.sets, ignore_errors=True)


def new_player(place, currency="EUR", game=GAME):
    return Person(place, currency=currency, deposit=1000000, game=game)


def stake(person):
    """A bet that surely begins the cards when its round ends: 1.00 EUR or 10.00 SEK."""
    return {"coin": 100, "lines": 1, "coins": 1} if person.state["currency"] == "EUR" else {"coin": 1000, "lines": 1, "coins": 1}


def finish(person):
    """The open round to its end; what is left to gamble is collected."""
    while person.round and not person.round["closed"]:
        person.watch() if person.round["next"] in ("pick", "next") else person.act("collect")
    return person.round


def trigger(person):
    """Plays one round whose end begins the cards; its claim's id."""
    force(person.place, person.name, LOSS)
    person.bet(**stake(person))
    closed = finish(person)
    cards = closed["cards"]
    assert cards["triggered"] and closed["next"] == "cards", closed
    assert person.state["cards"] == cards["claim"] and not cards["claim"]["booked"], person.state["cards"]
    return f"{cards['claim']['move']}-{cards['claim']['index']}"


def pick(person, card_id, n, position=None, status=200):
    position = n - 1 if position is None else position
    return person.ask("POST", f"/v1/cards/{card_id}/picks", {"pick": n, "position": position}, status=status, keep=False).json


def open_rounds(person):
    return person.ask("GET", "/v1/cards", keep=False).json["rounds"]


def opened(person, card_id):
    return eventually("the card round", lambda: next((r for r in open_rounds(person) if r["id"] == card_id), None), 5)


def play_on(person, card_id, first=1, but=0):
    """Picks up to the win, or as many as leave `but` to it; the last answer."""
    answer = None
    for n in range(first, 10 - but):
        answer = pick(person, card_id, n)["card_round"]
        if answer["won"]:
            return answer
    return answer


def paid_row(place, person, card_id):
    move, index = card_id.split("-")
    rows = place.sql(f"select paid_minor, closed_seq, hit from wallet.claim where player = {person.id} and move = {move} and index = {index} and closed_seq is not null")
    return rows[0] if rows else None


def booked(place, person, card_id):
    return eventually("the award", lambda: paid_row(place, person, card_id), 15)


def awards(place, person):
    return int(place.sql(f"select count(*) from wallet.journal where player = {person.id} and kind = 24 and refusal = 0")[0][0])


def below64(stream, n):
    while True:
        product = (stream.word() | stream.word() << 32) * n
        if product % (1 << 64) >= (1 << 64) % n:
            return product >> 64


def check_draw(closed):
    """RULE mystic-gem 6.5, 6.12: the draw is made again from the round's secret and the client's nonce."""
    draw = closed["cards"]["draw"]
    stream = Stream(stream_key(bytes.fromhex(closed["secret"]), bytes.fromhex(closed["client_nonce"]), "cards"))
    assert below64(stream, draw["below"]) == draw["value"], draw
    assert closed["cards"]["threshold"] == min(draw["below"], closed["stake_minor"]), closed["cards"]
    assert closed["cards"]["triggered"] == (draw["value"] < closed["cards"]["threshold"])


def check_deal(place, person, won):
    """RULE mystic-gem 6.13: the secret is the one that was promised, and the cards are drawn from it."""
    secret = bytes.fromhex(won["secret"])
    assert hashlib.sha256(secret).hexdigest() == won["secret_hash"]
    stream = Stream(hmac.new(secret, struct.pack(">QQI", person.id, won["move"], won["index"]) + b"deal", hashlib.sha256).digest())
    value = stream.below(sum(WEIGHTS))
    level = next(i for i in range(4) if value < sum(WEIGHTS[:i + 1]))
    assert SUITS[level] == won["suit"] and won["level"] == level + 1, won
    suits = deal(level, stream.below(92400))
    assert [t["suit"] for t in won["turned"]] == [SUITS[s] for s in suits[:len(won["turned"])]], won


def deal(wanted, index):
    """The arrangement of an index, in lexical order, by counting."""
    from functools import lru_cache

    @lru_cache(None)
    def ways(state):
        if sum(state) == 12:
            return 1
        if state[wanted] < 3 and 3 in state:
            return 0
        return sum(ways(tuple(n + (i == s) for i, n in enumerate(state))) for s in range(4) if state[s] < 3)

    state, out = (0, 0, 0, 0), []
    while len(out) < 12:
        for suit in range(4):
            after = tuple(n + (i == suit) for i, n in enumerate(state))
            if state[suit] == 3:
                continue
            if index < ways(after):
                break
            index -= ways(after)
        state = after
        out.append(suit)
    return out


def whole_round(place):
    """From the trigger to the payment. RULE mystic-gem 6.5, 6.6, 6.7, 6.8, 6.9, 6.11 (the award is in the balance at once), 6.15, 6.16."""
    person = new_player(place)
    mine = Socket(place.http("GET", "/v1/config").json["events_url"], {"subscribe": ["player"], "token": person.token})
    everybody = Socket(place.http("GET", "/v1/config").json["events_url"], {"subscribe": ["winners"]})
    card_id = trigger(person)
    check_draw(person.round)
    first = opened(person, card_id)
    assert first["turned"] == [] and not first["won"] and first["level"] == 0 and first["secret"] == "" and first["next_pick"] == 1, first
    before = person.balance
    try:
        person.bet(**stake(person))
        raise AssertionError("a bet was taken while the cards wait")
    except Refused as refused:
        assert refused.answer.status == 409 and refused.answer.error["code"] == "cards_open", refused.answer
        assert refused.answer.json["cards"], refused.answer
    one = pick(person, card_id, 1, 7)["card_round"]
    assert len(one["turned"]) == 1 and one["turned"][0]["position"] == 7, one
    assert pick(person, card_id, 1, 7)["card_round"] == one, "a repeated pick"
    for n, position, code in ((1, 6, "pick_differs"), (3, 6, "pick_ahead"), (2, 7, "card_turned")):
        try:
            pick(person, card_id, n, position)
            raise AssertionError(f"pick {n} at {position} was taken")
        except Refused as refused:
            assert refused.answer.status == 409 and refused.answer.error["code"] == code, refused.answer
            assert refused.answer.json["card_round"] == one, refused.answer
    for body in ({"pick": 0, "position": 1}, {"pick": 2, "position": 12}, {"pick": 2}, {"pick": 2, "position": 1, "x": 1}):
        answer = place.http("POST", f"/v1/cards/{card_id}/picks", body, token=person.token)
        assert answer.status == 400, answer
    for wrong in ("99999-1", f"{card_id.split('-')[0]}-9"):
        assert place.http("POST", f"/v1/cards/{wrong}/picks", {"pick": 1, "position": 1}, token=person.token).status == 404
    assert opened(person, card_id)["turned"] == one["turned"], "recovery: the same cards are face up"
    other = new_player(place)
    assert place.http("GET", f"/v1/cards/{card_id}", token=other.token).status == 404, "another's round"
    levels = eventually("the levels' counters", lambda: place.http("GET", "/v1/cards", token=person.token).json["sets"][0]["levels"], 5)
    value = int(levels[0]["value_minor"])
    n, won = 2, None
    positions = [p for p in range(12) if p != 7]
    while not won:
        last = pick(person, card_id, n, positions[n - 2])["card_round"]
        won, n = last if last["won"] else None, n + 1
    assert won["suit"] == "clubs" and won["paid_minor"] >= value >= SEEDS[0], (won, value)
    check_deal(place, person, won)
    try:
        pick(person, card_id, n, positions[n - 2])
        raise AssertionError("a pick after the win")
    except Refused as refused:
        assert refused.answer.error["code"] == "card_round_over", refused.answer
    paid, _, hit = booked(place, person, card_id)
    assert int(paid) == won["paid_minor"] and int(hit) == won["hit"], (paid, hit, won)
    eventually("the balance", lambda: person.refresh()["balance_minor"] == before + won["paid_minor"], 5)
    assert person.state["cards"] is None
    force(place, person.name, LOSS)
    person.bet(**stake(person))  # the game goes on
    finish(person)
    assert awards(place, person) == 1
    told = {"opened": None, "won": None, "award": None}
    while not all(told.values()):  # steps and awards come by two topics, in any order
        event = mine.next()
        assert event is not None, mine.seen[-5:]
        name = event.get("event", event["type"])
        told[name] = told.get(name) or event  # those of the next round may come, too
    assert told["opened"]["card_round"]["id"] == card_id and told["opened"]["card_round"]["turned"] == [], told
    assert told["won"]["card_round"]["paid_minor"] == won["paid_minor"] and told["won"]["card_round"]["secret"] == won["secret"], told
    assert told["award"]["paid_minor"] == won["paid_minor"], told
    news = everybody.until(lambda e: e["type"] == "winner" and e["hit"] == won["hit"])
    assert news["level"] == 1 and news["paid_minor"] == won["paid_minor"] and person.name not in json.dumps(news), news
    rounds = person.ask("GET", "/v1/rounds?limit=10", keep=False).json["rounds"]
    assert [r["round"] for r in rounds] == sorted((r["round"] for r in rounds), reverse=True) and len(rounds) == 2, rounds
    assert all(r["closed"] and r["jackpots_minor"] == 0 for r in rounds), rounds
    assert any(r["kind"] == "award" and r["amount_minor"] == won["paid_minor"] for r in person.ask("GET", "/v1/journal", keep=False).json["rows"])
    winners = eventually("the winners' list", lambda: [w for w in place.http("GET", "/v1/winners").json["winners"] if w["pool"] == 2], 5)
    assert winners[0]["level"] == 1 and winners[0]["paid_minor"] == won["paid_minor"], winners
    for socket in (mine, everybody):
        socket.close()


def race(place):
    """RULE mystic-gem 6.10: two on one level: the first third card is paid what was there, the second the reset value and what came since."""
    players = [new_player(place), new_player(place, currency="SEK")]
    ids = [trigger(p) for p in players]
    for player, card_id in zip(players, ids):
        opened(player, card_id)
    answers = [None, None]

    def play(i):
        answers[i] = play_on(players[i], ids[i])

    threads = [threading.Thread(target=play, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(a and a["won"] and a["level"] == 1 for a in answers), answers
    assert abs(answers[0]["hit"] - answers[1]["hit"]) == 1, answers
    for player, card_id, won in zip(players, ids, answers):
        assert int(booked(place, player, card_id)[0]) == won["paid_minor"]
    hits = place.sql("select hit, currency, rate_nano, paid_minor, value_e27, t_e18, w_before_e18 from cards.hit order by hit desc limit 2")
    assert hits[0][6] == hits[1][5], "the second begins where the first ended"
    crowns = next(h for h in hits if h[1] == "752")
    assert int(crowns[3]) == int(crowns[4]) // (int(crowns[2]) * 10 ** 16), crowns


def play_cards(place, person, first=1):
    """The cards that wait, to the payment; the game goes on."""
    card_id = f"{person.state['cards']['move']}-{person.state['cards']['index']}"
    opened(person, card_id)
    won = play_on(person, card_id, first)
    booked(place, person, card_id)
    eventually("the game", lambda: person.refresh()["cards"] is None, 5)
    return won


def not_placed(place):
    """RULE mystic-gem 6.5: a bet that collects a win may find the cards: collected, cards, no bet; or find none: then its record keeps the draw."""
    person = new_player(place)
    met = kept = False
    force(place, person.name, *[WIN] * 150)
    for _ in range(150):
        if met and kept:
            return
        waiting = person.round["round"] if person.round and not person.round["closed"] else 0
        total = person.balance + person.state["pending_minor"]
        person.state.pop("bet_not_placed", None)
        person.bet(coin=2, lines=15, coins=1)
        if person.state.get("bet_not_placed"):
            closed = person.round
            assert closed["round"] == waiting and closed["closed"] and closed["next"] == "cards", closed
            assert person.balance == total and person.state["cards"]["move"] == person.expect - 1, person.state
            check_draw(closed)
            met = True
        elif waiting and not kept:
            past = person.ask("GET", f"/v1/rounds/{waiting}", keep=False).json["round"]
            assert past["closed"] and not past["cards"]["triggered"], past
            check_draw(past)
            kept = True
        if person.round["next"] in ("pick", "next"):
            person.watch()
        if person.state["cards"]:
            play_cards(place, person)
    raise AssertionError(f"in 150 bets: not placed {met}, draw kept {kept}")


def bought(place):
    """RULE mystic-gem 6.12: of a bought mode the price counts; above the bound it is certain, and never more than that."""
    person = new_player(place, game="mystic-gem")
    mode = next(m for m in place.http("GET", "/v1/games/mystic-gem").json["modes"] if m["price_hundredths"] > 400)
    person.bet(coin=1, lines=40, coins=1, mode=mode["id"])
    price = person.round["stake_minor"]
    assert price == 40 * mode["price_hundredths"] // 100 > 100, person.round
    closed = finish(person)
    assert closed["cards"]["threshold"] == closed["cards"]["draw"]["below"] == 100 and closed["cards"]["triggered"], closed["cards"]
    check_draw(closed)
    play_cards(place, person)


def early(place):
    """A pick that comes before its trigger: the service is away, and meets both when it is back."""
    person = new_player(place)
    place.hold("jackpot-cards-1")
    place.kill("jackpot-cards-1")
    card_id = trigger(person)
    assert open_rounds(person) == []
    answers = []
    thread = threading.Thread(target=lambda: answers.append(eventually("the pick", lambda: attempt(person, card_id, 1, 404), 20)))
    thread.start()
    let_time_pass(0.3, "the pick is on its way before the service is back")
    place.release("jackpot-cards-1")
    thread.join()
    assert len(answers[0]["turned"]) == 1, answers
    play_cards(place, person, first=2)


def killed(place):
    """kill -9 of both services in the middle of the picks: nothing turned up is lost, nothing is paid twice."""
    person = new_player(place)
    card_id = trigger(person)
    opened(person, card_id)
    answer, n = None, 1
    victims = ["jackpot-cards-1", "spin-engine-1", "jackpot-cards-1"]
    while not answer or not answer["won"]:
        if victims:
            place.kill(victims.pop(0))
        seen = answer["turned"] if answer else []
        answer = eventually("a pick after the kill", lambda n=n: attempt(person, card_id, n), 30)
        assert answer["turned"][:len(seen)] == seen, (seen, answer)
        n += 1
    place.kill("jackpot-cards-1")
    assert int(booked(place, person, card_id)[0]) == answer["paid_minor"]
    eventually("the engine", lambda: attempt_state(person), 30)
    assert awards(place, person) == 1
    check_deal(place, person, answer)
    force(place, person.name, LOSS)
    person.bet(**stake(person))
    assert finish(person)["cards"]["triggered"]


def attempt(person, card_id, n, *patient):
    """A pick, or None where it is to be repeated; a round that is not known yet (404) is waited for by the service, but not for ever."""
    try:
        return pick(person, card_id, n)["card_round"]
    except Refused as refused:
        if refused.answer.status in (503, 504, *patient):
            return None
        raise


def attempt_state(person):
    try:
        return person.refresh()["cards"] is None
    except Refused:
        return False


def autoplay(place):
    """RULE mystic-gem 5.3: autoplay pauses for the cards and goes on with the number that was left."""
    person = new_player(place)
    auto = os.urandom(16).hex()
    person.setting(autoplay={"id": auto, "spins": 5, "loss_limit_minor": -1, "single_win_minor": -1, "stop_on_jackpot": False})
    left = person.state["autoplay"]["spins"]
    force(place, person.name, LOSS, WIN)
    for _ in range(2):
        person.bet(**stake(person), autoplay=auto)
        if not person.state["cards"]:
            person.bet(**stake(person), autoplay=auto)  # collects the win, and finds the cards
            assert person.state.get("bet_not_placed"), person.state
            person.state.pop("bet_not_placed")
        assert person.state["autoplay"]["spins"] == left - 1, person.state["autoplay"]
        left -= 1
        try:
            person.bet(**stake(person), autoplay=auto)
            raise AssertionError("autoplay went on during the cards")
        except Refused as refused:
            assert refused.answer.error["code"] == "cards_open", refused.answer
        assert person.state["autoplay"]["spins"] == left
        play_cards(place, person)


def abandoned(place):
    """RULE mystic-gem 6.6: an abandoned round is picked and paid by itself; here its time is moved up, and the service reads it anew."""
    person = new_player(place)
    card_id = trigger(person)
    turned = opened(person, card_id)
    assert turned["expires_us"] - turned["opened_us"] == 120 * 3600 * 1000000, turned
    pick(person, card_id, 1, 3)
    place.sql(f"update cards.round set expires = now() + interval '1 s' where player = {person.id} and not won", writer=True)
    place.kill("jackpot-cards-1")
    assert booked(place, person, card_id)
    one = person.ask("GET", f"/v1/cards/{card_id}", keep=False).json["card_round"]
    assert one["won"] and one["booked"] and one["turned"][0]["position"] == 3 and one["secret_hash"] == turned["secret_hash"], one
    check_deal(place, person, one)


def jackpotctl(place, *arguments, status=0, **environment):
    done = subprocess.run([f"{BIN}/jackpotctl", *arguments], cwd=place.data, env={**place.environment, **place.stack, **environment}, capture_output=True, text=True, timeout=time_out(30), check=False)
    assert done.returncode == status, (arguments, done)
    return done.stdout


def log_says(place, text):
    return text in read_text(f"{place.data}/log/jackpot-cards-1.log")


def replace(path, text):
    """In one step, as a service expects it, and for the same user."""
    about = os.stat(path)
    with open(f"{path}.new", "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(text)
    os.chown(f"{path}.new", about.st_uid, about.st_gid)
    os.replace(f"{path}.new", path)


def key_of(place, person, card_id):
    move, index = card_id.split("-")
    return eventually("the card round", lambda: place.sql(f"select key from cards.round where player = {person.id} and move = {move} and index = {index}"), 60)[0][0]


def new_key(place):
    """The key is replaced while players play: rounds that are open keep theirs, and a file without it is not taken."""
    path = f"{place.data}/keys/jackpot-cards/jackpot-cards.key"
    first = read_text(path)
    players = place.players(players=6, seconds=600, think_time=20, first_player=500001, subscribers=0)  # until finish()
    early, waiting = new_player(place), new_player(place)
    ids = {person: trigger(person) for person in (early, waiting)}
    opened(early, ids[early])
    pick(early, ids[early], 1)
    assert key_of(place, early, ids[early]) == key_of(place, waiting, ids[waiting]) == "1"
    service = place.running("jackpot-cards-1")
    assert "key 2 of the cards" in jackpotctl(place, "keys", "rotate", "cards", "--in", "2")
    both = read_text(path)
    assert both.startswith(first) and os.stat(path).st_mode & 0o777 == 0o600, oct(os.stat(path).st_mode)
    eventually("the key to be known", lambda: log_says(place, "has a new key: 2"), 60)
    eventually("the key to be due", lambda: time.time() > int(both.split()[-1]), 60)
    late = new_player(place)
    ids[late] = trigger(late)
    assert key_of(place, late, ids[late]) == "2"
    replace(path, both.splitlines()[-1] + "\n")
    eventually("the alarm", lambda: log_says(place, "ALARM CARILLON_KEYS: ") and log_says(place, "key 1 is missing"), 60)
    opened(late, ids[late])
    pick(late, ids[late], 1)
    wons = {early: play_on(early, ids[early], 2)}
    replace(path, both)
    assert place.running("jackpot-cards-1") == service, "the service stopped"
    eventually("others' rounds with the new key", lambda: int(place.sql(f"select count(*) from cards.round where key = 2 and won and player <> {late.id}")[0][0]) > 2, 120)
    players.finish()
    place.kill("jackpot-cards-1")  # the next one needs both keys to load what is open
    eventually("a pick after the kill", lambda: attempt(waiting, ids[waiting], 1), 60)
    wons.update({waiting: play_on(waiting, ids[waiting], 2), late: play_on(late, ids[late], 2)})
    for person, won in wons.items():
        assert int(booked(place, person, ids[person])[0]) == won["paid_minor"] and awards(place, person) == 1
        check_deal(place, person, won)
    new, total = (int(n) for n in place.sql("select count(*) filter (where key = 2), count(*) from cards.round")[0])
    proven = place.verify(20, "--cards", f"{BIN}/carillon-jackpot-cards")
    assert next(p for p in proven["points"] if p["point"] == 15)["checked"] >= total > new > 0, (new, total, proven)
    with tempfile.TemporaryDirectory() as old:
        shutil.copy(f"{place.data}/keys/spin-engine/spin-engine.key", old)
        with open(f"{old}/jackpot-cards.key", "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(first)
        points = json.loads(jackpotctl(place, "ledger", "verify", "--json", status=1, CARILLON_KEYS=old))["points"]
        broken = {p["point"]: p["breaches"] for p in points if not p["ok"]}
        assert set(broken) == {15} and all("the number of a key in the key file" in b["expected"] for b in broken[15]), broken


def old_file(place):
    """A start with a file that was replaced leaves the newer odds in force, and says so."""
    copy = f"{place.data}/code/{os.path.basename(place.sets)}"  # services with users of their own read this one
    path = f"{copy if os.path.exists(copy) else place.sets}/cards.json"
    old = read_text(path)

    def odds():
        return place.sql("select number, odds_of from cards.set_odds where pool = 2 and currency = 752 order by number")

    for text, read in ((old.replace('"of": 1000}', '"of": 2000}'), lambda: len(odds()) == 2), (old, lambda: log_says(place, "whose odds of currency 752 were replaced"))):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        place.kill("jackpot-cards-1")
        eventually("the file to be read", read, 60)
        eventually("another jackpot-cards", lambda: place.status()["jackpot-cards-1"][0] == "running", 60)
        assert odds() == [["1", "1000"], ["2", "2000"]], odds()


def test_cards():
    with CardsInstallation() as place:
        for part in (whole_round, race, not_placed, bought, autoplay, early, killed, abandoned, new_key, old_file):
            began = time.monotonic()
            part(place)
            print(f"measured: {part.__name__.replace('_', ' ')} {time.monotonic() - began:.1f} s", flush=True)
        place.verify()


if __name__ == "__main__":
    run(test_cards)
