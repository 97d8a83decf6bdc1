#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# root.sh STEP FIRST [SECOND]: what is done to the root while its machine is off: apt and DKMS run in a sandbox. FIRST
# and SECOND are versions of kernels.
set -u

# shellcheck source=tests/packages/deb/cases.sh
. /mnt/cases.sh
first=$2
second=${3-}
export DEBIAN_FRONTEND=noninteractive

# Written by any boot, by any use of apt, dpkg and dkms, and by netbase, on which a dependency depends
ALWAYS='/etc/(\.updated|machine-id|hosts|ld\.so\.cache|\.pwd\.lock|resolv\.conf)|/root/\.[^ ]*'
ALWAYS+='|/var/(\.updated|(log|cache|tmp|backups)(/[^ ]*)?)'
ALWAYS+='|/var/lib/(apt|dbus|dpkg|private|systemd)(/[^ ]*)?|/var/lib/dkms(/mok\.(key|pub))?'

# Every file, link and folder of the root with its mode, and the contents of /etc
files() {
	find / -xdev \( -path /proc -o -path /dev -o -path /tmp -o -path /mnt -o -path /run -o -path /sys \) -prune -o \
		-printf '%y %m %p %l\n' | sort
	find /etc -type f -exec sha256sum {} + | sort -k 2
}

same_files() {
	! diff "/mnt/$1" "/mnt/$2" | grep '^[<>]' | grep -vE " ($ALWAYS) *\$"
}

install() { apt-get -qy install "$@"; }

# repack VERSION: packages of another version, with the same contents
repack() {
	local old package

	old=$(version)
	rm -rf /mnt/repacked
	for package in /mnt/debs/*.deb; do
		dpkg-deb -R "$package" /mnt/repacked || return
		sed -i "s/$old/$1/g" /mnt/repacked/DEBIAN/* || return
		if [[ -d /mnt/repacked/usr/src ]]; then
			mv "/mnt/repacked/usr/src/codel-oot-$old" "/mnt/repacked/usr/src/codel-oot-$1" || return
			sed -i "s/$old/$1/" /mnt/repacked/usr/src/*/{dkms.conf,qdisc/codel_version.h} || return
			(cd /mnt/repacked && find usr -type f -exec md5sum {} + >DEBIAN/md5sums)
		fi
		dpkg-deb -Znone -b /mnt/repacked /mnt/newer || return
		rm -rf /mnt/repacked
	done
}

upgrade() {
	mkdir -p /mnt/newer && repack 99.1 && dpkg -i /mnt/newer/*.deb && is "$(version)" 99.1 && has_modules "$first"
}

downgrade() {
	install --allow-downgrades /mnt/debs/*.deb && has_modules "$first" &&
		! ls -d /usr/src/codel-oot-99.1 /var/lib/dkms/codel-oot/99.1
}

kernel_without_headers() {
	install linux-image-amd64 >/mnt/apt-kernel 2>&1 || { cat /mnt/apt-kernel; return 1; }
	cat /mnt/apt-kernel
	second=$(find /lib/modules -mindepth 1 -maxdepth 1 ! -name "$first" -printf '%f')
	grep -i "headers.*$second\|$second.*headers" /mnt/apt-kernel && has_no_modules "$second"
}

headers() { install linux-headers-amd64 && has_modules "$second"; }

packages() { dpkg-query -W -f '${Package}\n' | sort -u; }

# What was installed beside the packages: the second kernel, headers, and the dependencies
purge_the_rest() {
	comm -13 /mnt/packages <(packages) | xargs apt-get -qy purge && is "$(packages)" "$(cat /mnt/packages)"
}

case $1 in
install)
	packages >/mnt/packages
	files >/mnt/before
	ok "apt installs the packages, their dependencies, and the headers" \
		install linux-headers-cloud-amd64 /mnt/debs/*.deb
	ok "the modules are built and signed" has_modules "$first"
	files >/mnt/installed
	ok "an upgrade of the packages builds the modules of the newer version" upgrade
	ok "a downgrade builds those of the older version, and leaves none of the newer" downgrade
	files >/mnt/again
	ok "the files are those of the first installation" same_files installed again
	;;
kernel)
	ok "a second kernel is installed without its headers: DKMS names them" kernel_without_headers
	;;
headers)
	ok "the headers are installed: DKMS builds the modules for the second kernel" headers
	;;
purged)
	ok "the second kernel and the dependencies are purged" purge_the_rest
	files >/mnt/after
	ok "the files of the root are those before the installation" same_files before after
	;;
esac
exit 0
