# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Chromium without a screen: one page at a time, of any width, in light and dark, on screen and on paper."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.common.exceptions import WebDriverException as Failure  # noqa: F401
from selenium.webdriver.chrome.service import Service

DRIVER = "/usr/bin/chromedriver"
FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-dev-shm-usage",  # small in containers
    "--disable-background-networking",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # nothing is fetched from anywhere
    "--force-color-profile=srgb",
)


class Browser:
    """A driver of Chromium, until its context ends."""

    def __init__(self) -> None:
        options = webdriver.ChromeOptions()
        for flag in (*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else [])):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service(DRIVER), options=options)

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.driver.quit()

    def open(self, page: Path, width: int, dark: bool = False, paper: bool = False) -> None:
        """Return when everything that the page asks for is there."""
        phone = width < 700
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=800,
            deviceScaleFactor=2 if phone else 1,
            mobile=phone,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        media = "print" if paper else "screen"
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])
        self.complaints()
        self.driver.get(page.resolve().as_uri())

    def call(self, method: str, **parameters: Any) -> Any:
        return self.driver.execute_cdp_cmd(method, parameters)

    def evaluate(self, script: str) -> Any:
        return self.driver.execute_script(script)

    def complaints(self) -> list[str]:
        """Chromium's messages since the last call, such as addresses that it cannot load."""
        return [f"{e['level']}: {e['message']}" for e in self.driver.get_log("browser")]

    def pdf(self) -> bytes:
        answer = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        return base64.b64decode(answer["data"])
