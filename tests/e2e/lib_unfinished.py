"""What an installation left open, told in a story by tests/older/make.py, and how each of it is brought to its end by the public API: the same for who makes
the story, on the version that left it, and for who tests a later one."""
import hashlib
import os

from lib_play import Person, Refused, good, operator
from lib_stack import eventually

NONCE = "5eed" * 8  # of the bet after the end: where its secret was promised by the version before, its outcome is fixed
STATE = ("currency", "balance_minor", "pending_minor", "expect", "secret_hash", "round", "witch", "autoplay", "carried", "bonus_spins", "cards")
SECOND_KEY = "the key of whoever approves"  # of the first operator; in every file that was made


def same(stated, found, where="", but=()):
    """All that is stated is found; what a later version tells beside it is its own affair."""
    if isinstance(stated, dict):
        assert isinstance(found, dict), (where, stated, found)
        for name in stated:
            if name not in but:
                assert name in found, (where, name, found)
                same(stated[name], found[name], f"{where}/{name}", but)
    elif isinstance(stated, list):
        assert isinstance(found, list) and len(stated) == len(found), (where, stated, found)
        for i, one in enumerate(stated):
            same(one, found[i], f"{where}/{i}", but)
    else:
        assert stated == found, (where, stated, found)


def returned(place, about):
    """A player of the story comes back."""
    person = Person(place, currency=about["currency"], number=about["number"], game=about["game"])
    person.about = about
    person.refresh()
    return person


def state_of(person):
    state = person.refresh()
    return {name: state[name] for name in STATE}


def page(person, path):
    return person.ask("GET", path, keep=False).json


def whole_round(person, number):
    """As the history tells it, with all phases, and the secret of a closed one."""
    return page(person, f"/v1/rounds/{number}")["round"]


def booked(person):
    """What the pools owe for the round is paid, and told."""
    number = person.round["round"]
    if not all(j["booked"] for j in person.round["jackpots"]):
        eventually("the award", lambda: all(j["booked"] for j in whole_round(person, number)["jackpots"]), 15)


def cards_id(person):
    return f"{person.state['cards']['move']}-{person.state['cards']['index']}"


def card_round(person, card_id):
    return eventually("the card round", lambda: next((r for r in page(person, "/v1/cards")["rounds"] if r["id"] == card_id), None), 10)


def pick_card(person, card_id, n):
    return person.ask("POST", f"/v1/cards/{card_id}/picks", {"pick": n, "position": 12 - n}, keep=False).json["card_round"]


def watched(person):
    person.watch()
    booked(person)


def closed(person):
    """The open round's end: features watched, vials picked, doubled up as often as the story says, collected."""
    if person.round["next"] in ("pick", "next"):
        watched(person)
    while person.round["next"] == "gamble" and not person.round["closed"]:
        if len(person.round["gambles"]) < person.about.get("gambles", 0) and person.round["gamble_attempts_left"] > 0:
            person.act("gamble", choice=len(person.round["gambles"]) % 2)
        else:
            person.act("collect")
    booked(person)
    assert person.round["closed"], person.round
    return whole_round(person, person.round["round"])


def cards_won(person):
    """The cards that wait are picked to the third of a suit, and paid; what was turned up before stays so."""
    card_id = cards_id(person)
    before = card_round(person, card_id)
    n, won = before["next_pick"], before
    while not won["won"]:
        won, n = pick_card(person, card_id, n), n + 1
        assert won["turned"][:len(before["turned"])] == before["turned"] and won["secret_hash"] == before["secret_hash"], (before, won)
    assert hashlib.sha256(bytes.fromhex(won["secret"])).hexdigest() == before["secret_hash"], won
    eventually("the payment", lambda: person.refresh()["cards"] is None, 15)
    return page(person, f"/v1/cards/{card_id}")["card_round"]


def end_of(person):
    """Whatever the player had open is brought to its end, nothing new is begun."""
    end = {}
    if person.round and not person.round["closed"]:
        end["round"] = closed(person)
    if person.state["cards"]:
        end["card_round"] = cards_won(person)
    end["balance_minor"] = person.refresh()["balance_minor"]
    return end


def bet_after(person):
    """Places the player's next bet and plays it to its end: by autoplay or as a bonus spin while any are left, else by hand."""
    about, autoplay = person.about, person.state["autoplay"]
    result = {"promised": person.state["secret_hash"] == about["state"]["secret_hash"]}  # each move of the player's makes another secret
    gift = next((g["id"] for g in person.state["bonus_spins"] if g["game"] == person.game), None)
    body = {**person.bet_body(*about["bet"], nonce=NONCE), **({"autoplay": autoplay["id"]} if autoplay else {})}
    if gift:
        body = {"game": person.game, "expect": person.expect, "bonus_spin": gift, "nonce": NONCE}
    try:
        person.through("/v1/rounds", body)
    except Refused as refused:
        return {**result, "refused": refused.answer.error["code"]}
    number = person.round["round"]
    closed(person)
    if autoplay and person.state["autoplay"]:
        person.setting(autoplay={"id": autoplay["id"], "spins": 0, "loss_limit_minor": -1, "single_win_minor": -1, "stop_on_jackpot": False})
    result.update(round=whole_round(person, number), autoplay_left=autoplay and autoplay["spins"] - 1, bonus_spins=person.refresh()["bonus_spins"])
    if person.state["cards"]:
        result["card_round"] = cards_won(person)
    return {**result, "balance_minor": person.refresh()["balance_minor"]}


def histories(person):
    return {"rounds": page(person, "/v1/rounds?limit=100")["rounds"], "rows": page(person, "/v1/journal?limit=100")["rows"]}


# ---- what operators have open ----

def asked(place, path, body=None, method="GET", key=None, operator_key=None, status=200):
    return good(operator(place, path, body, key or os.urandom(8).hex(), method, operator_key), path, status).json


def withdrawal(place, number, hold):
    return asked(place, f"/players/{number}/withdrawals/{hold}")


def waiting_actions(place, pool):
    return [{k: a[k] for k in ("id", "action", "parameters", "status")} for a in asked(place, f"/pools/{pool}/actions")["actions"] if a["status"] == "waiting"]


def view(place, pool):
    return asked(place, f"/pools/{pool}")
