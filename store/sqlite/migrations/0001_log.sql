-- The log: threads, entries, their bodies, other raw forms, envelopes.
--
-- Names of tenants and threads are blobs: they may hold any bytes. Times are
-- RFC 3339 in UTC with nine decimals, so that they sort as text.

CREATE TABLE tenants (
  id   INTEGER PRIMARY KEY,
  name BLOB NOT NULL UNIQUE
);

-- Content, once a tenant. codec 0: data is the content; 1: zstd. Erasing sets
-- data to NULL and erased_at, once; the row stays and says so.
CREATE TABLE blobs (
  id        INTEGER PRIMARY KEY,
  tenant    INTEGER NOT NULL REFERENCES tenants (id),
  hash      BLOB    NOT NULL, -- SHA-256 of the content
  size      INTEGER NOT NULL, -- bytes of the content
  codec     INTEGER NOT NULL,
  data      BLOB,
  erased_at TEXT,
  CHECK ((data IS NULL) = (erased_at IS NOT NULL))
);
CREATE UNIQUE INDEX blobs_by_hash ON blobs (tenant, hash) WHERE erased_at IS NULL;

CREATE TABLE threads (
  id           INTEGER PRIMARY KEY,
  tenant       INTEGER NOT NULL REFERENCES tenants (id),
  name         BLOB    NOT NULL,
  parent       INTEGER REFERENCES threads (id),
  source       TEXT    NOT NULL,
  created      TEXT    NOT NULL,
  tip          BLOB    NOT NULL, -- id of the last entry, empty if none
  len          INTEGER NOT NULL, -- entries, shared ones too
  plan_version INTEGER NOT NULL, -- 0: no plan
  updated      TEXT    NOT NULL,
  UNIQUE (tenant, name)
);

-- What a thread consists of: entries of ancestor up to and including position
-- upto, oldest ancestor at pos 0. Its own entries come last, without a limit.
CREATE TABLE lineage (
  thread   INTEGER NOT NULL REFERENCES threads (id),
  pos      INTEGER NOT NULL,
  ancestor INTEGER NOT NULL REFERENCES threads (id),
  upto     INTEGER NOT NULL,
  PRIMARY KEY (thread, pos)
) WITHOUT ROWID;

