-- +goose Up

-- Names and whatever a client may have sent are bytea: they may hold any bytes. Times
-- are text, RFC 3339 in UTC with nine decimals, so that they sort and keep their
-- nanoseconds.
--
-- Content (bodies, headers) is one byte for its form, 32 for its SHA-256, 8 for its
-- size, then its data; with form 128 and above the data is the name of an object in
-- the blob store. Content of no bytes at all was erased.

-- id is the first 16 bytes of the SHA-256 of tenant and name. A fork shares of each
-- thread in ancestors, oldest first, the entries up to the position in upto. erasures
-- counts what was erased of the thread's entries: a write that was made from what was
-- read before it is made anew.
-- +goose StatementBegin
CREATE TABLE threads (
  id           bytea   NOT NULL,
  tenant       bytea   NOT NULL,
  name         bytea   NOT NULL,
  parent       bytea   NOT NULL, -- name of the thread it was forked from, empty if none
  ancestors    bytea[],
  upto         bigint[],
  source       bytea   NOT NULL,
  created      text    COLLATE "C" NOT NULL,
  tip          bytea   NOT NULL, -- id of the last entry, empty if none
  len          bigint  NOT NULL, -- entries, shared ones too
  plan_version bigint  NOT NULL, -- 0: no plan
  erasures     bigint  NOT NULL,
  updated      text    COLLATE "C" NOT NULL,
  PRIMARY KEY (id)
) PARTITION BY HASH (id);

-- An entry lives in the thread it was first appended to. seq is its position, counted
-- from 0, in every thread that holds it. form is of dialect and raw bytes as they came.
CREATE TABLE entries (
  thread  bytea   NOT NULL,
  seq     bigint  NOT NULL,
  id      bytea   NOT NULL,
  digest  bytea   NOT NULL,
  form    bytea   NOT NULL,
  tokens  bigint  NOT NULL,
  counter bytea   NOT NULL, -- name of the counter of tokens, empty if not counted
  erased  boolean NOT NULL,
  body    bytea   NOT NULL,
  PRIMARY KEY (thread, seq)
) PARTITION BY HASH (thread);
CREATE UNIQUE INDEX entries_by_id ON entries (thread, id);

-- Other forms in which an entry came.
CREATE TABLE variants (
  thread  bytea   NOT NULL,
  seq     bigint  NOT NULL,
  form    bytea   NOT NULL,
  n       bigint  NOT NULL GENERATED ALWAYS AS IDENTITY,
  dialect bytea   NOT NULL,
  body    bytea   NOT NULL,
  PRIMARY KEY (thread, seq, form)
);

-- The requests around the messages; the highest n is the last.
CREATE TABLE envelopes (
  thread bytea  NOT NULL,
  n      bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  body   bytea  NOT NULL,
  PRIMARY KEY (thread, n)
);

-- list names the records in order: the difference of each n to the one before, as
-- varints. sum names all the version says.
CREATE TABLE plans (
  thread    bytea  NOT NULL,
  version   bigint NOT NULL,
  base      bytea  NOT NULL,
  policy    bytea  NOT NULL,
  original  bigint NOT NULL,
  compacted bigint NOT NULL,
  records   bigint NOT NULL,
  created   text   COLLATE "C" NOT NULL,
  header    bytea  NOT NULL,
  list      bytea  NOT NULL,
  sum       bytea  NOT NULL,
  PRIMARY KEY (thread, version)
) PARTITION BY HASH (thread);

-- A record of a thread's plans, once. hash names all it says; body is the record
-- without the ids it spans. A span is len entries from position start on, the last at
-- position last; ids is NULL when they follow each other, else all of them, 16 bytes
-- each. An erased record has neither hash nor body.
CREATE TABLE records (
  thread bytea  NOT NULL,
  n      bigint NOT NULL,
  hash   bytea,
  start  bigint NOT NULL,
  last   bigint NOT NULL,
  len    bigint NOT NULL,
  ids    bytea,
  body   bytea  NOT NULL,
  PRIMARY KEY (thread, n)
) PARTITION BY HASH (thread);
CREATE UNIQUE INDEX records_by_hash ON records (thread, hash);

