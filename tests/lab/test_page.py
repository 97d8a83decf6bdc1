#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The report: made of the kept results and of changed ones, looked at by Chromium as a phone, a desk and a printer do.

What is looked for is also put into copies of the page, to see that it is found.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Callable, Iterator

TOP = Path(__file__).resolve().parents[2]
LAB = TOP / "lab"
sys.path.insert(0, str(LAB))
sys.dont_write_bytecode = True

import figures  # noqa: E402
from figures import results  # noqa: E402
import sample  # noqa: E402
from page import keep, markup, readme  # noqa: E402
from page.browser import DRIVER, Browser, Failure  # noqa: E402

PHONE, DESK = 360, 1280
SHEET = 673  # CSS pixels between the margins of A4
CONTRAST = 4.5  # WCAG 2, level AA
LETTERS = 11  # CSS pixels

Complaints = list[str]
Check = Callable[[], Complaints]
Page = Callable[[Browser, Path], Complaints]


class Skip(Exception):
    """The check cannot be made here, for this reason."""


def report(*argv: str | Path, home: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "MPLCONFIGDIR": str(home)} if home else None
    words = [str(LAB / "report.py"), *map(str, argv)]
    return subprocess.run(words, capture_output=True, text=True, env=env)


def made(work: Path, grid: str, name: str = "", **more: Path) -> Path:
    """A folder with results of this grid, and the report of them."""
    out = work / (name or grid)
    sample.write(out, grid)
    done = report("--out", out, **more)
    if done.returncode or done.stderr:
        raise AssertionError(f"report.py of {grid}: {done.returncode} {done.stderr[-2000:]}")
    return out


# ---- without a browser -------------------------------------------------------------------------------


def complete(out: Path) -> Complaints:
    """Every experiment has its place; one with results has tables and, if it draws, a figure."""
    text = (out / "index.html").read_text()
    wrong = []
    for module in figures.EXPERIMENTS:
        part = re.search(rf'<article id="{module.NAME}">.*?</article>', text, re.S)
        if not part:
            wrong.append(f"{module.NAME} has no place")
            continue
        run = "Not run." not in part[0]
        if run and hasattr(module, "picture") and f'src="{module.NAME}.png"' not in part[0]:
            wrong.append(f"{module.NAME} has no figure")
        if run and "<table" not in part[0]:
            wrong.append(f"{module.NAME} has no table")
    return wrong


def not_run(out: Path) -> Complaints:
    """Those without results, and no others."""
    text = (out / "index.html").read_text()
    listed = re.search(r"Not run: ([^<]*)\.", text)
    found = set(listed[1].split(", ")) if listed else set()
    found_in = {m.NAME: out / f"{figures.document(m)}.json" for m in figures.EXPERIMENTS}
    want = {name for name, path in found_in.items() if not path.exists()}
    return [f"not run: {found}, not {want}"] if found != want else []


AGAIN = ("fig7", "table1", "rrul")


def same_bytes(work: Path, default: Path, other: Path) -> Complaints:
    """The same results give the same bytes, with any configuration of matplotlib and any other results."""
    home = work / "home"
    home.mkdir()
    (home / "matplotlibrc").write_text("xtick.labelsize: 20\naxes.labelpad: 40\n")
    again, some = made(work, "other", "again", home=home), work / "some"
    some.mkdir()
    for name in AGAIN:
        (some / f"{name}.json").write_bytes((default / f"{name}.json").read_bytes())
    done = report("--out", some, home=home)
    pairs = [(p, other / p.name) for p in sorted(again.iterdir())]
    pairs += [(p, default / p.name) for p in sorted(some.glob("*.png"))]
    wrong = [f"{a.name} differs" for a, b in pairs if a.read_bytes() != b.read_bytes()]
    enough = done.returncode == 0 and len(pairs) >= 2 * len(AGAIN) + 3
    return wrong if enough else [f"{len(pairs)} files, {done.stderr}"]


def served(kind: str, module: str | None, origin: str) -> str:
    """A document of one run, whose queue was served by that module."""
    server = {"served_by": {"module": module, "origin": origin}} if origin else {}
    queues = {"q.up": {"options": f"{kind} limit 10", **server}}
    run = {"qdisc": "x", "seed": 1, "point": {}, "queues": queues, "traffic": {}}
    return json.dumps({"schema": 2, "name": "a", "runs": [run]})


