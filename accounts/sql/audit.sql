-- The audit is only added to.
CREATE OR REPLACE FUNCTION accounts_audit_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'what was done stays written down';
END $$;
CREATE OR REPLACE TRIGGER audit_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON accounts_auditentry
    FOR EACH STATEMENT EXECUTE FUNCTION accounts_audit_stays();
