/** Resolves secret references, alone or in a template or an environment. */

import { anyFunction, like, readArgument } from '../base/argument.js'
import { isObject } from '../base/is-object.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import { createPacer } from '../base/pacer.js'
import type { Caller } from '../core/access/caller.js'
import { assertService } from '../core/assert-service.js'
import type { VaultService } from '../core/vault-service.js'
import { ContentTooLargeError, InvalidInputError } from '../errors.js'
import type { TokenKeeper } from '../oauth/token-keeper.js'
import type { ItemRef } from '../schema/ids.js'
import type { Item } from '../schema/item.js'
import { findTags, type Tag } from './find-tags.js'
import { createItemReader } from './read-item.js'
import { readValue } from './read-value.js'
import {
  hasReferenceScheme,
  parseReferences,
  type ReferenceText,
  type SecretReference,
  toText,
} from './secret-reference.js'

/** The maximum number of references in one call. */
const maxReferences = 1000
/**
 * The maximum number of characters of all values of one call together, and of a filled template.
 */
const maxResultLength = 16_777_216
/** The number of items that are read at a time. */
const maxConcurrentItems = 8
/** The size in bytes that the pacer assumes for a field or a file that is compared with a name. */
const elementBytes = 16

/**
 * Resolves secret references with the permissions of one caller. Nothing is kept between calls, so
 * each call returns the newest values. Each call first parses all of its references, and reads
 * nothing if one of them is invalid. It reads up to eight items at a time, and each item once.
 *
 * Each method rejects with the errors of the operations and with the errors below. Their messages
 * contain the reference, but never a value or any other name.
 * - InvalidInputError (400) if a reference is invalid, the name of a vault, an item or a field is
 *   ambiguous, an attribute does not fit, or there are more than 1,000 references
 * - NotFoundError (404) if a part of a reference does not exist, or the caller cannot read the
 *   vault. `resource` is `vault`, `item`, `section` or `field`, and `id` the name in the reference.
 *   If several references fail, the error is about the first item
 * - ContentTooLargeError (413) if a file is larger than 1,048,576 bytes, or the values or the
 *   filled template have more than 16,777,216 characters in total
 * - UnauthorizedError (401) if the caller is missing
 * - the errors of the option `tokens`, such as ReconnectRequiredError, for
 *   `?attribute=access_token`
 */
export interface ReferenceResolver {
  /**
   * Resolves a reference.
   * @returns The value of the field, the content of the file, or the attribute that the reference
   * names. An empty string if the field has no such value.
   */
  resolve(reference: string): Promise<string>
  /**
   * Resolves references.
   * @returns The values, in the order of the references.
   */
  resolveAll(references: readonly string[]): Promise<readonly string[]>
  /**
   * Replaces each `{{ op://... }}` in a template with its value. Spaces around the reference are
   * ignored. Everything else is kept, including references without braces, other tags and
   * variables. Values are inserted unchanged, are not escaped, and are not searched for references.
   */
  inject(template: string): Promise<string>
  /**
   * Replaces the values of environment variables that begin with `op://`.
   * @param env - The variables, such as `process.env`. It is not changed.
   * @returns A new object with all variables of `env`.
   */
  resolveEnv<Env extends Readonly<Record<string, string | undefined>>>(
    env: Env,
  ): Promise<ResolvedEnv<Env>>
}

/** Options of `createReferenceResolver`. */
export interface ReferenceResolverOptions {
  /**
   * Returns the tokens of `op://vault/item/credential?attribute=access_token`: the result of
   * `createTokenKeeper`. By default such a reference is rejected with 400.
   */
  readonly tokens?: Pick<TokenKeeper<ItemRef, Caller | undefined>, 'accessToken'> | undefined
}

const resolverOptions = defineOptions({
  tokens: optional(like({ accessToken: anyFunction })),
} satisfies OptionKinds<ReferenceResolverOptions>)

/** Environment variables whose references are resolved. */
export type ResolvedEnv<Env> = {
  -readonly [Name in keyof Env]: Env[Name] extends string ? string : string | undefined
}

/**
 * Creates a resolver of secret references, `op://vault/item/[section/]field`. It reads through the
 * operations of the service, so the permissions of the caller and the activity log apply.
 * @throws TypeError if `service` is not a service, or an option is unknown.
 * @example
 * const references = createReferenceResolver(service, caller)
 * const password = await references.resolve('op://Team/Database/password')
 */
