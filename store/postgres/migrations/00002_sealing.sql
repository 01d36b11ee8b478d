-- +goose Up

-- The key of a sealed database, itself sealed with the owner's. No row: everything is in
-- the clear. In a sealed one ids, digests, hashes and names are turned with it, and the
-- form of a body has 64 added where its content is sealed.
CREATE TABLE sealing (
  id  integer NOT NULL PRIMARY KEY CHECK (id = 1),
  key bytea   NOT NULL
);

-- What belongs to a thread is partitioned as threads are. Programs of the version before
-- use the new tables as they used the old ones; while the rows move, writers wait.
-- +goose StatementBegin
DO $$
DECLARE
  t text;
  g record;
BEGIN
  FOREACH t IN ARRAY ARRAY['variants', 'envelopes', 'erasures'] LOOP
    EXECUTE format('ALTER TABLE %I RENAME TO %I', t, 'whole_' || t);
    EXECUTE format('ALTER INDEX %I RENAME TO %I', t || '_pkey', 'whole_' || t || '_pkey');
    EXECUTE format('CREATE SEQUENCE %I', t || '_numbers');
  END LOOP;

  CREATE TABLE variants (
    thread  bytea   NOT NULL,
    seq     bigint  NOT NULL,
    form    bytea   NOT NULL,
    n       bigint  NOT NULL DEFAULT nextval('variants_numbers'),
    dialect bytea   NOT NULL,
    body    bytea   NOT NULL,
    PRIMARY KEY (thread, seq, form)
  ) PARTITION BY HASH (thread);
  CREATE TABLE envelopes (
    thread bytea  NOT NULL,
    n      bigint NOT NULL DEFAULT nextval('envelopes_numbers'),
    body   bytea  NOT NULL,
    PRIMARY KEY (thread, n)
  ) PARTITION BY HASH (thread);
  CREATE TABLE erasures (
    thread    bytea   NOT NULL,
    seq       bigint  NOT NULL,
    whole     boolean NOT NULL,
    artifact  bytea   NOT NULL,
    n         bigint  NOT NULL DEFAULT nextval('erasures_numbers'),
    erased_at text    NOT NULL,
    erased_by bytea   NOT NULL,
    reason    bytea   NOT NULL,
    PRIMARY KEY (thread, seq, whole, artifact)
  ) PARTITION BY HASH (thread);

  FOREACH t IN ARRAY ARRAY['variants', 'envelopes', 'erasures'] LOOP
    FOR i IN 0..7 LOOP
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 8, REMAINDER %s)', t || '_' || i, t, i);
    END LOOP;
  END LOOP;
  INSERT INTO variants (thread, seq, form, n, dialect, body) SELECT thread, seq, form, n, dialect, body FROM whole_variants;
  INSERT INTO envelopes (thread, n, body) SELECT thread, n, body FROM whole_envelopes;
  INSERT INTO erasures (thread, seq, whole, artifact, n, erased_at, erased_by, reason)
    SELECT thread, seq, whole, artifact, n, erased_at, erased_by, reason FROM whole_erasures;

  FOREACH t IN ARRAY ARRAY['variants', 'envelopes', 'erasures'] LOOP
    EXECUTE format('SELECT setval(%L, (SELECT coalesce(max(n), 0) + 1 FROM %I))', t || '_numbers', t);
    EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION append_only()', t);
    -- Roles may do with the new table what they may with the old.
    FOR g IN SELECT DISTINCT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS who, a.privilege_type AS what FROM pg_class c, aclexplode(c.relacl) a
      WHERE c.oid = ('whole_' || t)::regclass AND a.grantee <> c.relowner LOOP
      EXECUTE format('GRANT %s ON %I TO %s', g.what, t, g.who);
      IF g.what = 'INSERT' THEN
        EXECUTE format('GRANT USAGE ON SEQUENCE %I TO %s', t || '_numbers', g.who);
      END IF;
    END LOOP;
    EXECUTE format('DROP TABLE %I', 'whole_' || t);
  END LOOP;
  FOR g IN SELECT DISTINCT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS who, a.privilege_type AS what FROM pg_class c, aclexplode(c.relacl) a
    WHERE c.oid = 'summaries'::regclass AND a.grantee <> c.relowner LOOP
    EXECUTE format('GRANT %s ON sealing TO %s', g.what, g.who);
  END LOOP;
END $$;
-- +goose StatementEnd
