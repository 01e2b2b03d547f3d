/**
 * The only loop that changes what is stored: read, change, put if nobody else has, and again if somebody has.
 *
 * Changes of one item wait for each other inside the process, so that only other processes can win a race against
 * them. Only a put that was refused is tried again, never one that failed.
 */

import {
  ConflictError,
  InvalidInputError,
  PreconditionFailedError,
  type ResourceType,
} from '../../errors.js'
import type { ItemRef } from '../../schema/ids.js'
import type { Item } from '../../schema/item.js'
import type { RecordKey } from '../../store.js'
import type { Caller } from '../access/caller.js'
import { itemChange, withChangeHooks } from '../runtime/change-hooks.js'
import type { Context, ServiceStats } from '../runtime/context.js'
import { checkSize } from '../runtime/limits.js'
import {
  type BlobIds,
  encodeRecord,
  formatHeader,
  indexKeyOf,
  itemKey,
  parseHeader,
} from './item-record.js'
import { loadItem, type StoredItem } from './load-item.js'
import { withArchivedVersion } from './version-records.js'

const maxAttempts = 32
/** Milliseconds. */
const maxDelayMs = 250

/** Which item is changed, and on what condition. */
export interface ItemChange extends ItemRef {
  /** The change is made only to this version. */
  readonly ifVersion?: number | undefined
}

/**
 * A change may be made more than once, of a newer item each time: it is a function of what it is given, without effects.
 * Where it answers the very item that it is given, there is nothing to change.
 */
export type ItemUpdate = (item: Item) => Item

/** What some changes need besides the change itself. */
export interface UpdateOptions {
  /** Finds the item; `readItem` if absent. */
  readonly load?: typeof loadItem
  /** The contents of the files that the change adds, by file id; none if absent. */
  readonly addedBlobs?: BlobIds
  /** Puts the item, and does what belongs to that; resolves as `put` does. It begins when the change may be made. */
  readonly commit?: (
    before: StoredItem,
    put: () => Promise<StoredItem | undefined>,
  ) => Promise<StoredItem | undefined>
}

/**
 * The item as it was stored after the change; as it is, and nothing is written, where there is nothing to change.
 * @throws NotFoundError, what `change` throws, PreconditionFailedError, or ConflictError when others always came first.
 */
export function updateItem(
  context: Context,
  caller: Caller,
  ref: ItemChange,
  change: ItemUpdate,
  {
    load: read = loadItem,
    addedBlobs: newBlobs = {},
    commit: write = (_, put) => put(),
  }: UpdateOptions = {},
): Promise<StoredItem> {
  return withOptimisticRetry(context, itemKey(ref), 'item', async () => {
    const before = await read(context, ref)
    const changed = change(before.item)
    assertVersion(before.item, ref.ifVersion)
    if (changed === before.item) return before
    const item = nextVersion(changed, caller, context.now())
    const header = nextHeader(item, before, newBlobs)
    const text = JSON.stringify(item)
    // An item that was stored under a larger limit can still be changed if it does not grow.
    if (text.length > before.text.length) checkSize(text, context.limits)
    const put = (): Promise<StoredItem | undefined> => writeItem(context, { item, header, text })
    return withChangeHooks(context, itemChange('item.updated', item), () =>
      write(before, context.history === 0 ? put : () => withArchivedVersion(context, before, put)),
    )
  })
}

/** The head's line for the changed item: the line as it was, unless it speaks of what was changed. */
function nextHeader(item: Item, { item: before, header }: StoredItem, newBlobs: BlobIds): string {
  if (item.files === before.files && item.state === before.state) return header
  const blobs = Object.entries({ ...parseHeader(header).blobs, ...newBlobs })
  const kept = blobs.filter(([fileId]) => item.files.some(({ id }) => id === fileId))
  return formatHeader(item, Object.fromEntries(kept))
}

/** Writes the item as the successor of the version before; undefined if that is not what is stored. */
export async function writeItem(
  context: Context,
  found: StoredItem,
): Promise<StoredItem | undefined> {
  const { item } = found
  const body = encodeRecord(found)
  const indexKey = item.title === undefined ? {} : { indexKey: indexKeyOf(item.title) }
  const key = itemKey({ vaultId: item.vault.id, itemId: item.id })
  const done = await context.store.records.put(key, { body, ...indexKey }, item.version - 1)
  return done ? found : undefined
}

/** The item as this caller's next version. */
export function nextVersion(item: Item, caller: Caller, now: Date): Item {
  return {
    ...item,
    version: item.version + 1,
    updatedAt: now.toISOString(),
    lastEditedBy: String(caller.id),
  }
}

/** @throws PreconditionFailedError if a version is asked for and it is not the one of this item or vault. */
export function assertVersion(
  { id, version }: Pick<Item, 'id' | 'version'>,
  ifVersion: number | undefined,
  resource: ResourceType = 'item',
): void {
  if (ifVersion !== undefined && ifVersion !== version)
    throw new PreconditionFailedError(id, resource)
}

/** The item, if a change may be made to it. @throws InvalidInputError if it is archived. */
export function assertNotArchived(item: Item): Item {
  if (item.state !== 'ARCHIVED') return item
  throw InvalidInputError.at('', 'an archived item cannot be changed')
}

/**
 * Waits until every earlier change of this record in the process has ended, then tries again as long as an attempt
 * answers undefined.
 * @throws ConflictError when others always came first.
 */
export function withOptimisticRetry<Result>(
  { queue, stats }: Pick<Context, 'queue' | 'stats'>,
  { collection, id }: RecordKey,
  resource: ResourceType,
  attempt: () => Promise<Result | undefined>,
): Promise<Result> {
  return queue(`${collection}/${id}`, () => retryWithBackoff(stats, `${resource} ${id}`, attempt))
}

/**
 * Pauses after a lost attempt for a random time that may double each time. Pauses are measured by how long an attempt
 * takes; who has lost also pauses before his next turn, to let the others have theirs.
 */
async function retryWithBackoff<Result>(
  stats: ServiceStats,
  subject: string,
  attempt: () => Promise<Result | undefined>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    const began = performance.now()
    const result = await attempt()
    const length = performance.now() - began
    if (result !== undefined) {
      if (tries > 1) await sleepWithJitter(length * 12)
      return result
    }
    stats.writeConflicts += 1
    if (tries === maxAttempts) throw new ConflictError(`${subject} is changed by too many at once`)
    await sleepWithJitter(length * 2 ** (tries + 1))
  }
}

function sleepWithJitter(longest: number): Promise<void> {
  const milliseconds = Math.random() * Math.min(maxDelayMs, longest)
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
