/**
 * Reads uploads of `multipart/form-data`, as HTML forms send them. Uses the streams of Node.
 * @module cofferkit/multipart
 */

import type { Readable } from 'node:stream'
import { Dicer } from '@fastify/busboy'
import { toChunks } from './base/blob-content.js'
import { collectBytes } from './base/concat-bytes.js'
import { InvalidInputError, isVaultError, UnsupportedMediaTypeError } from './errors.js'
import {
  type MultipartForm,
  type MultipartReader,
  tooLargeError,
  type Upload,
} from './http/read-upload.js'

export type { MultipartForm, MultipartReader, Upload } from './http/read-upload.js'

/** Maximum number of parts of a form. */
const maxParts = 16
/** Maximum size of a text part in bytes. */
const maxTextBytes = 4096

/** Maximum size of the headers of a part in bytes. */
const maxHeaderBytes = 16_384

/** Number of bytes that are parsed at a time, because one chunk can be as large as the body. */
const maxChunkBytes = 65_536

/** The text parts that are read, and the members of the upload. */
const textParts: ReadonlyMap<unknown, 'name' | 'sectionId' | 'fileId'> = new Map([
  ['name', 'name'],
  ['section_id', 'sectionId'],
  ['file_id', 'fileId'],
] as const)

/**
 * Creates the option `multipart` of `createHttpHandler`: uploads of `multipart/form-data` (RFC
 * 7578) are read as they arrive, and never kept in memory.
 *
 * A form has exactly one file. It is the last part, which can have any name. The text parts `name`,
 * `section_id` and `file_id` before it mean the same as the query parameters of that name. If both
 * are sent, the query parameter wins. Other text parts are ignored, and so are parts without
 * `Content-Disposition: form-data`. The file's name is the query parameter `name`, otherwise the
 * part `name`, otherwise the `filename` of the file's part without directories.
 *
 * An upload that is rejected stores nothing. The status is
 * - 400 if the form is malformed or incomplete, has no file, or has a part after the file
 * - 400 if the form has more than 16 parts, more than 4,096 bytes in one of these text parts, more
 *   than 16 KiB in the headers of a part, or more than 64 KiB besides the file
 * - 413 if the file is larger than `maxFileBytes`
 * - 415 if the type is `multipart/*` but not `form-data`, or if the file's part is encoded, for
 *   example in base64
 *
 * @example
 * ```ts
 * import { createHttpHandler } from 'cofferkit/http'
 * import { multipartUploads } from 'cofferkit/multipart'
 *
 * const multipart = multipartUploads()
 * const api = createHttpHandler(service, { authenticate, extensions: true, multipart })
 * ```
 */
export function multipartUploads(): MultipartReader {
  return parseForm
}

/** A form that is being parsed. */
interface Form {
  /**
   * Resolves with the number of bytes of the form, if it is valid. Rejects with the first error.
   */
  readonly parsed: Promise<number>
  /** Stops the parser and releases the body immediately. Does nothing after the first error. */
  fail(error: unknown): void
}

/**
 * Parses a form until the content of its file begins.
 *
 * Uses the parser of busboy without busboy itself, which skips a part silently if its headers are
 * malformed or too long.
 */
