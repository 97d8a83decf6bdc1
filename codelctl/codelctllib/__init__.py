# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The library of codelctl.

    rates       rates as text
    tuning      parameters of the AQM
    values      what a user may ask for: Request, parsed and validated
    framing     bytes that a link adds to a packet
    marks       the marks of what codelctl creates, and what is codelctl's in what ip and tc show
    shaper      the shaper of a direction, and the kinds that shape by themselves
    htb         HTB above the other kinds: burst, quantum, target
    restore     commands that make the former root qdisc again
    foreign     what others have put on a root qdisc
    plan        commands that lead from the observed state to the requested state
    present     the settings of a link, from its qdiscs
    classes     what `tc class show` prints
    offloads    ethtool's features
    doctor      what is wrong, from facts
    measure     pings and sojourn times, and their table
    report      the same as JSON
    picture     the same as SVG

These are pure. The others read the machine or change it:

    state       /run/codelctl: what undo restores
    observe     reads links, qdiscs, classes, filters and features, and finds what is codelctl's
    run         runs commands
    facts       what doctor judges
    link        setup and undo
    listing     show
    checkup     doctor
    prove       prove and compare
    service     enable and disable

marks <- framing <- tuning <- values <- shaper <- htb <- restore <- foreign <- plan <- state <- observe <- link: no module imports one to its right.
"""
