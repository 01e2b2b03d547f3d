/** Answers an item as it was in one of its versions. */

import type { ItemPlace } from '../dialects/dialect.js'
import { NotFoundError } from '../errors.js'
import { type Item, versionInputSchema } from '../schema/item.js'
import { parse } from '../schema/parse.js'
import type { Caller } from './caller.js'
import type { Context } from './context.js'
import { keptVersion } from './item-versions.js'
import { permit } from './permit.js'
import { readItem } from './read-item.js'

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
): Promise<Item> {
  const place = { vaultId: input.vaultId, itemId: input.itemId }
  await permit(caller, place, 'read')
  return findVersion(context, place, parse(versionInputSchema, input).version)
}

/** @throws NotFoundError if the vault, the item or the version is not there. */
export async function findVersion(
  context: Context,
  place: Required<ItemPlace>,
  version: number,
): Promise<Item> {
  const { item } = await readItem(context, place)
  if (item.version === version) return item
  const kept = await keptVersion(context, place, version)
  if (kept === undefined) throw new NotFoundError('version', String(version))
  return kept.item
}
