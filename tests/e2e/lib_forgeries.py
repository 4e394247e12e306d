"""What was forged, by kind, and which point of the ledger's proof named it: the table that the tests of the proof print."""
POINTS = {1: "moves of a player", 2: "balances", 3: "batches", 4: "legs", 5: "tallies", 6: "totals of pools", 7: "identities of pools", 8: "claims, hits, awards", 9: "the daily close",
          10: "chain, heads, mark", 11: "bonus spins", 12: "holds", 13: "nothing negative", 14: "draws, replayed", 15: "card rounds"}
SAID_MAX = 110


class Forgeries:
    def __init__(self):
        self.said = {}  # (points, what was forged, how) -> what the proof said

    def note(self, points, what, how, said):
        self.said.setdefault((tuple(points), what, how), said)

    def show(self, least=0):
        """Prints a line of each kind, and fails with fewer than `least`."""
        if not self.said:
            return  # the test that shows them was chosen alone
        rows = [(", ".join(map(str, points)), POINTS[points[0]], what, how, said[:SAID_MAX]) for (points, what, how), said in sorted(self.said.items())]
        rows.insert(0, ("point", "which is", "what was forged", "how", "the proof said"))
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        for row in rows:
            print("        " + " ".join([*(f"{text:{width}}" for text, width in zip(row, widths)), row[4]]).rstrip())
        found = {point for points, *_ in self.said for point in points}
        print(f"        {len(self.said)} kinds of forgery at {len(found)} points, all named")
        assert len(self.said) >= least, f"found {len(self.said)} kinds of forgery, expected {least} or more"
