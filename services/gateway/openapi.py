#!/usr/bin/env python3
"""The HTTP interface, described: prints the OpenAPI 3.1 document of all routes of the gateway (adapters/routes.c) and of notifications. The build writes it
to build/web/docs/openapi.json, and /docs/ shows it. A test compares it with the tables of routes and of fields, another one with real answers
(tests/tools/openapi.py, tests/e2e/openapi.py). A new route needs a row below.

    openapi.py >openapi.json"""
import json
import sys

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
SEEN = told(or_null(INT), "Minor units; null: of a feature that the player has not watched to its end.")
OWN_NAMES = one_of("deposit", "loss", "wager", "time", "break", "time_out", "exclusion")

SCHEMAS = {
    "Minor": told(INT, "An amount in minor units of the account's currency: cents, yen."),
    "Currency": {"type": "string", "pattern": "^[A-Z]{3}$", "description": "ISO 4217 code."},
    "TimeUs": told(U, "Microseconds since 1970, UTC; 0: never."),
    "Slug": {"type": "string", "pattern": "^[a-z0-9_-]+$", "description": "The id of a game, or of one of its modes."},
    "Id": {"type": "string", "pattern": "^[0-9a-f]{32}$", "description": "16 bytes in hexadecimal."},
    "PlayerName": {"type": "string", "pattern": "^[0-9]+-[0-9]+$", "description": "The operator's number and the player's number with them."},
    "PlayerNumber": told(whole(1, 2**48 - 1), "The player's number with their operator."),
    "Problem": told(obj(type={"type": "string", "format": "uri-reference"}, title=TEXT, status=whole(400, 599), detail=TEXT,
                        error=obj(code={"type": "string", "pattern": "^[a-z_]+$"}, message=TEXT, where_Q=TEXT, found_Q=TEXT, expected_Q=TEXT,
                                  retry_after_ms_Q=U, limit_Q=obj(name=OWN_NAMES, period=or_null(TEXT), limit=or_null(INT), left=or_null(U), renews=or_null(INT))),
                        expect_Q=U, secret_hash_Q=HEX, balance_minor_Q=MINOR, smallest_bet_minor_Q=MINOR, retry_s_Q=U),
                    "An error (RFC 9457). `type` names its code, which never changes its meaning; `detail` is a sentence for people. `error` has the same "
                    "two, and, where it can be told, the place, what was found there and what was expected. If the request was for a move, the player's "
                    "state is beside it."),

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
                          cursor=U, next=TEXT, picks_left=U, win_minor=MINOR, pending_minor=MINOR, gamble_attempts_left=U, gambles=many(named("GambleStep")),
                          closed=BOOL, secret=HEX, client_nonce=HEX, jackpots=many(named("JackpotWin")), collected_minor=MINOR, result_digest=HEX,
                          before=or_null(named("Carried")), bonus_spin=BOOL, cards=or_null(named("CardsDraw"))),
                      "A round, as far as the player may see it."),
    "Autoplay": obj(id=HEX, spins=U, loss_limit_minor=INT, single_win_minor=INT, stop_on_jackpot=BOOL, stop_on_feature=BOOL),
    "BonusSpins": obj(id=ID, game=SLUG, left=U, spins=U, coin_minor=MINOR, lines=U, coins=U, expires_us=US),
    "State": told(obj(player=PLAYER, currency=CURRENCY, balance_minor=MINOR, balance_seq=U, pending_minor=MINOR, expect=told(U, "The number of the next move."),
                      secret_hash=told(HEX, "SHA-256 of the secret of the next move."), round=or_null(named("RoundView")), last_round_Q=named("RoundView"),
                      gamble_cards=many(CARD), witch=U, autoplay=or_null(named("Autoplay")), cards=or_null(named("CardsClaim")), bet_not_placed_Q=BOOL,
                      carried=many(named("Carried")), bonus_spins=many(named("BonusSpins"))),
                  "Where the player stands in a game."),

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
                     balance_before_minor=MINOR, balance_after_minor=MINOR, bonus_spin=BOOL, closed=BOOL, refused=BOOL),
    "Mode": obj(id=SLUG, name_Q=TEXT, price_hundredths_Q=U, guarantee_Q=ANY, published_rtp_Q=ANY, one_spin=BOOL, wild_reels=ANY),
    "GameListed": obj(id=SLUG, number=U, name=TEXT, version=ANY, demo_Q=BOOL, modes=many(named("Mode")), math_version=hexes(32), pool_Q=TEXT),
    "Game": told(obj(id=SLUG, number=U, name=TEXT, version=ANY, demo_Q=BOOL, symbols=many(ANY), lines=many(ANY), reels=U, rows=U, lines_min=U, lines_max=U,
                     coins_min=U, coins_max=U, modes=many(named("Mode")), math_version=hexes(32),
                     currencies=many(obj(currency=CURRENCY, coins_minor=many(whole(1)), no_buy_coins_minor_Q=many(whole(1)), stake_min_minor_Q=or_null(INT),
                                         stake_max_minor_Q=or_null(INT), price_max_minor_Q=or_null(INT))),
                     bet=OBJECT, battle=or_null(OBJECT), hold_and_win=or_null(OBJECT), potions=or_null(OBJECT), jackpot_Q=OBJECT),
                 "What players may know of a game's definition. A feature that is null, the game does not have."),

    # the player's own limits and session
    "OwnLimits": obj(currency=or_null(CURRENCY), time_us=US, limits=or_null(many(obj(
        name=OWN_NAMES, period=or_null(TEXT), limit=told(or_null(INT), "Minor units, or seconds; null: none."), used=told(or_null(INT), "Of the period; null: not known."),
        renews=told(or_null(INT), "When `used` is 0 again, or when the pause ends; microseconds since 1970."),
        pending=told(or_null(INT), "The limit from `pending_from` on; null: none from then on."), pending_from=or_null(INT))))),
    "OwnSession": obj(since_us=US, expires_us=US, time_us=US, currency=TEXT, rounds=U, staked_minor=MINOR, returned_minor=INT, net_minor=INT,
                      whole=told(BOOL, "False: the session has more rows than were read."), reality_check_s=told(U, "0: never.")),

    # operators
    "Money": obj(balance_minor=MINOR, seq=U, id=TEXT, state_Q=TEXT),
    "Withdrawal": obj(id=TEXT, state=one_of("held", "paid", "released"), amount_minor=MINOR, currency=CURRENCY, seq=U, settled_seq=ANY, booked_us=US,
                      settled_us=ANY, provider=or_null(OBJECT), alarms=many(OBJECT)),
    "Limit": obj(limit=LIMITS, period_Q=PERIODS, amount_minor_Q=INT, seconds_Q=INT, until_s_Q=INT, used_minor_Q=MINOR),
    "GrantedSpins": obj(id=ID, game=TEXT, currency=CURRENCY, coin_minor=MINOR, lines=U, coins=U, spins=U, used=U, left=U, expires_us=US, seq=U, ended=ANY),
    "FxRate": obj(id=ANY, status_Q=one_of("set", "waiting"), currency=CURRENCY, rate=DECIMAL, valid_from_us=US),
    "PoolAction": obj(id=TEXT, done=BOOL, status_Q=TEXT, before_Q=ANY, after_Q=ANY),
    "PoolState": obj(pool=U, id=TEXT, status=TEXT, t=DECIMAL, books=OBJECT, hits=U, version=U, updated_us=US, rows=many(OBJECT)),
    "Status": obj(time_us=US, instance=TEXT, kind=one_of("live", "demo", "test"), requests_open=U, reconciliation=or_null(OBJECT)),
}

