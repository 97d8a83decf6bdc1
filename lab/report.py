#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""Makes the report of the laboratory's results: a figure for each experiment, and one page.

Of the same JSON files it makes the same bytes.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

from figures import plot, results  # noqa: E402
from page import book, build, keep, readme  # noqa: E402


def options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="lab/report.py",
        description="Reads DIR/*.json, writes a figure for each experiment and DIR/index.html.",
    )
    parser.add_argument("--out", metavar="DIR", type=Path, default=TOP / "out" / "lab")
    parser.add_argument(
        "--keep",
        metavar="DIR",
        type=Path,
        nargs="?",
        const=HERE / "report",
        help="then copy page, figures and JSON to DIR (lab/report), 7 MB at most",
    )
    parser.add_argument(
        "--readme",
        metavar="FILE",
        type=Path,
        nargs="*",
        help="then write the laboratory's numbers into FILEs (README.md and doc/papers.md)",
    )
    return parser.parse_args(argv)


def made(found: book.Book, out: Path) -> list[Path]:
    """All files of the report."""
    pictures = [out / c.picture for c in found.chapters if c.picture]
    documents = [out / f"{d.name}.json" for d in found.documents]
    return [out / "index.html", *pictures, *map(plot.dark, pictures), *documents]


def write(documents: list[Path], found: book.Book) -> None:
    for path in documents:
        text = readme.written(path.read_text(), {d.name: d for d in found.documents})
        path.write_text(text)
        print(f"written into {path}")


def report(opts: argparse.Namespace) -> int:
    if not any(opts.out.glob("*.json")):
        raise results.Invalid(f"there are no results in {opts.out}: run `make lab` first")
    found = book.read(opts.out)
    (opts.out / "index.html").write_text(build.page(found))
    print(f"{opts.out / 'index.html'}")
    if opts.keep:
        keep.keep(made(found, opts.out), opts.keep)
        print(f"kept in {opts.keep}")
    if opts.readme is not None:
        write(opts.readme or [TOP / name for name in readme.FILES], found)
    return 0


def main(argv: list[str]) -> int:
    try:
        return report(options(argv))
    except (results.Invalid, keep.TooMuch, readme.Missing, OSError) as error:
        print(f"lab/report.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
