/** A process that runs one contender, slice by slice, and reports the cost of each slice. */

import type { ItemDraft, PatchOperation } from 'cofferkit'
import { handleRequests } from '../child-process.js'
import type { Figures, MethodName } from '../measure.js'
import {
  content,
  draft,
  draftCount,
  itemCount,
  listedCount,
  patch,
  patchedValues,
} from '../sample.js'

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
  getItem(itemId: string): Promise<ReturnedItem>
  listItems(): Promise<readonly unknown[]>
  replaceItem(itemId: string, draft: ItemDraft): Promise<ReturnedItem>
  patchItem(itemId: string, patch: readonly PatchOperation[]): Promise<ReturnedItem>
  /** Resolves with the details of the only file, and its content in base64. */
  getFile(itemId: string): Promise<{ readonly content?: string }>
}

/** The requests to this process. */
export type ContenderRequests = {
  /** @throws Error if an operation is wrong. */
  readonly verify: () => Promise<void>
  readonly run: (slice: {
    readonly operation: MethodName
    readonly count: number
  }) => Promise<Figures>
}

const [, , module = '', ...args] = process.argv
const { createContender }: { createContender: CreateContender } = await import(module)
type CreateContender = (count: number, ...args: readonly string[]) => Promise<Contender>
const contender = await createContender(itemCount, ...args)
const drafts = Array.from({ length: draftCount }, (_, index) => draft(index))
const patches = Array.from({ length: draftCount }, (_, index) => patch(index))
let turn = 0

handleRequests<ContenderRequests>({
  verify,
  async run({ operation, count }) {
    const call = createCall(operation)
    const [before, start] = [process.cpuUsage(), performance.now()]
    for (let index = 0; index < count; index++) await call(turn++)
    const [{ user, system }, end] = [process.cpuUsage(before), performance.now()]
    return { cpu: (user + system) / count, rate: (count * 1000) / (end - start) }
  },
})

/** One operation, on another item than the last each time. */
function createCall(operation: MethodName): (index: number) => Promise<unknown> {
  const itemId = (index: number) => elementAt(contender.itemIds, index * 61)
  switch (operation) {
    case 'create':
      return (index) => contender.createItem(elementAt(drafts, index))
    case 'get':
      return (index) => contender.getItem(itemId(index))
    case 'list':
      return () => contender.listItems()
    case 'replace':
      return (index) => contender.replaceItem(itemId(index), elementAt(drafts, index))
    case 'patch':
      return (index) => contender.patchItem(itemId(index), elementAt(patches, index))
    case 'file':
      return (index) => contender.getFile(itemId(index))
  }
}

/** The element at the index modulo the length. */
function elementAt<Element>(list: readonly Element[], index: number): Element {
  const element = list[index % list.length]
  if (element === undefined) throw new RangeError('the list is empty')
  return element
}

async function verify(): Promise<void> {
  const itemId = elementAt(contender.itemIds, 1)
  const created = await contender.createItem(draft(7))
  const replaced = await contender.replaceItem(itemId, draft(8))
  const patched = await contender.patchItem(itemId, patch(9))
  const found = await contender.getItem(itemId)
  const file = await contender.getFile(itemId)
  const { title, label, value } = patchedValues(9)
  const isCorrect =
    created.version === 1 &&
    created.fields.length === 20 &&
    replaced.title === draft(8).title &&
    patched.version === replaced.version + 1 &&
    patched.title === title &&
    patched.fields[11]?.label === label &&
    patched.fields[17]?.value === value &&
    found.version === patched.version &&
    (await contender.listItems()).length === listedCount &&
    file.content === Buffer.from(content).toString('base64')
  if (!isCorrect) throw new Error(`${module} does not do the job`)
}
