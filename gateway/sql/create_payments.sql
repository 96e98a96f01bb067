-- New payments, each with its customer and the idempotency key of its request with the response, in one statement. The
-- rows are those that gateway/requests/idempotency.py, gateway/customers/services.py and gateway/payments/provider.py
-- write one after the other; a test compares them.
--
-- All are written or none: it raises if a key or a reference is taken, or if the customer of a tax id is not the expected
-- one. Each table is written in the order of what is unique in it, so that two calls do not deadlock, and no lock is
-- waited for for long: the caller then does one after the other.
CREATE OR REPLACE FUNCTION gateway_create_payments(keys json, customers json, payments json) RETURNS void
    LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
DECLARE
    one record;
    payment gateway_payment;
    kept text;
BEGIN
    -- Row by row: where the cell is on a node of Citus, rows of a query are copied there by way of every node.
    FOR one IN
        SELECT merchant_id, key, decode(fingerprint, 'hex') AS fingerprint, members, method, path, status,
               convert_to(sealed_body, 'UTF8') AS sealed_body, request_id, created_at
          FROM json_to_recordset(keys) AS given(
               merchant_id bigint, key uuid, fingerprint text, members text, method text, path text, status smallint,
               sealed_body text, request_id text, created_at timestamptz)
         ORDER BY merchant_id, key
    LOOP
        INSERT INTO gateway_idempotencykey (merchant_id, key, fingerprint, members, method, path, status, sealed_body,
                                            request_id, created_at)
        VALUES (one.merchant_id, one.key, one.fingerprint, one.members, one.method, one.path, one.status,
                one.sealed_body, one.request_id, one.created_at);
    END LOOP;

    FOR one IN
        SELECT * FROM json_to_recordset(customers) AS given(
               id text, merchant_id bigint, name text, tax_id text, tax_id_type text, email text, phone text,
               address jsonb, created_at timestamptz, updated_at timestamptz)
         ORDER BY merchant_id, tax_id
    LOOP
        INSERT INTO gateway_customer AS customer
               (id, merchant_id, name, tax_id, tax_id_type, email, phone, address, created_at, updated_at)
        VALUES (one.id, one.merchant_id, one.name, one.tax_id, one.tax_id_type, one.email, one.phone, one.address,
                one.created_at, one.updated_at)
            ON CONFLICT (merchant_id, tax_id) DO UPDATE
           SET name = excluded.name, email = coalesce(excluded.email, customer.email),
               phone = coalesce(excluded.phone, customer.phone), address = coalesce(excluded.address, customer.address),
               tax_id_type = coalesce(excluded.tax_id_type, customer.tax_id_type), updated_at = excluded.updated_at
        RETURNING id INTO kept;
        IF kept <> one.id THEN
            RAISE EXCEPTION 'a customer has another id' USING ERRCODE = 'integrity_constraint_violation';
        END IF;
    END LOOP;

    FOR payment IN
        SELECT * FROM json_populate_recordset(NULL::gateway_payment, payments) ORDER BY merchant_id, reference
    LOOP
        INSERT INTO gateway_payment VALUES (payment.*);
    END LOOP;
END $$;
