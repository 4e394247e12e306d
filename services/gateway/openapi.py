#!/usr/bin/env python3
"""The HTTP interface, described: prints the OpenAPI 3.1 document of all routes of the gateway (adapters/routes.c) and of notifications. The build writes it
to build/web/docs/openapi.json, and /docs/ shows it. A test compares it with the tables of routes and of fields, another one with real answers
(tests/tools/openapi.py, tests/e2e/openapi.py). A new route needs a row below.

    openapi.py >openapi.json"""
import json
import os
import sys

sys.path.append(os.path.abspath(f"{os.path.dirname(__file__)}/../../scripts"))
import currencies

# ---- schemas, in short: obj(name=schema) is an object with these members; a name that ends in _Q may be missing ---------------------------------------

INT, TEXT, BOOL, ANY, OBJECT = {"type": "integer"}, {"type": "string"}, {"type": "boolean"}, {}, {"type": "object"}
HEX = {"type": "string", "pattern": "^([0-9a-f]{2})*$"}
DECIMAL = {"type": "string", "pattern": "^-?[0-9]+(\\.[0-9]+)?$"}


def whole(least=None, most=None):
    return {"type": "integer", **({} if least is None else {"minimum": least}), **({} if most is None else {"maximum": most})}


def hexes(n):
    return {"type": "string", "pattern": "^[0-9a-f]{%d}$" % (2 * n)}


def text(least, most):
    return {"type": "string", "minLength": least, "maxLength": most}


def named(name):
    return {"$ref": "#/components/schemas/" + name}


def many(schema, most=None):
    return {"type": "array", "items": schema, **({"maxItems": most} if most else {})}


def or_null(schema):
    return {**schema, "type": [schema["type"], "null"]} if "type" in schema else {"anyOf": [schema, {"type": "null"}]}


def one_of(*values):
    return {"enum": list(values)}


def told(schema, description):
    return {**schema, "description": description}


def obj(**members):
    required = [name for name in members if not name.endswith("_Q")]
    return {"type": "object", **({"required": required} if required else {}), "properties": {name.removesuffix("_Q"): schema for name, schema in members.items()}}


def closed(schema):
    """The same, without members that are not named: a request's body."""
    if isinstance(schema, dict):
        more = {"additionalProperties": False} if schema.get("type") == "object" and "properties" in schema else {}
        return {**{name: closed(value) for name, value in schema.items()}, **more}
    return [closed(value) for value in schema] if isinstance(schema, list) else schema


U = whole(0)
MINOR, CURRENCY, US, SLUG, ID = named("Minor"), named("Currency"), named("TimeUs"), named("Slug"), named("Id")
PLAYER, NUMBER, REASON, AMOUNT = named("PlayerName"), named("PlayerNumber"), text(1, 200), whole(1, 10**15)
LIMITS, PERIODS = one_of("loss", "wager", "deposit", "time", "exclusion"), one_of("day", "week", "month")
CARD, LEVEL = whole(0, 52), whole(1, 4)
SEEN = told(or_null(INT), "Minor units; null until the player has watched the feature to its end.")
OWN_NAMES = one_of("deposit", "loss", "wager", "time", "break", "time_out", "exclusion")

HISTORY_KINDS = one_of("round", "jackpot", "card_prize", "double", "halve", "void", "deposit", "withdrawal", "withdrawal_paid", "withdrawal_returned",
                       "correction", "grant", "grant_taken_back", "bonus_spins", "bonus_spins_ended")

ROLES = one_of("viewer", "support", "finance", "jackpots", "administrator")
PERMISSIONS = one_of("self", "read", "audit", "players", "care", "notes", "open", "payouts", "money", "void", "jackpots", "rates", "games", "letters", "users")

KEY_SCOPES = one_of("read", "players", "money", "pools")

WHOLE_TEXT = {"type": "string", "pattern": "^-?[0-9]+$"}
DAY = {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}
REPORT_PERIODS = one_of("day", "month", "year", "life")
REAL, REAL_OR_NULL = {"type": "number"}, {"type": ["number", "null"]}
STEPS_SHOWN = one_of("minute", "quarter", "hour", "day")

WITHDRAWAL = {"id": TEXT, "state": one_of("held", "paid", "released"), "amount_minor": MINOR, "currency": CURRENCY, "seq": U, "settled_seq": ANY, "booked_us": US,
              "settled_us": ANY, "provider": or_null(OBJECT), "alarms": many(OBJECT), "review": told(one_of("none", "waiting", "approved"), "waiting: the provider is asked to pay after an operator's approval.")}

