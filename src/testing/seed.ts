/** Seed files: the vaults, items and files that a store or a test begins with. */

import { anyFunction, isBareObject, kindOf, like, readArgument } from '../base/argument.js'
import { decodeBase64, isBase64 } from '../base/base64.js'
import { invalidInputError } from '../base/fixed-errors.js'
import { isObject } from '../base/is-object.js'
import { isReservedId, reservedIdMessage } from '../base/reserved-id.js'
import { safeGet } from '../base/safe-get.js'
import { suggestName } from '../base/suggest-name.js'
import {
  type Caller,
  createCaller,
  createVaultService,
  type FieldType,
  type FileDetails,
  type Item,
  type ItemState,
  isVaultError,
  type Limits,
  type NewItemDraft,
  type Vault,
  type VaultService,
} from '../index.js'
import { createMemoryStore } from '../storage/memory.js'

/** The content of a seed file. `{ "vaults": [] }` is the smallest one. */
export interface Seed {
  readonly vaults: readonly SeedVault[]
}

/** A vault of a seed. */
export interface SeedVault {
  /** At least one character. */
  readonly name: string
  readonly description?: string | undefined
  /**
   * 26 characters of `0-9 a-z` that do not begin with 0, 1, 8 or 9, because only ids that the vault
   * makes begin so. By default the vault makes the id.
   */
  readonly id?: string | undefined
  /** Default: no items. */
  readonly items?: readonly SeedItem[] | undefined
}

/** The attributes of an item that a seed cannot choose, because only calls of the service set them. */
const managedNames = ['version', 'createdAt', 'updatedAt', 'lastEditedBy'] as const

/**
 * An item of a seed: a draft without its vault, and with the contents of its files. The vault sets
 * `version`, `createdAt`, `updatedAt` and `lastEditedBy`. A seed that contains one of them is
 * rejected.
 */
export type SeedItem = Omit<
  NewItemDraft,
  'id' | 'state' | 'vault' | 'files' | 'version' | 'createdAt' | 'updatedAt' | 'lastEditedBy'
> & {
  /**
   * 26 characters of `0-9 a-z` that do not begin with 0, 1, 8 or 9, because only ids that the vault
   * makes begin so. By default the vault makes the id.
   */
  readonly id?: string | undefined
  /** It is set after the files are attached, and adds a version. By default the item is active. */
  readonly state?: ItemState | undefined
  readonly files?: readonly SeedFile[] | undefined
}

/** A file of an item in a seed. By default it is empty. */
export interface SeedFile {
  /** At least one character. */
  readonly name: string
  /** The content as a string, which is stored as UTF-8. */
  readonly content?: string | undefined
  /** The content in base64 (RFC 4648, section 4), instead of `content`. */
  readonly contentBase64?: string | undefined
  /** The id of the section that contains the file. By default the file is in no section. */
  readonly sectionId?: string | undefined
}

/** A vault that was created from a seed, with its items in the order of the seed. */
export interface PlantedVault {
  readonly vault: Vault
  /** The items as they are stored, with the details of their files. */
  readonly items: readonly Item[]
}

/**
 * Parses the content of a seed file. The attributes of items are parsed later, by the dialect of
 * the service.
 * @param value - The result of `JSON.parse`.
 * @returns The same value.
 * @throws InvalidInputError (400) that lists every invalid path, such as `vaults/0/items/2/files`.
 * No message contains a value.
 */
