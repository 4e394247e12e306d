"""Rule sheets (docs/rules/<game>.md), the code and the tests, held together. See check-rules.sh.

A sheet's rules are its rows '| 1.1 | what holds | source | holder |'. Code and tests name them in comments:
"RULE game" and "3.4, 3.6 to 3.8". The table of all rules is docs/rules/README.md, made from both and never written by hand.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHEETS = ROOT / "docs" / "rules"
TABLE = SHEETS / "README.md"
NAMED_IN = ("*.c", "*.h", "*.def", "*.py", "*.js", "*.mjs", "*.html", "*.ts")
HOLDERS = ("engine", "wallet", "pool", "gateway", "notifications", "page")
LATER = "later"
OURS = "**[ours]**"
NUMBER = r"[0-9]+\.[0-9]+"
NAME = re.compile(rf"RULE ([a-z][a-z0-9-]*) ({NUMBER}(?:(?:,| and| to) {NUMBER})*)")
WORDS_MAX = 76  # characters of a rule that the table shows

HEAD = """# All rules, and where they are implemented

`scripts/check-rules.sh --table` makes this page from the rule sheets beside it and from the names in code and tests;
`scripts/test.sh rules` fails when it is out of date. The numbers (paytables, strips, odds) are in the games'
[definition files](../definition.md), which the exact analysis proves. The words are those of the
[glossary](../glossary.md).

- *Kind*: **page** is in the published rules, **ours** is our ruling where they are silent; many rules have both.
- *Held by*: the part that implements the rule; *later*: not implemented yet.
"""


class Rule:
    def __init__(self, game, number, text, source, holder):
        self.game, self.number, self.text, self.source = game, number, text, source
        self.holder, _, self.when = (part.strip() for part in holder.partition(","))
        self.code, self.tests = set(), set()

    def kind(self):
        if self.text.startswith(OURS):
            return "ours"
        return "page, ours" if OURS in self.text else "page"

    def words(self):
        text = self.text.replace(OURS + " ", "")
        sentence = re.split(r"(?<=[.;]) ", text)[0].rstrip(".;")
        if len(sentence) <= WORDS_MAX:
            return sentence
        return sentence[: sentence.rindex(" ", 0, WORDS_MAX)].rstrip(",") + " ..."


def read_sheets(faults):
    """{game: {number: Rule}}, in the order of the sheets."""
    games = {}
    for sheet in sorted(SHEETS.glob("*.md")):
        if sheet == TABLE:
            continue
        rules = games[sheet.stem] = {}
        for line in sheet.read_text().splitlines():
            cells = [cell.strip() for cell in line.split("|")]
            if len(cells) < 2 or not re.fullmatch(NUMBER, cells[1]):
                continue
            where = f"{sheet.relative_to(ROOT)}: rule {cells[1]}"
            if len(cells) != 6:
                faults.append(f"{where}: found {len(cells) - 2} cells, expected rule, what holds, source, holder")
                continue
            rule = Rule(sheet.stem, *cells[1:5])
            if rule.number in rules:
                faults.append(f"{where}: found the rule twice, expected it once")
            if rule.holder not in HOLDERS or rule.when not in ("", LATER):
                faults.append(f"{where}: found holder '{cells[4]}', expected one of {', '.join(HOLDERS)}, with ', later' or without")
            if rule.source == "-" and not rule.text.startswith(OURS):
                faults.append(f"{where}: a rule without a source begins with {OURS}")
            rules[rule.number] = rule
        check_order(sheet, rules, faults)
    return games


def check_order(sheet, rules, faults):
    """Sections and rules are counted from 1 without a gap."""
    before = (0, 0)
    for number in rules:
        section, rule = map(int, number.split("."))
        if (section, rule) not in ((before[0], before[1] + 1), (before[0] + 1, 1)):
            faults.append(f"{sheet.relative_to(ROOT)}: rule {number} follows {before[0]}.{before[1]}")
        before = (section, rule)
    if not rules:
        faults.append(f"{sheet.relative_to(ROOT)}: found no rule, expected rows '| 1.1 | .. | source | holder |'")


def names_in(text):
    """Every (game, number) that a file names; names may be broken over lines of a comment."""
    flat = re.sub(r"\s+", " ", re.sub(r"\n\s*(?:/?\*|//|#)(?= )", "\n", text))
    for game, numbers in NAME.findall(flat):
        last = None
        for word, number in re.findall(rf"(to )?({NUMBER})", numbers):
            section, rule = map(int, number.split("."))
            if word and last:
                for between in range(last[1] + 1, rule):
                    yield game, f"{section}.{between}"
            yield game, number
            last = (section, rule)


def is_test(path):
    return re.search(r"(^|/)tests?/", path) is not None


def read_names(games, faults):
    """Adds to each rule the files that name it."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *NAMED_IN], cwd=ROOT, check=True, capture_output=True, text=True)
    for path in sorted(set(listed.stdout.split())):
        file = ROOT / path
        if not file.is_file():
            continue
        text = file.read_text(errors="replace")
        for game, number in names_in(text):
            if game not in games:
                faults.append(f"{path}: names rule {number} of '{game}', which has no sheet")
            elif number not in games[game]:
                faults.append(f"{path}: names rule {number}, which docs/rules/{game}.md does not have")
            else:
                rule = games[game][number]
                (rule.tests if is_test(path) else rule.code).add(path)
        for game in re.findall(rf"RULE ({'|'.join(games)})(?! {NUMBER})\b", re.sub(r"\s+[*#]?\s*", " ", text)):
            faults.append(f"{path}: names a rule of {game} without its number")