-- name is the artifact's id; of several rows the last counts. branch and seq are the
-- place of source: the same in every thread that shares the entry.
CREATE TABLE artifacts (
  thread      bytea  NOT NULL,
  n           bigint NOT NULL,
  name        bytea  NOT NULL,
  source      bytea  NOT NULL,
  branch      bytea  NOT NULL,
  seq         bigint NOT NULL,
  part        bigint NOT NULL,
  tool        bytea  NOT NULL,
  media_type  bytea  NOT NULL,
  created     text   COLLATE "C" NOT NULL,
  ttl         bigint NOT NULL, -- nanoseconds, 0: never expires
  key_id      bytea  NOT NULL,
  sensitivity bytea  NOT NULL,
  body        bytea  NOT NULL,
  PRIMARY KEY (thread, name, n)
) PARTITION BY HASH (thread);
CREATE SEQUENCE artifact_numbers;

-- What was erased: when, by whom and why. whole: the entry itself, and artifact is empty.
CREATE TABLE erasures (
  thread    bytea   NOT NULL,
  seq       bigint  NOT NULL,
  whole     boolean NOT NULL,
  artifact  bytea   NOT NULL,
  n         bigint  NOT NULL GENERATED ALWAYS AS IDENTITY,
  erased_at text    NOT NULL,
  erased_by bytea   NOT NULL,
  reason    bytea   NOT NULL,
  PRIMARY KEY (thread, seq, whole, artifact)
);

-- Threads that were taken out because the time their owner gave them was over.
CREATE TABLE retired (
  n         bigint  NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  thread    bytea   NOT NULL,
  tenant    bytea   NOT NULL,
  name      bytea   NOT NULL,
  tip       bytea   NOT NULL,
  len       bigint  NOT NULL,
  created   text    NOT NULL,
  updated   text    NOT NULL,
  erased_at text    NOT NULL,
  erased_by bytea   NOT NULL,
  reason    bytea   NOT NULL
);
CREATE INDEX retired_by_thread ON retired (thread, n);

-- A cache of what models wrote: no record, so rows come and go. A higher n was put later.
CREATE TABLE summaries (
  tenant bytea  NOT NULL,
  key    bytea  NOT NULL,
  n      bigint NOT NULL,
  put    text   NOT NULL,
  body   bytea  NOT NULL,
  PRIMARY KEY (tenant, key)
);
CREATE INDEX summaries_by_age ON summaries (tenant, n);
CREATE SEQUENCE summary_numbers;

DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['threads', 'entries', 'plans', 'records', 'artifacts'] LOOP
    FOR i IN 0..7 LOOP
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 8, REMAINDER %s)', t || '_' || i, t, i);
    END LOOP;
  END LOOP;
  FOR i IN 0..7 LOOP -- a thread's row changes with every append: room for that on its page
    EXECUTE format('ALTER TABLE threads_%s SET (fillfactor = 70)', i);
  END LOOP;
END $$;
CREATE INDEX threads_by_tenant ON threads (tenant);
CREATE INDEX threads_by_ancestor ON threads USING gin (ancestors) WHERE ancestors IS NOT NULL;

-- What a thread consists of: entries of ancestor up to and including position upto,
-- the oldest ancestor at pos 1, its own entries last and without a limit.
CREATE VIEW lineage (thread, pos, ancestor, upto) AS
  SELECT t.id, a.pos, a.ancestor, a.upto
  FROM threads t, unnest(t.ancestors, t.upto) WITH ORDINALITY a (ancestor, upto, pos)
  UNION ALL
  SELECT id, 1000000, id, 4611686018427387904 FROM threads;

-- Append-only, whoever writes, unless a transaction says that it erases.
CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF coalesce(current_setting('precis.erasing', true), '') <> 'on' THEN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN coalesce(NEW, OLD);
END $$;
CREATE FUNCTION only_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.id <> OLD.id OR NEW.tenant <> OLD.tenant OR NEW.name <> OLD.name OR NEW.parent <> OLD.parent
    OR NEW.ancestors IS DISTINCT FROM OLD.ancestors OR NEW.upto IS DISTINCT FROM OLD.upto
    OR NEW.source <> OLD.source OR NEW.created <> OLD.created OR NEW.len < OLD.len
    OR (NEW.tip = OLD.tip) <> (NEW.len = OLD.len)
    OR NEW.plan_version NOT BETWEEN OLD.plan_version AND OLD.plan_version + 1 THEN
    RAISE EXCEPTION 'threads only moves forward' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER only_forward BEFORE UPDATE ON threads FOR EACH ROW EXECUTE FUNCTION only_forward();
CREATE TRIGGER append_only BEFORE DELETE ON threads FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON entries FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON variants FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON envelopes FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON plans FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON records FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON artifacts FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON erasures FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON retired FOR EACH ROW EXECUTE FUNCTION append_only();
-- +goose StatementEnd
