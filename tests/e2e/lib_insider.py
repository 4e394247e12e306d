"""The table of what an attacker inside tried and what came of it, and what docs/security.md says remains."""
import base64
import hashlib
import hmac
import json
import os
import time

from lib_stack import ROOT, read_text

HEADING = "| service | what it can still do |"


def remaining():
    """(services, what, tried by) of each row of the table in docs/security.md."""
    text = read_text(f"{ROOT}/docs/security.md")
    assert HEADING in text, f"docs/security.md: expected a table that begins {HEADING}"
    rows = text[text.index(HEADING):].split("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip().replace("`", "") for cell in row.strip("|").split("|")] for row in rows]
    return [({name.strip() for name in row[0].split(",")}, row[1], row[3]) for row in cells]


class Tries:
    def __init__(self):
        self.rows = []  # (service, what was tried, what came of it, a detail, how many tries)
        self.named, self.tried = remaining(), set()

    def refused(self, service, what, detail, n=1):
        if n:
            self.rows.append((service, what, "refused", detail, n))

    def found(self, service, what, detail):
        self.rows.append((service, what, "found by the proof", detail, 1))

    def remains(self, service, what, words):
        """It succeeded: docs/security.md must say so, of this service and in these words."""
        rows = [i for i, (services, text, _) in enumerate(self.named) if service in services and words in text]
        assert rows, f"{service}: {what}: it succeeded, and docs/security.md does not say '{words}' of {service}"
        self.tried.update((i, service) for i in rows)
        self.rows.append((service, what, "remains", f"docs/security.md: {self.named[rows[0]][1]}", 1))

    def all_named(self, root):
        """What the table says this test tries, it has tried; but for what only an ordinary user can."""
        for i, (services, text, by) in enumerate(self.named):
            missing = {service for service in services if (i, service) not in self.tried}
            assert not missing or by != "insider" and not (by == "insider, no root" and not root), (text, missing)

    def show(self, services):
        rows = [("service", "what it tried", "what came of it", "tries", "how")]
        rows += [(service, what, result, str(n), detail[:90]) for service, what, result, detail, n in self.rows]
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        for row in rows:
            print("        " + " ".join([*(f"{text:{width}}" for text, width in zip(row, widths)), row[4]]).rstrip())
        results = ("refused", "found by the proof", "remains")
        print(f"\n        {'service':{widths[0]}} " + " ".join(f"{result:>18}" for result in results))
        for service in (*services, "all"):
            counts = [sum(n for name, _, result, _, n in self.rows if result == wanted and service in (name, "all")) for wanted in results]
            print(f"        {service:{widths[0]}} " + " ".join(f"{count:>18}" for count in counts))


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def token(key, player):
    """A player's token as the gateway makes it, signed with this key."""
    now = int(time.time())
    claims = {"exp": now + 3600, "iat": now, "iss": "carillon", "jti": os.urandom(8).hex(), "sub": player}
    head = encoded(json.dumps({"alg": "HS256", "typ": "JWT"}).encode()) + b"." + encoded(json.dumps(claims).encode())
    return (head + b"." + encoded(hmac.new(key, head, hashlib.sha256).digest())).decode()
