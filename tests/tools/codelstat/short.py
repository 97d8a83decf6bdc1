# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""The numbers of codelstat's JSON under short names, which the tests compare: times in ns, unknown values are absent."""

from __future__ import annotations

import json
from typing import Any

Object = dict[str, Any]


def without_unknown(value: Any) -> Any:
    if isinstance(value, list):
        return [without_unknown(v) for v in value]
    if isinstance(value, dict):
        return {k: without_unknown(v) for k, v in value.items() if v is not None}
    return value


def short_delay(delay: Object | None, *names: str) -> Object:
    """The members of a histogram."""
    if not delay or delay["max_ns"] is None:
        return {}
    old = {n: delay["p99_9_ns" if n == "p999_ns" else n] for n in names}
    buckets = [[b["from_ns"], b["to_ns"], b["count"]] for b in delay["buckets"] if b["count"]]
    return old | {"buckets": buckets}


def short_change(new: Object) -> Object:
    change = new["change"]
    old = {k: change.get(k) for k in ("bytes", "packets", "wire_bytes", "backlog_ms")}
    old["drops"] = {k: v["packets"] for k, v in change["dropped"].items()}
    old["marks"] = {k: v["packets"] for k, v in change["marked"].items()}
    names = ("p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns")
    return without_unknown(old | short_delay(change.get("delay"), *names))


def short_options(new: Object) -> Object:
    same = {k: new[k] for k in ("limit", "flows", "memory_limit") if k in new}
    times = ("target", "interval", "ce_threshold", "ceiling", "target_effective",
             "interval_effective")  # fmt: skip
    known = {f"{k}_ns": new[k] * 1000 for k in times if new.get(k) is not None}
    return (
        same | known | {"ecn": new.get("ecn", False)} | without_unknown({"rate": new.get("rate")})
    )


def short_stats(new: Object) -> Object:
    names = ["bytes", "packets", "drops", "overlimits", "backlog", "qlen", "maxpacket", "ecn_mark",
             "ce_mark", "drop_overlimit"]  # fmt: skip
    if "fq_codel" in new["kind"]:
        names += ["drop_overmemory", "memory_used", "new_flow_count"]
        more = {"active_flows": new["new_flows_len"] + new["old_flows_len"]}
    else:
        more = {"ldelay_us": new.get("ldelay"), "dropping": new.get("dropping", False)}
    return {k: new.get(k, 0) for k in names} | more


def qdisc(new: Object) -> Object:
    """A qdisc of the list."""
    same = ("dev", "ifindex", "handle", "above", "kind", "module", "since", "verdict",
            "verdict_code")  # fmt: skip
    old = {k: new[k] for k in same if k in new} | {"parent": new.get("parent", "root")}
    old |= {"options": short_options(new["options"]), "stats": short_stats(new)}
    old["change"] = short_change(new)
    if "received" in new:
        names = ("received", "sent", "queued", "bypassed")
        book = {k: new[k] for k in names} | {"wire_bytes": new.get("wire_bytes", 0)}
        old["ledger"] = book | {"drop": new["dropped"], "mark": new["marked"]}
        if "fq_codel" in new["kind"]:
            old["ledger"]["shared"] = new.get("shared", 0)
        old["delay"] = short_delay(new["delay"], "sum_ns", "max_ns")
    return old


def flow(new: Object) -> Object:
    """A flow of top."""
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


def line(new: Object) -> Object:
    """A line of the list."""
    names = ("bytes", "packets", "drops", "backlog", "qlen")
    devices = [
        {k: d[k] for k in ("dev", "ifindex", "queues", "since")}
        | {"stats": {k: d[k] for k in names}, "change": short_change(d)}
        for d in new["devices"]
    ]
    return new | {"qdiscs": [qdisc(q) for q in new["qdiscs"]], "devices": devices}


def top(new: Object) -> Object:
    """A line of top."""
    of = qdisc(new["qdisc"])
    found = {k: of[k] for k in ("dev", "handle", "parent", "kind", "module")}
    found |= {k: new[k] for k in ("version", "time", "seconds")}
    found["bytes"] = of["change"]["bytes"]
    found["active_flows"] = of["stats"]["active_flows"]
    return found | {"flows": [flow(f) for f in new["flows"]]}


def loads(text: str) -> Object:
    """A line of the list or of top."""
    found = json.loads(text)
    return line(found) if "qdiscs" in found else top(found)
