#!/bin/sh
# Runs the tests of the feature `postgres` against Debian's PostgreSQL, started here on a unix socket and on the loopback address with TLS. It is
# installed by name where it is absent and this is root on Debian; where it cannot be, that is said and nothing fails.
set -eu
cd "$(dirname "$0")/../.."
CARGO=${CARGO:-cargo}

skip() {
    echo "skipped: $1"
    exit 0
}

find_server() {
    for folder in /usr/lib/postgresql/*/bin /usr/local/pgsql/bin; do
        if test -x "$folder/initdb"; then echo "$folder"; fi
    done | sort -V | tail -1
}

bin=$(find_server)
if test -z "$bin" && test "$(id -u)" = 0 && command -v apt-get >/dev/null; then
    mkdir -p /etc/postgresql-common
    test -e /etc/postgresql-common/createcluster.conf || echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends postgresql >/dev/null 2>&1 || true
    bin=$(find_server)
fi
test -n "$bin" || skip "PostgreSQL is not installed, and could not be"

place=$(mktemp -d)
# The server refuses to run as root.
if test "$(id -u)" = 0; then
    id postgres >/dev/null 2>&1 || skip "there is no user postgres to run the server as"
    as() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }
    chown postgres "$place"
else
    as() { "$@"; }
fi
stop() {
    as "$bin/pg_ctl" -D "$place/data" -m immediate -w stop >/dev/null 2>&1 || true
    rm -rf "$place"
}
trap stop EXIT INT TERM

cd "$place"
as "$bin/initdb" -D "$place/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=our authority" -keyout ca.key -out ca.pem -addext "basicConstraints=critical,CA:TRUE" 2>/dev/null
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=another authority" -keyout other.key -out other.pem -addext "basicConstraints=critical,CA:TRUE" 2>/dev/null
openssl req -newkey rsa:2048 -nodes -subj "/CN=localhost" -keyout data/server.key -out server.csr 2>/dev/null
printf 'subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n' >server.ext
openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile server.ext -out data/server.crt 2>/dev/null
chmod 600 data/server.key
if test "$(id -u)" = 0; then chown postgres data/server.key data/server.crt; fi
chmod 755 "$place"
port=$((20000 + $$ % 20000))
cat >>data/postgresql.conf <<CONF
unix_socket_directories = '$place'
listen_addresses = '127.0.0.1'
port = $port
ssl = on
fsync = off
log_statement = 'all'
logging_collector = off
CONF
cat >data/pg_hba.conf <<CONF
local all all trust
hostssl all all 127.0.0.1/32 scram-sha-256
CONF
as "$bin/pg_ctl" -D "$place/data" -l "$place/log" -w start >/dev/null || skip "the server did not start: $(tail -3 "$place/log")"

cd - >/dev/null
export LOOKALIKE_TEST_POSTGRES="$place" LOOKALIKE_TEST_POSTGRES_PORT="$port" LOOKALIKE_TEST_PSQL="$bin/psql"
$CARGO test --locked -p lookalike-engines --features postgres
$CARGO test --locked -p lookalike-cli --features postgres --test postgres "$@"
