"""Checks a webhook of Carillon: that it was signed with one of our secrets, not long ago. Give it the headers and the body exactly as they came."""
import hashlib
import hmac
import json
import time


def check(headers, body, secrets, tolerance_s=300):
    """The event as a dict. `secrets` maps the id of each key that we accept ("7.2") to its secret of 64 hex digits. ValueError: do not believe it."""
    sent = headers.get("Carillon-Time", "")
    if not sent.isascii() or not sent.isdigit() or abs(time.time() - int(sent)) > tolerance_s:
        raise ValueError("no time, or not of now")
    for one in headers.get("Carillon-Signature", "").split(","):
        key, _, signature = one.strip().partition("=")
        if key in secrets:
            expected = hmac.new(bytes.fromhex(secrets[key]), sent.encode() + b"." + body, hashlib.sha256).hexdigest()
            if hmac.compare_digest(expected.encode(), signature.encode()):
                return json.loads(body)
    raise ValueError("not signed with a secret that we know")
