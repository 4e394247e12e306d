#!/usr/bin/env python3
"""What deploy/monitoring says of itself agrees, and with the source: each alert has a page, a test that fires it and a row that names its cause, each metric in
a rule or a dashboard is made by some program, each panel has a query. No server and no package of Prometheus is needed; tests/e2e/monitoring.py and
tests/e2e/alerts.py do the rest.

    monitoring.py"""
import glob
import json
import os
import re
import sys
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = f"{ROOT}/deploy/monitoring"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


RULES = read(f"{FOLDER}/rules/alerts.yml")
RECORDS = read(f"{FOLDER}/rules/recording.yml")
ALERTS = re.findall(r"^      - alert: (\w+)$", RULES, flags=re.M)
BOARDS = {path: json.loads(read(path)) for path in sorted(glob.glob(f"{FOLDER}/grafana/*.json"))}
# Prometheus' own, and those of a histogram.
OWN = {"ALERTS"}
SUFFIX = re.compile(r"_(bucket|sum|count)$")


def metrics_made():
    sources = [path for folder in ("libcommon", "services", "tools") for path in glob.glob(f"{ROOT}/{folder}/**/*.c", recursive=True) if "/test/" not in path]
    return {name for path in sources for name in re.findall(r'"(carillon_[a-z0-9_]+)"', read(path))}


def metrics_used():
    texts = re.findall(r"^        expr: (.*)$", RULES + RECORDS, flags=re.M) + [t["expr"] for board in BOARDS.values() for p in board["panels"] for t in p["targets"]]
    assert len(texts) > 60, texts
    return {SUFFIX.sub("", name) for text in texts for name in re.findall(r"\bcarillon_[a-z0-9_]+", text)}, {name for text in texts for name in re.findall(r"carillon:[a-z0-9_:]+", text)}


def test_each_alert_has_a_page():
    pages = {os.path.basename(path)[:-3] for path in glob.glob(f"{ROOT}/docs/runbooks/*.md")} - {"README"}
    assert len(ALERTS) > 40 and set(ALERTS) == pages, f"found pages {sorted(pages - set(ALERTS))} without an alert, alerts {sorted(set(ALERTS) - pages)} without a page"
    for name in ALERTS:
        assert f"runbook: docs/runbooks/{name}.md" in RULES, f"{name}: the alert does not name its page"
        text = read(f"{ROOT}/docs/runbooks/{name}.md")
        for part in (f"# {name}\n", "## What it means", "## What to look at", "## Commands\n\n```sh\n", "## When it ends"):
            assert part in text, f"docs/runbooks/{name}.md: found no {part!r}"
        assert f"[{name}]({name}.md)" in read(f"{ROOT}/docs/runbooks/README.md"), f"docs/runbooks/README.md does not list {name}"


def test_each_alert_is_fired_by_a_test():
    tests = "".join(read(path) for path in glob.glob(f"{FOLDER}/tests/*.yml"))
    missing = [name for name in ALERTS if name != "Heartbeat" and f"- name: {name} fires\n" not in tests]
    assert not missing, f"no test fires {missing}"


def test_each_alert_has_a_cause_or_a_reason():
    """docs/monitoring.md says which test causes each alert, or why none does; that test names it."""
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (.{5,}) \|$", read(f"{ROOT}/docs/monitoring.md").split("\n## What fires each alert in the tests\n")[1], flags=re.M)
    assert [name for name, *_ in rows] == ALERTS, f"docs/monitoring.md: found rows {[name for name, *_ in rows]}, expected {ALERTS}"
    tests = {name: read(f"{ROOT}/tests/e2e/{name}.py") for name in ("monitoring", "alerts")}
    for name, test, _ in rows:
        assert test in (*tests, "promtool"), f"docs/monitoring.md: {name}: found the test {test}, expected monitoring, alerts or promtool"
        named = [other for other, text in tests.items() if f'"{name}"' in text]
        assert test in named or (test == "promtool" and not named), f"docs/monitoring.md: {name}: found the test {test}, expected one of {named or ['promtool']}"


def test_metrics_exist():
    used, recorded = metrics_used()
    unknown = sorted(used - metrics_made() - OWN)
    assert not unknown, f"no program makes {unknown}"
    unknown = sorted(name for name in recorded if f"record: {name}\n" not in RECORDS)
    assert not unknown, f"no rule records {unknown}"


def test_dashboards_are_whole():
    assert len(BOARDS) == 4
    for path, board in BOARDS.items():
        assert board["uid"].startswith("carillon-") and board["panels"], path
        ids = [panel["id"] for panel in board["panels"]]
        assert len(ids) == len(set(ids)), f"{path}: a panel's id is there twice"
        for panel in board["panels"]:
            assert panel["title"] and panel["targets"] and all(t["expr"] and t["refId"] for t in panel["targets"]), f"{path}: {panel['title']}"


def test_metrics_are_listed():
    page = read(f"{ROOT}/docs/monitoring.md")
    watched = {name for path in glob.glob(f"{ROOT}/tools/carillon-watch/*.c") for name in re.findall(r'"(carillon_[a-z0-9_]+)"', read(path))}
    missing = sorted(name for name in watched if f"`{name}`" not in page)
    assert not missing, f"docs/monitoring.md does not list {missing}"


def main():
    passed = failed = 0
    for test in (test_each_alert_has_a_page, test_each_alert_is_fired_by_a_test, test_each_alert_has_a_cause_or_a_reason, test_metrics_exist, test_dashboards_are_whole, test_metrics_are_listed):
        try:
            test()
            passed += 1
        except Exception:  # noqa: BLE001 - whatever went wrong is the test's failure
            failed += 1
            print(f"FAILED  {test.__name__}\n{traceback.format_exc()}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(0 if failed == 0 else 1)


if __name__ == "__main__":
    main()
