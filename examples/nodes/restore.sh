#!/bin/sh
# Restores a database to a point in time, in a new data directory, and starts a server on
# it that listens on the loopback address alone:
#
#   restore.sh BACKUP ARCHIVE TIME DATA PORT [OPTIONS OF pg_ctl start]
#
# BACKUP is a folder that pg_basebackup made, ARCHIVE the folder of the server's
# archive_command, TIME such as '2026-01-02 03:04:05+00', not before the backup. Run it as
# the user of the server, with PostgreSQL's programs in PATH. Then
# precis doctor --db postgres://postgres@127.0.0.1:PORT/DATABASE hashes what is there.
set -eu
backup=$1 archive=$2 time=$3 data=$4 port=$5
shift 5

cp -R "$backup" "$data"
chmod 700 "$data"
cat >>"$data/postgresql.auto.conf" <<END
restore_command = 'cp "$archive/%f" "%p"'
recovery_target_time = '$time'
recovery_target_action = 'promote'
archive_mode = off
port = $port
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
END
touch "$data/recovery.signal"
pg_ctl -D "$data" -w -t 600 -l "$data/restore.log" "$@" start
until [ "$(psql -X -h 127.0.0.1 -p "$port" -U "${PGUSER:-postgres}" -d postgres -Atc 'SELECT pg_is_in_recovery()')" = f ]; do
	pg_ctl -D "$data" status >/dev/null || {
		tail "$data/restore.log" >&2
		exit 1
	}
	sleep 0.2
done
