-- A cache of what models wrote: no record, so rows come and go. A higher id was
-- put later.
CREATE TABLE summaries (
  id     INTEGER PRIMARY KEY,
  tenant INTEGER NOT NULL REFERENCES tenants (id),
  key    TEXT    NOT NULL,
  put    TEXT    NOT NULL, -- when
  hash   BLOB    NOT NULL, -- hash, size, codec, data: as in blobs
  size   INTEGER NOT NULL,
  codec  INTEGER NOT NULL,
  data   BLOB    NOT NULL,
  UNIQUE (tenant, key)
);
CREATE INDEX summaries_by_age ON summaries (tenant, id);
