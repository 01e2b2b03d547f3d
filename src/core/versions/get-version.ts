/** Answers an item as it was in one of its versions. */

import { NotFoundError } from '../../errors.js'
import type { ItemRef } from '../../schema/ids.js'
import { versionInputSchema } from '../../schema/inputs.js'
import { parse } from '../../schema/parse.js'
import { authorize } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import { loadItem, type StoredItem } from '../records/load-item.js'
import { readVersion } from '../records/version-records.js'
import type { Context } from '../runtime/context.js'

/** What `getVersion` is told. */
export interface GetVersionInput {
  readonly vaultId: string
  readonly itemId: string
  /** 1 or more. */
  readonly version: number
}

/** The operation `getVersion` of the service. */
export async function getVersion(
  context: Context,
  caller: Caller | undefined,
  input: GetVersionInput,
): Promise<StoredItem> {
  const ref = { vaultId: input.vaultId, itemId: input.itemId }
  await authorize(caller, ref, 'read')
  return findVersion(context, ref, parse(versionInputSchema, input).version)
}

/** @throws NotFoundError if the vault, the item or the version is not there. */
export async function findVersion(
  context: Context,
  ref: ItemRef,
  version: number,
): Promise<StoredItem> {
  const found = await loadItem(context, ref)
  if (found.item.version === version) return found
  const kept = await readVersion(context, ref, version)
  if (kept === undefined) throw new NotFoundError('version', String(version))
  return kept
}
