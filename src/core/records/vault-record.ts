/**
 * A vault as a record: written, and found again. The record is never removed, only replaced: its versions go on over a
 * deletion and a new vault of the same id, so that a late write of an earlier vault is always refused.
 */

import * as z from 'zod/mini'
import { NotFoundError } from '../../errors.js'
import { type Vault, vaultSchema } from '../../schema/vault.js'
import type { RecordInput, RecordKey, StoredRecord } from '../../store.js'
import type { Context } from '../runtime/context.js'
import { indexKeyOf } from './item-record.js'
import { corruptRecordError, decodeText, encodeText, parseStored } from './stored-json.js'

/** The collection of all vaults. */
export const vaultCollection = 'vaults'

/** The key of a vault's record. */
export function vaultKey(vaultId: string): RecordKey {
  return { collection: vaultCollection, id: vaultId }
}

/**
 * The vaults that had this id before end at this version of the record: `attributeVersion` and `generation` together are
 * the record's version. Never answered; absent where it is 0, as in records of earlier releases.
 */
const storedVaultSchema = z.extend(vaultSchema, {
  generation: z.exactOptional(z.int().check(z.gte(1))),
})

/** A vault as it is written, in the place of a record of version `seen`, 0 for none. */
export function vaultRecord(vault: Vault, expectedVersion: number): RecordInput {
  const generation = expectedVersion + 1 - vault.attributeVersion
  const stored = generation === 0 ? vault : { ...vault, generation }
  return { body: encodeText(JSON.stringify(stored)), indexKey: indexKeyOf(vault.name) }
}

/** The record that takes the place of a vault that was deleted. */
export function tombstone(vaultId: string): RecordInput {
  return { body: encodeText(JSON.stringify({ id: vaultId, deleted: true })) }
}

const tombstoneLength = tombstone('0'.repeat(26)).body.length

/** Whether the record is that of a vault, which is not read, and not of one that was deleted. */
export function isVault(stored: StoredRecord | undefined, vaultId: string): boolean {
  if (stored === undefined) return false
  if (stored.body.length !== tombstoneLength) return true
  const { body } = tombstone(vaultId)
  return stored.body.some((byte, index) => byte !== body[index])
}

/** Whether there is such a vault. What its record says is not read. */
export async function hasVault(context: Pick<Context, 'store'>, vaultId: string): Promise<boolean> {
  return isVault(await context.store.records.get(vaultKey(vaultId)), vaultId)
}

/** @throws NotFoundError if there is no such vault. What its record says is not read. */
export async function requireVaultRecord(
  context: Pick<Context, 'store'>,
  vaultId: string,
): Promise<StoredRecord> {
  const stored = await context.store.records.get(vaultKey(vaultId))
  if (stored === undefined || !isVault(stored, vaultId)) throw new NotFoundError('vault', vaultId)
  return stored
}

/** @throws NotFoundError if there is no such vault, StorageError if another stands in its place. */
export async function readVault(context: Pick<Context, 'store'>, vaultId: string): Promise<Vault> {
  return parseVaultRecord(await requireVaultRecord(context, vaultId), vaultId)
}

/** The vault that a record holds, if it lies where this vault belongs. @throws StorageError otherwise. */
export function parseVaultRecord(stored: StoredRecord, vaultId: string): Vault {
  const { generation, ...vault } = storedVaultIn(stored, vaultId)
  return vault
}

/** Whether both records are of one vault, which may have been changed; not of two that have had the same id. */
export function isSameVault(vaultId: string, before: StoredRecord, now: StoredRecord): boolean {
  if (before.version === now.version) return true
  return generationIn(before, vaultId) === generationIn(now, vaultId)
}

function generationIn(stored: StoredRecord, vaultId: string): number {
  return storedVaultIn(stored, vaultId).generation ?? 0
}

function storedVaultIn(stored: StoredRecord, vaultId: string): z.output<typeof storedVaultSchema> {
  const vault = parseStored(storedVaultSchema, decodeText(stored.body))
  const { id, attributeVersion, generation = 0 } = vault
  if (id !== vaultId || attributeVersion + generation !== stored.version) throw corruptRecordError()
  return vault
}
