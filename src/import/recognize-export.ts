/** Recognizes an export by its content, and refuses every file that cannot be imported. */

import { isObject } from '../base/is-object.js'
import { InvalidInputError } from '../index.js'
import type { ReadLimits } from './limits.js'
import { parseExportJson } from './parse-export-json.js'
import { decodeText } from './text.js'
import { isZip, openZip, type ZipArchive } from './zip/open-zip.js'

/** An export that can be read, and its parsed JSON. */
export type RecognizedExport =
  | { readonly format: '1pux'; readonly data: unknown; readonly archive: ZipArchive }
  | { readonly format: 'bitwarden'; readonly data: unknown; readonly archive?: ZipArchive }

type Members = Readonly<Record<string, unknown>>

/** A kind of file that is refused: what it is, how it is recognized, and what to do instead. */
interface RefusedKind<Content> {
  readonly name: string
  readonly matches: (content: Content) => boolean
  /** By default, the way from another password manager. */
  readonly remedy?: string
}

const detour =
  "import it into 1Password or Bitwarden first, and export 1PUX or Bitwarden's JSON from there"
const exportFromBitwarden = 'export again as ".json" without a password'
const exportFrom1Password = 'export again as 1PUX'

const refusedBytes: readonly RefusedKind<Uint8Array>[] = [
  {
    name: 'a database of KeePass',
    matches: (bytes) => [0x03, 0xd9, 0xa2, 0x9a].every((byte, index) => bytes[index] === byte),
  },
]

/** By the names of the entries. */
const refusedArchives: readonly RefusedKind<readonly string[]>[] = [
  {
    name: 'an export of Proton Pass',
    matches: (names) => names.some((name) => name.startsWith('Proton Pass/')),
  },
  {
    name: 'an archive of CSV files',
    matches: (names) => names.some((name) => name.endsWith('.csv')),
  },
]

/** By the members of the root. */
const refusedJson: readonly RefusedKind<Members>[] = [
  { name: 'an export of Proton Pass', matches: ({ vaults }) => isObject(vaults) },
  {
    name: 'an export of Bitwarden that is protected by a password',
    matches: ({ passwordProtected }) => passwordProtected === true,
    remedy: exportFromBitwarden,
  },
  {
    name: 'an export of Bitwarden that is encrypted with the key of an account',
    matches: ({ encrypted, items }) => encrypted === true && Array.isArray(items),
    remedy: exportFromBitwarden,
  },
  {
    name: 'the export.data of a 1PUX file',
    matches: isOnePux,
    remedy: 'import the 1PUX file that contains it',
  },
  {
    name: 'a document in the Credential Exchange Format',
    matches: ({ accounts, items }) =>
      someHas(accounts, 'items', Array.isArray) || someHas(items, 'credentials', Array.isArray),
  },
  {
    name: 'an export of Enpass',
    matches: ({ items }) => someHas(items, 'template_type', (type) => type !== undefined),
  },
  {
    name: 'an export of Keeper',
    matches: (root) => Array.isArray(root['shared_folders']) || Array.isArray(root['records']),
  },
  {
    name: 'an export of Dashlane',
    matches: (root) => Array.isArray(root['AUTHENTIFIANT']),
  },
]

/** By the beginning of the text. */
const refusedTexts: readonly RefusedKind<string>[] = [
  {
    name: 'an export of cofferkit',
    matches: (start) => start.startsWith('{"format":"cofferkit-export"'),
    remedy: 'import it with "cofferkit import" and without "--from"',
  },
  {
    name: 'an XML file of KeePass',
    matches: (start) => start.startsWith('<') && start.includes('<KeePassFile'),
  },
  { name: 'an XML or HTML file', matches: (start) => start.startsWith('<') },
]

/** By the columns of a CSV file, in lower case. */
const refusedColumns: readonly RefusedKind<readonly string[]>[] = [
  { name: 'a CSV file of LastPass', matches: has('url', 'extra', 'grouping') },
  { name: 'a CSV file of Firefox', matches: has('url', 'httprealm', 'guid') },
  { name: 'a CSV file of NordPass', matches: has('url', 'cardholdername') },
  {
    name: 'a CSV file of Bitwarden',
    matches: has('login_uri', 'login_password'),
    remedy: exportFromBitwarden,
  },
  {
    name: 'a CSV file of 1Password',
    matches: has('title', 'otpauth', 'archived'),
    remedy: exportFrom1Password,
  },
  {
    name: 'a CSV file of Chrome or another browser',
    matches: has('name', 'url', 'username', 'password'),
  },
  { name: 'a CSV file', matches: (columns) => columns.length > 1 },
]