# The bodies of requests: services/gateway/core/requests.c has the same tables. The gateway rejects members that are not named.
BODIES = {
    "demo": obj(player_Q=NUMBER, currency_Q=CURRENCY),
    "account": obj(player=NUMBER, currency=CURRENCY),
    "session": obj(player=NUMBER),
    "money": obj(amount_minor=AMOUNT, currency=CURRENCY, reason_Q=REASON),
    "correction": obj(amount_minor=told(INT, "May be below 0."), currency=CURRENCY, reason=REASON),
    "back": obj(amount_minor=AMOUNT, currency=CURRENCY, reason=REASON),
    "block": obj(blocked=BOOL, reason=REASON),
    "bonus": obj(game=SLUG, currency=CURRENCY, coin_minor=whole(1), lines=whole(1, 1000), coins=whole(1, 1000), spins=whole(1, 10000), expires_us=whole(1),
                 reason_Q=REASON),
    "reason": obj(reason=REASON),
    "pool_action": obj(action=one_of("pause", "resume", "retire", "adjust", "parameters", "create", "take_part", "odds", "weights"), parameters_Q=OBJECT,
                       reason=REASON),
    "decision": obj(decision=one_of("capture", "release"), reason=REASON, force_Q=BOOL),
    "limit": obj(limit=LIMITS, period_Q=PERIODS, amount_minor_Q=told(whole(-1), "-1: no limit."), seconds_Q=told(whole(-1), "-1: no limit."), until_s_Q=whole(1),
                 currency=CURRENCY, reason_Q=REASON),
    "own_limit": obj(name=OWN_NAMES, period_Q=one_of("day", "week", "month", "session"), limit=told(whole(-1, 10**15), "Minor units, or seconds; -1: none.")),
    "own_session": obj(reality_check_s=told(whole(0, 86400), "60 at least; 0: never.")),
    "void": obj(game=SLUG, round=whole(1), reason=text(1, 80)),
    "call": obj(id=ID),
    "round": obj(game=SLUG, expect=whole(1), bet_Q=obj(coin_minor=whole(1), lines=whole(1, 1000), coins=whole(1, 1000), mode_Q=SLUG),
                 nonce={"type": "string", "pattern": "^[0-9a-f]{32,64}$"}, autoplay_Q=ID, bonus_spin_Q=told(ID, "The id of a grant, instead of a bet.")),
    "action": obj(game=SLUG, expect=whole(1), action=one_of("pick", "next", "collect", "gamble", "halve"), cursor_Q=U, choice_Q=whole(0, 255)),
    "pick": obj(pick=whole(1, 12), position=whole(0, 11)),
    "settings": obj(game=SLUG, expect=whole(1), witch_Q=whole(0, 255),
                    autoplay_Q=obj(id_Q=ID, spins=whole(0, 1000000), loss_limit_minor_Q=whole(-1), single_win_minor_Q=whole(-1), stop_on_jackpot_Q=BOOL,
                                   stop_on_feature_Q=BOOL)),
    "fx": obj(currency=CURRENCY, rate=DECIMAL, valid_from_us_Q=whole(1), reason_Q=REASON),
}

