/**
 * The record of a vault. It is never deleted. When a vault is deleted, a tombstone replaces it. So
 * the record's versions continue if a new vault gets the same id, and a late write to the earlier
 * vault is always rejected.
 */

import { notFoundError } from '../../base/fixed-errors.js'
import { isTombstone, toIndexedRecord, vaultRecords } from '../../base/stored-records.js'
import { type Vault, vaultSchema } from '../../schema/vault.js'
import * as z from '../../schema/zod.js'
import type { ListedRecord, RecordInput, RecordKey, StoredRecord } from '../../store.js'
import type { Context } from '../runtime/context.js'
import { assertNotEncrypted } from '../runtime/encryption-check.js'
import { isUnreadableError } from '../runtime/report-unreadable.js'
import {
  corruptRecordError,
  decodeText,
  encodeText,
  parseRecord,
  parseStored,
} from './stored-json.js'

/** Returns the key of a vault's record. */
export function vaultKey(vaultId: string): RecordKey {
  return { collection: vaultRecords.collection, id: vaultId }
}

/**
 * A vault as it is stored. `generation` is the version of the record at which the earlier vaults
 * with this id end. The record's version is `generation` plus `attributeVersion`. `generation` is
 * never returned. It is not stored if it is 0, as in records of earlier releases.
 */
const storedVaultSchema = z.extend(vaultSchema, {
  generation: z.exactOptional(z.int().check(z.gte(1))),
})

/**
 * Returns the record for a vault. `expectedVersion` is the version that it replaces, or 0 if there
 * is none.
 */
export function toVaultRecord(vault: Vault, expectedVersion: number): RecordInput {
  const generation = expectedVersion + 1 - vault.attributeVersion
  const stored = generation === 0 ? vault : { ...vault, generation }
  return toIndexedRecord(vaultRecords, encodeText(JSON.stringify(stored)), vault)
}

/**
 * Returns true if the record exists and is not the tombstone of this vault. It is not parsed.
 * @throws StorageError if it is encrypted, because this service has no key.
 */
export function isVaultRecord(stored: StoredRecord | undefined, vaultId: string): boolean {
  if (stored === undefined) return false
  assertNotEncrypted(stored.body)
  return !isTombstone(vaultRecords, vaultId, stored.body)
}

/** The record of a vault. If it is unreadable, only its version is known. */
export type StoredVaultRecord = StoredRecord & Pick<ListedRecord, 'unreadable'>

const noBytes = new Uint8Array(0)

/**
 * Returns the record of a vault, or its tombstone, without parsing it. An unreadable record counts
 * as an existing vault, so that its items can still be used.
 */
export async function findVaultRecord(
  { store }: Pick<Context, 'store'>,
  vaultId: string,
): Promise<StoredVaultRecord | undefined> {
  const key = vaultKey(vaultId)
  try {
    return await store.records.get(key)
  } catch (error) {
    if (!isUnreadableError(error, key)) throw error
    return { version: error.record.version, body: noBytes, unreadable: error }
  }
}

/** Returns true if the vault exists. Its record is not parsed. */
export async function hasVault(context: Pick<Context, 'store'>, vaultId: string): Promise<boolean> {
  return isVaultRecord(await findVaultRecord(context, vaultId), vaultId)
}

/**
 * Returns the record of a vault without parsing it.
 * @throws NotFoundError if the vault does not exist.
 */
export async function requireVaultRecord(
  context: Pick<Context, 'store'>,
  vaultId: string,
): Promise<StoredVaultRecord> {
  const stored = await findVaultRecord(context, vaultId)
  if (stored === undefined || !isVaultRecord(stored, vaultId)) throw notFoundError('vault', vaultId)
  return stored
}

/**
 * Loads a vault.
 * @throws NotFoundError if it does not exist.
 * @throws DecryptionError with `record` if it is unreadable.
 */
export async function loadVault(context: Pick<Context, 'store'>, vaultId: string): Promise<Vault> {
  return parseVaultRecord(await requireVaultRecord(context, vaultId), vaultId)
}

/** Parses the record of this vault. @throws DecryptionError with `record` if it is unreadable. */
export function parseVaultRecord(stored: StoredVaultRecord, vaultId: string): Vault {
  const { generation: _, ...vault } = parseStoredVault(stored, vaultId)
  return vault
}

/**
 * Returns true if both records belong to the same vault, even if it was changed in between. Returns
 * false if they belong to two vaults with the same id.
 */
export function isSameVault(
  vaultId: string,
  before: StoredVaultRecord,
  after: StoredVaultRecord,
): boolean {
  return parseGeneration(before, vaultId) === parseGeneration(after, vaultId)
}

/**
 * Returns the generation of a vault: the version of its record at which the earlier vaults with its
 * id end, or 0 if there were none.
 */
export function parseGeneration(stored: StoredVaultRecord, vaultId: string): number {
  return parseStoredVault(stored, vaultId).generation ?? 0
}

function parseStoredVault(
  stored: StoredVaultRecord,
  vaultId: string,
): z.output<typeof storedVaultSchema> {
  return parseRecord(vaultKey(vaultId), stored, (body) => {
    const vault = parseStored(storedVaultSchema, decodeText(body))
    const { id, attributeVersion, generation = 0 } = vault
    const isOwn = id === vaultId && attributeVersion + generation === stored.version
    if (!isOwn) throw corruptRecordError()
    return vault
  })
}
