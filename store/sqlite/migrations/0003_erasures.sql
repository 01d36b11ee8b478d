-- What was erased: when, by whom and why. The one way content leaves the file.
--
-- artifact is the erased artifact's id. NULL: the entry itself is erased, with
-- its variants and all artifacts taken from it, and body is the message that
-- stands in its place.
CREATE TABLE erasures (
  id        INTEGER PRIMARY KEY,
  branch    INTEGER NOT NULL,
  seq       INTEGER NOT NULL,
  artifact  TEXT,
  body      INTEGER REFERENCES blobs (id),
  erased_at TEXT    NOT NULL,
  erased_by TEXT    NOT NULL,
  reason    TEXT    NOT NULL,
  CHECK ((artifact IS NULL) = (body IS NOT NULL)),
  FOREIGN KEY (branch, seq) REFERENCES entries (branch, seq)
);
CREATE UNIQUE INDEX erasures_by_place ON erasures (branch, seq, coalesce(artifact, x'')); -- a blob is no text

CREATE TRIGGER erasures_no_update BEFORE UPDATE ON erasures
BEGIN SELECT RAISE(ABORT, 'erasures is append-only'); END;
CREATE TRIGGER erasures_no_delete BEFORE DELETE ON erasures
BEGIN SELECT RAISE(ABORT, 'erasures is append-only'); END;
CREATE TRIGGER erasures_no_replace BEFORE INSERT ON erasures
WHEN EXISTS (SELECT 1 FROM erasures WHERE id = NEW.id)
  OR EXISTS (SELECT 1 FROM erasures WHERE branch = NEW.branch AND seq = NEW.seq AND artifact IS NEW.artifact)
BEGIN SELECT RAISE(ABORT, 'erasures is append-only'); END;

-- branch and seq are the place of an artifact's source: the same in every
-- thread that shares the entry.
DROP TRIGGER artifacts_no_update;
ALTER TABLE artifacts ADD COLUMN branch INTEGER NOT NULL DEFAULT 0;
UPDATE artifacts SET branch = coalesce((
  SELECT e.branch FROM lineage l CROSS JOIN entries e
  WHERE l.thread = artifacts.thread AND e.branch = l.ancestor AND e.id = artifacts.source AND e.seq <= l.upto), 0);
CREATE TRIGGER artifacts_no_update BEFORE UPDATE ON artifacts
BEGIN SELECT RAISE(ABORT, 'artifacts is append-only'); END;