SCHEMAS = {
    "StaffSession": obj(operator=U, name=TEXT, roles=many(ROLES), permissions=many(PERMISSIONS), csrf=told(TEXT, "For the header X-CSRF-Token of each change."),
                        expires_us=US, idle_s=U, confirmed_us=US, must_change=BOOL, second_factor=BOOL, second_factor_needed=BOOL),
    "User": obj(name=TEXT, roles=many(ROLES), disabled=BOOL, locked_until_us=US, second_factor=BOOL, must_change=BOOL, created_us=US, created_by=TEXT,
                sessions=U, seen_us=US),
    "Proof": obj(state=told(one_of("good", "none", "old", "broken", "unsigned"), "Of the ledger. broken: a proof found a breach, and none has been whole since. old: none has been whole for `age_max_s`."),
                 signed=told(or_null(TEXT), "good; no; wrong; unknown: there is no public key here to compare with. Null: there is no proof."),
                 time_us=told(US, "When it was last proven, in whole or in part."), held_us=told(US, "When it was last proven whole."),
                 age_s=told(U, "Seconds since then; before the first whole proof, the age of the installation."), age_max_s=U),
    "Ledger": obj(proof=obj(state=TEXT, whole=BOOL, rows=or_null(U), since=told(or_null(U), "Rows proven before, that were not looked at again."), mark=told(U, "The number of the signed mark; 0: none.")),
                  points=told(many(obj(point=U, title=TEXT, holds=told(or_null(BOOL), "Null: it was left out, see `why_not`."), why_not=TEXT, held_us=told(US, "When it last held."),
                                       held_checked=told(or_null(U), "What it looked at then."), held_rows=told(or_null(U), "How many rows the journal had then."))),
                              "The points of docs/ledger.md."),
                  accounts=told(or_null(many(obj(currency=CURRENCY, account=TEXT, amount_minor=WHOLE_TEXT))), "What each account had come to at the last proof; null: the operator does not act on pools."),
                  days=many(obj(day=DAY, shards=U, closed=U, archived=U, dropped=U, rows=or_null(U), proven=told(BOOL, "All its rows were proven by the last whole proof."))),
                  entries=told(many(obj(time_us=US, kind=one_of("void", "correction", "grant", "jackpot", "grant_taken_back"), player=PLAYER, round=U, currency=TEXT, amount_minor=MINOR,
                                        actor=TEXT, reason=TEXT)), "The operator's newest, from the reports' sums: some seconds late.")),
    "Posting": told(obj(day=DAY, shard=U, seq=told(U, "The row of the journal in its shard; of a close the last row that it closes."), leg=told(U, "1, 2, .. within the row."),
                        close=told(or_null(U), "The number of the daily close; null: a row's."), time_us=US, player=or_null(PLAYER), kind=told(TEXT, "bet, release, double, halve, collect, void, deposit, withdrawal,"
                        " withdrawal_paid, withdrawal_returned, correction, grant, grant_taken_back, jackpot, close."), round=told(or_null(U), "Of a jackpot the round that won it."),
                        game=or_null(TEXT), currency=CURRENCY, account=TEXT, amount_minor=told(MINOR, "Credit is above 0. The legs of each row, and of each close, sum to zero.")),
                    "A leg of the double entry (docs/ledger.md)."),
    "UserSession": obj(id={"type": "string", "pattern": "^[0-9a-f]{16}$"}, user=TEXT, current=told(BOOL, "It is the session that asks."), began_us=US,
                       seen_us=told(US, "When it was last used, to a minute."), expires_us=US, address=told(TEXT, "From where it began."),
                       agent=told(TEXT, "What the browser called itself; empty: not known.")),
    "DeadLetter": obj(id=U, status=told(one_of("waiting", "sending", "sent", "settled"), "sending: until its service answers. sent: the service has answered, see `outcome`."),
                      time_us=told(US, "When the letter was written."), service=told(TEXT, "Which could not read the message, and wrote the letter."), instance=TEXT,
                      topic=told(TEXT, "Where the message came from; of a command its kind."), partition=told(U, "Of a command its shard."), offset=told(INT, "Of a command -1."),
                      found=told(TEXT, "Why the service could not read it."), bytes=told(U, "How long the message is."),
                      what=told(TEXT, "What it is, as far as its first fields tell, such as `deposit`."), player=or_null(TEXT), pool=or_null(U), amount_minor=or_null(INT), currency=TEXT,
                      sendable=told(BOOL, "It may be sent again."),
                      why_not=told(or_null(one_of("fact", "player", "sender", "newer", "writer", "unreadable", "long", "old", "done")), "Why it is not sent again; null: it may be."),
                      act=told(one_of("", "send", "settle"), "What was done last, by whom and why."), act_by=TEXT, act_reason=TEXT, acted_us=US,
                      outcome=told(TEXT, "What became of it when it was sent: `done`, `refused: ` and the code, or why there was no answer.")),
    "BackendKey": obj(id=told({"type": "string", "pattern": "^[0-9a-f]{8}$"}, "The first digits of the key's SHA-256, as in the audit log."), name=TEXT,
                      state=one_of("active", "expired", "ended"), scopes=told(many(KEY_SCOPES), "What the key may do at all."),
                      unlimited=told(BOOL, "It has no limits, so it may also make and change users, keys and webhooks."),
                      amounts=told(or_null(TEXT), "The largest amount of a request by currency, in minor units: EUR:50000,SEK:600000. Null: any amount."),
                      pools=told(or_null(TEXT), "The pools and sets: 1,4. Null: all."), in_file=told(BOOL, "In a file of the gateways, which alone ends it."),
                      created_us=US, created_by=TEXT, used_us=told(US, "When it was last accepted, to some ten seconds; of a key in a file: 0."),
                      expires_us=told(US, "0: it has no end."), ended_us=US, successor=told(TEXT, "The id of the key that replaces it; empty: none.")),
    "KeyMade": obj(id=TEXT, name=TEXT, key_Q=told(hexes(32), "The new key, shown this once.")),
    "Approval": obj(kind=one_of("amount", "pool", "rate", "void", "pseudonym", "withdrawal"), id=ID, action=TEXT, currency=TEXT, player=told(or_null(TEXT), "The operator's number and the player's."),
                    withdrawal=told(or_null(ID), "The withdrawal that is to be decided by hand."), pool=or_null(U), amount_minor=or_null(INT),
                    balance_minor=told(or_null(INT), "The player's balance now."), rate=told(or_null(TEXT), "Euros for one unit."),
                    before_rate=or_null(TEXT), parameters=told(ANY, "Of an action on a pool; of a void its game and round."), reason=TEXT, asked_by=TEXT, asked_us=US, expires_us=US,
                    mine=told(BOOL, "Whoever reads this asked for it, so another one must decide.")),
    "Webhook": obj(id=U, url=told(TEXT, "Whoever may not change webhooks sees it without a user, a password and a query."), kinds=TEXT, version=told(U, "Of the secret."), old_until_us=told(US, "Until then the secret before signs too; 0: it does not."),
                   created_us=US, created_by=TEXT, sent=told(U, "Events that the address has accepted."), waiting=told(U, "At most 10,000 are counted."), oldest_us=told(US, "When the oldest waiting event was written."),
                   dead=told(U, "At most 10,000 are counted."), last_us=told(US, "When it was last tried."), last_good=BOOL, last_answer=told(TEXT, "The status of the last answer, or why there was none.")),
    "WebhookSecret": obj(id=U, key=told(TEXT, "The id of the secret in Carillon-Signature."), secret=told(hexes(32), "Shown this once.")),
    "DeadEvent": obj(number=U, event=TEXT, kind=TEXT, subject=TEXT, body=told(OBJECT, "What was sent."), created_us=US, dead_us=US, attempts=U, answer=TEXT,
                     skipped_by=told(TEXT, "Who has skipped it while it waited; empty: it was given up.")),
    "WaitingEvent": obj(number=U, event=TEXT, kind=TEXT, subject=TEXT, body=told(OBJECT, "What is sent."), created_us=US, next_us=told(US, "Not tried before."),
                        sending=told(BOOL, "It is being sent now."), attempts=U, answer=told(TEXT, "Of the last attempt; empty: there was none.")),
    "SentEvent": obj(number=U, event=TEXT, kind=TEXT, subject=TEXT, created_us=US, sent_us=told(US, "When the address accepted it."), attempts=U, answer=TEXT),
    "SeriesPoint": told(obj(time_us=US, game=told(TEXT, "`all` unless by=game."), currency=CURRENCY, players=told(or_null(U), "How many players have bet; null with step=minute."),
                            rounds=U, stakes_minor=MINOR, wins_minor=MINOR, rtp_percent=told(or_null({"type": "number"}), "The return of the drawn wins, before gambles."),
                            contributions_nano=told(or_null(WHOLE_TEXT), "Contributions to jackpots, in 10^-9 minor units; null with step=minute."),
                            jackpots=U, jackpots_paid_minor=MINOR), "What was played in the time step that begins at `time_us`."),
    "GameView": told(obj(game=SLUG, number=U, from_us=US, to_us=US,
                         versions=many(obj(math_version=hexes(32), name=TEXT, version=ANY, demo=BOOL, first_seen_us=US, par=told(or_null(OBJECT), "Its exact figures; null until they are computed."))),
                         returns=many(obj(mode=U, currency=CURRENCY, rounds=U, stakes_minor=MINOR, drawn_minor=MINOR, rtp_percent=REAL, theory_percent=REAL_OR_NULL, theory_high_percent=REAL_OR_NULL,
                                          z=REAL_OR_NULL, band_low_percent=REAL_OR_NULL, band_high_percent=REAL_OR_NULL)),
                         by_stake=many(obj(mode=U, currency=CURRENCY, stake_minor=MINOR, rounds=U, stakes_minor=MINOR, drawn_minor=MINOR, rtp_percent=REAL, theory_percent=REAL_OR_NULL,
                                           theory_high_percent=REAL_OR_NULL, z=REAL_OR_NULL, band_low_percent=REAL_OR_NULL, band_high_percent=REAL_OR_NULL), 500)),
                     "The version in service first. The members of `par` and `returns`: docs/reports.md."),
    "JackpotHistory": told(obj(pool=U, step=STEPS_SHOWN, from_us=US, to_us=US,
                               rows=many(obj(currency=CURRENCY, coin_minor_Q=told(MINOR, "Of a row of a progressive."), level_Q=told(LEVEL, "Of a set of Jackpot Cards."),
                                             points=many(obj(time_us=US, value_minor=MINOR)))),
                               hits=many(obj(hit=U, time_us=US, currency=CURRENCY, coin_minor_Q=MINOR, level_Q=LEVEL, value_minor=told(MINOR, "What the row or level showed."),
                                             next_value_minor=told(MINOR, "What it showed after the hit."), paid_minor=MINOR, paid_currency=told(CURRENCY, "The winner's.")), 1000),
                               next_us=told(or_null(INT), "`from_us` of the next page.")),
                           "What each row or level showed: its value at `from_us`, and the last value of each step in which it changed."),
    "JackpotForecast": told(obj(pool=U, hours=whole(1, 168), from_us=US, to_us=US,
                                rows=many(obj(currency=CURRENCY, coin_minor_Q=MINOR, level_Q=LEVEL, value_minor=MINOR, rounds=told(or_null(U), "Played since from_us; null of a set."),
                                              hits_expected=told(DECIMAL, "Of these rounds, by the exact chance."), one_in=told(or_null(DECIMAL), "Rounds for each hit."),
                                              status=one_of("known", "too_little", "not_played", "paused", "unknown_chance"),
                                              next=told(or_null(obj(mean_s=U, low_s=U, median_s=U, high_s=U, value_mean_minor=MINOR, value_low_minor=MINOR, value_median_minor=MINOR,
                                                                    value_high_minor=MINOR)), "Null unless `status` is known."))),
                                chances=many(obj(game=SLUG, mode_id=TEXT, of=one_of("coins", "max", "unknown"), lines=or_null(U), coins=or_null(U), base_exact=TEXT, chance_exact=TEXT))),
                            "The formulas: docs/reports.md. `low` and `high` hold 90 of 100."),
    "Report": told(obj(report=REPORT_PERIODS, state=one_of("sealed", "provisional"), operator=U, first_day=or_null(DAY), last_day=DAY, from_us=or_null(INT), to_us=US,
                       totals=many(OBJECT), games=many(OBJECT), returns=many(OBJECT), jackpots=many(OBJECT), unfinished=many(OBJECT), hits=many(OBJECT),
                       large_wins=many(OBJECT), adjustments=many(OBJECT),
                       truncated_Q=told(many(obj(list=one_of("hits", "large_wins", "adjustments"), shown=U, entries=told(U, "How many there are."))),
                                        "The lists that do not have all of their entries; `page` has the others. Reports that were sealed before there was this member do not have it."),
                       rows=or_null(many(OBJECT))),
                   "The lists and their members: docs/reports.md. `rows`: the last row of each shard that the report counts, with the digest of the chain there."),
    "ReportListed": obj(period=REPORT_PERIODS, day=DAY, digest=told(hexes(32), "SHA-256 of the report."),
                        signature=told(HEX, "Ed25519 of `carillon report 1 ` and the digest; empty: not signed yet."), signer=told(HEX, "The public key."),
                        sealed_us=US, bytes=U),
    "AuditRow": obj(id=U, time_us=US, actor=TEXT, action=TEXT, subject=TEXT, request_id=TEXT, content=ANY, status=U),
    "Player": obj(player=PLAYER, currency=CURRENCY, balance_minor=MINOR, pending_minor=MINOR, moves=U, blocked=BOOL, opened_us=US, claims_open=U,
                  withdrawals_open=U, last_us=US, pseudonymised_us_Q=told(or_null(INT), "When the player was pseudonymised; null: they were not."),
                  state_Q=told(one_of("active", "excluded", "blocked"), "excluded: until the end of an exclusion, break or time-out. blocked comes before excluded."),
                  played_us_Q=told(or_null(INT), "When the quarter of an hour began in which the player last bet; null: they never did.")),
    "PlayerSession": obj(began_us=US, expires_us=told(US, "When the token expires."), ended_us=told(or_null(INT), "null: it is open."),
                         end=told(one_of("open", "expired", "idle", "logout", "logout_all", "pseudonymised"), "How it ended. idle: by inactivity; logout_all: with all other sessions of the player, by the player.")),
    "Note": obj(id=U, time_us=US, author=told(TEXT, "The user or the key that added it."), text=told(text(1, 2000), "`[removed]` if it was removed."),
                removed_us_Q=told(US, "When the text was removed, because the player was pseudonymised."), removed_by_Q=told(TEXT, "By whom: who asked, and who approved.")),
    "Pseudonym": told(obj(id=ID, player=PLAYER, status=one_of("waiting", "refused", "done"), reason=TEXT, asked_by=TEXT, decided_by=TEXT, asked_us=US, decided_us=told(US, "0: it waits."),
                          removed=told(obj(notes=U, requests=U, dead_letters=U, dead_events=U), "How many of each have lost what people typed, or were deleted.")),
                      "A request to pseudonymise a player."),
    "PlayerFile": told(obj(format=one_of("carillon-player-1"), time_us=US, account=named("Player"), history=many(named("HistoryEntry")),
                           history_archived=told(BOOL, "Older entries are in the archive only."), settings=told(many(OBJECT), "What the player has chosen beside limits: at most one."),
                           limits=told(many(OBJECT), "The limits that are set; -1: none."), limit_history=told(many(OBJECT), "Each limit, exclusion and block that was set, newest first."),
                           bookings=told(many(OBJECT), "Money that an operator booked, with the reasons, newest first."), withdrawals=many(OBJECT), bonus_funds=many(OBJECT), bonus_spins=many(OBJECT), jackpots=told(many(OBJECT), "Jackpots won."), card_rounds=many(OBJECT),
                           voids=many(OBJECT), sessions=told(many(named("PlayerSession")), "The player's sessions, newest first."), notes=many(named("Note")),
                           requests=told(many(OBJECT), "Amounts and voids that needed a second person."), actions=told(many(OBJECT), "Lines of the audit log about the player, without who acted."),
                           complete=told(BOOL, "The last member: a document without it is not whole.")),
                       "All that the network holds about a player. Amounts are in the currency of the account."),
    "Minor": told(INT, "An amount in minor units of the account's currency: cents, yen."),
    "Currency": {"type": "string", "pattern": currencies.PATTERN, "description": "Code of a currency: of ISO 4217, or one that ISO does not list, such as USDT."},
    "TimeUs": told(U, "Microseconds since 1970, UTC; 0: never."),
    "Slug": {"type": "string", "pattern": "^[a-z0-9_-]+$", "description": "The id of a game, or of one of its modes."},
    "Id": {"type": "string", "pattern": "^[0-9a-f]{32}$", "description": "16 bytes in hexadecimal."},
    "PlayerName": {"type": "string", "pattern": "^[0-9]+-[0-9]+$", "description": "The operator's number, and the player's number with this operator."},
    "PlayerNumber": told(whole(1, 2**48 - 1), "The player's number with their operator."),
    "Problem": told(obj(type={"type": "string", "format": "uri-reference"}, title=TEXT, status=whole(400, 599), detail=TEXT,
                        error=obj(code={"type": "string", "pattern": "^[a-z_]+$"}, message=TEXT, where_Q=TEXT, found_Q=TEXT, expected_Q=TEXT,
                                  retry_after_ms_Q=U, limit_Q=obj(name=OWN_NAMES, period=or_null(TEXT), limit=or_null(INT), left=or_null(U), renews=or_null(INT))),
                        expect_Q=U, secret_hash_Q=HEX, balance_minor_Q=MINOR, smallest_bet_minor_Q=MINOR, retry_s_Q=U),
                    "An error (RFC 9457). `type` names its code, which never changes its meaning; `detail` is a sentence for people. `error` repeats "
                    "both and, where possible, names the place, what was found there and what was expected. The answer to a move also carries the "
                    "player's state."),

    # the player's state, as in proto/spin.proto
    "Bet": obj(coin_minor=MINOR, lines=U, coins=U, autoplay_id=HEX, mode=TEXT, bonus_spin=HEX),
    "WinItem": obj(what=TEXT, line=U, symbol=U, count=U, amount_minor=MINOR, cells=HEX, multiplier=U, name=TEXT),
    "CellLoad": obj(cell=U, kind=TEXT, x=U, award=TEXT, award_name=TEXT, award_x=U, own=U),
    "Draw": obj(meaning=TEXT, below=U, value=U),
    "Carried": obj(stake_minor=MINOR, potions=many(U), unlocked=many(TEXT)),
    "Phase": obj(index=U, kind=TEXT, stops=HEX, window=HEX, wins=many(named("WinItem")), win_minor=MINOR, free_spins_awarded=U, free_spins_left=U,
                 multiplier=U, outcome=TEXT, outcome_value=INT, picks=HEX, claim_index=U, draws=many(named("Draw")), covered=HEX, held=HEX, landed=HEX,
                 loads=many(named("CellLoad")), respins_left=U, free_spins_appended=U, features=many(TEXT), explodes=BOOL, potion_colours=HEX,
                 after=or_null(named("Carried")), strips=TEXT, feature_cells=HEX),
    "CardsClaim": obj(move=U, index=U, pool=U, booked=BOOL),
    "CardsDraw": obj(draw=or_null(named("Draw")), threshold=U, triggered=BOOL, claim=or_null(named("CardsClaim"))),
    "GambleStep": obj(attempt=U, stake_minor=MINOR, guess=U, card=CARD, won=BOOL, pending_minor=MINOR),
    "JackpotWin": obj(index=U, pool=U, paid_minor=MINOR, booked=BOOL),
    "RoundView": told(obj(round=U, game=SLUG, math_version=hexes(32), bet=or_null(named("Bet")), stake_minor=MINOR, phases=many(named("Phase")), phase_from=U,
                          cursor=U, next=TEXT, picks_left=U, picked=HEX, win_minor=MINOR, pending_minor=MINOR, gamble_attempts_left=U, gambles=many(named("GambleStep")),
                          closed=BOOL, secret=HEX, client_nonce=HEX, jackpots=many(named("JackpotWin")), collected_minor=MINOR, result_digest=HEX,
                          before=or_null(named("Carried")), bonus_spin=BOOL, cards=or_null(named("CardsDraw"))),
                      "A round, as far as the player may see it."),
    "Autoplay": obj(id=HEX, spins=U, loss_limit_minor=INT, single_win_minor=INT, stop_on_jackpot=BOOL, stop_on_feature=BOOL),
    "BonusSpins": obj(id=ID, game=SLUG, left=U, spins=U, coin_minor=MINOR, lines=U, coins=U, expires_us=US),
    "State": told(obj(player=PLAYER, currency=CURRENCY, balance_minor=MINOR, balance_seq=U, pending_minor=MINOR, expect=told(U, "The number of the next move."),
                      secret_hash=told(HEX, "SHA-256 of the secret of the next move."), round=or_null(named("RoundView")), last_round_Q=named("RoundView"),
                      gamble_cards=many(CARD), witch=U, autoplay=or_null(named("Autoplay")),
                      autoplay_stopped_Q=told(one_of("count", "loss_limit", "single_win", "jackpot", "feature", "player"), "Why the game's last autoplay ended."),
                      cards=or_null(named("CardsClaim")), bet_not_placed_Q=BOOL,
                      carried=many(named("Carried")), bonus_spins=many(named("BonusSpins"))),
                  "The player's state in a game."),

    # what is shown to all, and the player's past
    "CardRound": obj(id=TEXT, move=U, index=U, pool=U, number=U, secret_hash=HEX, turned=many(obj(pick=whole(1, 12), position=whole(0, 11), suit=TEXT)),
                     next_pick=whole(0, 12), won=BOOL, level=whole(0, 4), suit=TEXT, paid_minor=MINOR, currency=CURRENCY, hit=U, secret=HEX, opened_us=US,
                     expires_us=US, booked=BOOL),
    "Pool": obj(pool=U, id=TEXT, kind=TEXT, status=TEXT, time_us=US, rows=many(obj(currency=CURRENCY, coin_minor_Q=MINOR, level_Q=LEVEL, value_minor=MINOR,
                                                                                   seed_minor=MINOR, version=U, hits=U))),
    "Winner": obj(time_us=US, pool=U, hit=U, coin_minor_Q=MINOR, level_Q=LEVEL, currency=CURRENCY, paid_minor=MINOR, player=told(TEXT, "Masked.")),
    "JournalRow": obj(seq=U, time_us=US, kind=TEXT, move=U, round=U, game=TEXT, refusal=TEXT, release_minor=MINOR, stake_minor=MINOR, win_balance_minor=SEEN,
                      win_pending_minor=SEEN, forfeit_minor=MINOR, amount_minor=SEEN, balance_after_minor=SEEN, pending_after_minor=SEEN,
                      award_Q=obj(round=U, index=U, pool=U), bonus_spin_Q=BOOL),
    "PastRound": obj(round=U, game=TEXT, time=told(U, "Milliseconds since 1970."), time_us=US, stake_minor=MINOR, win_minor=MINOR, jackpots_minor=MINOR,
                     balance_before_minor=SEEN, balance_after_minor=SEEN, bonus_spin=BOOL, closed=BOOL, refused=BOOL),
    "FoundRound": told(obj(id=or_null({"type": "string", "pattern": "^[0-9]+-[0-9]+$"}), time_us=US, player=PLAYER, round=U, game=TEXT, mode=or_null(U), bonus_spin=or_null(BOOL), currency=CURRENCY,
                           stake_minor=or_null(MINOR), win_minor=told(or_null(MINOR), "As drawn, before any double and without jackpots; null while the round is open."), open=BOOL, void=BOOL,
                           jackpot_minor=or_null(MINOR), pool=or_null(U)),
                       "A round of one of the operator's players. With `jackpot`, a jackpot and the time at which it was paid: then `id`, `mode`, `bonus_spin`, `stake_minor` and `win_minor` are null. Otherwise `jackpot_minor` and `pool` are."),
    "OpenRound": obj(since_us=US, player=PLAYER, round=U, game=TEXT, currency=TEXT, stake_minor=told(or_null(MINOR), "null: the bet lies too many rows of the account back."),
                     pending_minor=told(MINOR, "Won in the round and not collected yet.")),
    "HistoryEntry": told(obj(kind=HISTORY_KINDS, seq=U, time_us=US, round=told(U, "The round that it belongs to; 0: none."), game=TEXT,
                             amount_minor=told(INT, "The change of the balance. Of a double: the change of the pending win. Of a paid withdrawal: the amount paid."),
                             balance_before_minor=SEEN, balance_after_minor=SEEN, stake_minor_Q=MINOR, win_minor_Q=MINOR, jackpots_minor_Q=MINOR, doubled_minor_Q=INT, mode_Q=U,
                             bonus_spin_Q=BOOL, closed_Q=BOOL, void_Q=BOOL, pool_Q=U),
                         "A round, or something else that moved the player's money. Rounds have stake, win (`doubled_minor`: the part that doubles added or lost) and mode (0: base), jackpots and card prizes a pool."),
    "Mode": obj(id=SLUG, name_Q=TEXT, price_hundredths_Q=U, guarantee_Q=ANY, published_rtp_Q=ANY, one_spin=BOOL, wild_reels=ANY),
    "GameListed": obj(currency_codes=told(many(named("Currency")), "The currencies that it can be played in."), id=SLUG, number=U, name=TEXT, version=ANY, demo_Q=BOOL, modes=many(named("Mode")), math_version=hexes(32), pool_Q=TEXT),
    "Game": told(obj(id=SLUG, number=U, name=TEXT, version=ANY, demo_Q=BOOL, symbols=many(ANY), lines=many(ANY), reels=U, rows=U, lines_min=U, lines_max=U,
                     coins_min=U, coins_max=U, modes=many(named("Mode")), math_version=hexes(32),
                     currencies=many(obj(currency=CURRENCY, coins_minor=many(whole(1)), no_buy_coins_minor_Q=many(whole(1)), stake_min_minor_Q=or_null(INT),
                                         stake_max_minor_Q=or_null(INT), price_max_minor_Q=or_null(INT))),
                     bet=OBJECT, battle=or_null(OBJECT), hold_and_win=or_null(OBJECT), potions=or_null(OBJECT), jackpot_Q=OBJECT),
                 "What players may know of a game's definition. A null feature: the game does not have it."),

    # the player's own limits and session
    "OwnLimits": obj(currency=or_null(CURRENCY), time_us=US, limits=or_null(many(obj(
        name=OWN_NAMES, period=or_null(TEXT), limit=told(or_null(INT), "Minor units, or seconds; null: none."), used=told(or_null(INT), "Used in this period; null: not known."),
        renews=told(or_null(INT), "When `used` is 0 again, or when the pause ends; microseconds since 1970."),
        pending=told(or_null(INT), "The limit from `pending_from` on; null: none from then on."), pending_from=or_null(INT))))),
    "OwnSession": obj(since_us=US, expires_us=US, time_us=US, currency=TEXT, rounds=U, staked_minor=MINOR, returned_minor=INT, net_minor=INT,
                      whole=told(BOOL, "False: the session has more rows than were read."), reality_check_s=told(U, "0: never.")),

    # operators
    "Money": obj(balance_minor=MINOR, seq=U, id=TEXT, state_Q=TEXT),
    "AmountWaits": told(obj(id=ID, status=one_of("waiting"), asked_by=TEXT, expires_us=told(US, "Until then another user or key may approve it."),
                            withdrawal_Q=told(ID, "Of a decision by hand: the withdrawal.")),
                        "The amount is above what one user or key books alone. Nothing has been booked."),
    "AmountDecided": obj(id=ID, status=one_of("booked", "refused"), balance_minor_Q=MINOR, seq_Q=U, asked_by_Q=TEXT, expires_us_Q=US,
                         withdrawal_Q=told(ID, "Of a decision by hand: the withdrawal.")),
    "Withdrawal": obj(**WITHDRAWAL),
    "WithdrawalApproved": obj(id=ID, review=one_of("approved")),
    "OpenWithdrawal": obj(player=PLAYER, **WITHDRAWAL, stuck=told(BOOL, "It is old enough to be decided by hand.")),
    "Limit": obj(limit=LIMITS, period_Q=PERIODS, amount_minor_Q=INT, seconds_Q=INT, until_s_Q=INT, used_minor_Q=MINOR),
    "GrantedSpins": obj(id=ID, game=TEXT, currency=CURRENCY, coin_minor=MINOR, lines=U, coins=U, spins=U, used=U, left=U, expires_us=US, seq=U, ended=ANY),
    "FxRate": obj(id=ANY, status_Q=one_of("set", "waiting", "refused"), currency=CURRENCY, rate=DECIMAL, valid_from_us=US),
    "Void": obj(round=U, game=TEXT, currency=CURRENCY, seq=U, move=U, stake_returned_minor=MINOR, win_taken_minor=MINOR, receivable_minor=MINOR,
                pending_taken_minor=MINOR, time_us=US, awards_minor=told(INT, "Of win_taken_minor and receivable_minor, the round's jackpots; 0: they stay.")),
    "VoidRequest": obj(id=TEXT, status=one_of("waiting", "approved", "refused"), player=PLAYER, game=TEXT, round=U, reason=TEXT, awards_minor=told(INT, "The round's jackpots when it was requested."),
                       asked_by=TEXT, approved_by=TEXT, outcome=told(TEXT, "Of an approved one. Empty: not known yet; voided; or the code of the error that refused it."), time_us=US),
    "PoolAction": obj(id=TEXT, done=BOOL, status_Q=TEXT, before_Q=ANY, after_Q=ANY),
    "PoolState": obj(pool=U, id=TEXT, status=TEXT, t=DECIMAL, books=OBJECT, hits=U, version=U, updated_us=US, rows=many(OBJECT)),
    "Status": obj(time_us=US, age_s=told(obj(services=or_null(U), pools=or_null(U), checks=or_null(U), jackpots=or_null(U), winners=or_null(U)), "Whole seconds since each part was read; null: not yet."),
                  instance=TEXT, kind=one_of("live", "demo", "test"), requests_open=U, reconciliation=or_null(OBJECT),
                  players_Q=told(U, "The number of accounts; only for operators that may act on pools."),
                  players_estimated_Q=told(BOOL, "More than 1000 accounts are estimated from the statistics of Postgres.")),
}

