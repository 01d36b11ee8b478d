-- Plans in every version, their records, and externalized content.

-- A record, once a tenant. hash names all it says; body is the record without
-- the ids it spans. A span is len entries from id first at position start on;
-- ids is NULL when they follow each other, else all of them, 16 bytes each.
CREATE TABLE records (
  id     INTEGER PRIMARY KEY,
  tenant INTEGER NOT NULL REFERENCES tenants (id),
  hash   BLOB    NOT NULL,
  first  BLOB    NOT NULL,
  start  INTEGER NOT NULL,
  len    INTEGER NOT NULL,
  ids    BLOB,
  body   INTEGER NOT NULL REFERENCES blobs (id),
  UNIQUE (tenant, hash)
);

-- list names the records in order: the difference of each row id to the one
-- before, as varints. sum names all the version says.
CREATE TABLE plans (
  thread    INTEGER NOT NULL REFERENCES threads (id),
  version   INTEGER NOT NULL,
  base      BLOB    NOT NULL,
  policy    TEXT    NOT NULL,
  original  INTEGER NOT NULL,
  compacted INTEGER NOT NULL,
  records   INTEGER NOT NULL,
  created   TEXT    NOT NULL,
  header    INTEGER NOT NULL REFERENCES blobs (id),
  list      BLOB    NOT NULL,
  sum       BLOB    NOT NULL,
  PRIMARY KEY (thread, version)
);

-- name is the artifact's id; of several rows the last counts. seq is the
-- position of source.
CREATE TABLE artifacts (
  id          INTEGER PRIMARY KEY,
  thread      INTEGER NOT NULL REFERENCES threads (id),
  name        TEXT    NOT NULL,
  source      BLOB    NOT NULL,
  seq         INTEGER NOT NULL,
  part        INTEGER NOT NULL,
  tool        TEXT    NOT NULL,
  media_type  TEXT    NOT NULL,
  created     TEXT    NOT NULL,
  ttl         INTEGER NOT NULL, -- nanoseconds, 0: never expires
  key_id      TEXT    NOT NULL,
  sensitivity TEXT    NOT NULL,
  body        INTEGER NOT NULL REFERENCES blobs (id)
);
CREATE INDEX artifacts_by_name ON artifacts (thread, name);

CREATE TRIGGER records_no_update BEFORE UPDATE ON records
BEGIN SELECT RAISE(ABORT, 'records is append-only'); END;
CREATE TRIGGER records_no_delete BEFORE DELETE ON records
BEGIN SELECT RAISE(ABORT, 'records is append-only'); END;
CREATE TRIGGER records_no_replace BEFORE INSERT ON records
WHEN EXISTS (SELECT 1 FROM records WHERE id = NEW.id)
  OR EXISTS (SELECT 1 FROM records WHERE tenant = NEW.tenant AND hash = NEW.hash)
BEGIN SELECT RAISE(ABORT, 'records is append-only'); END;

CREATE TRIGGER plans_no_update BEFORE UPDATE ON plans
BEGIN SELECT RAISE(ABORT, 'plans is append-only'); END;
CREATE TRIGGER plans_no_delete BEFORE DELETE ON plans
BEGIN SELECT RAISE(ABORT, 'plans is append-only'); END;
CREATE TRIGGER plans_no_replace BEFORE INSERT ON plans
WHEN EXISTS (SELECT 1 FROM plans WHERE rowid = NEW.rowid)
  OR EXISTS (SELECT 1 FROM plans WHERE thread = NEW.thread AND version = NEW.version)
BEGIN SELECT RAISE(ABORT, 'plans is append-only'); END;

CREATE TRIGGER artifacts_no_update BEFORE UPDATE ON artifacts
BEGIN SELECT RAISE(ABORT, 'artifacts is append-only'); END;
CREATE TRIGGER artifacts_no_delete BEFORE DELETE ON artifacts
BEGIN SELECT RAISE(ABORT, 'artifacts is append-only'); END;
CREATE TRIGGER artifacts_no_replace BEFORE INSERT ON artifacts
WHEN EXISTS (SELECT 1 FROM artifacts WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'artifacts is append-only'); END;
