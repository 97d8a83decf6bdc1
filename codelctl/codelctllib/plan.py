# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The commands that lead from the observed state to the requested state.

        device  root: shaper for egress, or mq with one for each transmit queue
                clsact: all packets of ingress are redirected to the ifb
        ifb     root: shaper for ingress

A change of numbers keeps the qdiscs, their packets and all handles. A change of clsact does not: the
kernel empties the egress queue of the device. The redirect comes last and goes first: no packet reaches
an ifb without a shaper. Only what has a mark is changed or removed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from . import foreign, htb, marks, offloads, queues, restore, shaper, tuning
from .errors import Refusal
from .marks import PREFERENCE, Json, Port
from .offloads import Features
from .shaper import Shaper
from .tuning import DIRECTIONS
from .values import LONGEST_NAME, Request

Command = list[str]

# Bytes of the header that HTB counts, by the type of the link
HEADERS = {"ether": 14, "none": 0, "ppp": 0, "rawip": 0}


@dataclass(frozen=True)
class Observed:
    """A link: its device, the ifb, and whatever else the plan depends on."""

    device: Port
    ifb: Port
    ifb_name: str  # which the ifb has, or is to have
    features: Features
    needs_ifb: bool  # the module is not loaded

    @property
    def name(self) -> str:
        assert self.device.link
        return str(self.device.link["ifname"])

    @property
    def ifindex(self) -> int:
        assert self.device.link
        return int(self.device.link["ifindex"])

    @property
    def mtu(self) -> int:
        assert self.device.link
        return int(self.device.link["mtu"])

    @property
    def queues(self) -> tuple[int, int]:
        """Transmit queues of the device, and of the ifb, which cannot have others later."""
        return self.device.queues, (self.ifb if self.ifb.link else self.device).queues

    @property
    def has_ingress(self) -> bool:
        return bool(self.device.redirect or self.ifb.link)


@dataclass(frozen=True)
class Former:
    """What undo restores, as it was when codelctl took its place. Without a memory of it: nothing."""

    root: list[restore.Words] = field(
        default_factory=list
    )  # of restore.root(); empty: a default one
    hook: bool = False  # the device had a qdisc of ingress
    # Offloads that codelctl has switched off, as they were; a setup that is interrupted may have
    features: Features = field(default_factory=dict)
    # Offloads that the device does not switch off
    stubborn: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)  # what is not known of then: see lost()


ROOT, OFFLOADS = "root qdisc", "offloads"


def lost(now: Observed) -> list[str]:
    """What is not known of the time before the setup, where the memory of a device that has marks is gone."""
    if now.device.shaper:
        return [ROOT, OFFLOADS]
    return [OFFLOADS] if now.device.redirect else []


def _foreign_hook(now: Observed) -> bool:
    """Whether the qdisc of ingress is that of others, as far as the link shows."""
    return now.device.hook is not None and not now.device.owns_hook


def unknown(now: Observed) -> Former:
    """Where there is no memory of the time before."""
    return Former(hook=_foreign_hook(now), lost=lost(now))


def former(now: Observed, known: Former | None, request: Request) -> Former:
    """What undo restores after this setup; a root that cannot be restored is refused."""
    known = known or unknown(now)
    features = offloads.switched_off(known.features, {}, now.features)
    switches = not request.keep_offloads and offload_commands(request, now, known)
    replaces = "up" in request.directions and not now.device.shaper
    return Former(
        restore.root(now.name, now.device.qdiscs) if replaces else known.root,
        now.device.hook is not None and known.hook if now.has_ingress else _foreign_hook(now),
        {**features, **(offloads.at_risk(now.features) if switches else {})},
        known.stubborn,
        [name for name in known.lost if not (replaces and name == ROOT)],
    )


def ifb_names(device: str, ifindex: int) -> list[str]:
    """Names for the ifb: the first one that no other device has."""
    names = (f"ifb-{device}", f"ifb-{ifindex}")
    return [n for n in names if len(n.encode(errors="surrogateescape")) <= LONGEST_NAME]


