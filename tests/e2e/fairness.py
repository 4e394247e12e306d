#!/usr/bin/env python3
"""A player proves a round in their browser: from the history to the page that plays it again, saves it, and opens it again without a network. A changed digit of
the file is shown where it is. A promise that was never kept is told as that."""
import json
import re

import lib_pages
from lib_pages import FILES, Page, closing, no_problems
from lib_stack import ROOT, Installation, run

place = browser = None
SAVED = ("new Promise((tell) => { URL.createObjectURL = (blob) => { tell(blob.text()); return '#'; }; HTMLAnchorElement.prototype.click = () => {};"
         " document.querySelector('#fair-save').click(); })")
STATES = "Object.fromEntries([...document.querySelectorAll('[data-check]')].map((step) => [step.dataset.check, step.dataset.state]))"
VERDICT = "document.querySelector('#verdict, #fair-error')"


def open_file(page, text):
    page.evaluate(code=f"(() => {{ const data = new DataTransfer(); data.items.add(new File([{json.dumps(text)}], 'round.json')); const input = document.querySelector('#fair-file');"
                       f" window.before = {VERDICT}; input.files = data.files; input.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()")
    page.see(f"{VERDICT} && {VERDICT} !== window.before")


def played(page):
    """Rounds until one has won: its screens have more to compare."""
    for _ in range(40):
        before = page.text(selector="#round")
        page.press("#spin")
        page.see(f"document.querySelector('#round').innerText !== {json.dumps(before)}")
        page.idle()
        won = page.evaluate(code="!!document.querySelector('#collect')")
        page.collect()
        page.ready()
        if won:
            break
    return page.evaluate(code="JSON.parse(localStorage.getItem('promises')).length")


def test_a_round_is_proven_saved_and_opened_again():
    page = Page("prover", "/#mystery-elves", still=True)
    page.login()
    page.press("#fast")  # a feature may be drawn: how long it draws out is chance
    assert played(page) >= 1
    page.press("#menu")
    page.press("#menu-history")
    page.press("#history a[href^='/fairness/']")
    page.verdict()
    assert page.evaluate(code="document.querySelector('#verdict').dataset.agrees") == "true", page.text(selector="body")
    states = page.evaluate(code=STATES)
    assert {states[w] for w in ("definition", "secret", "result", "screens", "amounts")} == {"agrees"} and set(states.values()) <= {"agrees", "none"}, states
    page.picture("agrees")
    text = page.evaluate(code=SAVED)
    saved = json.loads(text)
    assert saved["carillon_round"] == 1 and saved["promised"] and saved["definition"]["id"] == "mystery-elves", text[:300]
    browser.ask("offline", offline=True)
    open_file(page, text)
    assert page.evaluate(code=STATES) == states
    for what, changed in {"screens": re.sub(r'("window":"..)(.)', lambda m: m[1] + ("1" if m[2] == "0" else "0"), text, count=1),
                          "secret": re.sub(r'("promised":")(.)', lambda m: m[1] + ("1" if m[2] == "0" else "0"), text, count=1),
                          "amounts": re.sub(r'"stake_minor":([0-9]+),"phases"', lambda m: f'"stake_minor":{int(m[1]) + 1},"phases"', text, count=1)}.items():
        assert changed != text, what
        open_file(page, changed)
        found = page.evaluate(code=STATES)
        assert found[what] == "differs" and [w for w in found if found[w] == "differs"] == [what], (what, found)
        assert page.evaluate(code="document.querySelector('#verdict').dataset.agrees") == "false"
        assert page.evaluate(code=f"document.querySelector('[data-check={what}] .difference').innerText.length > 10")
    page.picture("differs")
    unkept = re.sub(r'"promised":"[^"]*"', '"promised":null', text, count=1)
    open_file(page, unkept)
    assert page.evaluate(code=STATES)["secret"] == "missing" and page.evaluate(code="document.querySelector('#verdict').dataset.agrees") == "true"
    open_file(page, text[:-40])
    assert "expected" in page.text(selector="#fair-error")
    browser.ask("offline", offline=False)
    no_problems()


def test_only_this_page_compiles_and_it_speaks_swedish():
    page = Page("swede", "/fairness/?lang=sv#round=1")
    page.see("document.querySelector('#fair-error')")
    assert "Logga in" in page.text(selector="#fair-error") and "rättvis" in page.text(selector="h1"), page.text(selector="body")
    same = page.evaluate(code="Promise.all([import('" + FILES + "/fairness/en.js'), import('" + FILES + "/fairness/sv.js')]).then(([en, sv]) => JSON.stringify(Object.keys(en.WORDS).sort()) === JSON.stringify(Object.keys(sv.WORDS).sort()))")
    assert same, "a word of the fairness page is missing in a language"
    with open(f"{ROOT}/libcommon/game/features.def", encoding="utf-8") as file:
        drawn = [text.removesuffix(" %u") for text in re.findall(r'^DRAW\(\w+, "([^"]+)"\)', file.read(), re.M)]
    words = page.evaluate(code="import('" + FILES + "/fairness/en.js').then(({ WORDS }) => Object.keys(WORDS))")
    assert drawn and not [text for text in drawn if f"fair.draw.{text}" not in words], "a drawn number without a word"
    no_problems()
    other = Page("other", "/rules/mona-lisa/")
    refused = other.evaluate(code="WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(() => 'compiled', (error) => error.name)")
    assert refused == "CompileError", refused
    browser.ask("problems")


if __name__ == "__main__":
    place = Installation("fairness", kafka=False)
    with lib_pages.browsing(place) as browser:
        run(*[closing(f) for name, f in list(globals().items()) if name.startswith("test_")])
