-- Events are followed in the order of xid, which is never less than that of the transaction that writes one, so that
-- nothing is added to what was told once all older transactions have ended; nor than that of any event that could be seen.
CREATE OR REPLACE FUNCTION webhooks_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.xid := greatest(NEW.xid, pg_current_xact_id(),
                        (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)::text::xid8);
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER event_follows BEFORE INSERT ON webhooks_event FOR EACH ROW EXECUTE FUNCTION webhooks_follow();
