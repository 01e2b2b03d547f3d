/** A login such as you may already have. */

import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { pool } from './db.ts'

export type Role = 'admin' | 'member' | 'auditor'

export interface User {
  readonly id: string
  readonly role: Role
  readonly tenantId: string
  readonly tenantName: string
  /** Null until the vault of the tenant is created. */
  readonly vaultId: string | null
}

const select = `
  SELECT users.id, role, tenant_id AS "tenantId", name AS "tenantName", vault_id AS "vaultId", password
  FROM users JOIN tenants ON tenants.id = tenant_id`

export async function findUser(
  id: string | undefined,
): Promise<User | undefined> {
  if (id === undefined) return undefined
  const { rows } = await pool.query<User>(`${select} WHERE users.id = $1`, [id])
  return rows[0]
}

export async function findLogin(
  email: string,
  password: string,
): Promise<User | undefined> {
  const { rows } = await pool.query(`${select} WHERE email = $1`, [email])
  const [salt = '', hash = ''] = (rows[0]?.password ?? '').split(':')
  const given = await derive(password, Buffer.from(salt, 'hex'), 32)
  const stored = Buffer.from(hash, 'hex')
  return stored.length === given.length && timingSafeEqual(stored, given)
    ? rows[0]
    : undefined
}

/**
 * Adds a user, and their tenant if it is new.
 * @returns The id of the user; undefined if the email is taken.
 */
export async function addUser(
  { tenantId, tenantName }: Pick<User, 'tenantId' | 'tenantName'>,
  email: string,
  password: string,
  role: string,
): Promise<string | undefined> {
  const salt = randomBytes(16)
  const hash = `${salt.toString('hex')}:${(await derive(password, salt, 32)).toString('hex')}`
  const { rows } = await pool.query(
    `WITH added AS (
       INSERT INTO users (tenant_id, email, password, role) VALUES ($1, $2, $3, $4)
       ON CONFLICT DO NOTHING RETURNING id
     ), tenant AS (
       INSERT INTO tenants (id, name) SELECT $1, $5 FROM added ON CONFLICT DO NOTHING
     )
     SELECT id FROM added`,
    [tenantId, email, hash, role, tenantName],
  )
  return rows[0]?.id
}

const derive = promisify<string, Buffer, number, Buffer>(scrypt)
