#!/usr/bin/env python3
"""check-links.py: nothing that a page of ours points at is gone. In each *.md of the repository: the relative links and their headings, and what stands
between backticks and looks like a path of the repository. The last line is "N passed, N failed"; one test a page."""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What is made, fetched or kept on a machine is not in the repository.
MADE = ("build/", "var/", ".cache/")
LINK = re.compile(r"(?<!\\)\[[^\]\n]*\]\(([^()\s]+(?:\([^()]*\))?[^()\s]*)\)")
CODE = re.compile(r"`([^`\n]+)`")
# A path: folders of ours, then names; a pattern (*, {a,b}) must match something.
PATH = re.compile(r"[\w.*{},-]+(?:/[\w.*{},+-]+)*/?$")


def tracked():
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [path for path in done.stdout.splitlines() if os.path.exists(os.path.join(ROOT, path))]


def without_blocks(text):
    """What stands between fences is somebody's terminal; its lines stay, so that numbers are right."""
    return re.sub(r"^( *)(```|~~~).*?^\1\2", lambda block: "\n" * block.group().count("\n"), text, flags=re.S | re.M)


def anchors(path):
    """Of each heading, as they are made of it where pages are read."""
    found, seen = set(), {}
    with open(path, encoding="utf-8") as file:
        text = without_blocks(file.read())
    for title in re.findall(r"^#{1,6} +(.*?) *#*$", text, flags=re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        name = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        n = seen[name] = seen.get(name, -1) + 1
        found.add(f"{name}-{n}" if n else name)
    return found | set(re.findall(r'(?:id|name)="([^"]+)"', text))


def expanded(pattern):
    """{a,b} as a shell does it."""
    inner = re.search(r"\{([^{}]*)\}", pattern)
    if inner is None:
        return [pattern]
    return [more for part in inner.group(1).split(",") for more in expanded(pattern[:inner.start()] + part + pattern[inner.end():])]


def there(path, folder):
    """From the page's own folder or from the top."""
    return any(glob.glob(os.path.join(start, path)) for start in (folder, ROOT))


def wrong_link(target, page):
    if re.match(r"[a-z][a-z0-9+.-]*:", target):
        return None
    path, _, anchor = target.partition("#")
    at = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if not os.path.exists(at):
        return "there is no such file"
    if anchor and at.endswith(".md") and anchor not in anchors(at):
        return "the page has no such heading"
    return None


def wrong_code(text, page, tops):
    """A word of ours that is no path any more: its first folder is one of the repository's."""
    word = text.split(":")[0].split(" ")[0]
    if not PATH.fullmatch(word) or "/" not in word or word.startswith(MADE) or word.split("/")[0] not in tops:
        return None
    for path in expanded(word):
        # A program's name may stand for its source: tests/bench/x is tests/bench/x/ or tests/bench/x.c.
        if not there(path, os.path.dirname(page)) and not there(path + ".*", os.path.dirname(page)):
            return "there is no such path"
    return None


def main():
    files = tracked()
    tops = {path.split("/")[0] for path in files if "/" in path}
    passed = failed = 0
    for name in (path for path in files if path.endswith(".md")):
        page, wrong = os.path.join(ROOT, name), []
        with open(page, encoding="utf-8") as file:
            text = without_blocks(file.read())
        for number, line in enumerate(text.splitlines(), 1):
            found = [(t, wrong_link(t, page)) for t in LINK.findall(CODE.sub("", line))]
            found += [(t, wrong_code(t, page, tops)) for t in CODE.findall(line)]
            wrong += [f"{name}:{number}: {target}: {why}" for target, why in found if why]
        print(*wrong, sep="\n", end="\n" if wrong else "")
        passed += not wrong
        failed += bool(wrong)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
