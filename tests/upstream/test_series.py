#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
# check: all
"""scripts/series applies patches to a kernel's source, rebases them, and names the one that no longer applies.

The source here is one file; tests/upstream/check has sid's.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

TOP = Path(__file__).resolve().parents[2]
sys.path.append(str(TOP / "tests" / "ktap"))
sys.dont_write_bytecode = True

from ktap import case, check, main  # noqa: E402

AUTHOR = {f"GIT_{who}_{what}": "nobody@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}  # fmt: skip
NAME = "net/sched/file.c"
LINES = [f"line {n}" for n in range(1, 21)]
PATCH = """Subject: [PATCH] net: sched: mend line {n}

It was wrong.
---
 net/sched/file.c | 2 +-
 1 file changed, 1 insertion(+), 1 deletion(-)

diff --git a/net/sched/file.c b/net/sched/file.c
--- a/net/sched/file.c
+++ b/net/sched/file.c
@@ -{begin},7 +{begin},7 @@ line {before}
{hunk}
"""


def patch(n: int) -> str:
    """Changes line n."""
    near = [f" line {i}" for i in range(n - 3, n + 4)]
    near[3:4] = [f"-line {n}", f"+mended {n}"]
    return PATCH.format(n=n, begin=n - 3, before=n - 4, hunk="\n".join(near))


@contextmanager
def kernel(lines: list[str]) -> Iterator[Path]:
    """A folder with a source, and a list of two patches."""
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        (top / "linux/net/sched").mkdir(parents=True)
        (top / "linux/Makefile").write_text("VERSION = 7\nPATCHLEVEL = 2\nSUBLEVEL = 1\n")
        (top / "linux" / NAME).write_text("".join(f"{line}\n" for line in lines))
        (top / "first.patch").write_text(patch(5))
        (top / "second.patch").write_text(patch(12))
        (top / "series").write_text("# both\nfirst.patch\nsecond.patch\n")
        yield top


def series(top: Path, *words: str) -> tuple[int, str, str]:
    """Status, output, and messages."""
    argv = [str(TOP / "scripts/series"), str(top / "series"), "--source", str(top / "linux")]
    done = subprocess.run(
        [*argv, "--to", str(top / "mails"), *words],
        env=os.environ | AUTHOR,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout.strip(), done.stderr


def mails(top: Path) -> list[str]:
    return [path.read_text() for path in sorted((top / "mails").glob("*.patch"))]


@case("the mails: a cover letter, and a patch for each line of the list")
def made() -> None:
    with kernel(LINES) as top:
        status, said, _ = series(top)
        check("status and output", (status, said), (0, str(top / "mails")))
        letter, first, second = mails(top)
        assert "Subject: [PATCH 0/2] net: sched: " in letter and "***" not in letter, letter
        assert "Subject: [PATCH 1/2] net: sched: mend line 5" in first, first
        assert "nobody@example.org" in first and "+mended 5" in first, first
        assert "Signed-off-by" not in first + second


@case("--signoff adds the author")
def signed() -> None:
    with kernel(LINES) as top:
        check("status", series(top, "--signoff")[0], 0)
        for mail in mails(top)[1:]:
            assert "\nSigned-off-by: nobody@example.org <nobody@example.org>\n" in mail, mail


@case("lines that have moved: the patches are rebased")
def moved() -> None:
    with kernel(["new"] * 30 + LINES) as top:
        status, _, said = series(top, "--update")
        check("status", status, 0)
        assert "first.patch: rebased" in said and "second.patch: rebased" in said, said
        for text in (mails(top)[1], (top / "first.patch").read_text()):
            assert "@@ -32,7 +32,7 @@" in text, text
        assert (top / "first.patch").read_text().startswith("Subject: [PATCH] net: sched: mend")
        check("messages of a second run", "rebased" in series(top, "--update")[2], False)


@case("a context that has changed: the patch is rebased and named")
def changed() -> None:
    lines = [line.replace("line 8", "other") for line in LINES]
    with kernel(lines) as top:
        status, _, said = series(top)
        check("status", status, 0)
        assert "first.patch: its context has changed, review it" in said, said
        assert " other\n" in mails(top)[1], mails(top)[1]


@case("a patch that no longer applies is named")
def gone() -> None:
    lines = [line.replace("line 12", "other 12") for line in LINES]
    with kernel(lines) as top:
        status, said, why = series(top)
        check("status and output", (status, said), (1, ""))
        assert "scripts/series: second.patch no longer applies:" in why, why
        assert f"{NAME}:" in why, why


@case("a list without a patch, and a patch that is not there")
def refused() -> None:
    with kernel(LINES) as top:
        (top / "second.patch").unlink()
        assert "lists second.patch, which is not beside it" in series(top)[2]
        (top / "series").write_text("# none\n")
        assert "lists no patch" in series(top)[2]


if __name__ == "__main__":
    main()
