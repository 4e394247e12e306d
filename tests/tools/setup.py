#!/usr/bin/env python3
"""What scripts/setup.sh says is missing: for each purpose, the package of a command that is hidden from it. Nothing is installed.

    setup.py"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SETUP = f"{ROOT}/scripts/setup.sh"

# purpose, hidden command, its package
HIDDEN = (
    ("run", "redis-server", "redis-server"), ("run", "protoc-c", "protobuf-c-compiler"), ("run", "java", "openjdk-17-jre-headless"),
    ("build", "protoc-c", "protobuf-c-compiler"), ("clang", "clang", "clang"), ("run", "clang", "clang"),
    ("test", "clang", "clang"), ("test", "chromium", "chromium"), ("test", "node", "nodejs"), ("test", "curl", "curl"),
    ("test", "clang-format", "clang-format"), ("test", "clang-tidy", "clang-tidy"), ("test", "redis-server", "redis-server"),
    ("bench", "pgrep", "procps"), ("bench", "redis-server", "redis-server"), ("chaos", "redis-server", "redis-server"), ("chaos", "pgrep", "procps"),
    ("browsers", "firefox-esr", "firefox-esr"), ("browsers", "WebKitWebDriver", "webkit2gtk-driver"), ("browsers", "Xvfb", "xvfb"),
    ("rng", "dieharder", "dieharder"), ("rng", "pkg-config", "pkg-config"),
    ("format", "clang-format", "clang-format"), ("tidy", "clang-tidy", "clang-tidy"), ("tidy", "protoc-c", "protobuf-c-compiler"),
    ("compose", "dockerd", "docker.io"), ("compose", "docker-compose", "docker-compose"), ("compose", "debootstrap", "debootstrap"))
# Without root no network is cut and no disk is filled.
HIDDEN_FROM_ROOT = (("chaos", "iptables", "iptables"), ("chaos", "ip", "iproute2"), ("chaos", "mkfs.ext4", "e2fsprogs"), ("chaos", "unshare", "util-linux"))
# purpose, a command that it does without
NOT_NEEDED = (("format", "gcc"), ("format", "redis-server"), ("tidy", "redis-server"), ("rng", "java"), ("clang", "redis-server"), ("run", "clang-tidy"), ("run", "iptables"), ("test", "firefox-esr"), ("test", "prometheus"), ("run", "prometheus"))

# Each target that needs more than a build asks for it.
ASKS = (("Makefile", "chaos", "chaos"), ("Makefile", "format", "format"), ("Makefile", "format-check", "format"), ("Makefile", "tidy", "tidy"), ("Makefile", "browsers", "browsers"),
        ("scripts/run.sh", None, ""), ("scripts/bench.sh", None, "bench"), ("scripts/rng-test.sh", None, "rng"), ("scripts/compose-test.sh", None, "compose"), ("scripts/monitor.sh", None, "monitor"),
        ("scripts/test.sh", None, "test"), ("scripts/test.sh", None, "clang"), ("scripts/test.sh", None, "build"))


def missing(purpose, path):
    environment = {k: v for k, v in os.environ.items() if k not in ("KAFKA", "DOCKER_HOST")}
    done = subprocess.run([SETUP, purpose, "--missing"], env={**environment, "PATH": path}, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 0, f"{purpose}: status {done.returncode}: {done.stderr}"
    assert done.stdout.count("\n") == 1, f"{purpose}: expected one line, found {done.stdout!r}"
    return set(done.stdout.split())


def commands():
    """Every command of PATH, the first of each name."""
    found = {}
    for folder in os.environ["PATH"].split(":") + ["/usr/sbin", "/sbin"]:
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            found.setdefault(name, f"{folder}/{name}")
    return found


def test_hidden_commands_are_listed():
    table = HIDDEN + (HIDDEN_FROM_ROOT if os.geteuid() == 0 else ())
    with tempfile.TemporaryDirectory() as folder:
        for name, path in commands().items():
            os.symlink(path, f"{folder}/{name}")
        before = {purpose: missing(purpose, folder) for purpose in {row[0] for row in table + NOT_NEEDED}}
        for purpose, command, package in table:
            with hidden(folder, command):
                found = missing(purpose, folder)
            assert found == before[purpose] | {package}, f"{purpose} without {command}: {found}, expected {before[purpose] | {package}}"
        for purpose, command in NOT_NEEDED:
            with hidden(folder, command):
                assert missing(purpose, folder) == before[purpose], f"{purpose} asks for {command}"


class hidden:
    def __init__(self, folder, command):
        self.path, self.target = f"{folder}/{command}", None

    def __enter__(self):
        if os.path.islink(self.path):
            self.target = os.readlink(self.path)
            os.unlink(self.path)

    def __exit__(self, *_):
        if self.target:
            os.symlink(self.target, self.path)


def test_each_target_asks_for_its_set():
    for file, target, purpose in ASKS:
        with open(f"{ROOT}/{file}", encoding="utf-8") as source:
            text = source.read()
        if target:
            text = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", text, re.MULTILINE).group(1)
        wanted = rf"scripts/setup\.sh\"? {purpose}\b" if purpose else r"scripts/setup\.sh\" --quiet"
        assert re.search(wanted, text), f"{file} {target or ''}: does not run setup.sh {purpose}"


def main():
    failed = 0
    tests = (test_hidden_commands_are_listed, test_each_target_asks_for_its_set)
    for test in tests:
        try:
            test()
            print(f"ok      {test.__name__}")
        except AssertionError as error:
            failed += 1
            print(f"FAILED  {test.__name__}\n{error}")
    print(f"{len(tests) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