# Codes of errors, with the statuses that they come with. A code never changes its meaning.
PROBLEMS = {
    "account": ((409,), "The account does not exist or has another currency."),
    "account_unknown": ((404,), "The account does not exist or has another currency."),
    "action_unknown": ((404,), "No action with this id was requested for this pool."),
    "already_done": ((409,), "An earlier move already handled this request. Nothing was done again."),
    "amount": ((400,), "The amount is not allowed."),
    "archived": ((404,), "This round is no longer in the database. It is in the archive."),
    "attempts_spent": ((409,), "There are no gamble attempts left."),
    "autoplay": ((409,), "Autoplay does not allow this."),
    "autoplay_feature_stop_not_offered": ((409,), "Autoplay of this game has no stop on a feature."),
    "autoplay_jackpot_stop_not_offered": ((409,), "Autoplay of this game has no stop on a jackpot."),
    "autoplay_loss_limit_bad": ((409,), "The loss limit of autoplay is not allowed."),
    "autoplay_not_offered": ((409,), "The game has no autoplay."),
    "autoplay_one_spin": ((409,), "The mode is bought for one spin; autoplay refuses it."),
    "autoplay_other_bet": ((409,), "Autoplay plays one bet."),
    "autoplay_runs": ((409,), "There is no gamble during autoplay."),
    "autoplay_single_win_bad": ((409,), "The single win of autoplay is not allowed."),
    "autoplay_spins_out_of_range": ((409,), "The game has fewer or more spins of autoplay."),
    "autoplay_stopped": ((409,), "The autoplay has stopped."),
    "autoplay_too_soon": ((409,), "The next spin of autoplay is not due yet."),
    "autoplay_unknown_id": ((409,), "No autoplay runs under this id."),
    "bad_bet": ((400,), "This game does not accept this bet."),
    "bad_choice": ((400,), "The choice is outside the allowed range."),
    "bad_guess": ((409,), "The guess is neither red nor black."),
    "bad_request": ((400,), "The engine cannot read the request."),
    "bad_witch": ((400,), "This game has no such witch."),
    "bet_above_maximum": ((400,), "The total bet is above the largest one."),
    "bet_below_minimum": ((400,), "The total bet is below the smallest one."),
    "blocked": ((403,), "This player is blocked."),
    "body_refused": ((400,), "This request must not have a body."),
    "bonus_spin_autoplay": ((409,), "Autoplay cannot play bonus spins. Start them by hand."),
    "bonus_spin_expired": ((409,), "These bonus spins have expired."),
    "bonus_spin_other_game": ((409,), "These bonus spins are for another game."),
    "bonus_spin_unknown": ((409,), "No bonus spins are left under this id."),
    "bonus_spins_over": ((409,), "These bonus spins do not exist, or none of them can be played any more."),
    "busy": ((429, 503), "Too many requests are waiting for an answer. This request reached no service. An earlier one with the same key may have taken effect if it was answered 504. Try again with the same key."),
    "buy_not_offered": ((400,), "The mode is not sold at this coin value."),
    "card_round_unknown": ((404,), "This player has no such card round."),
    "cards_open": ((409,), "Finish your Jackpot Cards first. This game takes bets again when they are paid."),
    "claim": ((409,), "The jackpot claim is not valid."),
    "coin_not_selectable": ((400,), "The game has no such coin value in this currency."),
    "coins_out_of_range": ((400,), "The game has fewer or more coins a line."),
    "content_type": ((415,), "Content-Type must be application/json."),
    "currency": ((409, 500), "This server does not know the account's currency."),
    "currency_not_offered": ((400,), "The game is not offered in this currency."),
    "day_open": ((409,), "The player has too many rows since the round. It can be voided once the day is closed."),
    "decided": ((409,), "An operator has already decided otherwise, and the first decision stands."),
    "definition_behind": ((503,), "A newer game definition is still being loaded. Try again."),
    "draws_stopped": ((503,), "Play is stopped because the random numbers failed a health test. You can finish an open round."),
    "excluded": ((403,), "The player has excluded themselves from play."),
    "feature_open": ((409,), "Finish the feature of your last round first."),
    "field_missing": ((400,), "A field is missing, or does not go with the others."),
    "field_range": ((400,), "A value in the request is not allowed."),
    "field_type": ((400,), "A value has the wrong type."),
    "field_unknown": ((400,), "A query parameter is unknown or appears twice."),
    "gamble": ((409,), "You cannot gamble now."),
    "gamble_above_limit": ((409,), "The win is above the limit of the gamble."),
    "gamble_not_offered": ((409,), "The game has no gamble."),
    "game_stopped": ((503,), "The operator has stopped this game."),
    "game_unknown": ((404,), "This game does not exist."),
    "halve_not_offered": ((409,), "The gamble has no half."),
    "header_refused": ((431,), "A header is too long, or the path or query cannot be decoded."),
    "insufficient_funds": ((402,), "The balance is too low."),
    "jackpot_not_offered": ((503,), "The jackpot of this game accepts no contributions in this currency now."),
    "journal_unavailable": ((503,), "The round cannot be read now. Nothing was done. Try again."),
    "length_required": ((411,), "Content-Length is missing."),
    "limit": ((403, 409), "A limit of the account does not allow this."),
    "limit_deposit": ((403,), "The deposit exceeds the player's deposit limit or the operator's limit for one deposit."),
    "limit_loss": ((403,), "This bet could exceed your loss limit for a day, week or month."),
    "limit_time": ((403,), "You have reached your time limit. Take a break before you play again."),
    "limit_wager": ((403,), "This bet would exceed your wager limit for a day, week or month."),
    "lines_out_of_range": ((400,), "The game has fewer or more lines."),
    "logged_out": ((401,), "The player has ended this session."),
    "malformed": ((400,), "This is not a valid HTTP/1.1 request."),
    "method_refused": ((405,), "This server accepts only GET, HEAD and POST."),
    "mode_not_offered": ((400,), "The game has no such mode."),
    "move_ahead": ((409,), "This move number is too high. Load the state again."),
    "move_spent": ((409,), "This move number is already used. Load the state again."),
    "no_account": ((404,), "This player has no account."),
    "no_answer": ((504,), "The server did not answer in time."),
    "no_demo": ((404,), "A live installation has no demo players."),
    "no_game": ((404,), "This game is not offered here."),
    "no_owner": ((503,), "No service owns this player or pool at the moment. This request reached none. An earlier one with the same key may have taken effect if it was answered 504. Try again with the same key."),
    "no_pick": ((409,), "There is nothing to pick in this phase."),
    "no_round": ((404,), "This player has no such round in this game."),
    "no_win_to_gamble": ((409,), "There is no win to gamble."),
    "not_available": ((503,), "The data cannot be read now. Try again."),
    "not_found": ((404,), "Nothing exists at this path."),
    "not_pool_operator": ((403,), "This operator may not change pools. It may only choose whether to take part."),
    "not_priced": ((503,), "The level cannot be paid now. The card stays face down. Pick it again."),
    "not_read_yet": ((503,), "The round is void, but its row cannot be read yet. Request the list of voids."),
    "not_stopped": ((409,), "The engine has not stopped this game, or it is already running again."),
    "not_supported": ((503,), "The wallet does not support this kind of move yet."),
    "not_understood": ((503,), "The wallet does not support this kind of booking yet."),
    "origin": ((403,), "Pages of this origin may not receive events."),
    "operator_key": ((401,), "The operator's key is missing or unknown."),
    "other_content": ((422,), "This Idempotency-Key was already used for a different request. Nothing was done."),
    "other_cursor": ((409,), "The round is at a different phase."),
    "other_operator": ((403,), "This key belongs to another operator."),
    "other_round": ((409,), "This is not your current round."),
    "overflow": ((409,), "An amount is too large. Nothing was booked."),
    "path_too_long": ((414,), "The path or the query is longer than 511 bytes."),
    "payment_asked": ((409,), "The provider has not said whether it paid: it may have paid or may still pay. To decide anyway, send \"force\":true."),
    "pending": ((409,), "The pending amount of the round is not the expected one."),
    "pick_needed": ((409,), "Make your pick to continue the round."),
    "pool_unknown": ((404,), "This pool does not exist."),
    "price_above_maximum": ((400,), "The price of the mode is above the largest one."),
    "provider_has_answered": ((409,), "The provider has already reported a different outcome."),
    "rate_exists": ((409,), "This currency already has an FX rate that starts at this time."),
    "rate_past": ((409,), "An FX rate cannot start in the past: contributions have already been converted."),
    "rate_stale": ((503,), "The FX rate of this currency is too old. Bets that feed a jackpot are refused until a newer rate is set."),
    "rate_unknown": ((404,), "No FX rate with this id was requested."),
    "rates_not_yours": ((403,), "Only another operator may set the FX rates of this installation."),
    "reconnect_later": ((429,), "The connection to this game was lost. Nothing was done. Wait before you return; an open round is kept."),
    "refused": ((503,), "The wallet refused the move."),
    "replay_differs": ((500,), "The replay differs from the recorded result. The operator has been informed."),
    "replay_unavailable": ((503,), "The round cannot be read now. Try again."),
    "round_closed": ((409,), "This round is closed."),
    "same_approver": ((403,), "This key requested the action. A different key must approve it."),
    "script": ((409,), "The forced draws do not fit this round."),
    "session_idle": ((401,), "Your session ended because you were inactive. An open round is kept."),
    "settled": ((409,), "The player has no such withdrawal or grant, or it is already settled."),
    "starting": ((503,), "The server is still loading events. Try again."),
    "draining": ((503,), "The server is about to stop. Try again."),
    "token_expired": ((401,), "The token has expired."),
    "token_forged": ((401,), "The token was not issued here."),
    "token_key_missing": ((401,), "The key that the token was issued with is not known any more."),
    "token_not_yet": ((401,), "The token is not valid yet."),
    "token_missing": ((401,), "No token was sent."),
    "token_malformed": ((401,), "The token cannot be read."),
    "token": ((401, 500), "The session could not be created."),
    "too_large": ((413,), "The body is larger than 16384 bytes."),
    "too_late": ((409,), "The request arrived too late. Nothing was done."),
    "too_many": ((429,), "Too many requests. Nothing was done. Try again later."),
    "too_soon": ((429,), "The bet came too soon after the last one. Nothing was done."),
    "total_overflow": ((400,), "The total bet is too large a number."),
    "unknown_channel": ((400,), "This channel does not exist."),
    "unknown_parameter": ((400,), "This query parameter is unknown."),
    "upgrade_required": ((426,), "This path is a WebSocket of version 13."),
    "upgrade_refused": ((400,), "This connection cannot be upgraded to another protocol."),
    "version_refused": ((400,), "Only HTTP/1.0 and HTTP/1.1 are supported."),
    "void": ((409,), "This round is already void."),
    "withdrawal_unknown": ((404,), "This player has no such withdrawal."),
    "withdrawal_young": ((409,), "The provider may still be processing this withdrawal. Only a stuck withdrawal can be decided by hand."),
}