# The bodies of requests: services/gateway/core/requests.c has the same tables. The gateway rejects members that are not named.
BODIES = {
    "demo": obj(player_Q=NUMBER, currency_Q=CURRENCY),
    "crash": obj(page=one_of("player", "console"), kind=told({"type": "string", "pattern": "^[A-Za-z]{1,40}$"}, "The name of the error, such as TypeError."),
                 file=told({"type": "string", "pattern": "^[A-Za-z./-]{1,64}$"}, "The module, such as operator/reports.js."), line=whole(0, 1000000), column=whole(0, 1000000)),
    "account": obj(player=NUMBER, currency=CURRENCY),
    "session": obj(player=NUMBER),
    "money": obj(amount_minor=AMOUNT, currency=CURRENCY, reason_Q=REASON),
    "correction": obj(amount_minor=told(INT, "May be below 0."), currency=CURRENCY, reason=REASON),
    "back": obj(amount_minor=AMOUNT, currency=CURRENCY, reason=REASON),
    "block": obj(blocked=BOOL, reason=REASON),
    "bonus": obj(game=SLUG, currency=CURRENCY, coin_minor=whole(1), lines=whole(1, 1000), coins=whole(1, 1000), spins=whole(1, 10000), expires_us=whole(1),
                 reason_Q=REASON),
    "reason": obj(reason=REASON),
    "offer": obj(games_Q=told(text(1, 999), "`all`, or ids of games, separated by commas."), currencies_Q=told(text(1, 999), "`all`, or ISO 4217 codes, separated by commas."),
                 reason=REASON),
    "note": obj(text=told(text(1, 2000), "Plain text, at most 2000 bytes; line breaks are allowed.")),
    "gaming_day": obj(zone=told(text(1, 64), "A time zone of the IANA list."), start_hour=whole(0, 23), from_day=DAY, reason=REASON),
    "pool_action": obj(action=one_of("pause", "resume", "retire", "adjust", "parameters", "create", "take_part", "odds", "weights"), parameters_Q=OBJECT,
                       reason=REASON),
    "decision": obj(decision=one_of("capture", "release"), reason=REASON, force_Q=BOOL),
    "limit": obj(limit=LIMITS, period_Q=PERIODS, amount_minor_Q=told(whole(-1), "-1: no limit."), seconds_Q=told(whole(-1), "-1: no limit."), until_s_Q=whole(1),
                 currency=CURRENCY, reason_Q=REASON),
    "own_limit": obj(name=OWN_NAMES, period_Q=one_of("day", "week", "month", "session"), limit=told(whole(-1, 10**15), "Minor units, or seconds; -1: none.")),
    "own_session": obj(reality_check_s=told(whole(0, 86400), "60 at least; 0: never.")),
    "void": obj(game=SLUG, round=whole(1), reason=text(1, 80),
                award_Q=told(BOOL, "Take back the round's jackpots too. The void then waits for approval by another key or user (202).")),
    "call": obj(id=ID),
    "round": obj(game=SLUG, expect=whole(1), bet_Q=obj(coin_minor=whole(1), lines=whole(1, 1000), coins=whole(1, 1000), mode_Q=SLUG),
                 nonce={"type": "string", "pattern": "^[0-9a-f]{32,64}$"}, autoplay_Q=ID, bonus_spin_Q=told(ID, "The id of a grant, instead of a bet.")),
    "action": obj(game=SLUG, expect=whole(1), action=one_of("pick", "next", "collect", "gamble", "halve"), cursor_Q=U, choice_Q=whole(0, 255)),
    "pick": obj(pick=whole(1, 12), position=whole(0, 11)),
    "settings": obj(game=SLUG, expect=whole(1), witch_Q=whole(0, 255),
                    autoplay_Q=obj(id_Q=ID, spins=whole(0, 1000000), loss_limit_minor_Q=whole(-1), single_win_minor_Q=whole(-1), stop_on_jackpot_Q=BOOL,
                                   stop_on_feature_Q=BOOL)),
    "login": obj(operator=whole(1, 32767), name=text(1, 32), password=text(1, 128), code_Q=told(text(6, 32), "A one-time code or a recovery code.")),
    "confirm": obj(password=text(1, 128)),
    "password": obj(password=text(1, 128), new_password=text(12, 128)),
    "totp": obj(secret_Q=hexes(20), code_Q=text(6, 6)),
    "key": obj(name=text(1, 64), scopes=told(text(1, 200), "all, or names of read, players, money and pools, separated by commas."),
               amounts_Q=told(text(1, 399), "The largest amount of a request by currency, in minor units: EUR:50000,SEK:600000."),
               pools_Q=told(text(1, 200), "Numbers of pools and sets: 1,4."), days_Q=told(whole(1, 3650), "It ends after so many."), reason=REASON),
    "key_action": obj(action=one_of("rotate", "expire", "revoke"), keep_s_Q=told(whole(0, 2592000), "With rotate and expire: seconds until the key ends; a day."),
                      days_Q=told(whole(1, 3650), "With rotate: the new key ends after so many."), reason=REASON),
    "webhook": obj(url=told(text(1, 500), "https, to a public address."), kinds=told(text(1, 200), "hit, large_win, payout, limit, game; separated by commas."), reason=REASON),
    "webhook_action": obj(action=one_of("change", "rotate", "test", "end"), url_Q=told(text(1, 500), "With change: the new address."),
                          kinds_Q=told(text(1, 200), "With change: the new kinds."),
                          keep_s_Q=told(whole(0, 604800), "With rotate: seconds for which the secret before signs too; a day."), reason=REASON),
    "webhook_events": obj(event=told(text(1, 128), "The id of a dead event to send again, or of a waiting one to skip; `all`: at most 2,000 at a time."), reason=REASON),
    "staff": obj(name=text(1, 32), roles=told(text(1, 200), "Names of roles, separated by commas.")),
    "staff_action": obj(action=one_of("roles", "reset", "disable", "enable", "end-sessions"), roles_Q=text(1, 200), reason=REASON),
    "fx": obj(currency=CURRENCY, rate=DECIMAL, valid_from_us_Q=whole(1), reason_Q=REASON),
}

