-- A company is closed for good.
CREATE OR REPLACE FUNCTION accounts_closed_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a closed company stays closed';
END $$;
CREATE OR REPLACE TRIGGER closed_stays BEFORE UPDATE ON accounts_company FOR EACH ROW
    WHEN (OLD.status = 'CLOSED' AND NEW.status <> 'CLOSED') EXECUTE FUNCTION accounts_closed_stays();
