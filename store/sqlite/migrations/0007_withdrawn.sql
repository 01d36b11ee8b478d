-- Records that an erasure took out of the versions of a thread's plan, up to the version
-- given, while another thread keeps them: it has the same messages in entries of its own.
-- What such a record says is erased once no thread has it. Its row is no more then, so
-- record references none.
CREATE TABLE withdrawn (
  thread  INTEGER NOT NULL REFERENCES threads (id),
  record  INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (thread, record, version)
) WITHOUT ROWID;

CREATE TRIGGER withdrawn_no_update BEFORE UPDATE ON withdrawn
BEGIN SELECT RAISE(ABORT, 'withdrawn is append-only'); END;
CREATE TRIGGER withdrawn_no_delete BEFORE DELETE ON withdrawn
WHEN NOT EXISTS (SELECT 1 FROM retired WHERE thread = OLD.thread)
BEGIN SELECT RAISE(ABORT, 'withdrawn is append-only'); END;
CREATE TRIGGER withdrawn_no_replace BEFORE INSERT ON withdrawn
WHEN EXISTS (SELECT 1 FROM withdrawn WHERE thread = NEW.thread AND record = NEW.record AND version = NEW.version)
BEGIN SELECT RAISE(ABORT, 'withdrawn is append-only'); END;
