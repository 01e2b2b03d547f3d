/** A vault as a record: written, and found again. */

import { NotFoundError } from '../errors.js'
import { type Vault, vaultSchema } from '../schema/vault.js'
import type { NewRecord, RecordKey, StoredRecord } from '../store.js'
import type { Context } from './context.js'
import { labelOf } from './item-record.js'
import { decodeText, encodeText, parseStored, unreadable } from './stored-json.js'

/** The collection of all vaults. */
export const vaultCollection = 'vaults'

/** The key of a vault's record. */
export function vaultKey(vaultId: string): RecordKey {
  return { collection: vaultCollection, id: vaultId }
}

/** A vault as it is written. */
export function vaultRecord(vault: Vault): NewRecord {
  return { body: encodeText(JSON.stringify(vault)), label: labelOf(vault.name) }
}

/** Whether there is such a vault. What its record says is not read. */
export async function hasVault(context: Pick<Context, 'store'>, vaultId: string): Promise<boolean> {
  return (await context.store.records.get(vaultKey(vaultId))) !== undefined
}

/** @throws NotFoundError if there is no such vault. What its record says is not read. */
export async function requireVault(
  context: Pick<Context, 'store'>,
  vaultId: string,
): Promise<StoredRecord> {
  const stored = await context.store.records.get(vaultKey(vaultId))
  if (stored === undefined) throw new NotFoundError('vault', vaultId)
  return stored
}

/** @throws NotFoundError if there is no such vault, StorageError if another stands in its place. */
export async function readVault(context: Pick<Context, 'store'>, vaultId: string): Promise<Vault> {
  return vaultIn(await requireVault(context, vaultId), vaultId)
}

/** The vault that a record holds, if it lies where this vault belongs. @throws StorageError otherwise. */
export function vaultIn(stored: StoredRecord, vaultId: string): Vault {
  const vault = parseStored(vaultSchema, decodeText(stored.body))
  if (vault.id !== vaultId || vault.attributeVersion !== stored.version) throw unreadable()
  return vault
}