export function parseSeed(value: unknown): Seed {
  const issues: { path: string; message: string }[] = []
  const check = (isValid: boolean, path: string, message: string): boolean => {
    if (!isValid) issues.push({ path, message })
    return isValid
  }
  const checkMembers = (members: unknown, path: string, known: readonly string[]): boolean => {
    if (!check(isObject(members), path, 'must be an object')) return false
    for (const name of Object.keys(Object(members)))
      check(known.includes(name), join(path, name), `is unknown; known are ${known.join(', ')}`)
    return true
  }
  const checkText = (text: unknown, path: string, minLength: number): void => {
    if (check(typeof text === 'string', path, 'must be a string'))
      check(String(text).length >= minLength, path, 'must be at least 1 characters long')
  }
  const forEach = (list: unknown, path: string, work: (one: unknown, path: string) => void) => {
    if (!check(Array.isArray(list), path, 'must be an array')) return
    for (const [index, one] of [...Object(list)].entries()) work(one, `${path}/${index}`)
  }
  const checkFile = (file: unknown, path: string): void => {
    if (!checkMembers(file, path, ['name', 'content', 'contentBase64', 'sectionId'])) return
    const { name, content, contentBase64, sectionId } = Object(file)
    checkText(name, `${path}/name`, 1)
    if (content !== undefined) checkText(content, `${path}/content`, 0)
    if (sectionId !== undefined) checkText(sectionId, `${path}/sectionId`, 0)
    if (contentBase64 === undefined) return
    check(isBase64(contentBase64), `${path}/contentBase64`, 'must be base64 with padding')
    check(content === undefined, `${path}/contentBase64`, 'must not be set beside content')
  }
  const checkId = (id: unknown, path: string, taken: Set<unknown>, kind: string): void => {
    if (id === undefined) return
    const isId = typeof id === 'string' && /^[\da-z]{26}$/.test(id)
    if (check(isId, path, 'must be 26 characters of 0-9 a-z'))
      check(!isReservedId(String(id)), path, reservedIdMessage)
    check(!taken.has(id), path, `must not be the id of another ${kind}`)
    taken.add(id)
  }
  const checkItem = (item: unknown, path: string, itemIds: Set<unknown>): void => {
    if (!check(isObject(item), path, 'must be an object')) return
    const { vault, id, files } = Object(item)
    check(
      vault === undefined,
      `${path}/vault`,
      'must not be set, because the seed lists items by vault',
    )
    checkId(id, `${path}/id`, itemIds, 'item of the vault')
    for (const name of managedNames)
      check(
        safeGet(item, name) === undefined,
        `${path}/${name}`,
        'must not be set, because the vault sets it',
      )
    if (files !== undefined) forEach(files, `${path}/files`, checkFile)
  }
  const vaultIds = new Set<unknown>()
  if (checkMembers(value, '', ['vaults']))
    forEach(Object(value).vaults, 'vaults', (vault, path) => {
      if (!checkMembers(vault, path, ['name', 'description', 'id', 'items'])) return
      const { name, description, id, items } = Object(vault)
      checkText(name, `${path}/name`, 1)
      if (description !== undefined) checkText(description, `${path}/description`, 0)
      checkId(id, `${path}/id`, vaultIds, 'vault')
      const itemIds = new Set<unknown>()
      if (items !== undefined)
        forEach(items, `${path}/items`, (item, itemPath) => checkItem(item, itemPath, itemIds))
    })
  if (issues.length > 0) throw invalidInputError(issues)
  return value as Seed
}

/**
 * Creates the vaults of a seed with their items and files, in the order of the seed. The seed is
 * first tried in memory, by a strict service with the dialect of `service`, so that a misspelt
 * attribute or type is rejected before anything is stored. In the connect dialect, fields can have
 * the types that only published servers know as well, such as `OTP`. If the store then fails, or a
 * vault already exists, a part of the seed may have been stored.
 * @param caller - A caller who may create vaults and write to them.
 * @returns The vaults and items that were created, in the order of the seed.
 * @throws TypeError if `service` is not a service.
 * @throws InvalidInputError (400) that names each invalid path of the seed.
 * @throws ConflictError (409) if a vault already exists, and the other errors of `createVault`,
 * `createItem` and `attachFile`.
 */
export async function plantSeed(
  service: VaultService,
  caller: Caller,
  seed: Seed,
): Promise<readonly PlantedVault[]> {
  readArgument(like({ as: anyFunction, dialect: {} }), { service, caller, seed })
  kindOf('an object with vaults', isBareObject)(seed, 'seed')
  const { dialect } = service
  const trial = createVaultService({
    store: createMemoryStore(),
    strict: true,
    limits: noLimits,
    dialect,
  })
  const { vaults } = parseSeed(seed)
  if (dialect.name !== 'contract') checkTypes(vaults)
  await plantVaults(trial, createCaller({ id: 'seed', vaults: '*' }), vaults)
  return plantVaults(service, caller, vaults)
}