# ---- routes -------------------------------------------------------------------------------------------------------------------------------------------

PATHS = {}
# The name and schema of the {} behind a segment of a path.
PARAMETERS = {"operators": ("operator", whole(1, 32767)), "players": ("player", NUMBER), "rounds": ("round", whole(1)), "cards": ("card", TEXT),
              "games": ("game", TEXT), "withdrawals": ("withdrawal", TEXT), "grants": ("grant", TEXT), "bonus-spins": ("grant", TEXT), "pools": ("pool", U),
              "actions": ("action", TEXT), "fx-rates": ("rate", TEXT)}
LIMIT, BEFORE = ("limit", whole(1, 200), "How many at most."), ("before", whole(1), "`next` of the page before.")
TITLES = {200: "Done.", 201: "Opened.", 202: "Waits for another key."}
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


def route(who, method, pattern, summary, answer, body=None, query=(), key=None, statuses=(200,), etag=False, media="application/json"):
    path, parameters = path_of(pattern)
    parameters += [{"name": name, "in": "query", "description": description, "schema": schema} for name, schema, description in query]
    if key:
        parameters.append({"$ref": key["$ref"].replace("schemas", "parameters")})
    answers = {str(status): {"description": TITLES[status], "content": {media: {"schema": answer}}} for status in statuses}
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
OPERATOR, OF_PLAYER, OF_POOL = "/v1/operators/{}", "/v1/operators/{}/players/{}", "/v1/operators/{}/pools/{}"

