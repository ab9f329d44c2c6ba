#!/bin/sh
# Installs what the interop tests need on a Debian machine: a JDK of version 17
# or later and Maven. Does nothing where both are there.
set -eu

have() { command -v "$1" >/dev/null 2>&1; }

if have javac && have mvn; then
	exit 0
fi

export DEBIAN_FRONTEND=noninteractive
apt-get update -q
# Debian 12 has 17; a later release may have dropped it.
if [ -n "$(apt-cache search --names-only '^openjdk-17-jdk-headless$')" ]; then
	jdk=openjdk-17-jdk-headless
else
	jdk=default-jdk-headless
fi
apt-get install -y -q --no-install-recommends "$jdk" maven
