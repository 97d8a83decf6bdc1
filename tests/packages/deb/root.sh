#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
#
# root.sh FOLDER ALGORITHM: in a root with dkms and one kernel's headers, install, break, remove and purge the packages in
# FOLDER, and compare the files of the root before and after. FOLDER/added gets what the installation adds. DKMS
# signs the modules with a key of the ALGORITHM, rsa or ec.
set -u

# shellcheck source=tests/packages/deb/cases.sh
. "$1/cases.sh"
folder=$1
kernel=$(ls /lib/modules)
export DEBIAN_FRONTEND=noninteractive

# Logs, backups of dpkg, and the key of the machine, which dkms makes at its first build of any module
ALWAYS='/var/(log/[^ ]*|lib/dpkg/(status|diversions|statoverride)-old|lib/dkms/mok\.(key|pub))'
# Records of dpkg and of the helper of systemd on a package that is removed and not purged
RECORDS='/var/lib/(dpkg/info/codel-oot-tools\.(list|postrm)|systemd/deb-systemd-helper-enabled/[^ ]*)'

# Every file, link and folder of the root with its mode, and the contents of /etc
files() {
	find / -xdev \( -path /proc -o -path /dev -o -path /tmp -o -path /mnt \) -prune -o -printf '%y %m %p %l\n' | sort
	find /etc -type f -exec sha256sum {} + | sort -k 2
}

# same_files BEFORE AFTER [PATTERN]: nothing was added or lost but ALWAYS and what matches PATTERN
same_files() {
	! diff "$folder/$1" "$folder/$2" | grep '^[<>]' | grep -vE " ($ALWAYS${3:+|$3}) \$"
}

install_packages() { dpkg -i "$folder"/*.deb; }

refuses_an_older_kernel() {
	mkdir -p /tmp/headers
	if dkms build "codel-oot/$version" -k 5.10.0-30-amd64 --kernelsourcedir /tmp/headers >"$folder/refused" 2>&1; then
		echo "it was built"
		return 1
	fi
	cat "$folder/refused"
	grep -q BUILD_EXCLUSIVE "$folder/refused"
}

# The modules of the kernel are installed again by the hook that its packages call after an upgrade
kernel_upgrade() {
	dkms uninstall "codel-oot/$version" -k "$kernel" && dkms unbuild "codel-oot/$version" -k "$kernel" || return
	! modinfo -k "$kernel" sch_codel_oot || return
	/etc/kernel/postinst.d/dkms "$kernel" && has_modules "$kernel"
}

# A source that does not compile, as after a change of the kernel's interfaces
failing_build() {
	local status

	dkms remove "codel-oot/$version" --all || return
	echo '#error "another kernel"' >>"/usr/src/codel-oot-$version/sch_codel.c"
	dkms add "codel-oot/$version" || return
	dkms install "codel-oot/$version" -k "$kernel"
	status=$?
	grep "another kernel" "/var/lib/dkms/codel-oot/$version/build/make.log" && ((status != 0)) &&
		! modinfo -k "$kernel" sch_codel_oot
}

# A key in the place of the one that DKMS has made, which is an RSA key
make_key() {
	[[ $1 == rsa ]] || openssl req -new -x509 -nodes -days 36500 -subj "/CN=DKMS" -newkey ec \
		-pkeyopt ec_paramgen_curve:prime256v1 -keyout /var/lib/dkms/mok.key -outform DER -out /var/lib/dkms/mok.pub
}

# A module without a signature: the kernel finds none where the last line is missing
copy_unsigned() {
	local file

	file=$(modinfo -k "$kernel" -n sch_codel_oot) && mkdir -p "$folder/added/root" || return
	case $file in
	*.xz) xz -dc "$file" ;;
	*) cat "$file" ;;
	esac | head -c -28 >"$folder/added/root/unsigned.ko"
}

copy_added() {
	mkdir "$folder/added" || return
	comm -13 <(cut -d ' ' -f 3 "$folder/before" | sort) <(cut -d ' ' -f 3 "$folder/installed" | sort) |
		grep -vE '^/(var|usr/src|usr/share/(doc|man))/' >"$folder/names"
	tar -c --no-recursion -T "$folder/names" -P --transform "s,^/,," | tar -x -C "$folder/added"
}

make_key "$2" >/tmp/said 2>&1 || cat /tmp/said
files >"$folder/before"
ok "the packages are installed" install_packages
version=$(version)
files >"$folder/installed"
ok "the modules are built, signed, and in updates/dkms" has_modules "$kernel"
copy_added
copy_unsigned
cp /var/lib/dkms/mok.pub "$folder"
ok "a kernel before 6.1 is refused" refuses_an_older_kernel
ok "the hook of a kernel's upgrade builds them again" kernel_upgrade
ok "the packages are installed a second time" install_packages
files >"$folder/again"
ok "and the files are the same" same_files installed again
ok "a build that fails says so in the log, and leaves no module" failing_build
ok "the packages are removed" dpkg -r codel-oot-dkms codel-oot-tools
files >"$folder/removed"
ok "and nothing is left but records of dpkg and systemd" same_files before removed "$RECORDS"
ok "the packages are purged" dpkg -P codel-oot-dkms codel-oot-tools
files >"$folder/purged"
ok "and no file is left" same_files before purged
exit 0