route("public", "get", "/v1/config", "What a page needs to know of the installation",
      obj(kind=one_of("live", "demo", "test"), events_url=TEXT, operators=many(U), shards=U))
route("public", "get", "/v1/games", "The games", obj(games=many(named("GameListed"))), etag=True)
route("public", "get", "/v1/games/{}", "A game: its symbols, paytable, bets and features", named("Game"), etag=True)
route("public", "get", "/v1/jackpots", "The jackpots as they stand now", obj(pools=many(named("Pool"))), etag=True)
route("public", "get", "/v1/winners", "The last hits, newest first", obj(winners=many(named("Winner"))), query=[("limit", whole(1, 100), "How many at most.")],
      etag=True)
route("public", "post", "/v1/demo/sessions", "Opens a demo account with play money, or returns to it", obj(**SESSION, state_Q=named("State")), body="demo")
route("public", "post", "/v1/payments/calls", "A payment provider's call about a withdrawal: the provider is asked again", OBJECT, body="call")

route("player", "get", "/v1/state", "The player's state in a game", named("State"), query=[
    ("game", SLUG, "The game."), ("round", whole(1), "A page of this round."), ("from", whole(0), "The first phase of the page.")])
route("player", "post", "/v1/rounds", "Places a bet, or plays a bonus spin", named("State"), body="round", key=KEY)
route("player", "post", "/v1/rounds/{}/actions", "The next step of the open round: a pick, a collect, a gamble", named("State"), body="action", key=KEY)
route("player", "post", "/v1/settings", "Chooses a witch, starts or stops autoplay", named("State"), body="settings")
route("player", "post", "/v1/logout", "Ends the session at once", obj(logged_out=BOOL))
route("player", "get", "/v1/session", "The clock and the result of the session", named("OwnSession"))
route("player", "post", "/v1/session", "Sets the interval of the reality check", named("OwnSession"), body="own_session")
route("player", "get", "/v1/limits", "The player's own limits", named("OwnLimits"))
route("player", "post", "/v1/limits", "Sets a limit, or a pause", named("OwnLimits"), body="own_limit", key=KEY_OPTIONAL)
route("player", "get", "/v1/rounds", "Past rounds, newest first", page(rounds=many(named("PastRound")), bounded_Q=told(BOOL, "The filter was applied to 500 rows; `next` goes on.")), query=[
    LIMIT, BEFORE, ("game", SLUG, "Rounds of this game only."), ("wins", one_of("true"), "Rounds that have won only.")])
