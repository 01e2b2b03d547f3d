/** Creates an item in a vault in memory and patches it. */

import {
  createCaller,
  createVaultService,
  InvalidInputError,
  type Item,
  isVaultError,
  type RandomBytes,
  type VaultError,
} from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import {
  findJsonPlaces,
  type JsonPlaces,
  JsonSyntaxError,
  lineAndColumn,
  type Place,
  placeOfPath,
} from './json-places.js'

/** The two texts that are edited. */
export type EditorName = 'item' | 'patch'

/** Input of {@link runPatch}. */
export interface RunInput {
  readonly texts: Readonly<Record<EditorName, string>>
  /** The option `strict` of the service. */
  readonly isStrict: boolean
  readonly randomBytes: RandomBytes
  /** The times of the creation and of the patch. */
  readonly times: Readonly<Record<EditorName, Date>>
}

/** A cause of a problem. */
export interface ProblemCause {
  readonly message: string
  /** The path of an attribute, such as `fields/0/value`; empty for the whole text. */
  readonly path: string
  /** The text that contains the cause, and its place; undefined if the patched item has it. */
  readonly source: { readonly editor: EditorName; readonly place: Place } | undefined
}

/** The reason for which nothing was stored. */
export interface Problem {
  readonly editor: EditorName
  /** Undefined if the text is not JSON, so that the service was not called. */
  readonly answer: Pick<VaultError, 'status' | 'code' | 'message'> | undefined
  readonly causes: readonly ProblemCause[]
}

/** The items before and after a patch. They are equal if the patch was rejected. */
export interface PatchResult {
  readonly before: Item
  readonly after: Item
}

/** The outcome of {@link runPatch}. `result` is undefined if the item was not created. */
export interface Outcome {
  readonly result: PatchResult | undefined
  readonly problem: Problem | undefined
}

/** Creates the item in a new vault and patches it. */
export async function runPatch(input: RunInput): Promise<Outcome> {
  const { texts, isStrict, randomBytes, times } = input
  const item = readJson('item', texts.item)
  const patch = readJson('patch', texts.patch)
  if ('causes' in item) return { result: undefined, problem: item }
  if ('causes' in patch) return { result: undefined, problem: patch }

  let time = times.item
  const service = createVaultService({
    store: createMemoryStore(),
    strict: isStrict,
    randomBytes,
    now: () => time,
  })
  const caller = createCaller('you', '*')
  const { id: vaultId } = await service.createVault(caller, { name: 'Playground' })
  let created: Item
  try {
    created = await service.createItem(caller, { vaultId, item: item.value as never })
  } catch (error) {
    return { result: undefined, problem: toProblem('item', error, item.places) }
  }
  time = times.patch
  try {
    const ref = { vaultId, itemId: created.id }
    const after = await service.patchItem(caller, { ...ref, patch: patch.value as never })
    return { result: { before: created, after }, problem: undefined }
  } catch (error) {
    const after = await service.getItem(caller, { vaultId, itemId: created.id })
    const problem = toProblem('patch', error, patch.places)
    return { result: { before: created, after }, problem }
  }
}

interface ReadText {
  readonly value: unknown
  readonly places: JsonPlaces
}

function readJson(editor: EditorName, text: string): ReadText | Problem {
  try {
    return { places: findJsonPlaces(text), value: JSON.parse(text) }
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    const { offset } = error
    const [line, column] = lineAndColumn(text, offset)
    const message = `Line ${line}, column ${column}: ${error.message}.`
    const place = { start: offset, end: Math.min(offset + 1, text.length) }
    return { editor, answer: undefined, causes: [{ message, path: '', source: { editor, place } }] }
  }
}

/** @throws The error if it is not one of the library. */
function toProblem(editor: EditorName, error: unknown, places: JsonPlaces): Problem {
  if (!isVaultError(error)) throw error
  const { status, code, message } = error
  const issues =
    error instanceof InvalidInputError && error.issues.length > 0
      ? error.issues
      : [{ path: '', message }]
  const causes = issues.map(({ path, message: cause }): ProblemCause => {
    // Paths of a patch begin with the index of an operation, those of an item with an attribute.
    const isElsewhere = editor === 'patch' && path !== '' && !/^\d/.test(path)
    const source = isElsewhere ? undefined : { editor, place: placeOfPath(places, path) }
    return { message: cause, path, source }
  })
  return { editor, answer: { status, code, message }, causes }
}