def check_named(games, faults):
    """Rules in order. A page is not asked for names, but those it carries out should have some."""
    good = 0
    for game, rules in games.items():
        unnamed = []
        for rule in rules.values():
            where = f"docs/rules/{game}.md: rule {rule.number} ({rule.holder})"
            if rule.when == LATER:
                if rule.code:
                    faults.append(f"{where} is marked '{LATER}', but {sorted(rule.code)[0]} names it")
            elif rule.holder == "page" and not rule.code:
                unnamed.append(rule.number)
            elif rule.code and rule.tests:
                good += 1
            else:
                faults.append(f"{where} is named by no {'test' if rule.code else 'code'}")
        later = sum(rule.when == LATER for rule in rules.values())
        print(f"{game}: {len(rules)} rules, {later} of them for later")
        if unnamed:
            print(f"note: {game}: rules of the page that no page names: {', '.join(unnamed)}")
    return good


def links(paths):
    def short(path):
        return re.sub(r"^(services|libcommon)/", "", path)

    return " ".join(f"[{short(path)}](../../{path})" for path in sorted(paths))


def table_of(games):
    out = [HEAD]
    for game, rules in games.items():
        out.append(f"## [{game}]({game}.md)\n")
        out.append("| rule | what (first words) | kind | held by | code | tests |\n|---|---|---|---|---|---|")
        for rule in rules.values():
            holder = rule.holder + (f", {LATER}" if rule.when else "")
            out.append(f"| {rule.number} | {rule.words()} | {rule.kind()} | {holder} | {links(rule.code) or '-'} | {links(rule.tests) or '-'} |")
        out.append("")
    return "\n".join(out).rstrip() + "\n"


REQUIREMENTS = ROOT / "docs" / "requirements-map.md"
REQUIREMENTS_N = 52


def check_requirements(faults):
    """Each number once, and each test that is named beside it exists; how many are in order."""
    rows = re.findall(r"^\| (\d+) \| .*? \| (.*) \|$", REQUIREMENTS.read_text(), re.MULTILINE)
    numbers = [int(number) for number, _ in rows]
    if numbers != list(range(1, REQUIREMENTS_N + 1)):
        faults.append(f"{REQUIREMENTS.relative_to(ROOT)}: found the numbers {numbers}, expected 1 to {REQUIREMENTS_N}, each once")
    good = 0
    for number, shown in rows:
        named = re.findall(r"\]\((\S+?)\) `(test_\w+)`", shown)
        missing = [f"{name} in {path}" for path, name in named if not holds_test(REQUIREMENTS.parent / path, name)]
        if missing or not (named or "**To do:**" in shown):
            faults.append(f"{REQUIREMENTS.relative_to(ROOT)}: {number}: found no {', '.join(missing) or 'test'}, expected tests that exist, or To do")
        else:
            good += 1
    return good


