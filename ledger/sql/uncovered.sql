-- The currencies of which these lines take available money, or bring some, while a block is not covered. The wallet is
-- held by then, and each statement of a volatile function reads what was committed before it: no block is overlooked.
CREATE OR REPLACE FUNCTION ledger_uncovered(book bigint, lines jsonb) RETURNS text[] LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM ledger_hold WHERE merchant_id = book AND ended_at IS NULL AND missing > 0) THEN
        RETURN '{}';
    END IF;
    RETURN ARRAY(
        SELECT DISTINCT l->>2 FROM jsonb_array_elements(lines) l
         WHERE (l->>0 = 'AVAILABLE' OR l->>0 = 'RELEASING' AND (l->>3)::bigint > 0)
           AND EXISTS (SELECT FROM ledger_hold
                        WHERE merchant_id = book AND currency = l->>2 AND ended_at IS NULL AND missing > 0));
END $$;