def header(link: Json) -> int:
    found = HEADERS.get(link["link_type"])
    if found is None:
        raise Refusal(
            f"{link['ifname']}: HTB does not shape a link of type {link['link_type']}: choose "
            f"--kind fq_codel_oot, or a link of type {', '.join(HEADERS)}"
        )
    return found


def shapers(now: Observed, want: Request) -> tuple[Shaper | None, Shaper | None]:
    """Egress and ingress."""
    link = now.device.link
    assert link

    def made(name: str, rate: int | None, ingress: bool) -> Shaper | None:
        direction = DIRECTIONS[ingress]
        if direction not in want.directions:
            return None
        size, more = header(link) if want.htb else 0, want.tuning[ingress]
        return Shaper(
            name,
            rate,
            want.framing,
            link["mtu"],
            want.kind,
            ingress,
            want.htb,
            size,
            more,
            follows=now.name if direction in want.follow else None,
            queues=now.queues[ingress] if direction in want.spread else 1,
        )

    return made(now.name, want.up, False), made(now.ifb_name, want.down, True)


def tuned(want: Request, now: Observed) -> Request:
    """The same with all parameters that the qdiscs have. With HTB, times follow from the rate."""

    def of(port: Port, given: tuning.Parameters) -> tuning.Parameters:
        queue = port.queue
        if not queue or queue["kind"] != want.kind:
            return given
        found = tuning.shown(want.kind, queue.get("options", {}))
        return {**given, **{n: v for n, v in found.items() if not want.htb or n in tuning.FLAGS}}

    egress, ingress = map(of, (now.device, now.ifb), want.tuning)
    return replace(want, tuning=(egress, ingress))


def differences(want: Request, now: Observed) -> list[str]:
    """Rates, framing and kinds that are not those of the setup, in words."""

    def of(each: Shaper, port: Port) -> list[str]:
        if each.is_spread:
            return queues.differences(each, port)
        return shaper.differences(each, port.root)

    ports = zip(shapers(now, want), (now.device, now.ifb))
    return [text for each, port in ports if each for text in of(each, port)]


def tc(verb: str, device: str, *words: str) -> Command:
    return ["tc", "qdisc", verb, "dev", device, *words]


def shaper_commands(want: Shaper, now: Port) -> list[Command]:
    """Lead to the shaper; packets stay queued unless the kind of a qdisc changes."""
    root = now.root
    is_there = root and (root["kind"], root["handle"]) == want.root
    if want.htb:
        return htb.change(want, now, root) if root and is_there else htb.new(want)
    if want.is_spread:
        return queues.commands(want, now)
    if not shaper.differences(want, root):
        return []
    verb, shown = ("change", root.get("options", {})) if root and is_there else ("replace", {})
    return [tc(verb, want.device, "root", "handle", want.root[1], *shaper.words(want, shown))]


def _ifb_link(want: Shaper, now: Observed) -> list[Command]:
    link, found, words = now.ifb.link, [], []
    if not link:
        name = marks.first_name(now.ifindex)
        # Without numifbs=0, the module brings two devices along
        if now.needs_ifb:
            found.append(["modprobe", "ifb", "numifbs=0"])
        count = ["numtxqueues", str(now.queues[1])] if now.queues[1] > 1 else []
        found.append(["ip", "link", "add", name, *count, "type", "ifb"])
        link = {"ifname": name, "mtu": None, "flags": []}
    if link["ifname"] != want.device:
        words += ["name", want.device]
    assert now.device.link
    if "ifalias" not in link or not marks.serves(link, now.device.link):
        words += ["alias", marks.alias(now.device.link)]
    if link["mtu"] != want.mtu or "UP" not in link["flags"]:
        words += ["mtu", str(want.mtu), "up"]
    return [*found, ["ip", "link", "set", "dev", link["ifname"], *words]] if words else found