REFUSED = [
    ("no results", {}, "there are no results in"),
    ("not JSON", {"fig7.json": "{"}, "fig7.json: not JSON"),
    ("another schema", {"fig7.json": '{"schema": 3}'}, "fig7.json: schema is 3, not 2"),
    ("no scenario's results", {"a.json": '{"schema": 2, "name": "a"}'}, "a.json: not the results"),
    (
        "in-tree codel of another tree",
        {"c.json": served("codel", "sch_codel_oot", "out-of-tree")},
        "c.json: x, seed 1, q.up: codel was served by sch_codel_oot, out-of-tree",
    ),
    (
        "built-in codel_oot",
        {"d.json": served("codel_oot", None, "built-in")},
        "codel_oot was served by built-in",
    ),
    (
        "a server that is not known",
        {"e.json": served("fq_codel", None, "")},
        "do not say which module served it",
    ),
    ("not text", {"b.json": "\udcff"}, "b.json: "),
]


def refused(work: Path) -> Complaints:
    wrong = []
    for title, files, words in REFUSED:
        out = Path(tempfile.mkdtemp(dir=work))
        for name, text in files.items():
            (out / name).write_bytes(text.encode("utf-8", "surrogateescape"))
        done = report("--out", out)
        if done.returncode != 1 or words not in done.stderr or "Traceback" in done.stderr:
            wrong.append(f"{title}: {done.returncode}, {done.stderr.strip()[-300:]}")
    return wrong


def kept(work: Path, out: Path) -> Complaints:
    """All files of the page and its results; former files are removed."""
    target = work / "kept"
    target.mkdir()
    (target / "stale.png").write_text("")
    done = report("--out", out, "--keep", target)
    names = {p.name for p in target.iterdir()}
    want = {*markup.addresses(out / "index.html"), "index.html"}
    want |= {p.name for p in out.glob("*.json")}
    wrong = [f"status {done.returncode}: {done.stderr}"] if done.returncode else []
    wrong += [f"{sorted(names ^ want)} should not differ"] if names != want else []
    return wrong + markup.self_contained(target / "index.html")


def too_much(work: Path, out: Path) -> Complaints:
    """A report of more than 7 MB is rejected with size and name, and the kept one does not change."""
    target = work / "full"
    target.mkdir()
    (target / "old").write_text("")
    big = work / "big"
    big.mkdir()
    text = (out / "home.json").read_text()
    (big / "home.json").write_text(text + " " * (keep.MOST - len(text)))
    done = report("--out", big, "--keep", target)
    wrong = []
    if done.returncode != 1 or "more than 7 MB: home.json 7.0 MB" not in done.stderr:
        wrong.append(f"{done.returncode}: {done.stderr}")
    if [p.name for p in target.iterdir()] != ["old"]:
        wrong.append("what was kept is gone")
    return wrong


def readme_kept() -> Complaints:
    """The documents' blocks agree with the kept results."""
    found = {p.stem: results.load(p) for p in sorted((LAB / "report").glob("*.json"))}
    return readme.stale("".join((TOP / n).read_text() for n in readme.FILES), found)


def readme_written(work: Path, out: Path) -> Complaints:
    """Blocks are replaced, the rest is left; then nothing is stale, and a changed digit is."""
    target = work / "README"
    blocks = "".join(f"<!-- lab:{n} begin -->\nold\n<!-- lab:{n} end -->\n" for n in readme.BLOCKS)
    target.write_text(f"before 1\n{blocks}after 2\n")
    some = work / "of-readme"
    some.mkdir()
    for name in ("fig7", "graph2"):
        (some / f"{name}.json").write_bytes((out / f"{name}.json").read_bytes())
    done = report("--out", some, "--readme", target)
    text = target.read_text()
    found = {p.stem: results.load(p) for p in some.glob("*.json")}
    wrong = [f"status {done.returncode}: {done.stderr}"] if done.returncode else []
    wrong += readme.stale(text, found)
    if not text.startswith("before 1\n<!--") or not text.endswith("-->\nafter 2\n"):
        wrong.append("what is around the blocks has changed")
    changed = re.sub(r"\| \d", "| 9", text, count=1)
    if changed == text or readme.stale(changed, found) != [
        "block lab:fig7 is not what the results give"
    ]:
        wrong.append(f"a changed digit is not noticed: {readme.stale(changed, found)}")
    if len(readme.stale("", found)) != len(readme.BLOCKS):
        wrong.append("missing blocks are not noticed")
    if "`make lab EXP=fig7` makes them" not in readme.words_of("fig7", {}):
        wrong.append("a block without results does not say how to make them")
    return wrong


SERVED = {
    "codel": "sch_codel, in-tree",
    "codel_oot": "sch_codel_oot, out-of-tree",
    "fq_codel": "built-in",
}


def servers(out: Path) -> Complaints:
    """The page has the module that served each qdisc."""
    text = (out / "index.html").read_text()
    rows = re.findall(r'<tr><th scope="row">(\w+)</th><td>([^<]*)</td>', text)
    return [f"{k} is not served by {v}" for k, v in SERVED.items() if (k, v) not in rows]