# Codes of errors, with the statuses that they come with. A code never changes its meaning.
PROBLEMS = {
    "account": ((409,), "The account does not exist or has another currency."),
    "account_quarantined": ((503,), "This account is quarantined: a record of it cannot be read. The operator has been alerted."),
    "account_unknown": ((404,), "The account does not exist or has another currency."),
    "action_unknown": ((404,), "No action with this id was requested for this pool."),
    "already_done": ((409,), "An earlier move already handled this request. Nothing was done again."),
    "amount": ((400,), "The amount is not allowed."),
    "approval_decided": ((409,), "This request has already been decided otherwise."),
    "approval_expired": ((409,), "Nobody approved this request in time. Nothing was done."),
    "approval_refused": ((409,), "Another user or key has refused this request. Nothing was done."),
    "approval_unknown": ((404,), "No request with this id waits for approval."),
    "archived": ((404,), "This round is no longer in the database. It is in the archive."),
    "attempts_spent": ((409,), "There are no gamble attempts left."),
    "autoplay": ((409,), "Autoplay does not allow this."),
    "autoplay_feature_stop_not_offered": ((409,), "Autoplay of this game cannot be set to stop on a feature."),
    "autoplay_jackpot_stop_not_offered": ((409,), "Autoplay of this game cannot be set to stop on a jackpot."),
    "autoplay_loss_limit_bad": ((409,), "The loss limit of an autoplay must be 0 or more, or -1 for none."),
    "autoplay_not_offered": ((409,), "The game has no autoplay."),
    "autoplay_one_spin": ((409,), "This mode is bought for one spin at a time, so autoplay cannot play it."),
    "autoplay_other_bet": ((409,), "The bet differs from the bet of the autoplay's first spin."),
    "autoplay_runs": ((409,), "Autoplay is running: stop it before you gamble."),
    "autoplay_single_win_bad": ((409,), "The single win of an autoplay must be above 0, or -1 for none."),
    "autoplay_spins_out_of_range": ((409,), "The number of spins is outside the range that the game allows for autoplay."),
    "autoplay_stopped": ((409,), "The autoplay has stopped."),
    "autoplay_too_soon": ((409,), "The next spin of autoplay is not due yet."),
    "autoplay_unknown_id": ((409,), "No autoplay runs under this id."),
    "bad_bet": ((400,), "This game does not accept this bet."),
    "bad_choice": ((400,), "This choice is not allowed."),
    "awards_changed": ((409,), "More jackpots or Jackpot Cards were paid to this round after the request. Nothing was done. Request the void again, with a new Idempotency-Key."),
    "bad_guess": ((409,), "The guess is neither red nor black."),
    "bad_request": ((400,), "The engine cannot read the request."),
    "bad_witch": ((400,), "This game has no such witch."),
    "bet_above_maximum": ((400,), "The total bet is above the game's maximum."),
    "bet_below_minimum": ((400,), "The total bet is below the game's minimum."),
    "blocked": ((403,), "Play is blocked for this account or this game."),
    "body_refused": ((400,), "This request must not have a body."),
    "bonus_spin_autoplay": ((409,), "Autoplay cannot play bonus spins. Start them by hand."),
    "bonus_spin_expired": ((409,), "These bonus spins have expired."),
    "bonus_spin_other_game": ((409,), "These bonus spins are for another game."),
    "bonus_spin_unknown": ((409,), "No bonus spins are left under this id."),
    "bonus_spins_over": ((409,), "These bonus spins do not exist, or none of them can be played any more."),
    "busy": ((429, 503), "Too many requests are waiting for an answer, so this request had no effect. If an earlier request with the same key was answered 504, it may have taken effect. Try again with the same key."),
    "buy_not_offered": ((400,), "The mode is not sold at this coin value."),
    "card_round_unknown": ((404,), "This player has no card round with this id."),
    "cards_busy": ((503,), "Too many levels are being won at this moment. The card stays face down. Pick it again."),
    "cards_open": ((409,), "Finish your Jackpot Cards first. This game takes bets again when they are paid."),
    "cards_stopped": ((503,), "No cards can be dealt now. The card round stays open. Pick the card again later."),
    "claim": ((409,), "The jackpot claim is not valid."),
    "claim_open": ((409,), "This round has won a jackpot or Jackpot Cards that are not paid yet. It can be voided once they have been paid. Try again then, with a new Idempotency-Key."),
    "claims_later": ((409,), "The player has won more than 1000 jackpots and Jackpot Cards since this round. Void it without \"award\", and book a correction."),
    "code_needed": ((401,), "Enter the one-time code of your second factor."),
    "coin_not_selectable": ((400,), "The game has no such coin value in this currency."),
    "coins_out_of_range": ((400,), "The number of coins a line is outside the game's range."),
    "confirm_needed": ((403,), "Enter your password again to continue. Nothing was done."),
    "content_type": ((415,), "Content-Type must be application/json."),
    "csrf": ((403,), "The header X-CSRF-Token is missing or wrong, so the request may come from another page. Nothing was done."),
    "currency": ((409,), "The account already exists in another currency."),
    "currency_unknown": ((500,), "This server does not know the account's currency."),
    "currency_not_accepted": ((403,), "The operator does not accept this currency for new accounts and deposits. Nothing was done."),
    "currency_not_offered": ((400,), "The game is not offered in this currency."),
    "day_open": ((409,), "The player has too many bookings since the round. It can be voided once the wallet has closed the day."),
    "decided": ((409,), "An operator has already made a different decision. The first decision stands."),
    "decision_waiting": ((409,), "Another decision about this withdrawal waits for approval."),
    "definition_behind": ((503,), "A newer game definition is still being loaded. Try again."),
    "draws_stopped": ((503,), "Play is stopped because the random numbers failed a health test. You can finish an open round."),
    "definition_unknown": ((404,), "No definition with this digest was ever registered here."),
    "excluded": ((403,), "The player is excluded from play for a time."),
    "factor_needed": ((403,), "Every user of this installation needs a second factor. Set yours first."),
    "feature_open": ((409,), "Finish the feature of your last round first."),
    "field_missing": ((400,), "A field is missing, does not go with the others, or has a value that is not allowed."),
    "field_range": ((400,), "A value in the request is not allowed."),
    "field_type": ((400,), "A value has the wrong type."),
    "field_unknown": ((400,), "A field or a query parameter is unknown, or a query parameter appears twice."),
    "gamble": ((409,), "You cannot gamble now."),
    "gamble_above_limit": ((409,), "The amount is above the game's limit for a gamble."),
    "gamble_not_offered": ((409,), "The game has no gamble."),
    "game_stopped": ((503,), "This game is stopped."),
    "game_not_offered": ((403,), "The player's operator does not offer this game. Nothing was done."),
    "game_unknown": ((404,), "This game does not exist."),
    "halve_not_offered": ((409,), "The game does not offer halving, or half of the pending amount is 0."),
    "header_lost": ((500,), "The server could not send its answer: one of the headers was too long."),
    "header_refused": ((400, 431), "A header is longer than 1023 bytes or was sent twice, or there are more than 64 headers, or they are too long together."),
    "host_refused": ((400, 421), "An HTTP/1.1 request needs exactly one Host header, with a host that this server serves."),
    "insufficient_funds": ((402,), "The balance is too low."),
    "jackpot_not_offered": ((503,), "This game's jackpot cannot take contributions in this currency now, so no bets are accepted."),
    "journal_unavailable": ((503,), "The round cannot be read now. Nothing was done. Try again."),
    "key_exists": ((409,), "The operator has a key of this name already. Nothing was done."),
    "key_in_file": ((409,), "This key is in a file of the gateways. Nothing was done. Replace the file and restart the gateways."),
    "key_rotated": ((409,), "Another key replaces this one already. Nothing was done."),
    "key_unknown": ((404,), "The operator has no such key in force. Nothing was done."),
    "keys_full": ((409,), "The operator has twenty keys in force already. Nothing was done."),
    "length_required": ((411,), "Content-Length is missing."),
    "limit": ((403, 409), "A limit of the account does not allow this."),
    "letter_done": ((409,), "This letter was already sent again or settled. Nothing was done."),
    "letter_not_sent": ((409,), "This message is not sent again. Nothing was done."),
    "letter_sending": ((409,), "This message is being sent again at this moment. Nothing more was done."),
    "letter_unknown": ((404,), "There is no dead letter with this number."),
    "limit_deposit": ((403,), "The deposit exceeds the player's deposit limit or the operator's limit for one deposit."),
    "limit_loss": ((403,), "This bet could exceed your loss limit for a day, week or month."),
    "limit_time": ((403,), "You have reached your time limit. Take a break before you play again."),
    "limit_wager": ((403,), "This bet would exceed your wager limit for a day, week or month."),
    "lines_out_of_range": ((400,), "The number of lines is outside the game's range."),
    "logged_out": ((401,), "The player has ended this session."),
    "login_locked": ((401,), "Too many wrong passwords or codes. This user is locked: try again later."),
    "login_refused": ((401,), "Name, password or code is wrong."),
    "malformed": ((400,), "The request cannot be read: it is not valid HTTP/1.1, or its body is not the expected JSON."),
    "method_refused": ((405,), "The path does not accept this method; the header Allow says which it accepts."),
    "mode_not_offered": ((400,), "The game has no such mode."),
    "move_ahead": ((409,), "This move number is too high. Load the state again."),
    "move_spent": ((409,), "This move number is already used. Load the state again."),
    "no_account": ((404,), "This player has no account."),
    "no_award": ((409,), "No jackpot was paid to this round. Void it without \"award\"."),
    "no_answer": ((504,), "The server did not answer in time."),
    "no_demo": ((404,), "A live installation has no demo players."),
    "no_game": ((404,), "This game is not offered here."),
    "no_part": ((403,), "This operator takes no part in this pool or set, so it may not see the pool's books. GET /v1/jackpots has the figures that every operator may see."),
    "no_owner": ((503,), "No service is responsible for this player or pool at the moment, so this request had no effect. If an earlier request with the same key was answered 504, it may have taken effect. Try again with the same key."),
    "no_pick": ((409,), "There is nothing to pick in this phase."),
    "no_round": ((404,), "This player has no such round in this game."),
    "no_win_to_gamble": ((409,), "There is no win to gamble."),
    "not_available": ((503,), "The server cannot do this now. Try again."),
    "not_found": ((404,), "Nothing exists at this path."),
    "not_permitted": ((403,), "None of your roles permits this. Nothing was done."),
    "not_pool_operator": ((403,), "This operator may not change what all operators share: pools, sets of Jackpot Cards, stopped games, the jackpots of a round, dead letters. It may only choose whether to take part in pools and sets."),
    "not_priced": ((503,), "The level cannot be paid now. The card stays face down. Pick it again."),
    "not_read_yet": ((503,), "The round is void, but its row cannot be read yet. Read it later in the list of voids."),
    "not_stopped": ((409,), "This game is not stopped, or it is already running again."),
    "not_supported": ((503,), "The wallet does not support this kind of move yet."),
    "not_understood": ((503,), "The wallet does not support this kind of booking yet."),
    "origin": ((403,), "Pages of this origin may not receive events."),
    "operator_key": ((401,), "The operator's key is missing or unknown."),
    "other_content": ((422,), "This Idempotency-Key was already used for a different request. Nothing was done."),
    "other_cursor": ((409,), "The round is at a different phase."),
    "other_operator": ((403,), "This key belongs to another operator."),
    "other_round": ((409,), "This is not your open round."),
    "overflow": ((409,), "An amount is too large. Nothing was booked."),
    "own_user": ((409,), "Users cannot change their own roles or state. Another administrator can."),
    "password_change": ((403,), "Somebody else has set your password, or many people use it. Choose a new one first."),
    "password_wrong": ((401,), "The password is wrong."),
    "path_refused": ((400,), "The path contains an encoded slash (%2F), or the path or the query has a control character or a bad % escape."),
    "path_too_long": ((414,), "The path or the query is longer than 511 bytes."),
    "payment_asked": ((409,), "The provider has not said whether it paid: it may have paid or may still pay. To decide anyway, send \"force\":true."),
    "pending": ((409,), "The round's pending amount differs from the expected one. Load the state again."),
    "pick_needed": ((409,), "Make your pick to continue the round."),
    "player_not_settled": ((409,), "Something of the player is not settled yet. Nothing was done."),
    "player_pseudonymised": ((409,), "The player was pseudonymised. Nothing was done."),
    "player_unknown": ((404,), "This player has no account."),
    "pool_unknown": ((404,), "This pool does not exist."),
    "price_above_maximum": ((400,), "The price of the mode is above the game's maximum."),
    "provider_has_answered": ((409,), "The provider has already reported a different outcome."),
    "quarantined": ((503,), "This request has stopped a service several times, so it is no longer carried out. It may have taken effect: load the state to see."),
    "rate_exists": ((409,), "This currency already has an FX rate that starts at this time."),
    "rate_past": ((409,), "An FX rate cannot start in the past: contributions have already been converted."),
    "rate_stale": ((503,), "The FX rate of this currency is too old. Bets that feed a jackpot are refused until a rate is set again."),
    "rate_unknown": ((404,), "No FX rate with this id was requested."),
    "rates_not_yours": ((403,), "Only another operator may set the FX rates of this installation."),
    "reconnect_later": ((429,), "The connection to this game was lost. Nothing was done. Wait before you return; an open round is kept."),
    "refused": ((409, 503), "The wallet or a jackpot service refused the request."),
    "replay_differs": ((500,), "The replay differs from the recorded result. The operator has been informed."),
    "replay_unavailable": ((503,), "The round cannot be read now. Try again."),
    "report_unknown": ((404,), "There is no report of this day: it has not begun yet."),
    "round_closed": ((409,), "This round is closed."),
    "same_approver": ((403,), "The same user or key requested the action. Another one must approve it."),
    "scope_exceeded": ((403,), "The key is limited, and the request exceeds its limits or needs a scope that the key lacks. Nothing was done."),
    "script": ((409,), "The forced draws do not fit this round."),
    "session_unknown": ((404,), "No such session of a user is open. Nothing was done."),
    "session_failed": ((500,), "The session could not be created."),
    "session_idle": ((401,), "Your session ended because you were inactive. An open round is kept."),
    "settled": ((409,), "The player has no such withdrawal or grant, or it is already settled."),
    "starting": ((503,), "The server is still loading events. Try again."),
    "draining": ((503,), "The server is about to stop. Try again."),
    "not_published": ((403,), "This operator does not publish the definitions of games."),
    "token_expired": ((401,), "The token has expired."),
    "token_forged": ((401,), "The token's signature does not match any key here."),
    "token_key_missing": ((401,), "The key that signed the token is no longer known."),
    "token_not_yet": ((401,), "The token is not valid yet."),
    "token_missing": ((401,), "No token was sent."),
    "token_malformed": ((401,), "The token cannot be read."),
    "token": ((401,), "The token is missing or not valid."),
    "stopped_already": ((409,), "An operator has stopped this game already. Nothing was done."),
    "too_large": ((413,), "The body is larger than 16384 bytes."),
    "too_late": ((409,), "The request arrived too late. Nothing was done."),
    "too_many": ((429,), "Too many requests. Nothing was done. Try again later."),
    "too_many_exports": ((429,), "This gateway already writes two exports for this operator. Try again when one of them has ended."),
    "too_many_wrong": ((429,), "Too many wrong tokens, keys or passwords came from this address. Nothing was done. Try again later."),
    "too_soon": ((429,), "The bet came too soon after the last one; or many bets were refused, and this bet or gamble came less than a second after the last refusal. Nothing was done."),
    "total_overflow": ((400,), "The total bet is too large a number."),
    "unknown_channel": ((400,), "This channel does not exist."),
    "unknown_parameter": ((400,), "This query parameter is unknown."),
    "upgrade_required": ((426,), "This path is a WebSocket: send Upgrade: websocket and Sec-WebSocket-Version: 13."),
    "upgrade_refused": ((400,), "This server cannot switch this connection to another protocol."),
    "user_exists": ((409,), "A user of this name exists already. Nothing was done."),
    "user_unknown": ((404,), "This user does not exist. Nothing was done."),
    "version_refused": ((400,), "Only HTTP/1.0 and HTTP/1.1 are supported."),
    "void": ((409,), "This round is already void."),
    "review_not_waiting": ((409,), "This withdrawal does not wait for an approval. Nothing was done."),
    "void_unknown": ((404,), "No void with this id was requested for this player."),
    "webhook_rotating": ((409,), "Two secrets are in use already. Nothing was done. Wait until the old one has ended, or send \"keep_s\":0: then only the new secret is valid from now on."),
    "webhook_unknown": ((404,), "The operator has no such webhook. Nothing was done."),
    "webhooks_full": ((409,), "The operator has ten webhooks already. Nothing was done."),
    "withdrawal_unknown": ((404,), "This player has no such withdrawal."),
    "withdrawal_young": ((409,), "The provider may still be processing this withdrawal. Only a stuck withdrawal can be decided by hand."),
}