/** The number of characters that tell what a text is. */
const startLength = 4096

/**
 * Returns an export with its parsed JSON.
 * @throws InvalidInputError if it is not a readable export of 1Password or Bitwarden, is damaged, or
 * exceeds a limit. The message names the kind of file if it is known, and contains no part of it.
 */
export function recognizeExport(bytes: Uint8Array, limits: ReadLimits): RecognizedExport {
  refuse(refusedBytes, bytes)
  if (isZip(bytes)) return recognizeArchive(openZip(bytes, limits), limits)
  const text = decodeText(bytes, limits)
  const start = text.trimStart().slice(0, startLength)
  refuse(refusedTexts, start)
  if (!/^[[{]/.test(start)) {
    refuse(refusedColumns, columnsOf(start))
    throw unknownError()
  }
  return { format: 'bitwarden', data: checkData(parseExportJson(text, limits), isBitwarden) }
}

function recognizeArchive(archive: ZipArchive, limits: ReadLimits): RecognizedExport {
  const read = (name: string, matches: (root: Members) => boolean): unknown => {
    const content = archive.read(name, limits.textBytes)
    return content && checkData(parseExportJson(decodeText(content, limits), limits), matches)
  }
  const onePux = read('export.data', isOnePux)
  if (onePux !== undefined) return { format: '1pux', data: onePux, archive }
  const bitwarden = read('data.json', isBitwarden)
  if (bitwarden !== undefined) return { format: 'bitwarden', data: bitwarden, archive }
  refuse(refusedArchives, archive.names)
  throw unknownError()
}

/** Returns the parsed JSON if it matches. @throws InvalidInputError if it does not. */
function checkData(data: unknown, matches: (root: Members) => boolean): unknown {
  if (isObject(data)) {
    if (matches(data)) return data
    refuse(refusedJson, data)
  }
  throw unknownError()
}

/** Accounts that have vaults. */
function isOnePux({ accounts }: Members): boolean {
  return someHas(accounts, 'vaults', Array.isArray)
}

/**
 * Items whose type is a number, in an export that says that it is not encrypted. Old exports do not
 * say it, but have folders or collections. Only an export that says it may have no items.
 */
function isBitwarden({ encrypted, folders, collections, items }: Members): boolean {
  const isPlain = encrypted === false
  const isOld = encrypted === undefined && [folders, collections].some(Array.isArray)
  const isEmpty = Array.isArray(items) && items.length === 0
  if (isPlain && isEmpty) return true
  return (isPlain || isOld) && someHas(items, 'type', Number.isInteger)
}

/** Returns whether a list has an object with such a member. */
function someHas(list: unknown, name: string, test: (member: unknown) => boolean): boolean {
  return Array.isArray(list) && list.some((one) => isObject(one) && test(one[name]))
}

function has(...names: readonly string[]): (columns: readonly string[]) => boolean {
  return (columns) => names.every((name) => columns.includes(name))
}

/** Returns the names of the columns in the first line. */
function columnsOf(start: string): readonly string[] {
  const [line = ''] = start.split(/[\r\n]/, 1)
  return line.split(/[,;\t]/).map((name) => name.replaceAll('"', '').trim().toLowerCase())
}

/** @throws InvalidInputError if the content is of one of these kinds. */
function refuse<Content>(kinds: readonly RefusedKind<Content>[], content: Content): void {
  const kind = kinds.find(({ matches }) => matches(content))
  if (kind === undefined) return
  const { name, remedy = detour } = kind
  throw InvalidInputError.at('', `the file is ${name}, which cannot be imported: ${remedy}`)
}

function unknownError(): InvalidInputError {
  return InvalidInputError.at(
    '',
    `the format of the export is not recognized: if it is from another password manager, ${detour}`,
  )
}
