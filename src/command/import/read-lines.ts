/** Reads the lines of an export. Everything in it is untrusted. */

import { isBase64 } from '../../base/base64.js'
import { decodeUtf8 } from '../../base/decode-utf8.js'
import { parseJson } from '../../base/parse-json.js'
import type { NewItemDraft } from '../../index.js'
import { CommandError } from '../command-error.js'

/** A line of an export that has been read. */
export type ReadLine = { readonly number: number } & (
  | {
      readonly kind: 'vault'
      readonly id: string
      readonly name: string
      readonly description?: string
    }
  | { readonly kind: 'item'; readonly item: NewItemDraft; readonly isArchived: boolean }
  | {
      readonly kind: 'file'
      readonly name: string
      readonly size: number
      readonly sectionId?: string
    }
  | { readonly kind: 'part'; readonly bytes: Uint8Array }
)

const formatRemedy = [
  'If it is encrypted, pass --passphrase-file or --identity-file; if it is an export of 1Password or',
  'Bitwarden, pass --from auto.',
].join(' ')

/** An item has at most 2 MiB, and a part of a file 1 MiB, unless the limits are changed. */
const maxLineBytes = 33_554_432

/**
 * Yields the lines of an export, without its first and its last one.
 * @throws CommandError that names the line, if the source is not an export, is incomplete or
 * invalid, or has other numbers of vaults, items, files or bytes than it states. No message
 * contains a value.
 */
export async function* readLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<ReadLine> {
  let number = 0
  const counts = { vault: 0, item: 0, file: 0, part: 0 }
  // Bytes of the content of the file before that are still to come.
  let missing = 0
  let state: 'begin' | 'vaults' | 'vault' | 'item' | 'file' | 'end' = 'begin'
  for await (const bytes of splitLines(source)) {
    number++
    const line = parseObject(bytes, number)
    const wrong = (problem: string): CommandError => new CommandError(`line ${number}: ${problem}`)
    if (state === 'begin') {
      if (line['format'] !== 'cofferkit-export')
        throw new CommandError('not a file of export', formatRemedy)
      if (line['version'] !== 1)
        throw new CommandError('the export was written by a newer version of cofferkit')
      state = 'vaults'
      continue
    }
    if (state === 'end') throw wrong('must not follow the last line')
    const [kind = '', content] = Object.entries(line)[0] ?? []
    if (kind !== 'part' && missing > 0) throw wrong('the file before it is incomplete')
    if (kind === 'end') {
      const { vaults, items, files } = Object(content)
      if (vaults !== counts.vault || items !== counts.item || files !== counts.file)
        throw wrong('has counts that do not match the lines before it')
      state = 'end'
      continue
    }
    const isAllowed =
      kind === 'vault' ||
      (kind === 'item' && state !== 'vaults') ||
      (kind === 'file' && (state === 'item' || state === 'file')) ||
      (kind === 'part' && state === 'file')
    if (!isAllowed) throw wrong('is not expected here')
    const parsed = parseLine(kind, content)
    if (parsed === undefined) throw wrong('is invalid')
    counts[parsed.kind]++
    if (parsed.kind === 'file') missing = parsed.size
    if (parsed.kind === 'part') missing -= parsed.bytes.length
    if (missing < 0) throw wrong('has more bytes than its file')
    yield { number, ...parsed }
    if (parsed.kind !== 'part') state = parsed.kind
  }
  if (state !== 'end') throw new CommandError('the file is incomplete: its last line is missing')
}

type DistributiveOmit<Union, Name extends string> = Union extends unknown
  ? Omit<Union, Name>
  : never

function parseLine(
  kind: string,
  content: unknown,
): DistributiveOmit<ReadLine, 'number'> | undefined {
  if (kind === 'part') {
    return isBase64(content) && content !== ''
      ? { kind, bytes: Buffer.from(content, 'base64') }
      : undefined
  }
  if (typeof content !== 'object' || content === null) return undefined
  const { id, name, description, sectionId, size }: Record<string, unknown> = { ...content }
  if (kind === 'vault') {
    if (typeof id !== 'string' || typeof name !== 'string') return undefined
    return { kind, id, name, ...(typeof description === 'string' && { description }) }
  }
  if (kind === 'file') {
    if (typeof name !== 'string' || !Number.isSafeInteger(size) || Number(size) < 0)
      return undefined
    return { kind, name, size: Number(size), ...(typeof sectionId === 'string' && { sectionId }) }
  }
  const { id: _id, vault: _vault, files: _files, state, ...item } = content as NewItemDraft
  return { kind: 'item', item, isArchived: state === 'ARCHIVED' }
}

function parseObject(bytes: Buffer, number: number): Readonly<Record<string, unknown>> {
  const text = decodeUtf8(bytes)
  const json = number === 1 ? text?.replace(/^\uFEFF/, '') : text
  const value = parseJson(json ?? '')
  if (value !== undefined) return Object(value)
  // The first line of an encrypted export is not even text.
  throw number === 1
    ? new CommandError('not a file of export', formatRemedy)
    : new CommandError(`line ${number}: is not ${text === undefined ? 'text in UTF-8' : 'JSON'}`)
}

/** Yields the lines of a text. Only a line feed ends a line. */
async function* splitLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let size = 0
  for await (const chunk of source) {
    let rest = Buffer.from(chunk)
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      yield Buffer.concat([...parts, rest.subarray(0, end)])
      parts = []
      size = 0
      rest = rest.subarray(end + 1)
    }
    parts.push(rest)
    size += rest.length
    if (size > maxLineBytes)
      throw new CommandError('not a file of export: a line is too long', formatRemedy)
  }
  if (size > 0) yield Buffer.concat(parts)
}
