#!/bin/sh
# Runs once, when the volume of compose.json's PostgreSQL is empty: the backends own their database, and are no superusers.
set -eu
psql -v ON_ERROR_STOP=1 -U "$POSTGRES_USER" -v password="$ARCADE_DATABASE_PASSWORD" <<'SQL'
create role arcade login password :'password';
alter database arcade owner to arcade;
SQL
