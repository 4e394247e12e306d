#!/usr/bin/env python3
"""The one list of currencies, libcommon/base/currency.c: what is generated from it, how the pages' formatter shows and reads amounts in each currency, and that
no other list exists. Prints "N passed, N failed"."""
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(f"{os.path.dirname(__file__)}/../..")
sys.path.insert(0, f"{ROOT}/scripts")  # before this file of the same name
import currencies

WEB = f"{ROOT}/services/gateway/web"
LOCALES = ["en", "sv", "de-CH", "ar-EG-u-nu-latn"]
STRANGERS = ["", "X", "EURO", "usdt", "EUR ", "12", "<b>", "TOOLONGACODE", None, 978]
passed, failed = 0, 0


def check(right, what):
    global passed, failed
    passed, failed = passed + bool(right), failed + (not right)
    if not right:
        print(f"  failed: {what}")


def answers(cases):
    """What the pages' own formatter answers to these calls."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/operator")
        currencies.pages(folder)
        with open(f"{WEB}/format.js", encoding="utf-8") as file:
            text = file.read()
        with open(f"{folder}/format.js", "w", encoding="utf-8") as file:
            file.write(re.sub(r'from "/', 'from "./', text))
        with open(f"{folder}/lang.js", "w", encoding="utf-8") as file:
            file.write("export const locale = () => globalThis.LOCALE;\nexport const t = (key) => key;\n")
        with open(f"{folder}/package.json", "w", encoding="utf-8") as file:
            file.write('{"type":"module"}')
        answer = subprocess.run(["node", f"{ROOT}/tests/tools/currencies.mjs", folder], input=json.dumps(cases), capture_output=True, text=True, timeout=60)
    assert answer.returncode == 0, answer.stderr
    return dict(zip(map(json.dumps, cases), json.loads(answer.stdout)))


def every(cases, right):
    """Each case is [locale, function, arguments]; right(arguments, answer)."""
    for case, answer in answers(cases).items():
        locale, name, values = json.loads(case)
        check(right(values, answer), f"{name}({', '.join(map(repr, values))}) in {locale} gives {answer!r}")


def shows():
    """Each amount has the digits of its currency, and its code or sign; nothing makes the formatter throw."""
    def digits(values, answer):
        minor, code = values
        return re.sub(r"\D", "", answer) == str(abs(minor)) and not answer.startswith("thrown")
    every([[locale, "money", [minor, currency.code]] for locale in LOCALES for currency in currencies.TABLE for minor in (12345678901, -12345678901)], digits)
    known = {"EUR": "€12,345.67", "JPY": "¥1,234,567", "KWD": "KWD\u00a01,234.567", "USDT": "USDT\u00a01.234567", "DOGE": "DOGE\u00a00.01234567", "XBT": "₿\u00a00.01234567"}
    every([["en", "money", [1234567, code]] for code in known], lambda values, answer: answer == known[values[1]])
    every([["sv", "money", [1234567, "USDT"]]], lambda values, answer: answer == "1,234567\u00a0USDT")
    every([["en", "money", [1234567, stranger]] for stranger in STRANGERS], lambda values, answer: re.sub(r"\D", "", answer.replace(str(values[1]), "")) == "1234567" and (not values[1] or str(values[1]) in answer))
    every([["en", "money", [minor, "EUR"]] for minor in ("x", {}, [], True, 1.5)], lambda values, answer: not answer.startswith("thrown"))
    every([["en", "money", [None, "USDT"]]], lambda values, answer: answer == "–")


def reads():
    """A shown decimal is read as the same amount, in every currency."""
    every([["en", "typedMinor", [text, currency.code]] for currency in currencies.TABLE for text in ("7",)], lambda values, answer: answer == 7 * 10 ** currencies.DIGITS[values[1]])
    written = {}
    for currency in currencies.TABLE:
        for minor in (1, 1234567):
            text = f"{minor:0{currency.digits + 1}d}"
            written[currency.code, text[:len(text) - currency.digits] + ("." + text[len(text) - currency.digits:] if currency.digits else "")] = minor
    every([["en", "typedMinor", [text, code]] for code, text in written], lambda values, answer: answer == written[values[1], values[0]])
    every([["en", "typedMinor", ["10", stranger]] for stranger in STRANGERS], lambda values, answer: answer is None)


def refuses():
    """What may mean two amounts is refused in every currency; a group that cannot be one of thousands is read."""
    codes = ["EUR", "JPY", "KWD", "USDT", "ETH"]
    every([["en", "typedAmount", [text, code]] for code in codes for text in ("1,000", "999,999", " 12,345 ")], lambda values, answer: answer == {"why": "ambiguous"})
    every([["en", "typedAmount", [text, code]] for code in codes for text in ("", "-1", "+1", "1 000", "1,000.00", "1.000,00", "1e3", "0x10", "١", ".5", "5.", "10000000000000000000")],
          lambda values, answer: answer == {"why": "form"})
    every([["en", "typedAmount", ["1", stranger]] for stranger in STRANGERS], lambda values, answer: answer == {"why": "currency"})
    right = {("10.00", "EUR"): 1000, ("10,00", "EUR"): 1000, ("0,5", "EUR"): 50, ("1000", "EUR"): 100000, ("10.00", "USDT"): 10000000, ("0,001", "USDT"): 1000, ("1,0000", "USDT"): 1000000,
             ("1.000", "KWD"): 1000, ("0,500", "KWD"): 500, ("1234,567", "KWD"): 1234567, ("1,5", "KWD"): 1500, ("1000", "JPY"): 1000}
    every([["en", "typedMinor", list(case)] for case in right], lambda values, answer: answer == right[tuple(values)])
    wrong = {("1.000", "EUR"), ("10.001", "EUR"), ("1.5", "JPY"), ("1.0000", "KWD"), ("0.0000001", "USDT")}
    every([["en", "typedMinor", list(case)] for case in sorted(wrong)], lambda values, answer: answer is None)


def generated():
    """What is written by hand in other languages fits all codes."""
    with open(f"{ROOT}/services/spin-engine/games/definition.schema.json", encoding="utf-8") as file:
        text = file.read()
    patterns = re.findall(r'"propertyNames": \{"pattern": "(\^\[A-Z\][^"]*)"\}', text)
    check(len(patterns) == 3 and set(patterns) == {currencies.PATTERN}, f"definition.schema.json has the patterns {patterns} for currencies, expected {currencies.PATTERN}")
    check(len(currencies.TABLE) > 160 and {len(code) for code in currencies.DIGITS} == {3, 4}, "the table has more than 160 currencies, of three and four letters")


# The parts of the tree in which another list would be found: not the tests, which state the standard's digits once more, as a proof.
PLACES = ["libcommon", "services", "tools", "scripts", "deploy", "proto", "docs/example-host"]
KINDS = (".c", ".h", ".js", ".mjs", ".py", ".sh", ".sql", ".html", ".proto", ".yaml", ".yml", ".conf", ".schema.json")
NEAR, MOST = 300, 7  # distinct codes within so many characters are a list


def crowds(text):
    """Where the codes of more currencies stand together than an example needs."""
    found = [(hit.start(), hit.group()) for hit in re.finditer(r"\b[A-Z]{3,4}\b", text) if hit.group() in currencies.DIGITS]
    return [place for i, (place, _) in enumerate(found) if len({code for at, code in found[i:] if at < place + NEAR}) > MOST]


def sources():
    for place in PLACES:
        for folder, _, names in os.walk(f"{ROOT}/{place}"):
            for name in names:
                path = os.path.relpath(f"{folder}/{name}", ROOT)
                if name.endswith(KINDS) and "/test/" not in path and path != "libcommon/base/currency.c":
                    with open(f"{ROOT}/{path}", encoding="utf-8") as file:
                        yield path, file.read()


def alone():
    """The table is the only list, and no code of a currency is thought to have three letters."""
    looked_at = 0
    for path, text in sources():
        looked_at += 1
        for place in crowds(text)[:1]:
            check(False, f"{path}:{text.count(chr(10), 0, place) + 1}: found a list of currencies, expected it in libcommon/base/currency.c alone")
        for hit in re.finditer(r"\[A-Z\]\{3\}|%3\[A-Z\]|currency\.length === 3", text):
            check(False, f"{path}:{text.count(chr(10), 0, hit.start()) + 1}: found {hit.group()}, expected codes of three or four letters (currencies.PATTERN, isCurrency, currency_by_code)")
    check(looked_at > 500, f"{looked_at} files were looked at, expected more than 500")
    planted = "const DIGITS = { 0: \"CLP ISK JPY KRW\", 3: \"BHD JOD KWD OMR TND\" };"
    check(crowds(planted) and not crowds("EUR, SEK and USDT"), "a planted list is found, an example is none")


def main():
    alone()
    generated()
    shows()
    reads()
    refuses()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
