#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""Version 2 of the JSON has the numbers of version 1, under the names that codelstat(8) has in its tables."""

from __future__ import annotations

import json
from typing import Any

from cases import RECORDING, TOP, case, check, codelstat, main

EVERY = str(TOP / "tests/tools/tc/every.rec")  # no statistic in it is 0

Object = dict[str, Any]


def without_unknown(value: Any) -> Any:
    if isinstance(value, list):
        return [without_unknown(v) for v in value]
    if isinstance(value, dict):
        return {k: without_unknown(v) for k, v in value.items() if v is not None}
    return value


def old_delay(delay: Object | None, *names: str) -> Object:
    """The members of a histogram as version 1 has them."""
    if not delay or delay["max_ns"] is None:
        return {}
    old = {n: delay["p99_9_ns" if n == "p999_ns" else n] for n in names}
    buckets = [[b["from_ns"], b["to_ns"], b["count"]] for b in delay["buckets"] if b["count"]]
    return old | {"buckets": buckets}


def old_change(new: Object) -> Object:
    change = new["change"]
    old = {k: change.get(k) for k in ("bytes", "packets", "wire_bytes", "backlog_ms")}
    old["drops"] = {k: v["packets"] for k, v in change["dropped"].items()}
    old["marks"] = {k: v["packets"] for k, v in change["marked"].items()}
    names = ("p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns")
    return without_unknown(old | old_delay(change.get("delay"), *names))


def old_options(new: Object) -> Object:
    same = {k: new[k] for k in ("limit", "flows", "memory_limit") if k in new}
    times = ("target", "interval", "ce_threshold", "ceiling", "target_effective",
             "interval_effective")  # fmt: skip
    known = {f"{k}_ns": new[k] * 1000 for k in times if new.get(k) is not None}
    return (
        same | known | {"ecn": new.get("ecn", False)} | without_unknown({"rate": new.get("rate")})
    )


def old_stats(new: Object) -> Object:
    names = ["bytes", "packets", "drops", "overlimits", "backlog", "qlen", "maxpacket", "ecn_mark",
             "ce_mark", "drop_overlimit"]  # fmt: skip
    if "fq_codel" in new["kind"]:
        names += ["drop_overmemory", "memory_used", "new_flow_count"]
        more = {"active_flows": new["new_flows_len"] + new["old_flows_len"]}
    else:
        more = {"ldelay_us": new["ldelay"], "dropping": new.get("dropping", False)}
    return {k: new.get(k, 0) for k in names} | more


def old_qdisc(new: Object) -> Object:
    """A qdisc of version 2 as version 1 has it, by the manual's table."""
    same = ("dev", "ifindex", "handle", "above", "kind", "module", "since", "verdict",
            "verdict_code")  # fmt: skip
    old = {k: new[k] for k in same if k in new} | {"parent": new.get("parent", "root")}
    old |= {"options": old_options(new["options"]), "stats": old_stats(new)}
    old["change"] = old_change(new)
    if "received" in new:
        names = ("received", "sent", "queued", "bypassed")
        book = {k: new[k] for k in names} | {"wire_bytes": new.get("wire_bytes", 0)}
        old["ledger"] = book | {"drop": new["dropped"], "mark": new["marked"]}
        if "fq_codel" in new["kind"]:
            old["ledger"]["shared"] = new.get("shared", 0)
        old["delay"] = old_delay(new["delay"], "sum_ns", "max_ns")
    return old


def rounded(value: Any) -> Any:
    return json.loads(json.dumps(without_unknown(value)), parse_float=lambda n: round(float(n), 3))


@case("version 2 has the numbers of version 1, under tc's names")
def _() -> None:
    for words in (("r1", RECORDING), (EVERY,), (RECORDING,), (RECORDING, "--once"), (EVERY, "-1")):
        *dev, path = [w for w in words if not w.startswith("-")]
        argv = ["replay", path, *dev, "--speed", "0", *[w for w in words if w.startswith("-")]]
        ones, twos = ([json.loads(n) for n in codelstat(*argv, f"--json={v}").stdout.splitlines()]
                      for v in (1, 2))  # fmt: skip
        check("refreshes", len(ones), len(twos))
        for one, two in zip(ones, twos):
            check("versions", (one["version"], two["version"]), (1, 2))
            check("time", (one["time"], one["seconds"]), (two["time"], two["seconds"]))
            check("qdiscs", rounded(one["qdiscs"]), rounded([old_qdisc(q) for q in two["qdiscs"]]))
            for old, new in zip(one["devices"], two["devices"]):
                stats = {k: new[k] for k in ("bytes", "packets", "drops", "backlog", "qlen")}
                check("device", (old["stats"], old["queues"]), (stats, new["queues"]))
                check("change", rounded(old["change"]), rounded(old_change(new)))
    for short, long in (("-j", "--json=1"), ("--json", "--json=1"), ("-j2", "--json=2")):
        shown = [codelstat("replay", EVERY, "-1", word).stdout for word in (short, long)]
        check(short, *shown)


def old_flow(new: Object) -> Object:
    """A flow of version 2 as version 1 has it."""
    stats = new["stats"]
    old = {"class": new["handle"], "backlog_bytes": stats["backlog"], "count": stats["count"],
           "backlog_packets": stats["qlen"], "ldelay_us": stats["ldelay"],
           "dropping": stats.get("dropping", False)}  # fmt: skip
    if "flow" not in stats:  # in-tree, or an overflow flow
        assert "change" not in new, new
        return old
    own, change = stats["flow"], new["change"]
    pair = own.get("tuple")
    if pair:
        names = {"ethertype": "protocol", "protocol": "ip_proto"}
        keys = ("ethertype", "src", "dst", "sport", "dport", "protocol")
        old["flow"] = {k: pair[names.get(k, k)] for k in keys}
    old["total"] = {k: own[k] for k in ("bytes", "packets", "drops", "marks")}
    figures = ("seconds", "bytes", "packets", "drops", "marks", "share", "bytes_per_second")
    old |= {k: change[k] for k in figures} | {k: change["delay"][k] for k in ("p50_ns", "p99_ns")}
    bounds = {b["from_ns"]: b["count"] for b in change["delay"]["buckets"]}
    return old | {"delay": [bounds.get(1 << 19 + n if n else 0, 0) for n in range(13)]}


@case("version 2 of top has the numbers of version 1")
def _() -> None:
    for argv in (("d0", "--replay", EVERY), ("d4", "--replay", EVERY, "-1"),
                 ("r1", "--handle", "10:", "--replay", RECORDING)):  # fmt: skip
        ones, twos = ([json.loads(n) for n in
                       codelstat("top", *argv, "--speed", "0", f"-j{v}").stdout.splitlines()]
                      for v in (1, 2))  # fmt: skip
        check("refreshes", len(ones), len(twos))
        for one, two in zip(ones, twos):
            check("versions", (one["version"], two["version"]), (1, 2))
            qdisc = two["qdisc"]
            for key in "dev", "handle", "kind", "module":
                check(key, one[key], qdisc[key])
            check("bytes", one["bytes"], qdisc["change"]["bytes"])
            flows = [old_flow(f) for f in two["flows"]]
            check("flows", rounded(one["flows"]), rounded(flows))
            assert flows


if __name__ == "__main__":
    main()