# ---- routes -------------------------------------------------------------------------------------------------------------------------------------------

PATHS = {}
# The name and schema of the {} behind a segment of a path.
PARAMETERS = {"operators": ("operator", whole(1, 32767)), "players": ("player", NUMBER), "rounds": ("round", whole(1)), "cards": ("card", TEXT),
              "games": ("game", TEXT), "withdrawals": ("withdrawal", TEXT), "grants": ("grant", TEXT), "bonus-spins": ("grant", TEXT), "amounts": ("amount", TEXT), "pools": ("pool", U),
              "definitions": ("digest", hexes(32)), "voids": ("void", TEXT), "pseudonymise": ("request", ID), "actions": ("action", TEXT), "fx-rates": ("rate", TEXT), "users": ("user", TEXT), "webhooks": ("webhook", whole(1)),
              "keys": ("key", TEXT), "dead-letters": ("letter", whole(1)), "sessions": ("session", TEXT), "user-sessions": ("session", TEXT),
              "reports": ("period", REPORT_PERIODS), "{period}": ("day", DAY)}
LIMIT, BEFORE = ("limit", whole(1, 200), "The largest number of entries."), ("before", whole(1), "`next` of the previous page.")
TITLES = {200: "Done.", 201: "Opened.", 202: "Waits for approval by another key or user."}
KEY, KEY_OPTIONAL = named("Key"), named("KeyOptional")