def releases(out: Path) -> Complaints:
    """A scenario of two releases names the kernel and the programs of each."""
    text = (out / "index.html").read_text()
    words = ("sid: Linux 7.2.1, ", "trixie: Linux 6.12.48, ")
    return [f"{w!r} is not on the page" for w in words if w not in text]


# ---- with one ----------------------------------------------------------------------------------------


def inspected(browser: Browser, call: str) -> Complaints:
    script = (LAB / "page" / "inspect.js").read_text()
    found: Complaints = browser.evaluate(f"{script}\nunfold(); return {call};")
    return found


def seen(
    call: str, width: int, dark: bool, browser: Browser, page: Path, paper: bool = False
) -> Complaints:
    browser.open(page, width, dark, paper)
    return inspected(browser, call)


def quiet(browser: Browser, page: Path) -> Complaints:
    """It loads its figures and nothing else: Chromium prints no message."""
    browser.open(page, DESK)
    return browser.complaints()


def printed(browser: Browser, page: Path) -> Complaints:
    """On A4, every figure on one page, the light one although the screen is dark."""
    wrong = seen("pictures(false)", DESK, True, browser, page, paper=True)
    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        file.write(browser.pdf())
        file.flush()
        sizes = output("pdfinfo", "-l", "-1", file.name)
        images = output("pdfimages", "-list", file.name)
    pages = re.findall(r"^Page +\d+ size: +(.*)$", sizes, re.M)
    wrong += [f"a page of {p}" for p in pages if "(A4)" not in p]
    drawn = len(re.findall(r"^ *\d+ +\d+ image ", images, re.M))
    count = page.read_text().count("<img ")
    if drawn != count or not pages:
        wrong.append(f"{count} figures, drawn {drawn} times on {len(pages)} pages")
    return wrong


def output(*argv: str) -> str:
    return subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True).stdout


LOOKS: list[tuple[str, Page]] = [
    ("asks for nothing from elsewhere", quiet),
    ("does not scroll sideways at 360 px", partial(seen, "overflow(true)", PHONE, False)),
    ("does not scroll sideways at 1280 px", partial(seen, "overflow(true)", DESK, False)),
    ("letters are not too small on a phone", partial(seen, f"letters({LETTERS})", PHONE, False)),
    ("contrast in light", partial(seen, f"contrast({CONTRAST})", DESK, False)),
    ("contrast in dark", partial(seen, f"contrast({CONTRAST})", DESK, True)),
    ("light figures in light", partial(seen, "pictures(false)", DESK, False)),
    ("dark figures in dark", partial(seen, "pictures(true)", DESK, True)),
    ("nothing is wider than paper", partial(seen, "overflow(false)", SHEET, False, paper=True)),
    ("A4, and each figure on one page", printed),
    ("links are printed", partial(seen, "unprinted()", SHEET, False, paper=True)),
]
WIDE = "<table><tr><td>" + "word" * 40 + "</td></tr></table>"
# A defect (a pattern of the page, and its replacement), and the check that must find it
BROKEN = [
    ("a wide table without a box", r"</header>", f"</header>{WIDE}", 1),
    ("boxes that do not scroll", r"overflow-x: auto", "overflow-x: visible", 1),
    (
        "a table that is wide on a desk",
        r"</header>",
        f"</header>{WIDE * 2}<pre>{'x' * 999}</pre>",
        2,
    ),
    ("tiny letters", r"font-size: \.8125rem", "font-size: .5rem", 3),
    ("pale letters", r"--soft: #55585e", "--soft: #a0a0a0", 4),
    ("pale letters in the dark", r"--soft: #a9adb5", "--soft: #55585e", 5),
    ("a missing figure", r'src="fig5.png"', 'src="fig55.png"', 6),
    ("no dark figures", r"<source[^>]*>", "", 7),
    ("a script from elsewhere", r"</head>", '<script src="https://a.example/"></script></head>', 0),
    (
        "a table wider than paper",
        r"@media print \{",
        "@media print { table { width: 999px !important; }",
        8,
    ),
    ("figures that are cut", r"max-height: 165mm", "min-height: 400mm", 9),
    ("dark figures on paper", r'media="screen and ', 'media="', 9),
    ("American paper", r"size: A4", "size: Letter", 9),
    ("links that paper hides", r"attr\(href\)", '""', 10),
]


