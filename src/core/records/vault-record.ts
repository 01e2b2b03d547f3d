/**
 * The record of a vault. It is never deleted: a deleted vault is replaced by a tombstone. So the
 * versions of the record continue over a deletion and a new vault with the same id, and a late
 * write to an earlier vault is always rejected.
 */

import * as z from 'zod/mini'
import { NotFoundError } from '../../errors.js'
import { type Vault, vaultSchema } from '../../schema/vault.js'
import {
  isDeletedVault,
  type RecordInput,
  type RecordKey,
  type StoredRecord,
  toDeletedVault,
} from '../../store.js'
import type { Context } from '../runtime/context.js'
import {
  corruptRecordError,
  decodeText,
  encodeText,
  indexKeyOf,
  parseStored,
} from './stored-json.js'

/** The name of the collection of all vaults. */
export const vaultCollection = 'vaults'

/** Returns the key of a vault's record. */
export function vaultKey(vaultId: string): RecordKey {
  return { collection: vaultCollection, id: vaultId }
}

/**
 * A vault as it is stored. `generation` is the version of the record at which the earlier vaults
 * with this id end: the record's version is `generation` plus `attributeVersion`. It is never
 * returned, and it is absent if it is 0, as in records of earlier releases.
 */
const storedVaultSchema = z.extend(vaultSchema, {
  generation: z.exactOptional(z.int().check(z.gte(1))),
})

/**
 * Returns the record for a vault. `expectedVersion` is the version that it replaces, 0 for none.
 */
export function toVaultRecord(vault: Vault, expectedVersion: number): RecordInput {
  const generation = expectedVersion + 1 - vault.attributeVersion
  const stored = generation === 0 ? vault : { ...vault, generation }
  return { body: encodeText(JSON.stringify(stored)), indexKey: indexKeyOf(vault.name) }
}

/** Returns the record that replaces a deleted vault. */
export function tombstone(vaultId: string): RecordInput {
  return { body: toDeletedVault(vaultId) }
}

/** Returns true if the record exists and is not the tombstone of this vault. It is not parsed. */
export function isVaultRecord(stored: StoredRecord | undefined, vaultId: string): boolean {
  return stored !== undefined && !isDeletedVault(stored.body, vaultId)
}

/** Returns true if the vault exists. Its record is not parsed. */
export async function hasVault(context: Pick<Context, 'store'>, vaultId: string): Promise<boolean> {
  return isVaultRecord(await context.store.records.get(vaultKey(vaultId)), vaultId)
}

/**
 * Returns the record of a vault without parsing it.
 * @throws NotFoundError if the vault does not exist.
 */
export async function requireVaultRecord(
  context: Pick<Context, 'store'>,
  vaultId: string,
): Promise<StoredRecord> {
  const stored = await context.store.records.get(vaultKey(vaultId))
  if (stored === undefined || !isVaultRecord(stored, vaultId))
    throw new NotFoundError('vault', vaultId)
  return stored
}

/**
 * Loads a vault.
 * @throws NotFoundError if it does not exist, StorageError if its record is invalid.
 */
export async function loadVault(context: Pick<Context, 'store'>, vaultId: string): Promise<Vault> {
  return parseVaultRecord(await requireVaultRecord(context, vaultId), vaultId)
}

/** Parses the record of this vault. @throws StorageError if it is invalid or of another vault. */
export function parseVaultRecord(stored: StoredRecord, vaultId: string): Vault {
  const { generation: _, ...vault } = parseStoredVault(stored, vaultId)
  return vault
}

/**
 * Returns true if both records are of one vault, even if it was changed in between; false if they
 * are of two vaults that have had the same id.
 */
export function isSameVault(vaultId: string, before: StoredRecord, after: StoredRecord): boolean {
  return parseGeneration(before, vaultId) === parseGeneration(after, vaultId)
}

/**
 * Returns the generation of a vault: the version of its record at which the earlier vaults with its
 * id end; 0 if there was none.
 */
export function parseGeneration(stored: StoredRecord, vaultId: string): number {
  return parseStoredVault(stored, vaultId).generation ?? 0
}

function parseStoredVault(
  stored: StoredRecord,
  vaultId: string,
): z.output<typeof storedVaultSchema> {
  const vault = parseStored(storedVaultSchema, decodeText(stored.body))
  const { id, attributeVersion, generation = 0 } = vault
  if (id !== vaultId || attributeVersion + generation !== stored.version) throw corruptRecordError()
  return vault
}
