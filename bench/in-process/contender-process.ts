/** A process that runs one contender, slice by slice, and reports the cost of each slice. */

import type { ItemDraft, PatchOperation } from 'cofferkit'
import type { OperationName } from '../bench-options.js'
import { handleRequests } from '../child-process.js'
import { draft, draftCount, itemCount, patch, patchedValues } from '../sample.js'

/** The members of an item that are verified. */
interface ReturnedItem {
  readonly version: number
  readonly title?: string | undefined
  readonly fields: readonly {
    readonly label?: string | undefined
    readonly value?: string | undefined
  }[]
}

/** A set of operations that is measured. */
export interface Contender {
  /** The ids of the stored items. */
  readonly itemIds: readonly string[]
  createItem(draft: ItemDraft): Promise<ReturnedItem>
  replaceItem(itemId: string, draft: ItemDraft): Promise<ReturnedItem>
  patchItem(itemId: string, patch: readonly PatchOperation[]): Promise<ReturnedItem>
  getFileDetails(itemId: string): Promise<{ readonly size?: number } | undefined>
}

/** A part of a round. Each call of a cold slice is for another item than the last. */
export interface Slice {
  readonly operation: OperationName
  readonly mode: 'cold' | 'warm'
}

/** The requests to this process. */
export type ContenderRequests = {
  /** Resolves with the length of a patched item as JSON. @throws Error if an operation is wrong. */
  readonly verify: () => Promise<number>
  /** Resolves with the CPU microseconds of one operation. */
  readonly run: (slice: Slice & { readonly count: number }) => Promise<number>
}

const [, , module = '', build = ''] = process.argv
const {
  createContender,
}: { createContender: (count: number, build: string) => Promise<Contender> } = await import(module)
const contender = await createContender(itemCount, build)
const drafts = Array.from({ length: draftCount }, (_, index) => draft(index))
const patches = Array.from({ length: draftCount }, (_, index) => patch(index))
let turn = 0

handleRequests<ContenderRequests>({
  verify,
  async run({ count, ...slice }) {
    const call = createCall(slice)
    const before = process.cpuUsage()
    for (let index = 0; index < count; index++) await call(turn++)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / count
  },
})

/** One operation of a slice: on the next item each time, or on the same one. */
function createCall({ operation, mode }: Slice): (index: number) => Promise<unknown> {
  const isWarm = mode === 'warm'
  const itemId = (index: number) => elementAt(contender.itemIds, isWarm ? 0 : index * 61)
  const next = <Body>(list: readonly Body[], index: number) =>
    elementAt(list, isWarm ? index % 2 : index)
  switch (operation) {
    case 'create':
      return (index) => contender.createItem(next(drafts, index))
    case 'replace':
      return (index) => contender.replaceItem(itemId(index), next(drafts, index))
    case 'patch':
      return (index) => contender.patchItem(itemId(index), next(patches, index))
    case 'file':
      return (index) => contender.getFileDetails(itemId(index))
  }
}

/** The element at the index modulo the length. */
function elementAt<Element>(list: readonly Element[], index: number): Element {
  const element = list[index % list.length]
  if (element === undefined) throw new RangeError('the list is empty')
  return element
}

async function verify(): Promise<number> {
  const itemId = elementAt(contender.itemIds, 1)
  const created = await contender.createItem(draft(7))
  const replaced = await contender.replaceItem(itemId, draft(8))
  const patched = await contender.patchItem(itemId, patch(9))
  const file = await contender.getFileDetails(itemId)
  const { title, label, value } = patchedValues(9)
  const isCorrect =
    created.version === 1 &&
    created.fields.length === 20 &&
    replaced.title === draft(8).title &&
    patched.version === replaced.version + 1 &&
    patched.title === title &&
    patched.fields[11]?.label === label &&
    patched.fields[17]?.value === value &&
    file?.size === 256
  if (!isCorrect) throw new Error(`${module} does not do the job`)
  return JSON.stringify(patched).length
}
