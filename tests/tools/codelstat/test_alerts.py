#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""The alerts and the dashboard of packaging/: promtool accepts them, each alert fires for its cause alone
(alerts.yml), and the exporter has their metrics, labels and causes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from cases import HERE, RECORDING, TOP, case, check, codelstat, main
from prometheus import promtool

ALERTS = TOP / "packaging/prometheus/codel-alerts.yml"
DASHBOARD = TOP / "packaging/grafana/codel.json"
METRIC = re.compile(r"\bcodel_[a-z_]+\b")


def exported(*words: str, recording: str = RECORDING) -> str:
    return codelstat("export", "--once", "--replay", recording, "--textfile", "-", *words).stdout


def run_promtool(*words: str, cwd: Path) -> None:
    done = subprocess.run(
        [promtool(), *words], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    print("\n".join(f"# {line}" for line in (done.stdout + done.stderr).splitlines()))
    check(f"status of promtool {' '.join(words)}", done.returncode, 0)


@case("promtool accepts what is exported, with any number of buckets")
def promtool_is_content() -> None:
    for words in ((), *(("--buckets", n) for n in "1248")):
        shown = exported(*words)
        done = subprocess.run(
            [promtool(), "check", "metrics"], input=shown, capture_output=True, text=True
        )
        check("promtool", (done.returncode, done.stdout, done.stderr), (0, "", ""))


def expressions() -> list[str]:
    """Of the dashboard, with Grafana's variables replaced."""
    found = [
        target["expr"]
        for panel in json.loads(DASHBOARD.read_text())["panels"]
        for target in panel["targets"]
    ]
    return [re.sub(r"\$__rate_interval", "5m", re.sub(r'"\$\w+"', '".*"', e)) for e in found]


@case("promtool accepts the alerts, and each fires for its cause alone")
def alerts_fire() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for path in (ALERTS, HERE / "alerts.yml"):
            shutil.copy(path, folder)
        run_promtool("check", "rules", ALERTS.name, cwd=Path(folder))
        run_promtool("test", "rules", "alerts.yml", cwd=Path(folder))


@case("promtool accepts the queries of the dashboard")
def dashboard_is_valid() -> None:
    rules = [{"record": f"panel_{n}", "expr": e} for n, e in enumerate(expressions())]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "panels.yml"  # JSON is YAML
        path.write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))
        run_promtool("check", "rules", path.name, cwd=Path(folder))


@case("the exporter has every metric of both")
def metrics_exist() -> None:
    text = "".join(exported(recording=str(HERE / f"{n}.rec")) for n in ("steady", "shared", "far"))
    names = set(re.findall(r"^(\w+)", text, re.M))
    for path in (ALERTS, DASHBOARD):
        text = "\n".join(n for n in path.read_text().splitlines() if not n.startswith("#"))
        used = set(METRIC.findall(text))
        assert used, f"{path.name} uses no metric"
        check(f"metrics of {path.name} that the exporter lacks", used - names, set())


@case("the exporter has every cause, source and verdict of the alerts")
def labels_exist() -> None:
    text = exported("--states")  # every verdict
    for label, values in re.findall(r'\b(cause|source|verdict)=~?"([^"]+)"', ALERTS.read_text()):
        for value in values.split("|"):
            assert f'{label}="{value}"' in text, f'no {label}="{value}" in the metrics'


if __name__ == "__main__":
    main()