def noticed(browser: Browser, page: Path) -> Complaints:
    """Each fault in a copy beside the page is seen by the check that is there for it."""
    text = page.read_text()
    copy = page.with_name("broken.html")
    wrong = []
    for title, pattern, instead, number in BROKEN:
        broken, count = re.subn(pattern, lambda _m: instead, text)
        if not count:
            wrong.append(f"{title}: {pattern} is not in the page")
            continue
        copy.write_text(broken)
        if not LOOKS[number][1](browser, copy):
            wrong.append(f"{title}: not noticed by {LOOKS[number][0]!r}")
    copy.unlink()
    return wrong


FAULTS = [
    ("an image without words", r' alt="[^"]*"', ' alt=""'),
    ("a heading cell without scope", r'<th scope="row"', "<th"),
    ("a link that leads nowhere", r'href="#fig5"', 'href="#fig55"'),
    ("an id that is there twice", r'id="fig6"', 'id="fig5"'),
    ("a script", r"</body>", "<script></script></body>"),
    ("a tag that is not closed", r"</article>", ""),
]
ELSEWLAB = [
    ("a figure from elsewhere", r'src="fig5.png"', 'src="https://a.example/fig5.png"'),
    ("a figure from another folder", r'src="fig5.png"', 'src="../fig5.png"'),
    ("a figure that is not there", r'src="fig5.png"', 'src="fig55.png"'),
    ("a font from elsewhere", r"</style>", "@import 'https://a.example/'</style>"),
]


def faults_noticed(page: Path) -> Complaints:
    text = page.read_text()
    copy = page.with_name("broken.html")
    wrong = []
    for check, faults in ((markup.structure, FAULTS), (markup.self_contained, ELSEWLAB)):
        for title, pattern, instead in faults:
            copy.write_text(re.sub(pattern, lambda _m: instead, text))
            wrong += [] if check(copy) else [f"{title}: not noticed"]
    copy.unlink()
    return wrong


# ---- all ---------------------------------------------------------------------------------------------


def without_browser(work: Path, pages: dict[str, Path]) -> Iterator[tuple[str, Check]]:
    for grid, out in pages.items():
        yield f"{grid}: every experiment has its place", partial(complete, out)
        yield f"{grid}: the page is well formed", partial(markup.structure, out / "index.html")
        yield f"{grid}: is self-contained", partial(markup.self_contained, out / "index.html")
    default = pages["default"]
    yield "faults of the markup are noticed", partial(faults_noticed, default / "index.html")
    yield "what was not run is listed", partial(not_run, pages["other"])
    yield "the same results make the same bytes", partial(same_bytes, work, default, pages["other"])
    yield "what are no results is refused", partial(refused, work)
    yield "the page says which module served which qdisc", partial(servers, default)
    yield "the page names the kernels of two releases", partial(releases, pages["other"])
    yield "README's numbers are written", partial(readme_written, work, default)
    yield "README's numbers are those of the kept results", readme_kept
    yield "a report is kept", partial(kept, work, pages["other"])
    yield "a report of more than 7 MB is not", partial(too_much, work, default)


def no_browser(_page: Path) -> Complaints:
    raise Skip(f"there is no {DRIVER}")


def with_browser(browser: Browser | None, pages: dict[str, Path]) -> Iterator[tuple[str, Check]]:
    looks = [
        *((g, *look) for g in pages for look in LOOKS),
        ("other", "faults are noticed", noticed),
    ]
    for grid, title, look in looks:
        look_at = partial(look, browser) if browser else no_browser
        yield f"{grid}: {title}", partial(look_at, pages[grid] / "index.html")


def result(number: int, title: str, check: Check) -> bool:
    try:
        wrong = check()
    except Skip as skip:
        print(f"ok {number} {title} # SKIP {skip}", flush=True)
        return True
    except (Failure, OSError, results.Invalid, readme.Missing) as error:
        wrong = [f"{type(error).__name__}: {error}"]
    for line in wrong[:20]:
        print(f"# {line}")
    print(f"{'not ' if wrong else ''}ok {number} {title}", flush=True)
    return not wrong


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="lab-page-") as name:
        work = Path(name)
        with ThreadPoolExecutor() as executor:  # a process for each
            pages = dict(zip(sample.GRIDS, executor.map(partial(made, work), sample.GRIDS)))
        with ExitStack() as stack, ThreadPoolExecutor(1) as executor:
            browser = stack.enter_context(Browser()) if Path(DRIVER).exists() else None
            # The browser looks at the pages while the other checks are made
            looks = [
                (t, executor.submit(check).result) for t, check in with_browser(browser, pages)
            ]
            todo = [*without_browser(work, pages), *looks]
            print(f"TAP version 13\n1..{len(todo)}", flush=True)
            good = [result(n, title, check) for n, (title, check) in enumerate(todo, 1)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