-- An entry lives in the thread (branch) it was first appended to. seq is its
-- position, counted from 0, in every thread that holds it.
CREATE TABLE entries (
  branch  INTEGER NOT NULL REFERENCES threads (id),
  seq     INTEGER NOT NULL,
  id      BLOB    NOT NULL,
  digest  BLOB    NOT NULL,
  body    INTEGER NOT NULL REFERENCES blobs (id),
  tokens  INTEGER NOT NULL,
  counter TEXT    NOT NULL, -- name of the counter of tokens, '' if not counted
  PRIMARY KEY (branch, seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX entries_by_id ON entries (branch, id);

CREATE TABLE variants (
  id      INTEGER PRIMARY KEY,
  branch  INTEGER NOT NULL,
  seq     INTEGER NOT NULL,
  dialect TEXT    NOT NULL,
  body    INTEGER NOT NULL REFERENCES blobs (id),
  UNIQUE (branch, seq, dialect, body),
  FOREIGN KEY (branch, seq) REFERENCES entries (branch, seq)
);

CREATE TABLE envelopes (
  id     INTEGER PRIMARY KEY,
  thread INTEGER NOT NULL REFERENCES threads (id),
  body   INTEGER NOT NULL REFERENCES blobs (id)
);
CREATE INDEX envelopes_by_thread ON envelopes (thread);

-- Append-only, whoever writes. Replacing is refused too: SQLite does not fire
-- delete triggers for INSERT OR REPLACE.

CREATE TRIGGER tenants_no_update BEFORE UPDATE ON tenants
BEGIN SELECT RAISE(ABORT, 'tenants is append-only'); END;
CREATE TRIGGER tenants_no_delete BEFORE DELETE ON tenants
BEGIN SELECT RAISE(ABORT, 'tenants is append-only'); END;
CREATE TRIGGER tenants_no_replace BEFORE INSERT ON tenants
WHEN EXISTS (SELECT 1 FROM tenants WHERE id = NEW.id)
  OR EXISTS (SELECT 1 FROM tenants WHERE name = NEW.name)
BEGIN SELECT RAISE(ABORT, 'tenants is append-only'); END;

CREATE TRIGGER blobs_only_erase BEFORE UPDATE ON blobs
WHEN NOT (OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL AND NEW.data IS NULL
  AND NEW.id = OLD.id AND NEW.tenant = OLD.tenant AND NEW.hash = OLD.hash
  AND NEW.size = OLD.size AND NEW.codec = OLD.codec)
BEGIN SELECT RAISE(ABORT, 'blobs is append-only'); END;
CREATE TRIGGER blobs_no_delete BEFORE DELETE ON blobs
BEGIN SELECT RAISE(ABORT, 'blobs is append-only'); END;
CREATE TRIGGER blobs_no_replace BEFORE INSERT ON blobs
WHEN EXISTS (SELECT 1 FROM blobs WHERE id = NEW.id)
  OR EXISTS (SELECT 1 FROM blobs WHERE tenant = NEW.tenant AND hash = NEW.hash AND erased_at IS NULL)
BEGIN SELECT RAISE(ABORT, 'blobs is append-only'); END;

CREATE TRIGGER threads_only_forward BEFORE UPDATE ON threads
WHEN NOT (NEW.id = OLD.id AND NEW.tenant = OLD.tenant AND NEW.name = OLD.name
  AND NEW.parent IS OLD.parent AND NEW.source = OLD.source AND NEW.created = OLD.created
  AND NEW.len >= OLD.len AND (NEW.tip = OLD.tip) = (NEW.len = OLD.len)
  AND NEW.plan_version BETWEEN OLD.plan_version AND OLD.plan_version + 1)
BEGIN SELECT RAISE(ABORT, 'threads only moves forward'); END;
CREATE TRIGGER threads_no_delete BEFORE DELETE ON threads
BEGIN SELECT RAISE(ABORT, 'threads is append-only'); END;
CREATE TRIGGER threads_no_replace BEFORE INSERT ON threads
WHEN EXISTS (SELECT 1 FROM threads WHERE id = NEW.id)
  OR EXISTS (SELECT 1 FROM threads WHERE tenant = NEW.tenant AND name = NEW.name)
BEGIN SELECT RAISE(ABORT, 'threads is append-only'); END;

CREATE TRIGGER lineage_no_update BEFORE UPDATE ON lineage
BEGIN SELECT RAISE(ABORT, 'lineage is append-only'); END;
CREATE TRIGGER lineage_no_delete BEFORE DELETE ON lineage
BEGIN SELECT RAISE(ABORT, 'lineage is append-only'); END;
CREATE TRIGGER lineage_no_replace BEFORE INSERT ON lineage
WHEN EXISTS (SELECT 1 FROM lineage WHERE thread = NEW.thread AND pos = NEW.pos)
BEGIN SELECT RAISE(ABORT, 'lineage is append-only'); END;

CREATE TRIGGER entries_no_update BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'entries is append-only'); END;
CREATE TRIGGER entries_no_delete BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'entries is append-only'); END;
CREATE TRIGGER entries_no_replace BEFORE INSERT ON entries
WHEN EXISTS (SELECT 1 FROM entries WHERE branch = NEW.branch AND seq = NEW.seq)
  OR EXISTS (SELECT 1 FROM entries WHERE branch = NEW.branch AND id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'entries is append-only'); END;

CREATE TRIGGER variants_no_update BEFORE UPDATE ON variants
BEGIN SELECT RAISE(ABORT, 'variants is append-only'); END;
CREATE TRIGGER variants_no_delete BEFORE DELETE ON variants
BEGIN SELECT RAISE(ABORT, 'variants is append-only'); END;
CREATE TRIGGER variants_no_replace BEFORE INSERT ON variants
WHEN EXISTS (SELECT 1 FROM variants WHERE id = NEW.id)
  OR EXISTS (SELECT 1 FROM variants WHERE branch = NEW.branch AND seq = NEW.seq AND dialect = NEW.dialect AND body = NEW.body)
BEGIN SELECT RAISE(ABORT, 'variants is append-only'); END;

CREATE TRIGGER envelopes_no_update BEFORE UPDATE ON envelopes
BEGIN SELECT RAISE(ABORT, 'envelopes is append-only'); END;
CREATE TRIGGER envelopes_no_delete BEFORE DELETE ON envelopes
BEGIN SELECT RAISE(ABORT, 'envelopes is append-only'); END;
CREATE TRIGGER envelopes_no_replace BEFORE INSERT ON envelopes
WHEN EXISTS (SELECT 1 FROM envelopes WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'envelopes is append-only'); END;
