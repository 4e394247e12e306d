"""What all benches share: their options, where their results go, and how the processes that they start must end."""
import argparse
import contextlib
import json
import os
import signal
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))
from lib_deaths import Deaths  # noqa: E402
from lib_stack import Installation, quick_start  # noqa: E402

WHOLE, SHORT, TRY = range(3)
RESULTS = "build/bench"
RESULTS_OF_TRIES = "build/bench/try"


def bench_options(doc, more=None, **sizes):
    """The options of a bench. Each size has three values: of a whole run, with --short, with --try. An option that is given replaces its value. `more` adds
    further options to the parser."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--short", action="store_const", dest="form", const=SHORT, default=WHOLE, help="a first look: smaller sizes")
    form.add_argument("--try", action="store_const", dest="form", const=TRY,
                      help=f"the smallest sizes: only to see that the bench starts, measures, proves and ends; its result goes to {RESULTS_OF_TRIES}/")
    for name, values in sizes.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(values[0]), help="{}; --short: {}; --try: {}".format(*values))
    if more is not None:
        more(parser)
    options = parser.parse_args()
    for name, values in sizes.items():
        if getattr(options, name) is None:
            setattr(options, name, values[options.form])
    options.whole, options.tried = options.form == WHOLE, options.form == TRY
    options.results = RESULTS_OF_TRIES if options.tried else RESULTS
    return options


def result_path(options, name):
    os.makedirs(f"{ROOT}/{options.results}", exist_ok=True)
    return f"{ROOT}/{options.results}/{name}.json"


def result_write(options, name, result):
    with open(result_path(options, name), "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
        file.write("\n")
    print(f"written: {options.results}/{name}.json")


def process_end(process, name, stop=False):
    """Waits for the process, after SIGTERM if it is to stop. Any end but status 0 (or that SIGTERM) ends the bench."""
    if stop:
        process.terminate()
    status = process.wait(timeout=60)
    if status != 0 and not (stop and status == -signal.SIGTERM):
        raise SystemExit(f"{name} ended with status {status}, expected 0")


def ends_check(data):
    """Ends the bench if a server or service in this folder has ended without being told to."""
    found = Deaths().unexpected(data)
    if found:
        raise AssertionError("ended without being told to:\n" + "\n".join(found))


@contextlib.contextmanager
def installation(options, name, kind="demo", may_end=(), **settings):
    """A started installation with these settings in its environment. Nothing in it, other than the programs named in may_end, may end before it is stopped."""
    place = Installation(name, kind=kind)
    for program in may_end:
        place.deaths.allow(program, range(256), "the bench ends it")
    if options.tried:  # nothing is measured that a quick start could falsify
        place.scripts = quick_start(kind, place.environment)
    place.environment.update(settings)
    with place:
        yield place
