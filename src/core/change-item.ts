/**
 * The only loop that changes what is stored: read, change, put if nobody else has, and again if somebody has.
 *
 * Changes of one item wait for each other inside the process, so that only other processes can win a race against
 * them. Only a put that was refused is tried again, never one that failed.
 */

import type { ItemPlace } from '../dialects/dialect.js'
import { ConflictError, InvalidInputError, PreconditionFailedError } from '../errors.js'
import type { Item } from '../schema/item.js'
import type { Caller } from './caller.js'
import type { Context } from './context.js'
import { encodeRecord, itemKey, labelOf } from './item-record.js'
import { keepingVersion } from './item-versions.js'
import { type FoundItem, readItem } from './read-item.js'

const mostTries = 32
/** Milliseconds. */
const longestPause = 250

/** Which item is changed, and on what condition. */
export interface ItemChange extends Required<ItemPlace> {
  /** The change is made only to this version. */
  readonly ifVersion?: number | undefined
}

/** A change may be made more than once, of a newer item each time: it is a function of what it is given, without effects. */
export type Change = (item: Item) => Item

/** What becomes of the head of the record when the item is changed; needed where files or the state are. */
export type HeadChange = (item: Item, head: string) => string

/**
 * The item as it was stored after the change.
 * @throws NotFoundError, what `change` throws, PreconditionFailedError, or ConflictError when others always came first.
 */
export function changeItem(
  context: Context,
  caller: Caller,
  place: ItemChange,
  change: Change,
  changeHead: HeadChange = (_, head) => head,
): Promise<FoundItem> {
  const key = itemKey(place)
  return context.queue(`${key.collection}/${key.id}`, () =>
    raced(place.itemId, async () => {
      const before = await readItem(context, place)
      const item = stamped(change(before.item), caller, context.now())
      requireVersion(before.item, place.ifVersion)
      const put = (): Promise<FoundItem | undefined> =>
        putItem(context, item, changeHead(item, before.head))
      return context.history === 0 ? put() : keepingVersion(context, before, put)
    }),
  )
}

/** Writes the item as the successor of the version before; undefined if that is not what is stored. */
export async function putItem(
  context: Context,
  item: Item,
  head: string,
): Promise<FoundItem | undefined> {
  const text = JSON.stringify(item)
  const body = encodeRecord({ head, text })
  const label = item.title === undefined ? {} : { label: labelOf(item.title) }
  const key = itemKey({ vaultId: item.vault.id, itemId: item.id })
  const done = await context.store.records.put(key, { body, ...label }, item.version - 1)
  return done ? { item, head, text } : undefined
}

/** The item as this caller's next version. */
export function stamped(item: Item, caller: Caller, now: Date): Item {
  return {
    ...item,
    version: item.version + 1,
    updatedAt: now.toISOString(),
    lastEditedBy: String(caller.id),
  }
}

/** @throws PreconditionFailedError if a version is asked for and it is not the item's. */
export function requireVersion(item: Item, ifVersion: number | undefined): void {
  if (ifVersion !== undefined && ifVersion !== item.version)
    throw new PreconditionFailedError(item.id)
}

/** The item, if a change may be made to it. @throws InvalidInputError if it is archived. */
export function unarchived(item: Item): Item {
  if (item.state !== 'ARCHIVED') return item
  throw InvalidInputError.at('', 'an archived item cannot be changed')
}

/**
 * Tries again as long as an attempt answers undefined, after a random pause that may double each time. Pauses are
 * measured by how long an attempt takes; who has lost also pauses before his next turn, to let the others have theirs.
 */
export async function raced<Result>(
  itemId: string,
  attempt: () => Promise<Result | undefined>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    const began = performance.now()
    const result = await attempt()
    const length = performance.now() - began
    if (result !== undefined) {
      if (tries > 1) await pause(length * 12)
      return result
    }
    if (tries === mostTries)
      throw new ConflictError(`item ${itemId} is changed by too many at once`)
    await pause(length * 2 ** (tries + 1))
  }
}

function pause(longest: number): Promise<void> {
  const milliseconds = Math.random() * Math.min(longestPause, longest)
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