def path_of(pattern):
    """The pattern of a table of routes with named parameters, and these."""
    segments, parameters = pattern.split("/"), []
    for i, segment in enumerate(segments):
        if segment == "{}":
            name, schema = PARAMETERS[segments[i - 1]]
            segments[i] = "{" + name + "}"
            parameters.append({"name": name, "in": "path", "required": True, "schema": schema})
    return "/".join(segments), parameters


# What each list of an operator takes (docs/lists.md).
CURSOR = ("cursor", TEXT, "`next_cursor` of the previous page; all other parameters stay as they were.")
FORMAT = ("format", one_of("json", "csv"), "csv: the rows as a table; X-Next-Cursor is `next_cursor`.")


def paged(answer):
    """The same with the cursor of a list."""
    more = {"next_cursor": told(or_null(TEXT), "`cursor` of the following page; null at the end.")}
    return {**answer, "required": [*answer["required"], *more], "properties": {**answer["properties"], **more}}


def route(who, method, pattern, summary, answer, body=None, query=(), key=None, statuses=(200,), etag=False, media="application/json", table=False, waits=None, rows=None, stream=False):
    """`rows`: the route answers a list with so many rows a page at most; 0: with all of them. `stream`: the gateway writes the answer while it reads."""
    path, parameters = path_of(pattern)
    if rows is not None:
        limit = [("limit", whole(1, rows), LIMIT[2])] if rows and "limit" not in [name for name, _, _ in query] else []
        query, table = [*query, *limit, *([CURSOR] if rows else []), *([] if "format" in [name for name, _, _ in query] else [FORMAT])], True
        answer = paged(answer) if rows else answer
    etag = etag or (who == "operator" and method == "get" and not stream)
    parameters += [{"name": name, "in": "query", "description": description, "schema": schema} for name, schema, description in query]
    if key:
        parameters.append({"$ref": key["$ref"].replace("schemas", "parameters")})
    answers = {str(status): {"description": TITLES[status], "content": {media: {"schema": answer}}} for status in statuses}
    if waits:
        answers["202"] = {"description": TITLES[202], "content": {media: {"schema": waits}}}
    if table:
        answers["200"]["content"]["text/csv"] = {"schema": TEXT}
    if etag:
        answers["304"] = {"description": "Not changed since the ETag in If-None-Match."}
    answers["default"] = {"$ref": "#/components/responses/Problem"}
    PATHS.setdefault(path, {})[method] = {
        "summary": summary, "tags": [who], "security": [{who: []}] if who in ("player", "operator") else [], **({"parameters": parameters} if parameters else {}),
        **({"requestBody": {"required": True, "content": {"application/json": {"schema": named("body_" + body)}}}} if body else {}), "responses": answers}


def page(**members):
    return obj(**members, next=told(or_null(U), "`before` of the following page; null at the end."), archived_Q=BOOL)


SESSION = {"token": TEXT, "player": PLAYER, "expires_at": told(U, "Seconds since 1970.")}
FIGURES = obj(pool=U, levels=many(obj(level=LEVEL, suit=TEXT, currency=CURRENCY, value_minor=MINOR, seed_minor=MINOR, version=U)))
REPLAYED = obj(replay=BOOL, witch=told(U, "The player's witch in this round."), currency=CURRENCY, math_version=hexes(32), secret_Q=HEX, round=named("RoundView"),
               rows=or_null(many(named("JournalRow"))))
HISTORY = page(entries=many(named("HistoryEntry")), searched_until_us_Q=told(US, "The page ended after 500 rows: the time of the last one. `next` continues from there."))
HISTORY_QUERY = [LIMIT, BEFORE, ("game", SLUG, "Only entries of this game."), ("wins", one_of("true"), "Only entries with a win."),
                 ("kind", {"enum": ["money", *HISTORY_KINDS["enum"]]}, "Only entries of this kind. `money`: deposits, withdrawals, corrections, grants. `bonus_spins`: also their rounds."),
                 ("from_us", whole(1), "Not before this time."), ("to_us", whole(1), "Not after this time.")]
OFFERED = {"games": told(or_null(many(SLUG)), "null: all."), "currencies": told(or_null(many(CURRENCY)), "null: all.")}
OPERATOR, OF_PLAYER, OF_POOL = "/v1/operators/{}", "/v1/operators/{}/players/{}", "/v1/operators/{}/pools/{}"

route("public", "get", "/v1/config", "What a page needs to know about the installation",
      obj(kind=one_of("live", "demo", "test"), events_url=TEXT, operators=many(U), shards=U,
          bet_gap_ms=told(whole(0, 60000), "The shortest time between two bets of a player; 0: none."),
          turbo=told(BOOL, "Whether the page may offer Turbo.")))
route("public", "get", "/v1/games", "The games; with a player's token those that their operator offers, and those in which they have something open: a round or Jackpot Cards", obj(games=many(named("GameListed"))), etag=True)
route("public", "get", "/v1/definitions/{}", "The definition file with this SHA-256, the math version of a round", OBJECT, etag=True)
route("public", "get", "/v1/games/{}", "A game: its symbols, paytable, bets and features", named("Game"), etag=True)
route("public", "get", "/v1/jackpots", "The present values of the jackpots", obj(pools=many(named("Pool"))), etag=True)
route("public", "get", "/v1/winners", "The last hits, newest first", obj(winners=many(named("Winner"))), query=[("limit", whole(1, 100), "The largest number of entries.")],
      etag=True)
route("public", "post", "/v1/demo/sessions", "Opens a demo account with play money, or returns to it", obj(**SESSION, state_Q=named("State")), body="demo")
route("public", "post", "/v1/crashes", "Tells of an error in a page that nothing caught: its kind and its place, nothing of the person", obj(counted=BOOL), body="crash")
route("public", "post", "/v1/payments/calls", "A payment provider's call about a withdrawal: payments queries the provider again", OBJECT, body="call")

route("player", "get", "/v1/state", "The player's state in a game", named("State"), query=[
    ("game", SLUG, "The game."), ("round", whole(1), "A page of this round."), ("from", whole(0), "The first phase of the page.")])
route("player", "post", "/v1/rounds", "Places a bet, or plays a bonus spin", named("State"), body="round", key=KEY)
route("player", "post", "/v1/rounds/{}/actions", "The next step of the open round: a pick, a collect, a gamble", named("State"), body="action", key=KEY)
route("player", "post", "/v1/settings", "Chooses a witch, starts or stops autoplay", named("State"), body="settings")
route("player", "post", "/v1/logout", "Ends the session at once, or all sessions of the player", obj(logged_out=BOOL), query=[
    ("all", one_of("true"), "All sessions of the player, on whatever device.")])
route("player", "get", "/v1/session", "The time and the result of the session", named("OwnSession"))
route("player", "post", "/v1/session", "Sets the interval of the reality check", named("OwnSession"), body="own_session")
route("player", "get", "/v1/limits", "The player's own limits", named("OwnLimits"))
route("player", "post", "/v1/limits", "Sets a limit, or a pause", named("OwnLimits"), body="own_limit", key=KEY_OPTIONAL)
route("player", "get", "/v1/rounds", "Past rounds, newest first", page(rounds=many(named("PastRound")), bounded_Q=told(BOOL, "The page ended after 500 rows; `next` continues from there.")), query=[
    LIMIT, BEFORE, ("game", SLUG, "Only rounds of this game."), ("wins", one_of("true"), "Only rounds with a win.")])
route("player", "get", "/v1/rounds/{}", "A past round, replayed; with its secret once the round is closed",
      REPLAYED)
route("player", "get", "/v1/history", "Everything that moved the player's money, newest first", HISTORY, query=HISTORY_QUERY)
route("player", "get", "/v1/journal", "All rows of the account, newest first", page(rows=many(named("JournalRow"))), query=[LIMIT, BEFORE])
route("player", "get", "/v1/cards", "Card rounds that are open or not booked yet, and their sets", obj(rounds=many(named("CardRound")), sets=many(FIGURES)))
route("player", "get", "/v1/cards/{}", "A card round, present or past", obj(card_round=named("CardRound")))
route("player", "post", "/v1/cards/{}/picks", "Turns a card over", obj(card_round=named("CardRound")), body="pick")

