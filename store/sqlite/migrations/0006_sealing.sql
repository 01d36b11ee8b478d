-- Sealing. One row where the file is sealed: the key under which ids, digests, hashes
-- and names stand, itself sealed with a key of the owner's. blobs.codec + 16:
-- data is sealed with a key of the owner's.
CREATE TABLE sealing (
  id  INTEGER PRIMARY KEY CHECK (id = 1),
  key BLOB NOT NULL
);

CREATE TRIGGER sealing_no_update BEFORE UPDATE ON sealing
BEGIN SELECT RAISE(ABORT, 'sealing is append-only'); END;
CREATE TRIGGER sealing_no_delete BEFORE DELETE ON sealing
BEGIN SELECT RAISE(ABORT, 'sealing is append-only'); END;
CREATE TRIGGER sealing_no_replace BEFORE INSERT ON sealing
WHEN EXISTS (SELECT 1 FROM sealing) OR EXISTS (SELECT 1 FROM tenants)
BEGIN SELECT RAISE(ABORT, 'sealing is append-only'); END;

-- Nothing in the clear enters a sealed file, whoever writes: a process may have opened
-- it before it was sealed.
CREATE TRIGGER blobs_sealed BEFORE INSERT ON blobs
WHEN NEW.codec < 16 AND EXISTS (SELECT 1 FROM sealing)
BEGIN SELECT RAISE(ABORT, 'the store is sealed'); END;
CREATE TRIGGER summaries_sealed BEFORE INSERT ON summaries
WHEN NEW.codec < 16 AND EXISTS (SELECT 1 FROM sealing)
BEGIN SELECT RAISE(ABORT, 'the store is sealed'); END;
