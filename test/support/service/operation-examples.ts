/** An input of every operation, from which tests derive calls and requests. */

import type { ItemDraft, MethodName } from '../../../src/index.js'
import type { TestVault } from '../../../src/testing.js'
import { noteDraft } from '../drafts.js'
import { fileRef } from '../items/refs.js'

/** The ids that a call refers to. */
export interface CallRef {
  readonly vaultId: string
  readonly itemId: string
  readonly fileId: string
}

/** What the inputs consist of. */
export interface ExampleParts extends CallRef {
  /** The id of a field with a value. */
  readonly field: string
  /** The version of the item. */
  readonly version: number
  /** Any text: each text that a caller can choose, besides those of `draft`. */
  readonly text: string
  readonly draft: ItemDraft
}

/** An operation as tests call it. */
interface OperationExample {
  /**
   * Returns an input with which the operation succeeds on a new test vault, whose item is at version
   * 3. It has `text` wherever that is possible, and all members that can be in a body over HTTP.
   */
  input(parts: ExampleParts): object
  /** The calls of the store on the test vault, with history, in their order. */
  readonly storeCalls: string
}

/** A request to the origin of the item of a test vault. */
export const exampleUse = { origin: 'https://example.com', method: 'POST' } as const

const get = 'records.get'
const change = 'records.get, 2 records.put'

/** Every operation. */
export const operationExamples: Readonly<Record<MethodName, OperationExample>> = {
  listVaults: { input: () => ({}), storeCalls: 'records.list' },
  createVault: {
    input: ({ text }) => ({ name: text, description: text }),
    storeCalls: 'records.get, 4 records.list, records.put',
  },
  getVault: { input: toVault, storeCalls: get },
  updateVault: {
    input: (parts) => ({ ...toVault(parts), name: parts.text, description: parts.text }),
    storeCalls: 'records.get, records.put',
  },
  deleteVault: {
    input: toVault,
    storeCalls:
      'records.get, records.list, records.get, records.put, records.delete, records.list, 2 blobs.delete, 3 records.delete, 3 records.list, records.put, 4 records.list',
  },
  listItems: { input: toVault, storeCalls: 'records.get, records.list' },
  createItem: {
    input: (parts) => ({ ...toVault(parts), item: parts.draft }),
    storeCalls: 'records.get, records.put, records.get',
  },
  getItem: { input: toItem, storeCalls: get },
  getField: { input: (parts) => ({ ...toItem(parts), field: parts.field }), storeCalls: get },
  useField: {
    input: (parts) => ({ ...toItem(parts), field: parts.field, use: exampleUse }),
    storeCalls: get,
  },
  describeItem: { input: toItem, storeCalls: get },
  getItems: {
    input: (parts) => ({ ...toVault(parts), itemIds: [parts.itemId] }),
    storeCalls: get,
  },
  replaceItem: {
    input: (parts) => ({ ...toItem(parts), item: parts.draft }),
    storeCalls: change,
  },
  patchItem: {
    input: (parts) => ({
      ...toItem(parts),
      patch: [{ op: 'add', path: '/title', value: parts.text }],
    }),
    storeCalls: change,
  },
  regenerateField: {
    input: (parts) => ({
      ...toItem(parts),
      fieldId: parts.field,
      recipe: { characterSets: ['LETTERS'], excludeCharacters: parts.text, length: 20 },
    }),
    storeCalls: change,
  },
  deleteItem: {
    input: toItem,
    storeCalls:
      'records.get, records.put, records.delete, records.list, 2 blobs.delete, 3 records.delete',
  },
  setItemState: {
    input: (parts) => ({ ...toItem(parts), state: 'ARCHIVED' }),
    storeCalls: change,
  },
  attachFile: {
    input: (parts) => ({
      ...toItem(parts),
      name: parts.text,
      content: new TextEncoder().encode(parts.text),
    }),
    storeCalls: 'records.get, records.put, blobs.write, records.get, 3 records.put, records.delete',
  },
  removeFile: {
    input: toFile,
    storeCalls: 'records.get, 3 records.put, blobs.delete, records.delete',
  },
  listFiles: {
    input: (parts) => ({ ...toItem(parts), inlineFiles: true }),
    storeCalls: 'records.get, 2 blobs.read',
  },
  getFileDetails: {
    input: (parts) => ({ ...toFile(parts), inlineFiles: true }),
    storeCalls: 'records.get, blobs.read',
  },
  readFileContent: { input: toFile, storeCalls: 'records.get, blobs.read' },
  listVersions: { input: toItem, storeCalls: 'records.get, records.list' },
  getVersion: { input: (parts) => ({ ...toItem(parts), version: parts.version }), storeCalls: get },
  restoreVersion: {
    input: (parts) => ({ ...toItem(parts), version: parts.version }),
    storeCalls: '2 records.get, 2 records.put',
  },
  collectGarbage: {
    input: toVault,
    storeCalls: 'records.get, 2 records.list, records.get, 2 records.list',
  },
  listActivity: { input: () => ({}), storeCalls: '' },
}

/** Returns an input of the operation. By default, its texts are short, and its item is a note. */
export function exampleInput(name: MethodName, parts: CallRef & Partial<ExampleParts>): object {
  const defaults = { field: 'password', version: 3, text: 'New', draft: noteDraft(parts.vaultId) }
  return operationExamples[name].input({ ...defaults, ...parts })
}

/** Returns the ids of a test vault, of its item and of the smaller one of its files. */
export function toCallRef(vault: Pick<TestVault, 'vaultId' | 'item' | 'smallFile'>): CallRef {
  return fileRef(vault)
}

function toVault({ vaultId }: CallRef): object {
  return { vaultId }
}

function toItem({ vaultId, itemId }: CallRef): object {
  return { vaultId, itemId }
}

function toFile({ vaultId, itemId, fileId }: CallRef): object {
  return { vaultId, itemId, fileId }
}
