#!/usr/bin/env bash
# A job server with the trading application on generated data, and its page. Ctrl-C ends it, and the jobs with it.
set -euo pipefail
set -m # the server gets a group of its own: Ctrl-C reaches this script alone, which ends the jobs first
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

ended() { # no process of the application is left
    ! curl -sf -H "Authorization: Bearer ${VELO_TOKEN:-}" "$VELO_URL/api/v1/apps/trading" | grep -q '"pid":[0-9]'
}

finish() {
    trap - EXIT
    trap '' INT TERM
    if kill -0 "$server" 2>/dev/null; then
        say "The jobs end after their running batches"
        $velo stop trading || true
        for _ in $(seq 60); do
            ended && break
            sleep 1
        done
        ended || $velo stop trading --force || true
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
}
trap finish EXIT
trap 'exit 130' INT TERM

for _ in $(seq 100); do
    curl -sf "$VELO_URL/health/live" >/dev/null && break
    kill -0 "$server" 2>/dev/null || exit 1
    sleep 0.1
done
export VELO_TOKEN
VELO_TOKEN=$(cat "$data/token")
$velo deploy examples/trading/app.sql --name trading
say "Open the page (the address works once; velo page makes another):"
$velo page
say "Next, in another terminal:  VELO_TOKEN=\$(cat $data/token) $velo jobs     Ctrl-C here ends everything"
if [ -n "${DEMO_TIME:-}" ]; then
    sleep "$DEMO_TIME" &
    wait $!
    $velo jobs
else
    wait "$server"
fi
