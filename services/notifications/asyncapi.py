#!/usr/bin/env python3
"""The WebSocket of notifications, described: prints an AsyncAPI 3.0 document. The build writes it to build/web/docs/asyncapi.json beside openapi.json, of
which it uses the schemas. docs/contracts.md, "WebSocket of notifications", has the rules.

    asyncapi.py >asyncapi.json"""
import json
import sys

TEXT, WHOLE, BOOL = {"type": "string"}, {"type": "integer", "minimum": 0}, {"type": "boolean"}
CHANNELS = {"enum": ["jackpots", "winners", "player"]}
POSITION = {"epoch": TEXT, "offset": TEXT}


def schema(name):
    return {"$ref": "openapi.json#/components/schemas/" + name}


def obj(optional=(), **members):
    return {"type": "object", "required": [name for name in members if name not in optional], "properties": members}


def many(items):
    return {"type": "array", "items": items}


def frame(kind, channel, optional=(), **members):
    """A frame from the server: where it stands in its channel, when it was made, and its own members."""
    return obj(optional, type={"const": kind}, channel={"const": channel} if isinstance(channel, str) else channel, **POSITION, time_us=WHOLE, **members)


def message(summary, payload):
    return {"summary": summary, "contentType": "application/json", "payload": payload}


# The age of the data: counters, winners, a player's own events. `late`: one of them is 5 s old or more.
AGES = {"age_ms": obj(jackpots=WHOLE, winners=WHOLE, events=WHOLE), "late": BOOL}
RESUME = {"type": "object", "properties": {"winners": obj(**POSITION), "player": obj(**POSITION)}, "additionalProperties": False}
WINNER = schema("Winner")
FROM_CLIENT = {
    "subscribe": message("Chooses channels, and the game that is played over this connection", {
        **obj(("token", "game", "resume"), subscribe=many(CHANNELS), token=TEXT, game=TEXT, resume=RESUME), "additionalProperties": False}),
}
FROM_SERVER = {
    "jackpotsSnapshot": message("All jackpots, at once", frame("snapshot", "jackpots", **AGES, pools=many(schema("Pool")))),
    "counters": message("Jackpots that have changed; at least every 3 s", frame("counters", "jackpots", **AGES, pools=many(schema("Pool")))),
    "winnersSnapshot": message("The last hits, newest last", frame("snapshot", "winners", winners=many(WINNER))),
    "winner": message("A hit, with the player masked", frame("winner", "winners", ("coin_minor", "level"), pool=WHOLE, hit=WHOLE, coin_minor=WHOLE, level=WHOLE,
                                                       currency=TEXT, paid_minor=WHOLE, player=TEXT)),
    "balance": message("The player's balance after the row `seq`", frame("balance", "player", seq=WHOLE, balance_minor={"type": "integer"})),
    "award": message("A jackpot that the player has won, after its reveal", frame("award", "player", round=WHOLE, index=WHOLE, paid_minor=WHOLE)),
    "cards": message("The player's Jackpot Cards", frame("cards", "player", event={"enum": ["opened", "picked", "won"]}, card_round=schema("CardRound"))),
    "recovered": message("A channel was resumed; the frames that were missed, or a snapshot, follow",
                         obj(type={"const": "recovered"}, channel=CHANNELS, recovered=BOOL)),
    "error": message("The subscription is not valid", obj(("where", "found", "expected"), type={"const": "error"}, code=TEXT, message=TEXT, where=TEXT, found=TEXT,
                                                         expected=TEXT)),
}
CLOSE_CODES = {"1008": "a limit of the connection was reached: wait, then connect again", "4001": "the token is missing or not valid",
               "4002": "the client reads too slowly", "4003": "the server is about to stop: connect again",
               "4004": "the session ended by inactivity", "4005": "the player has logged out"}


def refs(names):
    return [{"$ref": f"#/channels/events/messages/{name}"} for name in names]


DOCUMENT = {
    "asyncapi": "3.0.0",
    "info": {"title": "Carillon: notifications", "version": "1",
             "description": "Jackpots, winners and the player's own events, as frames of JSON text. `epoch` and `offset` are sent back unchanged to resume."},
    "channels": {"events": {
        "address": "/v1/events", "description": "A WebSocket. Close codes: " + "; ".join(f"{code}: {why}" for code, why in CLOSE_CODES.items()) + ".",
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in {**FROM_CLIENT, **FROM_SERVER}}}},
    "operations": {
        "subscribe": {"action": "receive", "channel": {"$ref": "#/channels/events"}, "summary": "What a client sends", "messages": refs(FROM_CLIENT)},
        "news": {"action": "send", "channel": {"$ref": "#/channels/events"}, "summary": "What a client gets", "messages": refs(FROM_SERVER)}},
    "components": {"messages": {**FROM_CLIENT, **FROM_SERVER}},
}

if __name__ == "__main__":
    json.dump(DOCUMENT, sys.stdout, ensure_ascii=False)
    print()