route("player", "get", "/v1/rounds/{}", "A past round by replay, with its secret once it is closed",
      obj(replay=BOOL, currency=CURRENCY, math_version=hexes(32), secret_Q=HEX, round=named("RoundView"), rows=or_null(many(named("JournalRow")))))
route("player", "get", "/v1/journal", "All rows of the account, newest first", page(rows=many(named("JournalRow"))), query=[LIMIT, BEFORE])
route("player", "get", "/v1/cards", "Card rounds that are open or not booked yet, and their sets", obj(rounds=many(named("CardRound")), sets=many(FIGURES)))
route("player", "get", "/v1/cards/{}", "A card round, present or past", obj(card_round=named("CardRound")))
route("player", "post", "/v1/cards/{}/picks", "Turns a card over", obj(card_round=named("CardRound")), body="pick")

route("operator", "post", OPERATOR + "/players", "Opens an account", obj(player=PLAYER, currency=CURRENCY, balance_minor=MINOR), body="account", statuses=(201,))
route("operator", "post", OPERATOR + "/sessions", "A token for a player", obj(**SESSION), body="session")
route("operator", "post", OF_PLAYER + "/deposits", "Books a deposit", named("Money"), body="money", key=KEY)
route("operator", "post", OF_PLAYER + "/withdrawals", "Holds a withdrawal", named("Money"), body="money", key=KEY)
route("operator", "get", OF_PLAYER + "/withdrawals", "The newest withdrawals", obj(withdrawals=many(named("Withdrawal"), 200)))
route("operator", "get", OF_PLAYER + "/withdrawals/{}", "A withdrawal", named("Withdrawal"))
route("operator", "post", OF_PLAYER + "/withdrawals/{}/decisions", "Decides a stuck withdrawal by hand", named("Money"), body="decision", key=KEY)
route("operator", "post", OF_PLAYER + "/corrections", "Books a correction", named("Money"), body="correction", key=KEY)
route("operator", "post", OF_PLAYER + "/grants", "Grants bonus funds", named("Money"), body="money", key=KEY)
route("operator", "post", OF_PLAYER + "/grants/{}/back", "Takes back unused bonus funds", named("Money"), body="back", key=KEY)
route("operator", "post", OF_PLAYER + "/limits", "Sets a limit or an exclusion", obj(limit=LIMITS, period_Q=PERIODS, from_us=US, seq=U, id=TEXT), body="limit", key=KEY)
route("operator", "get", OF_PLAYER + "/limits", "The limits that are set", obj(limits=many(named("Limit"))))
route("operator", "post", OF_PLAYER + "/voids", "Voids a round after a malfunction",
      obj(round=U, game=TEXT, currency=CURRENCY, seq=U, move=U, stake_returned_minor=MINOR, win_taken_minor=MINOR, receivable_minor=MINOR,
          pending_taken_minor=MINOR, time_us=US), body="void", key=KEY)