route("operator", "post", OPERATOR + "/players", "Opens an account", obj(player=PLAYER, currency=CURRENCY, balance_minor=MINOR), body="account", statuses=(201,))
route("operator", "post", OPERATOR + "/sessions", "Creates a token for a player", obj(**SESSION), body="session")
route("operator", "post", OF_PLAYER + "/deposits", "Books a deposit", named("Money"), body="money", key=KEY, waits=named("AmountWaits"))
route("operator", "post", OF_PLAYER + "/withdrawals", "Holds a withdrawal", named("Money"), body="money", key=KEY, waits=named("AmountWaits"))
route("operator", "get", OF_PLAYER + "/sessions", "A player's sessions, newest first: when each began and ended, and how", obj(sessions=many(named("PlayerSession"), 200)), rows=200)
route("operator", "get", OF_PLAYER + "/withdrawals", "The newest withdrawals", obj(withdrawals=many(named("Withdrawal"), 200)), rows=200)
route("operator", "get", OF_PLAYER + "/withdrawals/{}", "A withdrawal", named("Withdrawal"))
route("operator", "post", OF_PLAYER + "/withdrawals/{}/decisions", "Decides a stuck withdrawal by hand", named("Money"), body="decision", key=KEY, waits=named("AmountWaits"))
route("operator", "post", OF_PLAYER + "/withdrawals/{}/approve", "Lets the provider pay a withdrawal that waits for approval", named("WithdrawalApproved"), body="reason")
route("operator", "get", OPERATOR + "/withdrawals", "Withdrawals of all players that are not settled, oldest first",
      obj(withdrawals=many(named("OpenWithdrawal"), 500), next=told(TEXT, "`after` of the following page; empty at the end.")), table=True,
      query=[("state", one_of("held", "stuck"), "stuck: only what is old enough to be decided by hand."), ("after", TEXT, "`next` of the previous page."),
             ("limit", whole(1, 500), LIMIT[2]), ("format", one_of("json", "csv"), "csv: a table; X-Next is `next`.")], rows=500)
route("operator", "post", OF_PLAYER + "/corrections", "Books a correction", named("Money"), body="correction", key=KEY, waits=named("AmountWaits"))
route("operator", "post", OF_PLAYER + "/grants", "Grants bonus funds", named("Money"), body="money", key=KEY, waits=named("AmountWaits"))
route("operator", "post", OF_PLAYER + "/grants/{}/back", "Takes back unused bonus funds", named("Money"), body="back", key=KEY)
route("operator", "post", OF_PLAYER + "/limits", "Sets a limit or an exclusion", obj(limit=LIMITS, period_Q=PERIODS, from_us=US, seq=U, id=TEXT), body="limit", key=KEY)
route("operator", "get", OF_PLAYER + "/limits", "The limits that are set", obj(limits=many(named("Limit"))), rows=0)
route("operator", "post", OF_PLAYER + "/notes", "Adds a note about a player; nobody can change it", named("Note"), body="note", key=KEY)
route("operator", "get", OF_PLAYER + "/notes", "Notes about a player, newest first", obj(notes=many(named("Note"), 200)), rows=200)
route("operator", "get", OF_PLAYER + "/export", "All that the network holds about a player, as one document; each request is a line in the audit log", named("PlayerFile"), stream=True)
route("operator", "post", OF_PLAYER + "/pseudonymise", "Asks to remove what people typed about a player, outside the ledger, for ever", named("Pseudonym"), body="reason", key=KEY,
      waits=named("Pseudonym"))
route("operator", "post", OF_PLAYER + "/pseudonymise/{}/approve", "Approves what another key or user asked for, and does it", named("Pseudonym"), body="reason")
route("operator", "post", OF_PLAYER + "/pseudonymise/{}/refuse", "Refuses it", named("Pseudonym"), body="reason")
route("operator", "post", OF_PLAYER + "/voids", "Voids a round after a malfunction", named("Void"), body="void", key=KEY, statuses=(200, 202), waits=named("VoidRequest"))
route("operator", "post", OF_PLAYER + "/voids/{}/approve", "Approves a void that another key or user requested, and carries it out", named("Void"))
route("operator", "post", OF_PLAYER + "/voids/{}/refuse", "Refuses a void that another key or user requested", named("VoidRequest"), body="reason")
route("operator", "get", OPERATOR + "/voids/requests", "Voids that need or needed approval, newest first", obj(requests=many(named("VoidRequest"))), rows=200)
route("operator", "get", OF_PLAYER + "/voids", "A player's voids, newest first", obj(voids=many(OBJECT)), rows=200)
route("operator", "get", OPERATOR + "/voids", "All voids of the operator's players, summed", obj(voids=many(OBJECT)), rows=1000)
route("operator", "post", OF_PLAYER + "/block", "Blocks or unblocks a player", obj(blocked=BOOL), body="block", key=KEY_OPTIONAL)
route("operator", "post", OF_PLAYER + "/bonus-spins", "Grants bonus spins", obj(id=TEXT, seq=U), body="bonus", key=KEY, waits=named("AmountWaits"))
route("operator", "get", OF_PLAYER + "/bonus-spins", "Grants of bonus spins, newest first", obj(bonus_spins=many(named("GrantedSpins"), 200)), rows=200)
route("operator", "post", OF_PLAYER + "/bonus-spins/{}/end", "Takes back the spins that are left", obj(id=TEXT, seq=U), body="reason", key=KEY)
route("operator", "get", OPERATOR + "/games/{}", "A game: its definitions with their exact figures, and what it has returned beside them", named("GameView"),
      query=[("from_us", whole(0), "What was played from this time on (default: 30 days)."), ("to_us", whole(0), "Until this time (default: now).")])
route("operator", "post", OPERATOR + "/amounts/{}/approve", "Approves an amount that another key or user asked for, and books it", named("AmountDecided"), body="reason")
route("operator", "post", OPERATOR + "/amounts/{}/refuse", "Refuses an amount that another key or user asked for", named("AmountDecided"), body="reason")
route("operator", "get", OPERATOR + "/approvals", "What waits for a second person, oldest first: what whoever asks may decide, and what they asked for",
      obj(approvals=many(named("Approval"), 200), waiting=told(U, "How many of the page they may decide.")), rows=200)
route("operator", "get", OPERATOR + "/offer", "What the operator offers its players: games, and currencies of accounts",
      obj(**OFFERED, changed_us=told(U, "0: never."), changed_by=TEXT, reason=TEXT))
route("operator", "post", OPERATOR + "/offer", "Sets what the operator offers its players; what is not named stays as it is", obj(**OFFERED), body="offer")
route("operator", "get", OPERATOR + "/games", "The games that are stopped, by the engine or by an operator",
      obj(stopped=many(obj(game=told(TEXT, "`all`: all games."), by=one_of("engine", "operator"), reason=told(TEXT, "Empty for operators that do not act on pools."), actor=TEXT, since_us=US))), rows=0)
route("operator", "post", OPERATOR + "/games/{}/stop", "Stops bets on a game for all operators; `all` for all games", obj(game=TEXT, stopped=BOOL), body="reason")
route("operator", "post", OPERATOR + "/games/{}/start", "Starts a game again that the engine or an operator has stopped; `all` for all games", obj(game=TEXT, was=ANY), body="reason")
route("operator", "post", OF_POOL + "/actions", "Acts on a pool or a set of Jackpot Cards", named("PoolAction"), body="pool_action", key=KEY, statuses=(200, 202))
route("operator", "post", OF_POOL + "/actions/{}/approve", "Approves an action that another key or user requested", named("PoolAction"))
route("operator", "post", OF_POOL + "/actions/{}/refuse", "Refuses an action that another key or user requested", named("PoolAction"), body="reason")
route("operator", "get", OF_POOL + "/actions", "Actions on a pool that the operator may see, newest first",
      obj(actions=many(obj(id=TEXT, action=TEXT, status=one_of("done", "refused", "waiting"), done=BOOL))), query=[LIMIT], rows=200)
route("operator", "get", OF_POOL + "/transfers", "Money that a pool sent and received", obj(transfers=many(obj(number=U, amount_e27=ANY, time_us=US))), query=[LIMIT], rows=200)
route("operator", "get", OF_POOL + "/history", "What a pool or set showed over time, and its hits", named("JackpotHistory"),
      query=[("step", STEPS_SHOWN, "Minutes are kept for two days. A day is one of UTC."), ("from_us", whole(0), "From this time on."), ("to_us", whole(0), "Until this time (default: now)."),
             ("limit", whole(1, 2000), "The largest number of time steps.")])
route("operator", "get", OF_POOL + "/forecast", "When a pool or set may be won next, and at which value, for operators that take part", named("JackpotForecast"),
      query=[("hours", whole(1, 168), "How much is played is taken from so many hours (default: 24).")])
route("operator", "get", OF_POOL, "The exact state of a progressive, for operators that take part", named("PoolState"))
route("operator", "post", OPERATOR + "/fx-rates", "Sets an exchange rate", named("FxRate"), body="fx", key=KEY, statuses=(200, 202))
route("operator", "get", OPERATOR + "/fx-rates", "Exchange rates: in force, in force later, and waiting for approval",
      obj(max_age_s=U, jump_percent=U, rates=many(named("FxRate")), waiting=many(named("FxRate"))), query=[("currency", CURRENCY, "Only this currency."), ("limit", whole(1, 500), LIMIT[2])], rows=500)
route("operator", "post", OPERATOR + "/fx-rates/{}/approve", "Approves an exchange rate that another key or user requested", named("FxRate"))
route("operator", "post", OPERATOR + "/fx-rates/{}/refuse", "Refuses an exchange rate that another key or user requested", named("FxRate"), body="reason")
route("operator", "get", "/v1/operator/status", "The state of the installation; figures of all operators' play only for operators that may act on pools", named("Status"))
route("operator", "get", "/v1/operator/proof", "Whether the last proof of the ledger held, and how old it is", named("Proof"))
route("operator", "get", OPERATOR + "/ledger", "The ledger's identities, accounts and days as last proven, and the newest corrections", named("Ledger"))
route("operator", "get", OPERATOR + "/unfinished", "Rounds of the operator's players with a win that is not collected yet",
      obj(unfinished=many(obj(currency=CURRENCY, rounds=U, pending_minor=MINOR, oldest_us=told(US, "The last move of the player who has been away longest.")))), rows=0)
route("operator", "get", OPERATOR + "/postings", "The legs of the double entry: by account, or of one player", obj(postings=many(named("Posting"), 500)),
      query=[("player", NUMBER, "Of this player alone, newest row first."), ("account", {"type": "string", "pattern": "^(PLAYER|PENDING|HOUSE|CASH|WITHDRAWAL|PROMO|VOID_RECEIVABLE|JACKPOT:[0-9]+)$"}, "Of this account."),
             ("currency", CURRENCY, "In this currency."), ("day", DAY, "Of this day (UTC); not together with player.")], rows=500)
route("operator", "get", OPERATOR + "/dead-letters", "Messages that services could not read, newest first, for operators that may act on pools",
      obj(letters=many(named("DeadLetter"), 200), waiting=told(U, "How many nobody has sent again or settled.")),
      query=[("status", one_of("open", "all"), "open: those that wait (default); all: those that were sent again or settled, too.")], rows=200)
route("operator", "post", OPERATOR + "/dead-letters/{}/send", "Sends a message again to the service that could not read it; a booking only for who may move money", named("DeadLetter"),
      body="reason", key=KEY)
