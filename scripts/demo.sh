#!/usr/bin/env bash
# Shows what today's release does with a real application: check it, find a mistake in it, explain one of its jobs.
set -euo pipefail
cd "$(dirname "$0")/.."
velo=.venv/bin/velo
app=examples/trading/app.sql

say() { printf '\n\033[1m%s\033[0m\n' "$1"; }
[ -t 1 ] || say() { printf '\n%s\n' "$1"; }

say "1. Check the trading application: velo validate $app"
$velo validate --no-system-columns "$app"

say "2. The same with a slip of the pen ('pirce' for 'price'), from standard input: velo validate -"
folder=$(dirname "$app")
sed 's/MAX(price)  /MAX(pirce)  /' "$app" | (cd "$folder" && "$OLDPWD/$velo" validate --no-system-columns -) | sed -n '/^error/,/^hint/p' || true

say "3. How a job runs: velo explain $app --statement gross_exposure"
$velo explain "$app" --statement gross_exposure

say "Next: velo explain $app, velo functions, velo properties watermark., docs/getting-started.md"
