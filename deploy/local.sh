#!/usr/bin/env bash
# A cluster on this machine: PostgreSQL, `mlflow server` that serves artefacts over HTTP, and two Ray nodes.
#   deploy/local.sh start [FOLDER]   start all in FOLDER (default: messlatte-cluster in the temporary folder)
#   deploy/local.sh stop [FOLDER]    stop all; what is in FOLDER stays
# Needs Debian's package postgresql and the packages of requirements-ray.lock. After the start:
#   source FOLDER/env; python -m pipelines.sweep hydra/launcher=ray
set -euo pipefail

command=${1:-}
folder=${2:-${TMPDIR:-/tmp}/messlatte-cluster}
root=$(cd "$(dirname "$0")/.." && pwd)
bin=${MESSLATTE_BIN:-$root/.venv/bin}
postgres_port=${POSTGRES_PORT:-55432} mlflow_port=${MLFLOW_PORT:-55000} ray_port=${RAY_PORT:-56379}

secret() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

drop=(env) # PostgreSQL does not run as root
[ "$(id -u)" != 0 ] || drop=(runuser -u postgres --)

# background NAME PROGRAM...: its own process group, so that `stop` ends all that it has started, and nothing else.
background() {
    local name=$1
    shift
    setsid "$@" >"$folder/$name.log" 2>&1 </dev/null &
    echo $! >"$folder/$name.pid"
}

# until_ready NAME SECONDS PROGRAM...: wait until the program succeeds; if it does not, show the log's end.
until_ready() {
    local name=$1 seconds=$2
    shift 2
    for _ in $(seq "$seconds"); do
        if "$@" >/dev/null 2>&1; then return; fi
        sleep 1
    done
    echo "$name does not answer; $folder/$name.log ends with:" >&2
    tail -n 20 "$folder/$name.log" >&2
    exit 1
}

start() {
    postgres=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
    [ -n "$postgres" ] || { echo "error: no PostgreSQL; apt-get install postgresql" >&2; exit 2; }
    [ -x "$bin/ray" ] || { echo "error: no $bin/ray; make test-scale installs it, or set MESSLATTE_BIN" >&2; exit 2; }
    [ ! -e "$folder" ] || { echo "error: $folder is there already; stop it and delete it" >&2; exit 2; }
    mkdir -p "$folder/artifacts" "$folder/postgres"
    chmod 755 "$folder"
    "${drop[@]}" test -x "$folder" || { echo "error: $folder: the user postgres cannot enter it" >&2; exit 2; }

    trap 'code=$?; [ $code = 0 ] || stop; exit $code' EXIT # half a cluster helps nobody
    # Ray listens on all addresses of the machine: without a token anyone who reaches it could run code.
    password=$(secret) token=$(secret)
    server="postgresql+psycopg://messlatte:$password@127.0.0.1:$postgres_port"
    (umask 077 && cat >"$folder/env" <<ENV
export MLFLOW_TRACKING_URI=http://127.0.0.1:$mlflow_port
export MESSLATTE_CACHE_STORE=$server/cache
export RAY_AUTH_MODE=token RAY_AUTH_TOKEN=$token
export RAY_ADDRESS=127.0.0.1:$ray_port
export RAY_USAGE_STATS_ENABLED=0
ENV
    )
    source "$folder/env"

    (umask 077 && echo "$password" >"$folder/password")
    [ "$(id -u)" != 0 ] || chown postgres "$folder/postgres" "$folder/password"
    "${drop[@]}" "$postgres/initdb" --pgdata "$folder/postgres" --username messlatte --encoding UTF8 --locale C \
        --auth scram-sha-256 --pwfile "$folder/password" >"$folder/initdb.log"
    background postgres "${drop[@]}" "$postgres/postgres" -D "$folder/postgres" -p "$postgres_port" \
        -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200
    export PGPASSWORD=$password
    until_ready postgres 30 "$postgres/psql" -h 127.0.0.1 -p "$postgres_port" -U messlatte -d postgres -c "select 1"
    for database in mlflow cache; do
        "$postgres/psql" -q -h 127.0.0.1 -p "$postgres_port" -U messlatte -d postgres -c "create database $database"
    done

    # The password goes by the environment: arguments are seen by everyone on the machine.
    export MLFLOW_BACKEND_STORE_URI=$server/mlflow MLFLOW_SERVER_ENABLE_JOB_EXECUTION=false
    background mlflow "$bin/mlflow" server --host 127.0.0.1 --port "$mlflow_port" --workers 2 \
        --serve-artifacts --artifacts-destination "$folder/artifacts"
    unset MLFLOW_BACKEND_STORE_URI

    # One core and little memory each. They find the project's code where it is installed, or here.
    export PYTHONPATH="$root${PYTHONPATH:+:$PYTHONPATH}"
    # A node gives up when it needs more than 30 seconds to start, as on a busy machine: up to three tries.
    node=(bash -c 'for _ in 1 2 3; do "$@" && break; done' node "$bin/ray" start --block --disable-usage-stats --num-cpus 1
        --object-store-memory 100000000)
    unset RAY_ADDRESS
    export PYTHONUNBUFFERED=1
    background ray-head "${node[@]}" --head --port "$ray_port" --include-dashboard false
    until_ready ray-head 180 grep -q "Ray runtime started" "$folder/ray-head.log"
    background ray-second "${node[@]}" --address "127.0.0.1:$ray_port"
    until_ready mlflow 120 "$bin/python" -c \
        "from urllib.request import urlopen; urlopen('http://127.0.0.1:$mlflow_port/health')"
    until_ready ray-second 180 grep -q "Ray runtime started" "$folder/ray-second.log"
    echo "source $folder/env"
}

stop() {
    [ -d "$folder" ] || { echo "error: $folder: nothing was started there" >&2; exit 2; }
    for name in ray-second ray-head mlflow postgres; do
        [ -f "$folder/$name.pid" ] || continue
        group=$(cat "$folder/$name.pid")
        kill -TERM -- "-$group" 2>/dev/null || true
        for _ in $(seq 100); do
            kill -0 -- "-$group" 2>/dev/null || break
            sleep 0.1
        done
        kill -KILL -- "-$group" 2>/dev/null || true
        rm "$folder/$name.pid"
    done
}

case $command in
    start | stop) "$command" ;;
    *)
        sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
        exit 2
        ;;
esac
