#!/usr/bin/env bash
# Looks for Java 17 or newer; installs it where apt and root are at hand, else says how. Checking SQL needs no Java, so
# its absence does not stop anything.
set -u
found() {
  local java=${JAVA_HOME:+$JAVA_HOME/bin/}java version
  version=$("$java" -version 2>&1 | sed -nE 's/.*version "([0-9]+).*/\1/p' | head -n 1)
  [ -n "$version" ] && [ "$version" -ge 17 ]
}
found && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "Java 17 or newer is missing: installing Debian's openjdk-17-jre-headless"
  apt-get update -qq && apt-get install -y -qq openjdk-17-jre-headless >/dev/null && found && exit 0
fi
cat >&2 <<'TEXT'
warning[java-missing]: running jobs on Spark needs Java 17 or newer, and none was found
hint: checking and explaining work without it; to run jobs, install it:
  Debian, Ubuntu   sudo apt-get install openjdk-17-jre-headless
  Fedora           sudo dnf install java-17-openjdk-headless
  macOS            brew install openjdk@17
or point JAVA_HOME at a JDK that you have
TEXT
exit 0
