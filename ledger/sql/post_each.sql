-- Many transfers of one kind at once, each of its own amount between the same accounts: one round trip, and one statement
-- for the entries of all of them. `sides` is [[kind, method, currency, 1 or -1], …]. Entries follow the order of the
-- references. Returns how many were posted; raises unique_violation if one was posted before, and posts none.
CREATE OR REPLACE FUNCTION ledger_post_each(book bigint, transfer_kind text, sides jsonb, transfer_references text[],
                                            amounts bigint[], times timestamptz[])
RETURNS int LANGUAGE plpgsql AS $$
DECLARE posted bigint[]; known int; total bigint; last timestamptz;
BEGIN
    SELECT sum(x.amount), max(x.at) INTO total, last FROM unnest(amounts, times) AS x(amount, at);
    WITH written AS (
        INSERT INTO ledger_transfer (merchant_id, kind, reference, entry_count, posted_at, created_at)
        SELECT book, transfer_kind, x.reference, jsonb_array_length(sides), x.at, clock_timestamp()
          FROM unnest(transfer_references, times) WITH ORDINALITY AS x(reference, at, n) ORDER BY x.n
        RETURNING id, reference
    )
    SELECT array_agg(written.id ORDER BY x.n) INTO posted
      FROM unnest(transfer_references) WITH ORDINALITY AS x(reference, n) JOIN written USING (reference);

    -- Locked in the order of `ledger_post`, so that two postings never wait for each other.
    PERFORM ledger_lock_available(book, sides);
    PERFORM 1 FROM ledger_balance b JOIN ledger_account a ON a.id = b.account_id
       JOIN jsonb_array_elements(sides) s ON (a.kind, a.method, a.currency) = (s->>0, s->>1, s->>2)
      WHERE a.merchant_id = book ORDER BY a.kind <> 'AVAILABLE', a.id FOR NO KEY UPDATE OF b;
    GET DIAGNOSTICS known = ROW_COUNT;
    IF known < jsonb_array_length(sides) THEN
        INSERT INTO ledger_account (merchant_id, kind, method, currency)
        SELECT book, s->>0, s->>1, s->>2 FROM jsonb_array_elements(sides) s ORDER BY 2, 3, 4
        ON CONFLICT (merchant_id, kind, method, currency) DO NOTHING;
    END IF;

    -- Each balance moves once for all of its entries, which prove it at the commit.
    UPDATE ledger_balance b
       SET amount = b.amount + (x.side->>3)::bigint * total, version = b.version + cardinality(posted),
           updated_at = greatest(b.updated_at, last)
      FROM jsonb_array_elements(sides) AS x(side)
      JOIN ledger_account a ON a.merchant_id = book
       AND (a.kind, a.method, a.currency) = (x.side->>0, x.side->>1, x.side->>2)
     WHERE b.account_id = a.id;
    INSERT INTO ledger_entry (transfer_id, line, merchant_id, account_id, currency, amount, balance_after, sequence)
    SELECT t.id, x.line, book, a.id, a.currency, (x.side->>3)::bigint * t.amount,
           b.amount - (x.side->>3)::bigint * (total - sum(t.amount) OVER running),
           b.version - cardinality(posted) + row_number() OVER running
      FROM jsonb_array_elements(sides) WITH ORDINALITY AS x(side, line)
      JOIN ledger_account a ON a.merchant_id = book
       AND (a.kind, a.method, a.currency) = (x.side->>0, x.side->>1, x.side->>2)
      JOIN ledger_balance b ON b.account_id = a.id
     CROSS JOIN unnest(posted, amounts) WITH ORDINALITY AS t(id, amount, n)
    WINDOW running AS (PARTITION BY a.id ORDER BY t.n)
     ORDER BY t.n, a.id;
    RETURN cardinality(posted);
END $$;
