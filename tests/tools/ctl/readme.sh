#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# The commands of README's section on routers, word for word: tests/vm/test_router.sh runs this in a machine.

# shellcheck source=tests/kernel/lib.sh
. "$(dirname "$0")/../../kernel/lib.sh"
# shellcheck source=tests/kernel/traffic.sh
. "$LIB_DIR/traffic.sh"
# shellcheck source=tests/kernel/ctl.sh
. "$LIB_DIR/ctl.sh"
# shellcheck source=tests/kernel/ctl/modem.sh
. "$LIB_DIR/ctl/modem.sh"

README=/root/README.md
MINUTES=/root/first-minutes.md
SCREENS=/root/screens.md

# In place of systemd: start a unit as its file says
fake_systemd()
{
	mkdir -p /run/systemd/system
	defer rmdir /run/systemd/system
	defer rm -rf /etc/codelctl
	cat >"$LIB_TMP/bin/systemd-escape" <<-'END'
		#!/bin/sh
		echo "codelctl@$2.service"
	END
	cat >"$LIB_TMP/bin/systemctl" <<-'END'
		#!/bin/sh
		file=/usr/lib/systemd/system/codelctl@.service
		for unit; do dev=${unit#codelctl@}; done
		case $1 in
		enable) exit 0 ;;
		disable) entry=ExecStop ;;
		*) entry=ExecStart ;;
		esac
		exec $(sed -n "s/^$entry=//p" "$file" | sed "s/%I/${dev%.service}/")
	END
	chmod +x "$LIB_TMP"/bin/*
}

# names: the server's name in ROUTER, and sudo
names()
{
	printf '#!/bin/sh\nexec "$@"\n' >"$LIB_TMP/bin/sudo"
	chmod +x "$LIB_TMP/bin/sudo"
	mkdir -p "/etc/netns/$ROUTER"
	defer rm -rf "/etc/netns/$ROUTER"
	echo "$SERVER_IP server.example" >"/etc/netns/$ROUTER/hosts"
}

# in_router COMMAND...: units work in the network namespace of process 1
in_router()
{
	PATH=$LIB_TMP/bin:$PATH in_ns "$ROUTER" unshare --pid --fork --mount-proc bash -c "cd $LIB_TMP; $1" </dev/null
}

# paste_commands FILE: run commands of a document in ROUTER, word for word but for a shorter measurement
paste_commands()
{
	local line

	fake_systemd
	names
	while read -r line; do
		[[ $line != *" --server "* ]] || line=${line/ --server / --seconds 2 --server }
		echo "$line"
		in_router "$line" || fail "$line: status $?"
	done <"$1"
}

router()
{
	modem eth0
	# shellcheck disable=SC2016 # fences, not commands
	sed -n '/^## Set up a router/,/^## W/ { /^```/,/^```/ { /^```/d; p } }' "$README" >"$LIB_TMP/commands"
	check "commands" "$(wc -l <"$LIB_TMP/commands")" == 11
	tc -n "$ROUTER" -j qdisc show dev eth0 >"$LIB_TMP/before"
	paste_commands "$LIB_TMP/commands"
	tc -n "$ROUTER" -j qdisc show dev eth0 | diff "$LIB_TMP/before" - || fail "the qdiscs are not as before"
	check "settings that are left" "$(find /etc/codelctl -type f)" empty
	[[ ! -d /sys/module/sch_fq_codel_oot ]] || fail "the module is still loaded"
}

# session FILE: a script that prints this document, with what its commands print now in place of what they have printed
session()
{
	local line is_screen=false

	while IFS= read -r line; do
		if [[ $line == '```'* ]]; then
			[[ $is_screen == true ]] && is_screen=false || is_screen=true
		elif [[ $line == '$ '* ]]; then
			printf 'echo %q\n%s\n' "$line" "${line#\$ }"
			continue
		elif [[ $is_screen == true ]]; then
			continue
		fi
		printf 'echo %q\n' "$line"
	done <"$1"
}

# words FILE: its lines, with 0 for each number, whatever its width. Packets that a change of the link has reset are shown only
# if there are any
words()
{
	sed -E 's/[0-9]+(\.[0-9]+)?(e-[0-9]+)?/0/g; s/ +/ /g; s/ reset 0$//' "$1"
}

# The document of now is $SCREENS, for `tests/vm/run --get`
first_minutes()
{
	modem eth0
	fake_systemd
	names
	session "$MINUTES" >"$LIB_TMP/session"
	check "commands" "$(grep -c '^\$ ' "$MINUTES")" == 16
	in_router ". ./session" 2>&1 | sed 's/ *$//' >"$SCREENS"
	diff <(words "$MINUTES") <(words "$SCREENS") || fail "the document prints something else"
	check "settings that are left" "$(find /etc/codelctl -type f)" empty
}

lib_add router "setup, measurement, change, service and removal"
lib_add first_minutes "the session of doc/first-minutes.md"
lib_main "$@"
