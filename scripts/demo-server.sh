#!/usr/bin/env bash
# A job server with the trading application on generated data, and its page. Ctrl-C ends it, and the jobs with it.
set -euo pipefail
cd "$(dirname "$0")/.."
velo=$PWD/.venv/bin/velo
data=build/demo-server
port=${DEMO_PORT:-8700}
export VELO_URL=http://127.0.0.1:$port

say() { printf '\n\033[1m%s\033[0m\n' "$1"; }
[ -t 1 ] || say() { printf '\n%s\n' "$1"; }

mkdir -p "$data/files"
cp -r examples/trading/config examples/trading/data "$data/files/"
say "velo serve --data $data --port $port"
$velo serve --data "$data" --port "$port" &
server=$!

finish() {
    trap - EXIT INT TERM
    say "The jobs end after their running batches"
    VELO_TOKEN=$(cat "$data/token") $velo stop trading || true
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
}
trap finish EXIT INT TERM

for _ in $(seq 100); do
    curl -sf "$VELO_URL/health/live" >/dev/null && break
    sleep 0.1
done
export VELO_TOKEN
VELO_TOKEN=$(cat "$data/token")
$velo deploy examples/trading/app.sql --name trading
say "Open the page (the address works once; velo page makes another):"
$velo page
say "Next, in another terminal:  VELO_TOKEN=\$(cat $data/token) $velo jobs     Ctrl-C here ends everything"
if [ -n "${DEMO_TIME:-}" ]; then
    sleep "$DEMO_TIME"
    $velo jobs
else
    wait "$server"
fi