SECURITY = ROOT / "docs" / "security.md"
ASVS = ROOT / "docs" / "asvs.md"
# Requirements of ASVS 4.0.3 of levels 1 and 2: those of each section.
ASVS_NUMBERS = """1.1: 1-7; 1.2: 1-4; 1.4: 1 4 5; 1.5: 1-4; 1.6: 1-4; 1.7: 1-2; 1.8: 1-2; 1.9: 1-2; 1.10: 1; 1.11: 1-2; 1.12: 2; 1.14: 1-6;
    2.1: 1-12; 2.2: 1-3; 2.3: 1-3; 2.4: 1-6; 2.5: 1-7; 2.6: 1-3; 2.7: 1-6; 2.8: 1-7; 2.9: 1-3; 2.10: 1-4;
    3.1: 1; 3.2: 1-4; 3.3: 1-4; 3.4: 1-5; 3.5: 1-3; 3.7: 1; 4.1: 1-3 5; 4.2: 1-2; 4.3: 1-3;
    5.1: 1-5; 5.2: 1-8; 5.3: 1-10; 5.4: 1-3; 5.5: 1-4; 6.1: 1-3; 6.2: 1-6; 6.3: 1-2; 6.4: 1-2;
    7.1: 1-4; 7.2: 1-2; 7.3: 1 3 4; 7.4: 1-3; 8.1: 1-4; 8.2: 1-3; 8.3: 1-8; 9.1: 1-3; 9.2: 1-4; 10.2: 1-2; 10.3: 1-3; 11.1: 1-8;
    12.1: 1-3; 12.2: 1; 12.3: 1-6; 12.4: 1-2; 12.5: 1-2; 12.6: 1; 13.1: 1 3-5; 13.2: 1-3 5 6; 13.3: 1-2; 13.4: 1-2;
    14.1: 1-4; 14.2: 1-6; 14.3: 2 3; 14.4: 1-7; 14.5: 1-4"""
MET = ("yes", "no", "does not apply")


def asvs_numbers():
    for section, of in re.findall(r"([\d.]+): ([\d -]+)", ASVS_NUMBERS):
        for first, last in re.findall(r"(\d+)(?:-(\d+))?", of):
            yield from (f"{section}.{n}" for n in range(int(first), int(last or first) + 1))


def check_asvs(faults):
    """Each requirement once and in order; each test that is named exists; the counts by chapter are those of docs/security.md."""
    rows = re.findall(r"^\| (\d+\.\d+\.\d+) \| (.+?) \| (.+?) \| (.+) \|$", ASVS.read_text(), re.MULTILINE)
    numbers, expected = [row[0] for row in rows], list(asvs_numbers())
    if numbers != expected:
        at = next((i for i, (found, wanted) in enumerate(zip(numbers, expected)) if found != wanted), min(len(numbers), len(expected)))
        faults.append(f"{ASVS.relative_to(ROOT)}: found {numbers[at:at + 1]} after {numbers[at - 1:at]}, expected {expected[at:at + 1]}; {len(numbers)} rows, expected {len(expected)}")
    good = 0
    for number, _, met, shown in rows:
        missing = [f"{name} in {path}" for path, name in re.findall(r"\]\((\S+?)\) `(test_\w+)`", shown) if not holds_test(ASVS.parent / path, name)]
        if missing or met not in MET:
            faults.append(f"{ASVS.relative_to(ROOT)}: {number}: found '{met}' and no {', '.join(missing) or 'such test'}, expected one of {', '.join(MET)}, and tests that exist")
        else:
            good += 1
    told = re.findall(r"^\| (?:V(\d+) .+?|all) \| (\d+) \| (\d+) \| (\d+) \|$", SECURITY.read_text(), re.MULTILINE)
    counted = [(chapter, *(str(sum(row[2] == met and (chapter == "" or row[0].startswith(chapter + ".")) for row in rows)) for met in MET)) for chapter in (*map(str, range(1, 15)), "")]
    if told != counted:
        faults.append(f"{SECURITY.relative_to(ROOT)}: found the counts {sorted(set(told) - set(counted))}, expected {sorted(set(counted) - set(told))}")
    return good


def holds_test(path, name):
    return path.is_file() and re.search(rf"^(?:def|static void) {name}\(", path.read_text(), re.MULTILINE) is not None


def main():
    faults = []
    games = read_sheets(faults)
    read_names(games, faults)
    table = table_of(games)
    if sys.argv[1:] == ["--table"]:
        TABLE.write_text(table)
    elif sys.argv[1:]:
        sys.exit(f"found '{' '.join(sys.argv[1:])}', expected nothing or --table")
    good = check_named(games, faults) + check_requirements(faults) + check_asvs(faults)
    if not TABLE.is_file() or TABLE.read_text() != table:
        faults.append(f"{TABLE.relative_to(ROOT)} differs from what the sheets and names give: scripts/check-rules.sh --table writes it again")
    else:
        good += 1
    print("\n".join(faults))
    print(f"{good} passed, {len(faults)} failed")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