def _refuse_redirect(now: Observed) -> None:
    """Filters behind the redirect would not see a packet any more, and one before it may leave none to the redirect."""
    if now.device.redirects_to == now.ifb_name:
        return
    block = (now.device.hook or {}).get("ingress_block")
    if block is not None:
        raise Refusal(
            f"{now.name}: its ingress shares block {block} with other devices, whose packets a redirect would "
            "take, too: give it a clsact qdisc without ingress_block, or shape egress only, without --down"
        )
    what = f"{now.name}: the filter with preference"
    for preference in now.device.behind:
        raise Refusal(
            f"{what} {preference} on ingress would be behind the redirect: "
            f"give it one below {PREFERENCE}, or shape egress only, without --down"
        )
    for preference in now.device.before:
        raise Refusal(
            f"{what} {preference} on ingress takes all packets before the redirect: "
            "remove it, or shape egress only, without --down"
        )


def _redirect(now: Observed, known: Former) -> list[Command]:
    device = now.name
    if now.device.redirects_to == now.ifb_name:
        return []
    hook = [] if now.device.hook else [tc("add", device, "clsact")]
    place = marks.redirect_words(marks.HANDLE if known.hook else marks.HANDLE_OWN)
    action = ["action", "mirred", "egress", "redirect", "dev", now.ifb_name]
    return [*hook, ["tc", "filter", "add", "dev", device, *place, *action]]


def _no_redirect(now: Observed) -> list[Command]:
    redirect = now.device.redirect
    if not redirect:
        return []
    place = marks.redirect_words(redirect["options"]["handle"])
    return [["tc", "filter", "del", "dev", now.name, *place]]


def _ingress(want: Shaper, now: Observed, known: Former) -> list[Command]:
    # The redirect to a device that is gone drops all packets
    is_dead = now.device.redirects_to != now.ifb_name
    return [
        *(_no_redirect(now) if is_dead else []),
        *_ifb_link(want, now),
        *shaper_commands(want, now.ifb),
        *_redirect(now, known),
    ]


def _no_ingress(now: Observed, known: Former) -> list[Command]:
    if not now.has_ingress:
        return []
    found, hook = _no_redirect(now), now.device.hook
    if hook and not known.hook and not now.device.shares_hook:
        found.append(tc("del", now.name, hook["kind"]))
    return [*found, *no_ifb(now.ifb.link)]


def no_ifb(link: Json | None) -> list[Command]:
    return [["ip", "link", "del", "dev", link["ifname"]]] if link else []


def _no_egress(now: Observed, known: Former) -> list[Command]:
    return restore.commands(now.name, known.root) if now.device.shaper else []


def with_mtu(now: Observed, mtu: int) -> Observed:
    """The same link, as if its device had this MTU."""
    assert now.device.link
    return replace(now, device=replace(now.device, link={**now.device.link, "mtu": mtu}))


def offload_commands(request: Request, now: Observed, known: Former) -> list[Command]:
    stubborn = known.stubborn if request.optional_offloads else []
    others = {n: f for n, f in now.features.items() if n not in stubborn}
    return offloads.commands(now.name, request.keep_offloads, others, known.features)


def _goes(port: Port, want: Shaper | None) -> bool:
    """Whether the root qdisc is replaced or removed."""
    if not want:
        return port.shaper is not None
    return port.root is not None and (port.root["kind"], port.root["handle"]) != want.root


def refuse(request: Request, now: Observed) -> None:
    """Refuse a setup that would take something from others."""
    for want, port in zip(shapers(now, request), (now.device, now.ifb)):
        if _goes(port, want):
            foreign.refuse(port)
    if "down" in request.directions:
        _refuse_redirect(now)


def refuse_undo(now: Observed) -> None:
    for port in (now.device, now.ifb):
        if _goes(port, None):
            foreign.refuse(port)


def commands(request: Request, now: Observed, known: Former) -> list[Command]:
    """All commands of a setup."""
    up, down = shapers(now, request)
    return [
        *offload_commands(request, now, known),
        *(shaper_commands(up, now.device) if up else _no_egress(now, known)),
        *(_ingress(down, now, known) if down else _no_ingress(now, known)),
    ]


def undo_commands(now: Observed, known: Former) -> list[Command]:
    """Remove all that a setup may have added, whether or not it was completed."""
    return [
        *_no_ingress(now, known),
        *_no_egress(now, known),
        *offloads.restore(now.name, now.features, known.features),
    ]
