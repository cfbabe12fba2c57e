#!/usr/bin/env bash
# Runs the trading application on generated data: windows close, late records correct results, records that come too
# late are dead letters, and in the end the numbers add up. DEMO_TIME sets how long it goes on once all jobs run.
set -euo pipefail
cd "$(dirname "$0")/.."
velo=.venv/bin/velo
app=examples/trading/app.sql
folder=$(dirname "$app")
state=build/demo

say() { printf '\n\033[1m%s\033[0m\n' "$1"; }
[ -t 1 ] || say() { printf '\n%s\n' "$1"; }

rm -rf "$state" "$folder/out"
say "velo run $app --duration ${DEMO_TIME:-20s}   (bars of one second as they close; Ctrl-C stops it)"
$velo run "$app" --duration "${DEMO_TIME:-20s}" --checkpoint "$state/state" --report "$state/report.json"

say "Results are in $folder/out, dead letters and what the jobs remember in $state/state, the report in $state/report.json"
say "Next: velo explain $app, velo test, velo functions, docs/getting-started.md"
