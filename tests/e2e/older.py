#!/usr/bin/env python3
"""An installation that an earlier version left with everything open - rounds, jackpots, cards, withdrawals, limits - starts on this one and is brought to its
end: each open thing is as it was left and pays what it would have paid there. Asks by the public API and jackpotctl alone, so that it stays for every later
version. tests/older/README.md says how such an installation is made, and why its clock stands still between the two versions."""
import glob
import hashlib
import os

from lib_dated import Dated, unpacked
from lib_games import GAMES, IDS, Game
from lib_play import good, pool_action
from lib_rules import Rules, Stream, stream_key
from lib_stack import ROOT, eventually, run
from lib_unfinished import (SECOND_KEY, asked, bet_after, card_round, cards_id, end_of, histories, returned, same, state_of, view, waiting_actions, whole_round)

FIXTURES = sorted(glob.glob(f"{ROOT}/tests/older/*.tar.xz"))
# What a jackpot changes as soon as it is booked, which needs nobody: the sums and the round's own word on it.
PAID_ALONE = ("balance_minor", "jackpots", "amount_minor")
place = story = contents = None
games, people = {}, []


def definitions():
    """Of the rounds that are open: the games' own may have been changed since."""
    for game in IDS:
        path = f"{place.data}/{game}.json"
        with open(path, "wb") as file:
            file.write(contents[f"definitions/{game}.json"])
        games[game] = Game(game, path)


def test_upgraded_books_balance():
    report = place.verify(patience=60)
    assert report["ledger_ok"] and report["pools_ok"], report


def test_upgrade_keeps_open_rounds():
    for person in people:
        stated, claim = person.about["state"], person.about.get("claim")
        same(stated, state_of(person), person.about["what"], but=PAID_ALONE if claim else ())
        seen = stated["round"] is None or stated["round"]["closed"]  # before that nothing is told, not even by the balance
        balance = stated["balance_minor"] + (claim["paid_minor"] if claim and seen else 0)
        eventually(f"{balance}", lambda p=person, b=balance: p.refresh()["balance_minor"] == b, 20)


def test_upgrade_keeps_settings():
    for person in people:
        for limits in [person.about["limits"]] if "limits" in person.about else []:
            same(limits, asked(place, f"/players/{person.number}/limits")["limits"], person.about["what"])
        if "card_round" in person.about:
            same(person.about["card_round"], card_round(person, cards_id(person)), person.about["what"])
    for pool in story["paused"]:
        assert view(place, pool)["status"] == "paused", pool
    for pool, actions in story["waiting_actions"].items():
        same(actions, waiting_actions(place, pool), pool)


UNSEEN = ("win_balance_minor", "win_pending_minor", "amount_minor", "balance_after_minor", "pending_after_minor")


def test_the_history_shows_the_old_rounds():
    """Newest first, and nothing of them has changed; what came since, as an award, is before them."""
    for person in people:
        found = histories(person)
        for what, key in (("rounds", "round"), ("rows", "seq")):
            old = {row[key]: row for row in person.about["history"][what]}
            # What a feature will bring is not told before it is watched; earlier versions did.
            kept = [{**row, **{name: old[row[key]][name] for name in UNSEEN if row.get(name, 0) is None}} for row in found[what] if row[key] in old]
            but = (*PAID_ALONE, "win_minor", "balance_after_minor") if "claim" in person.about and what == "rounds" else ()
            same(person.about["history"][what], kept, f"{person.about['what']}: {what}", but)


def proved(person, proof, round_):
    """The secret is the one that was promised before the nonce was known; unless its draws were scripted, they are the stream's."""
    secret, nonce = bytes.fromhex(round_["secret"]), bytes.fromhex(proof["nonce"])
    assert hashlib.sha256(secret).hexdigest() == proof["secret_hash"] and round_["client_nonce"] == proof["nonce"], (proof, round_)
    if "round" in proof and not proof["round"]["closed"]:
        return
    stream = Stream(stream_key(secret, nonce, "game"))
    for phase in round_["phases"]:
        for draw in phase["draws"]:
            assert stream.below(draw["below"]) == draw["value"], (draw, phase)
    if person.game == "bewitched":
        rules = Rules(games[person.game].path)
        derived = rules.play(round_["bet"], Stream(stream_key(secret, nonce, "game")))
        assert [p["win_minor"] for p in derived] == [p["win_minor"] for p in round_["phases"]], round_


def test_the_old_rounds_still_prove_themselves():
    checked = 0
    for person in people:
        for proof in person.about.get("proofs", []):
            again = whole_round(person, proof["number"])
            same(proof["round"], again, person.about["what"])
            proved(person, proof, again)
            games[person.game].check_round(again, again["phases"])
            checked += 1
    assert checked >= 10


def test_upgraded_rounds_end_as_before():
    """As the version before brought it to its end, and as the definition says, which need not be the same mistake."""
    rounds = cards = 0
    for person in people:
        before, claim = person.about["state"], person.about.get("claim")
        end = end_of(person)
        unheard = "card_round" in end and "card_round" not in person.about  # cards are dealt when their service hears of them
        same(person.about["end"], end, person.about["what"], but=("card_round", "balance_minor") if unheard else ())
        paid = claim["paid_minor"] if claim else 0
        if "card_round" in end:
            cards += 1
            paid += end["card_round"]["paid_minor"]
        if "round" in end:
            rounds += 1
            round_ = end["round"]
            games[person.game].check_round(round_, round_["phases"])
            proved(person, person.about["open"], round_)
            paid += won_since(before, round_)
        assert person.balance == before["balance_minor"] + paid and person.state["pending_minor"] == 0, (person.about["what"], person.balance, before["balance_minor"], paid)
    assert rounds >= 7 and cards >= 2, (rounds, cards)


