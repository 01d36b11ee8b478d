-- +goose Up

-- What most appends are: entries that go on from a thread's tip. In a function the server
-- plans the statements once for each of its sessions, whoever uses that; behind a pooler
-- nothing can be prepared. No row: the thread does not end in known_tip.
-- +goose StatementBegin
CREATE FUNCTION grow_thread(grown bytea, ids bytea[], digests bytea[], forms bytea[], counts bigint[], counters bytea[], bodies bytea[],
  new_tip bytea, added bigint, now text, known_tip bytea) RETURNS SETOF threads LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  t threads;
BEGIN
  UPDATE threads SET tip = new_tip, len = len + added, updated = now WHERE id = grown AND tip = known_tip RETURNING * INTO t;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  INSERT INTO entries (thread, seq, id, digest, form, tokens, counter, erased, body)
  SELECT grown, t.len - added + e.n - 1, e.id, e.digest, e.form, e.tokens, e.counter, false, e.body
  FROM unnest(ids, digests, forms, counts, counters, bodies) WITH ORDINALITY e (id, digest, form, tokens, counter, body, n);
  RETURN NEXT t;
END $$;
-- +goose StatementEnd