async function parseForm(body: Upload['content'], limits: MultipartForm): Promise<Upload> {
  const { contentType, maxOverheadBytes } = limits
  const parser = new Dicer({ boundary: parseBoundary(contentType) })
  const chunks = body instanceof Uint8Array ? [body] : toChunks(body)
  const stopping = new AbortController()
  const { signal } = stopping
  const fail = (error: unknown): void => stopping.abort(error)
  const upload: { name?: string; sectionId?: string; fileId?: string } = {}
  const texts = new Map<string, Promise<void>>()
  let file: Readable | undefined
  let fileName = ''
  let partCount = 0
  let received = 0
  let isHeaderOpen = false
  let continueWriting = (): void => {}

  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason)
      file?.destroy()
      continueWriting()
      if ('return' in chunks) chunks.return(signal.reason)
    })
  })
  const ended = new Promise<void>((resolve) => {
    parser.on('finish', () => (isHeaderOpen ? fail(malformedError()) : resolve()))
    parser.on('error', () => fail(malformedError()))
  })

  /**
   * Writes a piece only after the parser has passed on the one before, so the file is not buffered.
   */
  async function parseBody(): Promise<void> {
    for await (const chunk of chunks) {
      for (let start = 0; start < chunk.length; start += maxChunkBytes) {
        if (file === undefined && received > maxOverheadBytes) throw overheadError(maxOverheadBytes)
        const piece = chunk.subarray(start, start + maxChunkBytes)
        received += piece.length
        await new Promise<void>((resolve) => {
          continueWriting = resolve
          parser.write(piece, () => resolve())
        })
        signal.throwIfAborted()
      }
    }
    signal.throwIfAborted()
    parser.end()
  }

  /** Begins to read a part. Resolves `started` if it is the file. */
  function addPart(part: Readable, headers: PartHeaders): void {
    const { parameters, type, charset, encoding } = parseHeaders(headers)
    if (parameters === undefined) return void part.resume()
    if (file !== undefined) throw formError('must end with its only file')
    if (++partCount > maxParts) throw formError(`must have at most ${maxParts} parts`)
    if (parameters.has('filename') || type === 'application/octet-stream') {
      if (!/^(?:7bit|8bit|binary)$/.test(encoding))
        throw new UnsupportedMediaTypeError('the content must not be encoded')
      fileName = readFileName(parameters)
      file = part
      return
    }
    const name = parameters.get('name') ?? ''
    const member = textParts.get(name)
    if (member === undefined) return void part.resume()
    if (texts.has(name)) throw formError(`must not have the part ${name} twice`)
    const text = readText(part, charset).then((value) => {
      upload[member] = value
    })
    texts.set(name, text)
    text.catch((error) => fail(isVaultError(error) ? error : malformedError()))
  }

  const started = new Promise<Readable>((resolve) => {
    parser.on('part', (part) => {
      // A stream without a listener would end the process if it fails.
      part.on('error', () => {})
      if (isHeaderOpen) fail(malformedError())
      isHeaderOpen = true
      part.on('header', (headers: PartHeaders) => {
        isHeaderOpen = false
        if (signal.aborted) return
        try {
          addPart(part, headers)
          if (file === part) resolve(part)
        } catch (error) {
          fail(error)
        }
      })
    })
  })
  const parsing = Promise.all([parseBody().catch(fail), ended])
  const parsed = Promise.race([parsing, stopped]).then(() => received)
  const content = await Promise.race([started, parsed.then(() => undefined)])
  if (content === undefined) throw formError('must have a file')
  await Promise.race([Promise.all(texts.values()), stopped])
  if (fileName !== '') upload.name ??= fileName
  const chunksOfFile = toChunks(readFile(content, { parsed, fail }, limits), (reason) => {
    // A form that is rejected before its file is read is discarded as it arrives, because some
    // servers reset the connection if a body is cancelled, and lose the response.
    if (content.readableDidRead) fail(reason)
    else content.resume()
  })
  return { ...upload, content: chunksOfFile }
}

/**
 * Yields the bytes of the file. Ends after the form, so that the rest of the form has been checked
 * as well.
 */
async function* readFile(
  file: Readable,
  form: Form,
  { maxFileBytes, maxOverheadBytes }: MultipartForm,
): AsyncGenerator<Uint8Array> {
  let size = 0
  try {
    for await (const chunk of file) {
      size += chunk.length
      if (size > maxFileBytes) throw tooLargeError(maxFileBytes)
      yield chunk
    }
  } catch (error) {
    form.fail(isVaultError(error) ? error : malformedError())
  }
  // Rejects with the error, if there was one.
  const received = await form.parsed
  if (received - size > maxOverheadBytes) throw overheadError(maxOverheadBytes)
}

async function readText(part: Readable, charset: string): Promise<string> {
  let length = 0
  async function* limitLength(): AsyncGenerator<Uint8Array> {
    for await (const chunk of part) {
      length += chunk.length
      if (length > maxTextBytes)
        throw formError(`must not have a text of more than ${maxTextBytes} bytes`)
      yield chunk
    }
  }
  return decodeText(await collectBytes(limitLength()), charset)
}

