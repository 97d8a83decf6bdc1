# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
"""The library of codelctl.

    rates       rates as text
    values      what a user may ask for: Request, parsed and validated
    framing     bytes that a link adds to a packet
    shaper      the numbers of a shaper: burst, quantum, target
    plan        commands that lead from the observed state to the requested state
    former      the state before the first setup: whether it can be restored, and how
    classes     what `tc class show` prints
    offloads    ethtool's features
    doctor      what is wrong, from facts
    measure     pings and sojourn times, and their table
    picture     the same as SVG

These are pure. The others read the machine or change it:

    observe     reads links, qdiscs, classes, filters and features
    run         runs commands
    state       /run/codelctl
    facts       what doctor judges
    link        setup, undo and show
    checkup     doctor
    prove       prove and compare
    service     enable and disable

framing <- values <- shaper <- former <- plan <- link: no module imports one to its right.
"""
