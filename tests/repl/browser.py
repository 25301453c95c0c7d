"""A headless Chromium, driven over the DevTools protocol through a pair of pipes: the standard library is all it takes."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

from driver import CommandLine

SECONDS_MAX = 60
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--no-first-run", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe"]
# The other names of a key: its code and its Windows number.
KEYS = {"Home": ("Home", 36), "End": ("End", 35), "ArrowLeft": ("ArrowLeft", 37), "ArrowUp": ("ArrowUp", 38),
        "ArrowRight": ("ArrowRight", 39), "ArrowDown": ("ArrowDown", 40), " ": ("Space", 32), "Tab": ("Tab", 9),
        "Enter": ("Enter", 13)}


class Browser:
    """One browser with one page."""

    def __init__(self, executable):
        self.folder = tempfile.mkdtemp(prefix="tessera_browser_")
        commands, self.to_browser = os.pipe()
        self.from_browser, answers = os.pipe()
        # Chromium reads descriptor 3 and writes descriptor 4.
        shell = f'exec "$0" "$@" 3<&{commands} 4>&{answers}'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, executable, *FLAGS, f"--user-data-dir={self.folder}/profile", "about:blank"],
            pass_fds=(commands, answers), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.folder, "XDG_CONFIG_HOME": self.folder, "XDG_CACHE_HOME": self.folder})
        os.close(commands)
        os.close(answers)
        self.buffer = b""
        self.number = 0
        self.events = []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(f"{domain}.enable")

    def close(self):
        self.session = None
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except (RuntimeError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _receive(self, deadline):
        """The next message."""
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.from_browser], [], [], max(0, deadline - time.monotonic()))
            data = os.read(self.from_browser, 1 << 20) if ready else b""
            if not data:
                raise RuntimeError("the browser does not answer")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        """Sends a command and waits for its result; events that come before are kept."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session is not None:
            command["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(command).encode() + b"\0")
        deadline = time.monotonic() + SECONDS_MAX
        while True:
            message = self._receive(deadline)
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url=f"file://{path}")
        self.wait("document.readyState === 'complete'")

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, expression):
        """Until the expression is true."""
        deadline = time.monotonic() + SECONDS_MAX
        while not self.evaluate(expression):
            if time.monotonic() > deadline:
                raise RuntimeError(f"never true: {expression}")
            time.sleep(0.02)

    def complaints(self):
        """Errors of the console and the script, and requests for anything but the page."""
        found = []
        for event in self.events:
            method, what = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(str(what["exceptionDetails"]))
            elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
                found.append(str(what["args"]))
            elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
                found.append(str(what["entry"]))
            elif method == "Network.requestWillBeSent" and not what["request"]["url"].startswith(("file:", "data:")):
                found.append(what["request"]["url"])
        return found

    def size(self, width, height=800):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def media(self, **features):
        """media(prefers_color_scheme="dark")"""
        listed = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.call("Emulation.setEmulatedMedia", features=listed)

    def press(self, key):
        code, number = KEYS[key]
        event = {"key": key, "code": code, "windowsVirtualKeyCode": number, "nativeVirtualKeyCode": number}
        text = {" ": " ", "Enter": "\r"}.get(key)
        self.call("Input.dispatchKeyEvent", type="keyDown", **event, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **event)

    def click(self, selector):
        """With the mouse, in the middle of an element."""
        at = self.evaluate(f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
                           " e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
                           " return [r.x + r.width / 2, r.y + r.height / 2]; })()")
        for kind in ["mousePressed", "mouseReleased"]:
            self.call("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button="left", clickCount=1)

    def screenshot(self, path, whole=True):
        """The page as a PNG: the whole of it, or what is in sight."""
        if not whole:
            return self._save(self.call("Page.captureScreenshot", format="png"), path)
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 4000), "scale": 1}
        picture = self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
        return self._save(picture, path)

    @staticmethod
    def _save(picture, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))


class BrowserTest(CommandLine):
    """Tests of pages share a browser; none of them may make it complain."""

    chromium = ""

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser(cls.chromium)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])
