/** The connections to PostgreSQL, and the tables of the app. */

import pg from 'pg'

export const pool = new pg.Pool({
  connectionString: process.env['DATABASE_URL'],
  connectionTimeoutMillis: 5_000,
  query_timeout: 10_000,
})
// Without a listener, Node ends the process when the server closes an idle connection.
pool.on('error', (error) => console.error('PostgreSQL:', error.message))

await pool.query(`
  SELECT pg_advisory_xact_lock(1); -- several processes can start at once
  CREATE TABLE IF NOT EXISTS tenants (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    vault_id text UNIQUE
  );
  CREATE TABLE IF NOT EXISTS users (
    id text PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id uuid NOT NULL REFERENCES tenants,
    email text NOT NULL UNIQUE,
    password text NOT NULL,
    role text NOT NULL CHECK (role IN ('admin', 'member', 'auditor'))
  );
  CREATE TABLE IF NOT EXISTS accesses (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    request_id uuid NOT NULL,
    item_id text NOT NULL, -- empty without an item
    vault_id text,
    tenant_id uuid,
    email text,
    entry jsonb NOT NULL,
    UNIQUE (request_id, item_id)
  );
  CREATE INDEX IF NOT EXISTS accesses_of_tenant ON accesses (vault_id, tenant_id, n);
`)