const contractTypes: readonly FieldType[] = [
  ...(['STRING', 'EMAIL', 'CONCEALED', 'URL', 'TOTP', 'DATE', 'MONTH_YEAR', 'MENU'] as const),
]
/** The types of the contract, and those of published servers. */
const knownTypes: readonly string[] = [
  ...contractTypes,
  ...['OTP', 'PHONE', 'ADDRESS', 'REFERENCE', 'CREDIT_CARD_NUMBER', 'CREDIT_CARD_TYPE'],
  ...['GENDER', 'FILE', 'SSHKEY', 'SSO_LOGIN', 'UNKNOWN'],
]

/**
 * Checks the types of fields, because the connect dialect stores any type.
 * @throws InvalidInputError (400) that names each field whose type no server has.
 */
function checkTypes(vaults: readonly SeedVault[]): void {
  const issues = vaults.flatMap(({ items = [] }, vault) =>
    items.flatMap((item, index) => {
      const fields: unknown = safeGet(item, 'fields')
      if (!Array.isArray(fields)) return []
      return fields.flatMap((field: unknown, position) => {
        const type = safeGet(field, 'type')
        if (typeof type !== 'string' || type === '' || knownTypes.includes(type.toUpperCase()))
          return []
        const path = `vaults/${vault}/items/${index}/fields/${position}/type`
        return [{ path, message: `is unknown${suggestName(type, knownTypes)}` }]
      })
    }),
  )
  if (issues.length > 0) throw invalidInputError(issues)
}

async function plantVaults(
  service: VaultService,
  caller: Caller,
  vaults: readonly SeedVault[],
): Promise<readonly PlantedVault[]> {
  const planted: PlantedVault[] = []
  for (const [index, { id, name, description, items = [] }] of vaults.entries()) {
    const vault = await withPath(`vaults/${index}`, () =>
      service.createVault(caller, { name, description, ...(id !== undefined && { vaultId: id }) }),
    )
    const created: Item[] = []
    for (const [itemIndex, item] of items.entries())
      created.push(
        await withPath(`vaults/${index}/items/${itemIndex}`, () =>
          plantItem(service, caller, vault.id, item),
        ),
      )
    planted.push({ vault, items: created })
  }
  return planted
}

/** Creates an item with its files and its state. @returns The item as it is stored afterwards. */
async function plantItem(
  service: VaultService,
  caller: Caller,
  vaultId: string,
  item: SeedItem,
): Promise<Item> {
  const { id: itemId, files = [], ...draft } = item
  // The state in the draft is only checked. It is set at the end.
  const created = await service.createItem(caller, {
    vaultId,
    item: draft,
    ...(itemId !== undefined && { itemId }),
  })
  const ref = { vaultId, itemId: created.id }
  for (const [index, file] of files.entries())
    await withPath(`files/${index}`, (): Promise<FileDetails> => {
      const { name, sectionId } = file
      return service.attachFile(caller, { ...ref, name, sectionId, content: contentOf(file) })
    })
  const { state } = item
  if (state !== undefined) return service.setItemState(caller, { ...ref, state })
  return files.length === 0 ? created : service.getItem(caller, ref)
}

/** Returns the bytes of a file of a seed. */
function contentOf({ content = '', contentBase64 }: SeedFile): Uint8Array {
  // `parseSeed` has checked that it is base64.
  const decoded = contentBase64 === undefined ? undefined : decodeBase64(contentBase64)
  return decoded ?? new TextEncoder().encode(content)
}

/** Puts a path before those of the issues of an InvalidInputError. */
async function withPath<Result>(path: string, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    if (!isVaultError(error) || error.code !== 'INVALID_INPUT') throw error
    throw invalidInputError(
      error.issues.map((issue) => ({ ...issue, path: join(path, issue.path) })),
    )
  }
}

function join(path: string, name: string): string {
  // A name in the file can be anything, so only ordinary characters are repeated.
  const printable = name.slice(0, 200).replace(/[^\w./$-]/g, '?')
  return [path, printable].filter((part) => part !== '').join('/')
}

const max = Number.MAX_SAFE_INTEGER
/** Limits for items that the service itself checks, whose limits can be higher than the defaults. */
export const noLimits: Limits = {
  ...{ fields: max, sections: max, urls: max, tags: max, files: max, fileNameCharacters: max },
  ...{ itemBytes: max, stringBytes: max, depth: max },
}