/** The headers of a part, by their lowercase names. Each byte is one character. */
type PartHeaders = Readonly<Record<string, readonly string[]>>

interface PartDescription {
  /** The parameters of `Content-Disposition: form-data`; undefined if it is something else. */
  readonly parameters: ReadonlyMap<string, string> | undefined
  /** In lower case. */
  readonly type: string
  readonly charset: string
  /** In lower case. */
  readonly encoding: string
}

/**
 * Parses the headers of a part.
 * @throws InvalidInputError if they are malformed or too long. The parser passes on no malformed
 * header, nor those after it.
 */
function parseHeaders(headers: PartHeaders): PartDescription {
  const lines = Object.entries(headers).flatMap(([name, values]) => [name, ...values])
  const length = lines.reduce((sum, line) => sum + line.length, 0)
  if (length === 0 || length > maxHeaderBytes) throw malformedError()
  const [disposition = ''] = headers['content-disposition'] ?? []
  const [contentType = ''] = headers['content-type'] ?? []
  const [encoding = '7bit'] = headers['content-transfer-encoding'] ?? []
  const [type = ''] = contentType.toLowerCase().split(/[; ]/, 1)
  const isFormData = /^form-data *(?:;|$)/i.test(disposition)
  return {
    parameters: isFormData ? parseParameters(disposition) : undefined,
    type,
    charset: parseParameters(contentType).get('charset') ?? 'utf-8',
    encoding: encoding.toLowerCase().trim(),
  }
}

/** Returns the parameters of a header, by their lowercase names (RFC 7578, section 4.2). */
function parseParameters(header: string): ReadonlyMap<string, string> {
  const pattern = /; *([^\s=;"]+)=(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g
  const parameters = new Map<string, string>()
  for (const [, name = '', quoted, token = ''] of header.matchAll(pattern))
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? token.trim())
  return parameters
}

/** Returns the name of the file without directories; empty if it has none. */
function readFileName(parameters: ReadonlyMap<string, string>): string {
  const extended = /^([\w-]+)'[\w-]*'(.*)$/s.exec(parameters.get('filename*') ?? '')
  const [, charset = 'utf-8', escaped = ''] = extended ?? []
  const binary = extended
    ? escaped.replace(/%([\da-f]{2})/gi, (_, code) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
    : (parameters.get('filename') ?? '')
  const name = decodeText(
    Uint8Array.from(binary, (byte) => byte.charCodeAt(0)),
    charset,
  )
  const last = name.split(/[/\\]/).at(-1) ?? ''
  return last === '.' || last === '..' ? '' : last
}

/** @throws InvalidInputError if the charset is unknown, or the bytes are not valid in it. */
function decodeText(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw formError('must be UTF-8')
  }
}

/** The characters of a boundary (RFC 2046, section 5.1.1). */
const boundaryPattern = /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/

/**
 * Returns the boundary of a form.
 * @throws UnsupportedMediaTypeError if the content type is not `multipart/form-data`.
 * @throws InvalidInputError if it has no valid boundary.
 */
function parseBoundary(contentType: string): string {
  if (!/^multipart\/form-data *(?:;|$)/i.test(contentType))
    throw new UnsupportedMediaTypeError('a multipart body must be multipart/form-data')
  const match = /; *boundary=(?:"([^"]*)"|([^\s;]*))/i.exec(contentType)
  const boundary = match?.[1] ?? match?.[2] ?? ''
  if (!boundaryPattern.test(boundary))
    throw InvalidInputError.at('Content-Type', 'must have a valid boundary')
  return boundary
}

function overheadError(maxOverheadBytes: number): InvalidInputError {
  return formError(`must have at most ${maxOverheadBytes} bytes besides its file`)
}

function malformedError(): InvalidInputError {
  return formError('must be complete and well-formed')
}

function formError(problem: string): InvalidInputError {
  return InvalidInputError.at('', `the form ${problem}`)
}