def won_since(before, round_):
    """Of the round's win, what had not been taken when it was left: half of one that waits to be doubled up may have been."""
    left = before["round"] or {}
    return round_["win_minor"] - (left["win_minor"] - before["pending_minor"] if left.get("next") == "gamble" else 0)


def test_waiting_claims_are_paid_once():
    claims = [person for person in people if "claim" in person.about]
    assert len(claims) >= 3, claims
    for person in claims:
        claim = person.about["claim"]
        awards = [row["amount_minor"] for row in histories(person)["rows"] if row["kind"] == "award"]
        assert awards == [claim["paid_minor"]], (person.about["what"], awards, claim)
        hits = [w["paid_minor"] for w in good(place.http("GET", "/v1/winners?limit=50"), "winners").json["winners"]
                if (w["pool"], w.get("coin_minor")) == (claim["pool"], claim["coin_minor"])]
        assert hits == awards, (hits, awards)


def test_the_withdrawals_are_carried_through():
    done = 0
    for person in people:
        for held in person.about.get("withdrawals", []):
            path = f"/players/{person.number}/withdrawals/{held['id']}"
            if held["end"] == "released":
                told = asked(place, path)
                assert (told["state"], told["provider"]["outcome"], told["amount_minor"]) == ("held", "unknown", held["amount_minor"]), told
                asked(place, f"{path}/decisions", {"decision": "release", "reason": "the provider was asked by phone", "force": True}, "POST")
            eventually(f"{held['end']}", lambda p=path, h=held: asked(place, p)["state"] == h["end"], 60, 0.2)
            back = held["amount_minor"] if held["end"] == "released" else 0
            eventually("the balance", lambda p=person, b=back: p.refresh()["balance_minor"] == p.about["end"]["balance_minor"] + b, 10)
            person.about["end"]["balance_minor"] += back
            done += 1
    assert done >= 3


def test_upgraded_operators_work():
    """The second key approves what waited for it, a paused pool is fed again."""
    for pool, actions in story["waiting_actions"].items():
        for action in actions:
            answer = asked(place, f"/pools/{pool}/actions/{action['id']}/approve", None, "POST", operator_key=SECOND_KEY)
            assert answer["done"] and action["id"] not in [a["id"] for a in waiting_actions(place, pool)], answer
    for pool in story["paused"]:
        assert pool_action(place, pool, "resume").status == 200
        eventually("the pool to be live", lambda p=pool: view(place, p)["status"] == "live", 15)


def test_upgraded_players_play_on():
    """The next bet. Where nothing had to be ended before, its secret was promised by the version before, and so is its outcome."""
    promised = refused = 0
    for person in people:
        before, after = person.refresh()["balance_minor"], person.about["after"]
        found = bet_after(person)
        assert found["promised"] == after["promised"] and found.get("refused") == after.get("refused"), (person.about["what"], found, after)
        refused += "refused" in found
        if "refused" in found:
            continue
        promised += found["promised"]
        # New cards are dealt by their own secret; sums are reckoned below.
        same(after, found, person.about["what"], but=("card_round", "balance_minor", *(() if found["promised"] else ("round",))))
        round_ = found["round"]
        rules, bet = GAMES[person.game], round_["bet"]  # a new round is played by the definition in force now
        price = rules.price(bet["mode"], bet["coin_minor"] * bet["lines"] * bet["coins"])
        assert round_["stake_minor"] == (0 if round_["bonus_spin"] else price), round_
        rules.check_round({**round_, "stake_minor": price}, round_["phases"])
        won = round_["win_minor"] + sum(j["paid_minor"] for j in round_["jackpots"]) + found.get("card_round", {"paid_minor": 0})["paid_minor"]
        assert person.balance == before - round_["stake_minor"] + won, (person.about["what"], before, person.balance, round_)
    assert promised >= 6 and refused >= 2, (promised, refused)
    after = [person.about["after"] for person in people]
    assert {a.get("refused") for a in after} >= {"excluded", "limit_loss"} and any(a.get("autoplay_left") == 2 for a in after), after


def test_upgraded_books_stay_balanced():
    report = place.verify(patience=60)
    assert report["ledger_ok"] and report["pools_ok"] and report["hits"] >= 3, report
    for pool in story["pools"]:
        made = place.jackpotctl("pool", "replay", pool)
        assert made["ok"], made


if __name__ == "__main__":
    assert FIXTURES, "tests/older holds no installation"
    story, contents = unpacked(FIXTURES[-1])
    print(f"note: the installation of {os.path.basename(FIXTURES[-1])}")
    with Dated("older", story["stopped_s"] + story["later_s"], contents) as place:
        definitions()
        people.extend(returned(place, about) for about in story["players"])
        try:
            run(*[test for name, test in list(globals().items()) if name.startswith("test_")])
        except SystemExit as status:
            if status.code:
                raise
