/** Imports one item with its files. */

import { toHex } from '../base/to-hex.js'
import { type CallerOperations, isVaultError, type VaultError } from '../index.js'
import { type ImportedBefore, withMarker } from './find-imported.js'
import type { ImportedFile, ImportedItem, ImportLoss } from './result.js'

/**
 * The outcome for an item. `completed`: it was imported before, and now got what an interrupted
 * import had left out. `failed`: the vault does not accept it.
 */
export type ImportOutcome = 'created' | 'completed' | 'unchanged' | 'failed'

/** An item, or a file of an item, that the vault does not accept. */
export interface ImportFailure {
  readonly sourceId: string
  /** The id of the file in its source. Not set if the item itself is not accepted. */
  readonly fileId?: string
  /** The code of the error, such as `INVALID_INPUT`. */
  readonly code: VaultError['code']
  /** The message of the error, which contains no value. */
  readonly message: string
}

/** Where an import writes. */
export interface Target {
  readonly operations: CallerOperations
  readonly vaultId: string
  readonly isDryRun: boolean
}

interface ItemResult {
  readonly outcome: ImportOutcome
  /** The id of the item in the vault. Not set if it failed, or if a dry run would create it. */
  readonly itemId?: string
  /** The number of files that were added. */
  readonly files: number
  readonly failures: readonly ImportFailure[]
  /** The files that are missing in the item because a user has changed it since it was imported. */
  readonly losses: readonly ImportLoss[]
}

/**
 * Creates an item with its files and its state. If the item was imported before, only what is
 * missing is added, and only if no caller has changed it. So a file that a user has removed does
 * not come back.
 * @throws VaultError if a failure is not about this item.
 */
export async function importItem(
  target: Target,
  item: ImportedItem,
  files: readonly ImportedFile[],
  before: ImportedBefore | undefined,
): Promise<ItemResult> {
  const { operations, vaultId, isDryRun } = target
  const { sourceId } = item
  const fileIds = await Promise.all(files.map(({ id }) => fileIdOf(sourceId, id)))
  const missing = files.flatMap((file, index) => {
    const fileId = fileIds[index]
    return before?.fileIds.has(fileId ?? '') ? [] : [{ ...file, fileId }]
  })
  if (before !== undefined && !isLeftByImport(before)) {
    const message = 'the item was changed after it was imported, so the file was not added'
    const losses = missing.map(() => ({ path: '', kind: 'file' as const, message, sourceId }))
    return { outcome: 'unchanged', itemId: before.id, files: 0, failures: [], losses }
  }
  const failures: ImportFailure[] = []
  const fail = (failure: ImportFailure): number => failures.push(failure)
  const create = () => operations.createItem({ vaultId, item: withMarker(item) })
  const itemId =
    before?.id ?? (await unlessRefused(create, (why) => fail({ sourceId, ...why })))?.id
  if (itemId === undefined) return { outcome: 'failed', files: 0, failures, losses: [] }
  const ref = { vaultId, itemId }
  // In a dry run, an item that was imported before does not exist where the dry run writes.
  const canWrite = !isDryRun || before === undefined
  let fileCount = 0
  for (const { id, fileId, name, content, sectionId } of missing) {
    const attach = () => operations.attachFile({ ...ref, fileId, name, content, sectionId })
    const attached =
      !canWrite || (await unlessRefused(attach, (why) => fail({ sourceId, fileId: id, ...why })))
    if (attached) fileCount++
  }
  const isArchived = item.state === 'ARCHIVED'
  if (isArchived && canWrite) await operations.setItemState({ ...ref, state: 'ARCHIVED' })
  const done = { files: fileCount, failures, losses: [] }
  if (before === undefined) return { ...done, outcome: 'created', ...(!isDryRun && { itemId }) }
  const outcome = fileCount > 0 || isArchived ? 'completed' : 'unchanged'
  return { ...done, outcome, itemId }
}

/** Returns true if an item is active and its version shows that only an import has written it. */
function isLeftByImport({ version, state, fileIds }: ImportedBefore): boolean {
  return state === undefined && version === 1 + fileIds.size
}

/**
 * Returns the result of a call. If the vault does not accept what the call contains, calls
 * `onRefusal` and returns undefined. Every other error is thrown, because the next item would fail
 * in the same way.
 */
async function unlessRefused<Result>(
  call: () => Promise<Result>,
  onRefusal: (why: Pick<ImportFailure, 'code' | 'message'>) => void,
): Promise<Result | undefined> {
  try {
    return await call()
  } catch (error) {
    if (!isVaultError(error) || !isRefusal(error)) throw error
    onRefusal({ code: error.code, message: error.message })
    return undefined
  }
}

function isRefusal(error: VaultError): boolean {
  if (error.code === 'NOT_FOUND') return error.resource !== 'vault'
  return ['INVALID_INPUT', 'CONFLICT', 'CONTENT_TOO_LARGE'].includes(error.code)
}

/**
 * Returns a UUID of version 8 (RFC 9562, section 5.8), in lower case, made from the SHA-256 of the
 * source id of an item and the id of a file in its source.
 */
async function fileIdOf(sourceId: string, id: string): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify([sourceId, id]))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text))
  const hex = toHex(digest.subarray(0, 16))
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join('-')
}