route("operator", "get", OF_PLAYER + "/voids", "A player's voids, newest first", obj(voids=many(OBJECT)))
route("operator", "get", OPERATOR + "/voids", "All voids of the operator's players, summed", obj(voids=many(OBJECT)))
route("operator", "post", OF_PLAYER + "/block", "Blocks a player, or ends that", obj(blocked=BOOL), body="block", key=KEY_OPTIONAL)
route("operator", "post", OF_PLAYER + "/bonus-spins", "Grants bonus spins", obj(id=TEXT, seq=U), body="bonus", key=KEY)
route("operator", "get", OF_PLAYER + "/bonus-spins", "Grants of bonus spins, newest first", obj(bonus_spins=many(named("GrantedSpins"), 200)))
route("operator", "post", OF_PLAYER + "/bonus-spins/{}/end", "Takes back the spins that are left", obj(id=TEXT, seq=U), body="reason", key=KEY)
route("operator", "post", OPERATOR + "/games/{}/start", "Starts again what the engine has stopped; `all` for all games", obj(game=TEXT, was=ANY), body="reason")
route("operator", "post", OF_POOL + "/actions", "Acts on a pool or a set of Jackpot Cards", named("PoolAction"), body="pool_action", key=KEY, statuses=(200, 202))
route("operator", "post", OF_POOL + "/actions/{}/approve", "Approves an action that another key asked for", named("PoolAction"))
route("operator", "get", OF_POOL + "/actions", "Actions on a pool, newest first",
      obj(actions=many(obj(id=TEXT, action=TEXT, status=one_of("done", "refused", "waiting"), done=BOOL))), query=[LIMIT])
