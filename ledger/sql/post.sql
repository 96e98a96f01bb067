-- Locks the available money of the wallets of `lines`. Whoever moves what is releasing, blocked or owed has it first, and
-- whoever moves available money locks it before all other accounts: a second posting of a transaction to the same wallet
-- (money that came in goes on to a hold) then waits for nobody.
CREATE OR REPLACE FUNCTION ledger_lock_available(book bigint, lines jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM ledger_balance b JOIN ledger_account a ON a.id = b.account_id
       JOIN jsonb_array_elements(lines) l ON a.currency = l->>2
      WHERE a.merchant_id = book AND a.kind = 'AVAILABLE'
        AND l->>0 IN ('AVAILABLE', 'RELEASING', 'BLOCKED', 'DEBT') ORDER BY a.id FOR NO KEY UPDATE OF b;
END $$;

-- The one writer: one round trip. `lines` is [[kind, method, currency, amount], …]. False when posted before.
CREATE OR REPLACE FUNCTION ledger_post(book bigint, transfer_kind text, transfer_reference text, lines jsonb, at timestamptz)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE posted bigint; wanted int := jsonb_array_length(lines); written int;
BEGIN
    INSERT INTO ledger_transfer (merchant_id, kind, reference, entry_count, posted_at, created_at)
    VALUES (book, transfer_kind, transfer_reference, wanted, at, clock_timestamp())
    ON CONFLICT (merchant_id, kind, reference) DO NOTHING RETURNING id INTO posted;
    IF posted IS NULL THEN RETURN false; END IF;

    -- All entries or, while an account is missing, none. They lock their balances in one order, so that two postings never
    -- wait for each other; who is to make an account has locked those that there are.
    IF NOT lines @? '$[*] ? (@[0] == "AVAILABLE")'
       AND lines @? '$[*] ? (@[0] == "RELEASING" || @[0] == "BLOCKED" || @[0] == "DEBT")' THEN
        PERFORM ledger_lock_available(book, lines);
    END IF;
    FOR attempt IN 1..2 LOOP
        WITH sides AS MATERIALIZED (
            SELECT x.line, a.id, a.kind, a.currency, (x.l->>3)::bigint AS amount
              FROM jsonb_array_elements(lines) WITH ORDINALITY AS x(l, line)
              JOIN ledger_account a ON a.merchant_id = book
               AND (a.kind, a.method, a.currency) = (x.l->>0, x.l->>1, x.l->>2)
        )
        INSERT INTO ledger_entry (transfer_id, line, merchant_id, account_id, currency, amount, balance_after, sequence)
        SELECT posted, line, book, id, currency, amount, 0, 0
          FROM sides WHERE (SELECT count(*) FROM sides) = wanted ORDER BY kind <> 'AVAILABLE', id;
        GET DIAGNOSTICS written = ROW_COUNT;
        EXIT WHEN written = wanted;
        PERFORM 1 FROM ledger_balance b JOIN ledger_account a ON a.id = b.account_id
           JOIN jsonb_array_elements(lines) l ON (a.kind, a.method, a.currency) = (l->>0, l->>1, l->>2)
          WHERE a.merchant_id = book ORDER BY a.kind <> 'AVAILABLE', a.id FOR NO KEY UPDATE OF b;
        INSERT INTO ledger_account (merchant_id, kind, method, currency)
        SELECT book, l->>0, l->>1, l->>2 FROM jsonb_array_elements(lines) l ORDER BY 2, 3, 4
        ON CONFLICT (merchant_id, kind, method, currency) DO NOTHING;
    END LOOP;
    RETURN true;
END $$;
