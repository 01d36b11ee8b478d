-- Whole threads that were taken out because the time their owner gave them was
-- over. A thread goes with all rows of its own; content that nothing else needs is
-- erased, as by an erasure. What stays says that it was there, how long it was,
-- and when, by whom and why it was taken out.
--
-- Also from this version on: blobs.codec 2 is zstd with the program's dictionary 1,
-- and messages have their binary form (see package encoding).
CREATE TABLE retired (
  id        INTEGER PRIMARY KEY,
  thread    INTEGER UNIQUE, -- its id while its rows are taken out, then NULL
  tenant    INTEGER NOT NULL REFERENCES tenants (id),
  name      BLOB    NOT NULL,
  source    TEXT    NOT NULL,
  created   TEXT    NOT NULL,
  updated   TEXT    NOT NULL,
  tip       BLOB    NOT NULL,
  len       INTEGER NOT NULL,
  erased_at TEXT    NOT NULL,
  erased_by TEXT    NOT NULL,
  reason    TEXT    NOT NULL
);
CREATE INDEX retired_by_name ON retired (tenant, name);
CREATE INDEX threads_by_parent ON threads (parent);
CREATE INDEX lineage_by_ancestor ON lineage (ancestor);

CREATE TRIGGER retired_only_close BEFORE UPDATE ON retired
WHEN NOT (OLD.thread IS NOT NULL AND NEW.thread IS NULL AND NEW.id = OLD.id AND NEW.tenant = OLD.tenant
  AND NEW.name = OLD.name AND NEW.source = OLD.source AND NEW.created = OLD.created AND NEW.updated = OLD.updated
  AND NEW.tip = OLD.tip AND NEW.len = OLD.len AND NEW.erased_at = OLD.erased_at
  AND NEW.erased_by = OLD.erased_by AND NEW.reason = OLD.reason)
BEGIN SELECT RAISE(ABORT, 'retired is append-only'); END;
CREATE TRIGGER retired_no_delete BEFORE DELETE ON retired
BEGIN SELECT RAISE(ABORT, 'retired is append-only'); END;
CREATE TRIGGER retired_no_replace BEFORE INSERT ON retired
WHEN EXISTS (SELECT 1 FROM retired WHERE id = NEW.id) OR EXISTS (SELECT 1 FROM retired WHERE thread = NEW.thread)
BEGIN SELECT RAISE(ABORT, 'retired is append-only'); END;

-- Rows go only while their thread is being retired.

DROP TRIGGER lineage_no_delete;
CREATE TRIGGER lineage_no_delete BEFORE DELETE ON lineage
WHEN NOT EXISTS (SELECT 1 FROM retired WHERE thread = OLD.thread)
BEGIN SELECT RAISE(ABORT, 'lineage is append-only'); END;

DROP TRIGGER entries_no_delete;
CREATE TRIGGER entries_no_delete BEFORE DELETE ON entries
WHEN NOT EXISTS (SELECT 1 FROM retired WHERE thread = OLD.branch)
BEGIN SELECT RAISE(ABORT, 'entries is append-only'); END;

DROP TRIGGER variants_no_delete;
CREATE TRIGGER variants_no_delete BEFORE DELETE ON variants
WHEN NOT EXISTS (SELECT 1 FROM retired WHERE thread = OLD.branch)
BEGIN SELECT RAISE(ABORT, 'variants is append-only'); END;

DROP TRIGGER envelopes_no_delete;
CREATE TRIGGER envelopes_no_delete BEFORE DELETE ON envelopes
WHEN NOT EXISTS (SELECT 1 FROM retired WHERE thread = OLD.thread)
BEGIN SELECT RAISE(ABORT, 'envelopes is append-only'); END;

DROP TRIGGER plans_no_delete;
CREATE TRIGGER plans_no_delete BEFORE DELETE ON plans
WHEN NOT EXISTS (SELECT 1 FROM retired WHERE thread = OLD.thread)
BEGIN SELECT RAISE(ABORT, 'plans is append-only'); END;

DROP TRIGGER artifacts_no_delete;
CREATE TRIGGER artifacts_no_delete BEFORE DELETE ON artifacts
WHEN NOT EXISTS (SELECT 1 FROM retired WHERE thread = OLD.thread)
BEGIN SELECT RAISE(ABORT, 'artifacts is append-only'); END;

DROP TRIGGER erasures_no_delete;
CREATE TRIGGER erasures_no_delete BEFORE DELETE ON erasures
WHEN NOT EXISTS (SELECT 1 FROM retired WHERE thread = OLD.branch)
BEGIN SELECT RAISE(ABORT, 'erasures is append-only'); END;

DROP TRIGGER threads_no_delete;
CREATE TRIGGER threads_no_delete BEFORE DELETE ON threads
WHEN NOT EXISTS (SELECT 1 FROM retired WHERE thread = OLD.id)
BEGIN SELECT RAISE(ABORT, 'threads is append-only'); END;

-- A row of blobs goes once it was erased and nothing points to it.
DROP TRIGGER blobs_no_delete;
CREATE TRIGGER blobs_no_delete BEFORE DELETE ON blobs WHEN OLD.erased_at IS NULL
BEGIN SELECT RAISE(ABORT, 'blobs is append-only'); END;

-- A record goes once what it says was erased: no plan needs it then.
DROP TRIGGER records_no_delete;
CREATE TRIGGER records_no_delete BEFORE DELETE ON records
WHEN NOT EXISTS (SELECT 1 FROM blobs WHERE id = OLD.body AND erased_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'records is append-only'); END;
