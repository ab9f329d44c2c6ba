#!/bin/sh
# What the real rigs of this directory need, on Debian and as root: loop devices
# with ext4 and XFS.
set -e
if ! command -v mkfs.ext4 >/dev/null || ! command -v mkfs.xfs >/dev/null || ! command -v mount >/dev/null; then
	apt-get update
	apt-get install -y --no-install-recommends e2fsprogs xfsprogs mount
fi
