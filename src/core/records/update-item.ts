/**
 * The only loop that changes what is stored: read, change, put if nobody else has, and again if somebody has.
 *
 * Changes of one item wait for each other inside the process, so that only other processes can win a race against
 * them. Only a put that was refused is tried again, never one that failed.
 */

import type { ItemPlace } from '../../dialects/dialect.js'
import {
  ConflictError,
  InvalidInputError,
  PreconditionFailedError,
  type Resource,
} from '../../errors.js'
import type { Item } from '../../schema/item.js'
import type { RecordKey } from '../../store.js'
import type { Caller } from '../access/caller.js'
import { deedOf, witnessed } from '../runtime/change-hooks.js'
import type { Context, Counts } from '../runtime/context.js'
import { checkSize } from '../runtime/limits.js'
import { type BlobIds, encodeRecord, headOf, itemKey, labelOf, parseHead } from './item-record.js'
import { type FoundItem, readItem } from './load-item.js'
import { keepingVersion } from './version-records.js'

const mostTries = 32
/** Milliseconds. */
const longestPause = 250

/** Which item is changed, and on what condition. */
export interface ItemChange extends Required<ItemPlace> {
  /** The change is made only to this version. */
  readonly ifVersion?: number | undefined
}

/**
 * A change may be made more than once, of a newer item each time: it is a function of what it is given, without effects.
 * Where it answers the very item that it is given, there is nothing to change.
 */
export type Change = (item: Item) => Item

/** What some changes need besides the change itself. */
export interface ChangeNeeds {
  /** Finds the item; `readItem` if absent. */
  readonly read?: typeof readItem
  /** The contents of the files that the change adds, by file id; none if absent. */
  readonly newBlobs?: BlobIds
  /** Puts the item, and does what belongs to that; resolves as `put` does. It begins when the change may be made. */
  readonly write?: (
    before: FoundItem,
    put: () => Promise<FoundItem | undefined>,
  ) => Promise<FoundItem | undefined>
}

/**
 * The item as it was stored after the change; as it is, and nothing is written, where there is nothing to change.
 * @throws NotFoundError, what `change` throws, PreconditionFailedError, or ConflictError when others always came first.
 */
export function changeItem(
  context: Context,
  caller: Caller,
  place: ItemChange,
  change: Change,
  { read = readItem, newBlobs = {}, write = (_, put) => put() }: ChangeNeeds = {},
): Promise<FoundItem> {
  return raced(context, itemKey(place), 'item', async () => {
    const before = await read(context, place)
    const changed = change(before.item)
    requireVersion(before.item, place.ifVersion)
    if (changed === before.item) return before
    const item = stamped(changed, caller, context.now())
    const head = headAfter(item, before, newBlobs)
    const text = JSON.stringify(item)
    // An item that was stored under a larger limit can still be changed if it does not grow.
    if (text.length > before.text.length) checkSize(text, context.limits)
    const put = (): Promise<FoundItem | undefined> => putItem(context, { item, head, text })
    return witnessed(context, deedOf('item.updated', item), () =>
      write(before, context.history === 0 ? put : () => keepingVersion(context, before, put)),
    )
  })
}

/** The head's line for the changed item: the line as it was, unless it speaks of what was changed. */
function headAfter(item: Item, { item: before, head }: FoundItem, newBlobs: BlobIds): string {
  if (item.files === before.files && item.state === before.state) return head
  const blobs = Object.entries({ ...parseHead(head).blobs, ...newBlobs })
  const kept = blobs.filter(([fileId]) => item.files.some(({ id }) => id === fileId))
  return headOf(item, Object.fromEntries(kept))
}

/** Writes the item as the successor of the version before; undefined if that is not what is stored. */
export async function putItem(context: Context, found: FoundItem): Promise<FoundItem | undefined> {
  const { item } = found
  const body = encodeRecord(found)
  const label = item.title === undefined ? {} : { label: labelOf(item.title) }
  const key = itemKey({ vaultId: item.vault.id, itemId: item.id })
  const done = await context.store.records.put(key, { body, ...label }, item.version - 1)
  return done ? found : undefined
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

/** @throws PreconditionFailedError if a version is asked for and it is not the one of this item or vault. */
export function requireVersion(
  { id, version }: Pick<Item, 'id' | 'version'>,
  ifVersion: number | undefined,
  resource: Resource = 'item',
): void {
  if (ifVersion !== undefined && ifVersion !== version)
    throw new PreconditionFailedError(id, resource)
}

/** The item, if a change may be made to it. @throws InvalidInputError if it is archived. */
export function unarchived(item: Item): Item {
  if (item.state !== 'ARCHIVED') return item
  throw InvalidInputError.at('', 'an archived item cannot be changed')
}

/**
 * Waits until every earlier change of this record in the process has ended, then tries again as long as an attempt
 * answers undefined.
 * @throws ConflictError when others always came first.
 */
export function raced<Result>(
  { queue, counts }: Pick<Context, 'queue' | 'counts'>,
  { collection, id }: RecordKey,
  resource: Resource,
  attempt: () => Promise<Result | undefined>,
): Promise<Result> {
  return queue(`${collection}/${id}`, () => repeated(counts, `${resource} ${id}`, attempt))
}

/**
 * Pauses after a lost attempt for a random time that may double each time. Pauses are measured by how long an attempt
 * takes; who has lost also pauses before his next turn, to let the others have theirs.
 */
async function repeated<Result>(
  counts: Counts,
  subject: string,
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
    counts.lostRaces += 1
    if (tries === mostTries) throw new ConflictError(`${subject} is changed by too many at once`)
    await pause(length * 2 ** (tries + 1))
  }
}

function pause(longest: number): Promise<void> {
  const milliseconds = Math.random() * Math.min(longestPause, longest)
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