route("operator", "get", OF_POOL + "/transfers", "Money that a pool sent and received", obj(transfers=many(obj(number=U, amount_e27=ANY, time_us=US))), query=[LIMIT])
route("operator", "get", OF_POOL, "The exact state of a progressive", named("PoolState"))
route("operator", "post", OPERATOR + "/fx-rates", "Sets an exchange rate", named("FxRate"), body="fx", key=KEY, statuses=(200, 202))
route("operator", "get", OPERATOR + "/fx-rates", "Exchange rates in force, to come, and waiting for a key",
      obj(max_age_s=U, jump_percent=U, rates=many(named("FxRate")), waiting=many(named("FxRate"))), query=[("currency", CURRENCY, "Only this one."), LIMIT])
route("operator", "post", OPERATOR + "/fx-rates/{}/approve", "Approves an exchange rate that another key asked for", named("FxRate"))
route("operator", "get", "/v1/operator/status", "The state of the installation", named("Status"))

route("events", "get", "/v1/events/stream", "The frames of the WebSocket as server-sent events", TEXT, media="text/event-stream",
      query=[("channels", TEXT, "`jackpots`, `winners`, and with a player's token `player`; separated by commas.")])
route("events", "get", "/v1/events/latest", "The frames that a new subscriber would get, for clients that poll", obj(frames=many(ANY)),
      query=[("channels", TEXT, "`jackpots`, `winners`; separated by commas.")], etag=True)
route("machine", "get", "/healthz", "200 while the loop turns", TEXT, media="text/plain")
route("machine", "get", "/readyz", "200 when ready, else 503 and the reason", TEXT, media="text/plain")
route("machine", "get", "/metrics", "Metrics in the text format of Prometheus", TEXT, media="text/plain")

HEADER = {"name": "Idempotency-Key", "in": "header", "description": "Chosen by the client: the same request with the same key has no second effect.",
          "schema": text(1, 64)}
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Carillon", "version": "1",
             "description": "Slot games with networked jackpots: the HTTP interface of the gateway and of notifications. Requests and answers are JSON; amounts "
                            "are whole numbers of minor units. A request that changes something carries the number of the move (`expect`) or a key, and may be "
                            "sent again with the same until it is answered."},
    "tags": [{"name": "public", "description": "Open to all"}, {"name": "player", "description": "With a player's token"},
             {"name": "operator", "description": "With an operator's key"}, {"name": "events", "description": "Of notifications"},
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
