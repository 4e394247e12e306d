"""Two more browsers, driven by what comes with them: Firefox by Marionette, its own protocol, and WebKitGTK by WebKitWebDriver. Each has the same few
members: open, evaluate, press, picture, end."""
import base64
import glob
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

START_S = 60
PREFERENCES = {  # no network of its own, no first-run pages
    "marionette.port": 0, "app.update.enabled": False, "browser.shell.checkDefaultBrowser": False, "browser.startup.homepage_override.mstone": "ignore", "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.enabled": False, "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False, "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False, "extensions.update.enabled": False, "services.settings.server": "data:,", "remote.prefs.recommended": True,
}


def wait_for(what, condition, seconds=START_S):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(f"not within {seconds} s: {what}")


class Browser:
    """What is alike. `ask(command, **members)` sends one command."""

    def see(self, code, seconds=40):
        """Waits until the expression is true in the page."""
        try:
            wait_for(code, lambda: self.evaluate(f"(() => {{ try {{ return Boolean({code}); }} catch (error) {{ return false; }} }})()"), seconds)
        except AssertionError as error:
            raise AssertionError(f"{self.name} never saw {code}; it shows: {str(self.evaluate('document.body.innerText'))[:1500]}") from error

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def money(self, selector):
        return int("".join(c for c in self.text(selector) if c.isdigit()))

    def watch(self):
        """From now on errors of the page are kept."""
        self.evaluate("(window.faults = [], addEventListener('error', (event) => window.faults.push(String(event.message))), "
                      "addEventListener('unhandledrejection', (event) => window.faults.push(String(event.reason))), "
                      "addEventListener('securitypolicyviolation', (event) => window.faults.push(`policy: ${event.violatedDirective} ${event.blockedURI}`)), 0)")

    def faults(self):
        return self.evaluate("window.faults ?? ['the page was loaded anew']")


class Firefox(Browser):
    name = "Firefox"

    def __init__(self, width, height):
        self.profile = tempfile.mkdtemp(prefix="carillon-firefox-")
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
        pathlib.Path(self.profile, "user.js").write_text("\n".join(lines), encoding="utf-8")
        self.log = open(f"{self.profile}/log", "w", encoding="utf-8")  # noqa: SIM115
        self.process = subprocess.Popen(["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", self.profile, f"--width={width}", f"--height={height}"],
                                        stdout=self.log, stderr=self.log, env={**os.environ, "HOME": self.profile, "MOZ_DISABLE_CONTENT_SANDBOX": "1"})
        port = wait_for("Firefox's port", lambda: (path := pathlib.Path(self.profile, "MarionetteActivePort")).exists() and path.read_text(encoding="ascii").strip())
        self.socket, self.number = wait_for("Firefox", lambda: self.connect(int(port))), 0
        self.rest = b""
        self.read()  # who it is
        self.ask("WebDriver:NewSession", capabilities={})
        self.ask("WebDriver:SetWindowRect", width=width, height=height)

    @staticmethod
    def connect(port):
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=120)
        except OSError:
            return None

    def read(self):
        """One message: its length, a colon, JSON."""
        while b":" not in self.rest or len(self.rest) < self.rest.index(b":") + 1 + int(self.rest[:self.rest.index(b":")]):
            more = self.socket.recv(65536)
            assert more, "Firefox is gone"
            self.rest += more
        at = self.rest.index(b":")
        end = at + 1 + int(self.rest[:at])
        message, self.rest = json.loads(self.rest[at + 1:end]), self.rest[end:]
        return message

    def ask(self, command, **members):
        self.number += 1
        text = json.dumps([0, self.number, command, members])
        self.socket.sendall(f"{len(text.encode())}:{text}".encode())
        _, number, error, result = self.read()
        assert number == self.number and error is None, f"{command} {members}: {error}"
        return result

    def open(self, url):
        self.ask("WebDriver:Navigate", url=url)

    def evaluate(self, code):
        return self.ask("WebDriver:ExecuteScript", script=f"return {code};", args=[], sandbox=None)["value"]

    def press(self, selector):
        element = self.ask("WebDriver:FindElement", using="css selector", value=selector)["value"]
        self.ask("WebDriver:ElementClick", id=next(iter(element.values())))

    def picture(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.ask("WebDriver:TakeScreenshot", full=False)["value"]))

    def end(self):
        self.process.terminate()
        self.process.wait(30)
        self.log.close()
        shutil.rmtree(self.profile, ignore_errors=True)


class WebKit(Browser):
    name = "WebKitGTK"

    def __init__(self, width, height):
        self.home = tempfile.mkdtemp(prefix="carillon-webkit-")
        self.log = open(f"{self.home}/log", "w", encoding="utf-8")  # noqa: SIM115
        display = f":{90 + os.getpid() % 500}"
        self.screen = subprocess.Popen(["Xvfb", display, "-screen", "0", f"{width + 40}x{height + 160}x24", "-nolisten", "tcp"], stdout=self.log, stderr=self.log)
        wait_for("the screen", lambda: os.path.exists(f"/tmp/.X11-unix/X{display[1:]}"))
        port = free_port()
        settings = {**os.environ, "DISPLAY": display, "HOME": self.home, "XDG_RUNTIME_DIR": self.home, "GDK_BACKEND": "x11", "LIBGL_ALWAYS_SOFTWARE": "1", "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1", "NO_AT_BRIDGE": "1", "WEBKIT_DISABLE_DMABUF_RENDERER": "1"}
        self.process = subprocess.Popen(["WebKitWebDriver", f"--port={port}", "--host=127.0.0.1"], stdout=self.log, stderr=self.log, env=settings, start_new_session=True)
        self.url = f"http://127.0.0.1:{port}/session"
        wait_for("WebKitWebDriver", lambda: reached(port))
        [binary] = glob.glob("/usr/lib/*/webkit2gtk-4.1/MiniBrowser")
        options = {"binary": binary, "args": ["--automation", f"--geometry={width}x{height}"]}
        answer = self.ask("", capabilities={"alwaysMatch": {"browserName": "MiniBrowser", "webkitgtk:browserOptions": options}})
        self.url += f"/{answer['sessionId']}"
        self.ask("/window/rect", x=0, y=0, width=width, height=height)

    def ask(self, path, method="POST", **members):
        request = urllib.request.Request(self.url + path, method=method, data=json.dumps(members).encode() if method == "POST" else None, headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path} {members}: {error.read()[:500].decode(errors='replace')}") from error

    def open(self, url):
        self.ask("/url", url=url)

    def evaluate(self, code):
        return self.ask("/execute/sync", script=f"return {code};", args=[])

    def press(self, selector):
        element = self.ask("/element", using="css selector", value=selector)
        self.ask(f"/element/{next(iter(element.values()))}/click")

    def picture(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.ask("/screenshot", "GET")))

    def end(self):
        try:
            self.ask("", "DELETE")
        finally:
            for process in (self.process, self.screen):
                process.terminate()
                process.wait(30)
            self.log.close()
            shutil.rmtree(self.home, ignore_errors=True)


def reached(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