export function createReferenceResolver(
  service: VaultService,
  caller: Caller | undefined,
  options: ReferenceResolverOptions = {},
): ReferenceResolver {
  // An object without `execute` is not a copy of a service. It reads another vault, such as a
  // server's.
  const isService = 'execute' in Object(service)
  if (isService) assertService(service)
  else readArgument(like({ as: anyFunction, now: anyFunction }), { service, caller, options })
  const { tokens } = resolverOptions.read(options)
  const source = {
    vault: service.as(caller),
    now: () => service.now(),
    accessToken: tokens && ((ref: ItemRef) => tokens.accessToken(ref, caller)),
  }

  /** Returns the values, keyed by the reference texts from `toText`. */
  async function readValues(
    references: readonly SecretReference[],
  ): Promise<ReadonlyMap<string, string>> {
    const readItem = createItemReader(source.vault, references, isService)
    const values = new Map<string, string>()
    const pace = createPacer()
    let length = 0
    await forEachConcurrently(groupByItem(references), maxConcurrentItems, async (group) => {
      let item: Item | undefined
      for (const reference of group) {
        item ??= await readItem(reference)
        const pause = pace((item.fields.length + item.files.length) * elementBytes)
        if (pause) await pause
        const value = await readValue(source, item, reference)
        length += value.length
        checkLength(length)
        values.set(toText(reference), value)
      }
    })
    return values
  }

  /** Returns the texts with the values of their references. */
  async function resolveTexts<Text extends ReferenceText>(
    texts: readonly Text[],
  ): Promise<readonly (Text & { readonly value: string })[]> {
    const parsed = parseReferences(texts)
    const values = await readValues(parsed.map(({ reference }) => reference))
    return parsed.map((one) => ({ ...one, value: String(values.get(toText(one.reference))) }))
  }

  return {
    async resolve(reference) {
      const [resolved] = await resolveTexts([{ path: 'reference', text: reference }])
      return String(resolved?.value)
    },
    async resolveAll(references) {
      if (!Array.isArray(references)) throw InvalidInputError.at('references', 'must be an array')
      checkCount('references', references.length)
      const texts = references.map((text, index) => ({ path: `references/${index}`, text }))
      return (await resolveTexts(texts)).map(({ value }) => value)
    },
    async inject(template) {
      if (typeof template !== 'string') throw InvalidInputError.at('template', 'must be a string')
      const tags: (Tag & ReferenceText)[] = []
      for (const tag of findTags(template)) {
        const path = `template/line ${tag.line}`
        if (!tag.isClosed) throw InvalidInputError.at(path, 'must close {{ with }} after op://')
        checkCount('template', tags.push({ ...tag, path }))
      }
      const parts: string[] = []
      let position = 0
      for (const { start, end, value } of await resolveTexts(tags)) {
        parts.push(template.slice(position, start), value)
        position = end
      }
      parts.push(template.slice(position))
      checkLength(parts.reduce((sum, part) => sum + part.length, 0))
      return parts.join('')
    },
    async resolveEnv(env) {
      if (!isObject(env)) throw InvalidInputError.at('env', 'must be an object')
      const variables = Object.entries(env)
        .filter(([, value]) => isReferenceText(value))
        .map(([name, text]) => ({ name, path: `env/${name}`, text }))
      checkCount('env', variables.length)
      const resolved = (await resolveTexts(variables)).map(({ name, value }) => [name, value])
      return { ...env, ...Object.fromEntries(resolved) }
    },
  }
}

function isReferenceText(value: unknown): boolean {
  return typeof value === 'string' && hasReferenceScheme(value)
}

/** Returns the distinct references, grouped by vault and item. */
function groupByItem(references: readonly SecretReference[]): readonly SecretReference[][] {
  const distinct = new Map(references.map((reference) => [toText(reference), reference]))
  const groups = new Map<string, SecretReference[]>()
  for (const reference of distinct.values()) {
    const key = `${reference.vault}/${reference.item}`
    groups.set(key, (groups.get(key) ?? []).concat(reference))
  }
  return [...groups.values()]
}

function checkCount(path: string, count: number): void {
  if (count > maxReferences)
    throw InvalidInputError.at(path, `must have at most ${maxReferences} references`)
}

function checkLength(length: number): void {
  if (length > maxResultLength)
    throw new ContentTooLargeError(`the result has more than ${maxResultLength} characters`)
}

/**
 * Calls `work` for each element in order, with at most `limit` calls at a time.
 * @throws The error of the first element, in the order of the array, for which `work` rejects. No
 * other element is begun after that, and all calls that were begun have settled.
 */
export async function forEachConcurrently<Element>(
  elements: readonly Element[],
  limit: number,
  work: (element: Element) => Promise<void>,
): Promise<void> {
  const failures: { readonly index: number; readonly error: unknown }[] = []
  const queue = elements.entries()
  const runWorker = async (): Promise<void> => {
    for (const [index, element] of queue) {
      await work(element).catch((error: unknown) => failures.push({ index, error }))
      if (failures.length > 0) return
    }
  }
  await Promise.all(Array.from({ length: limit }, runWorker))
  const [first] = failures.sort((left, right) => left.index - right.index)
  if (first !== undefined) throw first.error
}