route("operator", "post", OPERATOR + "/dead-letters/{}/settle", "Settles a dead letter: nothing more is to be done about it", named("DeadLetter"), body="reason", key=KEY)
route("public", "post", "/v1/operator/login", "Begins a user's session: sets the cookie", obj(entered=BOOL), body="login")
route("operator", "get", "/v1/operator/session", "The user's session, roles and CSRF token", named("StaffSession"))
route("operator", "post", "/v1/operator/logout", "Ends the user's session", obj(logged_out=BOOL))
route("operator", "post", "/v1/operator/confirm", "Confirms the user's password, as acting on money, jackpots, rates or users requires", obj(confirmed=BOOL), body="confirm")
route("operator", "post", "/v1/operator/password", "Changes the user's password; their other sessions end", obj(confirmed=BOOL), body="password")
route("operator", "post", "/v1/operator/totp", "Creates a secret for a second factor; with this secret and a code, sets the second factor",
      obj(secret_Q=hexes(20), base32_Q=TEXT, uri_Q=TEXT, recovery_codes_Q=many(TEXT)), body="totp")
route("operator", "get", "/v1/operator/sessions", "The user's own open sessions, newest first", obj(sessions=many(named("UserSession"))), rows=512)
route("operator", "post", "/v1/operator/sessions/{}", "Ends one of the user's sessions by its id, or `others`, or `all`", obj(ended=told(U, "How many.")))
route("operator", "get", OPERATOR + "/user-sessions", "The open sessions of all the operator's users, newest first", obj(sessions=many(named("UserSession"))), rows=512)
route("operator", "post", OPERATOR + "/user-sessions/{}", "Ends a session of a user by its id, or `others`: all but the one that asks", obj(ended=told(U, "How many.")), body="reason")
route("operator", "get", OPERATOR + "/users", "The operator's users", obj(users=many(named("User"))), rows=1000)
route("operator", "post", OPERATOR + "/users", "Creates a user; the password is shown once. Only in a session", obj(name=TEXT, roles=many(ROLES), password_Q=TEXT), body="staff")
route("operator", "post", OPERATOR + "/users/{}", "Changes a user, or resets their password. `roles` and `reset` only in a session", obj(name=TEXT, roles=many(ROLES), password_Q=TEXT), body="staff_action")
route("operator", "get", OPERATOR + "/keys", "Keys of back ends: those in force first, then the newest; never the keys themselves", obj(keys=many(named("BackendKey"))), rows=200)
route("operator", "post", OPERATOR + "/keys", "Creates a key for a back end; it is shown once", named("KeyMade"), body="key")
route("operator", "post", OPERATOR + "/keys/{}", "Replaces a key by a new one, or ends it: later or at once", named("KeyMade"), body="key_action")
route("operator", "get", OPERATOR + "/webhooks", "The addresses that get events", obj(webhooks=many(named("Webhook"))), rows=0)
route("operator", "post", OPERATOR + "/webhooks", "Creates a webhook; its secret is shown once", named("WebhookSecret"), body="webhook", key=KEY_OPTIONAL)
route("operator", "post", OPERATOR + "/webhooks/{}", "Changes, tests or ends a webhook, or makes a new secret for it",
      obj(id=U, event_Q=told(TEXT, "With test: the id of the event."), key_Q=TEXT, secret_Q=hexes(32)), body="webhook_action")
route("operator", "get", OPERATOR + "/webhooks/{}/dead", "Events that were given up, oldest first", obj(events=many(named("DeadEvent"), 200)),
      query=[("after", whole(0), "Events after this number."), LIMIT], rows=200)
route("operator", "post", OPERATOR + "/webhooks/{}/dead", "Sends dead events again", obj(events=told(U, "How many.")), body="webhook_events")
route("operator", "get", OPERATOR + "/webhooks/{}/waiting", "Events that are not accepted yet, those that wait for longest first", obj(events=many(named("WaitingEvent"), 200)), query=[LIMIT], rows=200)
route("operator", "post", OPERATOR + "/webhooks/{}/waiting", "Skips waiting events: they become dead", obj(events=told(U, "How many.")), body="webhook_events")
route("operator", "get", OPERATOR + "/webhooks/{}/sent", "Events that were accepted, newest first: the last 10,000, for seven days, without their content", obj(events=many(named("SentEvent"), 200)),
      query=[LIMIT], rows=200)
route("operator", "get", OPERATOR + "/audit", "The audit log, newest first",
      obj(rows=many(named("AuditRow")), next=told(U, "`before` of the following page; 0 at the end.")),
      query=[("limit", whole(1, 500), "The largest number of entries."), BEFORE, ("actor", TEXT, "Rows whose actor contains this text."),
             ("action", TEXT, "Rows whose action contains this text."), ("subject", TEXT, "Rows whose subject contains this text."),
             ("from_us", whole(0), "Not before this time."), ("to_us", whole(0), "Not after this time."),
             ("status", {"type": "string", "pattern": "^(done|refused|[1-5][0-9][0-9])$"}, "Rows with this answer: done (below 300), refused (from 300 on), or a status.")], rows=500)
route("operator", "get", OPERATOR + "/series", "What was played over time", obj(points=many(named("SeriesPoint")), next_us=told(or_null(INT), "`from_us` of the next page.")),
      query=[("step", one_of("hour", "minute", "day"), "A day is the operator's gaming day."), ("by", one_of("total", "game"), "One point for all games, or one a game."),
             ("from_us", whole(0), "From this time on."), ("to_us", whole(0), "Until this time (default: now)."), ("game", SLUG, "This game only."),
             ("currency", CURRENCY, "This currency only."), ("limit", whole(1, 2000), "The largest number of time steps."), ("format", one_of("json", "csv"), "csv: the points.")],
      etag=True, table=True)
route("operator", "get", OPERATOR + "/reports", "Sealed reports, newest first, and when the operator's day began",
      obj(gaming_day=obj(today=DAY, zone=TEXT, start_hour=whole(0, 23), began_us=US), reports=many(named("ReportListed")),
          next=told(TEXT, "`before` of the following page; empty at the end.")),
      query=[("period", REPORT_PERIODS, "Reports of this period (default: day)."), ("before", DAY, "Only reports of days before this one."), ("limit", whole(1, 500), "The largest number of entries.")], rows=500)
route("operator", "get", OPERATOR + "/reports/{}/{}", "The report of the period that contains a day; a sealed report never changes and carries X-Report-Signature", named("Report"),
      query=[("format", one_of("json", "csv"), "csv: one list of the report."),
             ("list", one_of("totals", "games", "returns", "jackpots", "unfinished", "hits", "large_wins", "adjustments"), "Which list, with csv."),
             ("page", whole(1, 100000), "With csv, of hits, large_wins or adjustments: the next so many entries; X-Next-Page is the page after it.")], etag=True,
      table=True)
route("operator", "post", OPERATOR + "/gaming-day", "Sets when the operator's gaming days begin, from a future day on", obj(zone=TEXT, start_hour=whole(0, 23), from_day=DAY),
      body="gaming_day")
route("operator", "get", OPERATOR + "/players", "The operator's players, by number", obj(players=many(named("Player"))),
      query=[("limit", whole(1, 500), "The largest number of entries."), ("after", whole(0), "Players after this number."),
             ("number", TEXT, "Players whose number begins with these digits."),
             ("state", one_of("any", "active", "excluded", "blocked"), "Players in this state."), ("currency", CURRENCY, "Players with accounts in this currency."),
             ("played_from_us", whole(1), "Players whose `played_us` is this or later."), ("played_before_us", whole(1), "Players whose `played_us` is earlier, and those who never bet.")], rows=500)
route("operator", "get", OF_PLAYER, "A player's account", named("Player"))
route("operator", "get", OF_PLAYER + "/history", "The player's history, as the player sees it", HISTORY, query=HISTORY_QUERY, rows=200)
route("operator", "get", OF_PLAYER + "/rounds/{}", "A past round of the player, replayed, as the player sees it", REPLAYED)
route("operator", "get", OPERATOR + "/rounds", "Rounds of all the operator's players, newest first, by any of these filters",
      obj(rounds=many(named("FoundRound"), 200), archived_Q=told(BOOL, "Rounds of that time were archived: they are in the archive only."), searched_until_us_Q=told(US, "The page ended before it was full, because it had read enough: it has looked back to this time. `next_cursor` goes on from there.")),
      query=[("id", {"type": "string", "pattern": "^[0-9]+-[0-9]+$"}, "The round of this id, and no other filter."), ("player", whole(1), "Only rounds of the player with this number."), ("game", SLUG, "Only rounds of this game."), ("currency", CURRENCY, "Only rounds in this currency."),
             ("win_minor", whole(1), "Only wins of this and more; needs `currency`. With `jackpot`, only jackpots of this and more."), ("jackpot", one_of("true"), "Jackpots that were paid, each with its round."),
             ("round", whole(1), "Only rounds with this number, which each player counts for themselves."), ("from_us", whole(1), "Not before this time."), ("to_us", whole(1), "Not after this time.")], rows=200)
route("operator", "get", OPERATOR + "/unfinished/rounds", "Open rounds of the operator's players, oldest first", obj(rounds=many(named("OpenRound"), 200)), rows=200)

route("events", "get", "/v1/events/stream", "The frames of the WebSocket as server-sent events", TEXT, media="text/event-stream",
      query=[("channels", TEXT, "`jackpots`, `winners`, and with a player's token `player`; separated by commas.")])
route("events", "get", "/v1/events/latest", "The frames that a new subscriber would get, for clients that poll", obj(frames=many(ANY)),
      query=[("channels", TEXT, "`jackpots`, `winners`; separated by commas.")], etag=True)
route("machine", "get", "/healthz", "200 while the event loop runs", TEXT, media="text/plain")
route("machine", "get", "/readyz", "200 when ready, else 503 and the reason", TEXT, media="text/plain")
route("machine", "get", "/metrics", "Metrics in the text format of Prometheus; only on the address in CARILLON_HEALTH", TEXT, media="text/plain")

HEADER = {"name": "Idempotency-Key", "in": "header", "description": "Chosen by the client: the same request with the same key has no second effect.",
          "schema": text(1, 64)}
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Carillon", "version": "1",
             "description": "Slot games with networked jackpots: the HTTP interface of the gateway and of notifications. Requests and answers are JSON; amounts "
                            "are whole numbers of minor units. A request that changes something carries the number of the move (`expect`) or a key, so a "
                            "client may repeat it unchanged until it is answered. A request may carry a trace (`traceparent`, W3C Trace Context); `X-Request-Id` of "
                            "the answer is the request's own, or else the trace's id."},
    "tags": [{"name": "public", "description": "Open to all"}, {"name": "player", "description": "With a player's token"},
             {"name": "operator", "description": "With an operator's key"}, {"name": "events", "description": "From notifications"},
             {"name": "machine", "description": "For monitoring"}],
    "paths": PATHS,
    "x-problems": [{"code": code, "statuses": list(statuses), "message": message} for code, (statuses, message) in sorted(PROBLEMS.items())],
    "components": {
        "securitySchemes": {"player": {"type": "http", "scheme": "bearer", "description": "The token of a session."},
                            "operator": {"type": "http", "scheme": "bearer", "description": "The operator's key."}},
        "parameters": {"Key": {**HEADER, "required": True}, "KeyOptional": HEADER},
        "responses": {"Problem": {"description": "An error.", "content": {"application/problem+json": {"schema": named("Problem")}}}},
        "schemas": {**SCHEMAS, **{"body_" + name: closed(body) for name, body in BODIES.items()}},
    },
}

if __name__ == "__main__":
    json.dump(DOCUMENT, sys.stdout, ensure_ascii=False)
    print()
