/**
 * Reads uploads of `multipart/form-data`, as HTML forms send them. Uses busboy and the streams of
 * Node.
 * @module cofferkit/multipart
 */

import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import busboy from 'busboy'
import { InvalidInputError, isVaultError, UnsupportedMediaTypeError } from './errors.js'
import { type MultipartReader, tooLargeError } from './http/read-upload.js'

export type { MultipartForm, MultipartReader, Upload } from './http/read-upload.js'

/** The most parts of a form. */
const maxParts = 16
/** The most bytes of a text part. */
const maxTextBytes = 4096

/** The most bytes that are parsed at a time: a chunk can be the whole body. */
const maxChunkBytes = 65_536

/** The text parts that are read, and the members of the upload. */
const textParts: ReadonlyMap<unknown, 'name' | 'sectionId' | 'fileId'> = new Map([
  ['name', 'name'],
  ['section_id', 'sectionId'],
  ['file_id', 'fileId'],
] as const)

/**
 * Creates the option `multipart` of `createHttpHandler`: uploads of `multipart/form-data` (RFC
 * 7578) are read as they arrive, and never held in memory as a whole.
 *
 * A form has exactly one file, in a part of any name, which is its last part. The text parts
 * `name`, `section_id` and `file_id` before it are read like the parameters of the same name, which
 * replace them. Other text parts are ignored, as is everything that is not declared as a part of a
 * form by `Content-Disposition: form-data`. The name of the file is, in this order, the parameter
 * `name`, the part `name`, and the `filename` of its part without directories.
 *
 * The upload is rejected, and nothing is stored, with
 * - 400 if the form is malformed or incomplete, has no file, has a part after it, or has more than
 *   16 parts, more than 4,096 bytes in one of these texts, more than 16 KiB in the headers of a
 *   part, or more than 64 KiB besides the file;
 * - 413 if the file is larger than `maxFileBytes`;
 * - 415 if the type is another one of `multipart/*`, or the part of the file is encoded, for
 *   example in base64.
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
  return async (body, { contentType, maxFileBytes, maxOverheadBytes }) => {
    const form = busboy({
      headers: { 'content-type': withBoundaryOnly(contentType) },
      defParamCharset: 'utf8',
      limits: { fieldSize: maxTextBytes + 1 },
    })
    // A stream without a listener would end the process if it is destroyed with an error.
    form.on('error', () => {})
    const fail = (problem: string): unknown => form.destroy(formError(problem))
    const upload: { name?: string; sectionId?: string; fileId?: string } = {}
    let file: Readable | undefined
    let partCount = 0
    let received = 0

    function countPart(): boolean {
      if (file !== undefined) fail('must end with its only file')
      else if (++partCount > maxParts) fail(`must have at most ${maxParts} parts`)
      return !form.destroyed
    }

    form.on('field', (part, text, { valueTruncated }) => {
      const member = textParts.get(part)
      if (!countPart() || member === undefined) return
      if (valueTruncated) fail(`must not have a text of more than ${maxTextBytes} bytes`)
      else if (text === undefined || text.includes(replacement)) fail('must be UTF-8')
      else if (upload[member] !== undefined) fail(`must not have the part ${part} twice`)
      else upload[member] = text
    })

    const started = new Promise<Readable>((resolve) => {
      form.on('file', (_part, content, { filename = '', encoding }) => {
        content.on('error', () => {})
        if (!countPart()) return
        file = content
        if (!/^(?:7bit|8bit|binary)$/.test(encoding))
          form.destroy(new UnsupportedMediaTypeError('the content must not be encoded'))
        else if (filename.includes(replacement)) fail('must be UTF-8')
        else {
          if (filename !== '') upload.name ??= filename
          resolve(content)
        }
      })
    })

    async function* countBytes(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) {
        for (let start = 0; start < chunk.length; start += maxChunkBytes) {
          if (file === undefined && received > maxOverheadBytes)
            throw overheadError(maxOverheadBytes)
          const piece = chunk.subarray(start, start + maxChunkBytes)
          received += piece.length
          yield piece
        }
      }
    }

    let bodyFailure: { readonly error: unknown } | undefined
    function watchErrors(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
      const reader = stream.getReader()
      return new ReadableStream(
        {
          async pull(controller) {
            const { done, value } = await reader.read().catch((error: unknown) => {
              bodyFailure = { error }
              throw error
            })
            if (done) controller.close()
            else controller.enqueue(value)
          },
          cancel: (reason) => reader.cancel(reason),
        },
        { highWaterMark: 0 },
      )
    }

    /**
     * Throws an error of the body or of the vault unchanged, and an error for a malformed form in
     * place of others.
     */
    function rethrow(error: unknown): never {
      if (bodyFailure !== undefined) throw bodyFailure.error
      throw isVaultError(error) ? error : formError('must be complete and well-formed')
    }

    const source =
      body instanceof Uint8Array
        ? Readable.from([body])
        : Readable.fromWeb(watchErrors(body) as import('node:stream/web').ReadableStream)
    const parsed = pipeline(source, countBytes, form).catch(rethrow)
    parsed.catch(() => {})
    const content = await Promise.race([started, parsed])
    if (content === undefined) throw formError('must have a file')

    /** Ends after the whole form, so that nothing is stored if the rest of it is invalid. */
    async function* readContent(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      let size = 0
      for await (const chunk of chunks) {
        size += chunk.length
        if (size > maxFileBytes) throw tooLargeError(maxFileBytes)
        yield chunk
      }
      await parsed
      if (received - size > maxOverheadBytes) throw overheadError(maxOverheadBytes)
    }

    const chunks = readContent(content)
    let hasBegun = false
    const stream = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          hasBegun = true
          const { done, value } = await chunks.next().catch((error) => {
            form.destroy()
            return rethrow(error)
          })
          if (done) controller.close()
          else controller.enqueue(value)
        },
        cancel() {
          // A form that is rejected before its file is read is discarded as it arrives: some
          // servers reset the connection if a body is cancelled, and lose the response.
          if (hasBegun) form.destroy()
          else content.resume()
        },
      },
      { highWaterMark: 0 },
    )
    return { ...upload, content: stream }
  }
}

/** The replacement character, which a decoder returns for bytes that are not UTF-8. */
const replacement = '\ufffd'

/** The characters of a boundary (RFC 2046, section 5.1.1). */
const boundaryPattern = /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/

/**
 * Returns the content type with its boundary as the only parameter.
 * @throws UnsupportedMediaTypeError if it is not `multipart/form-data`.
 * @throws InvalidInputError if it has no valid boundary.
 */
function withBoundaryOnly(contentType: string): string {
  if (!/^multipart\/form-data *(?:;|$)/i.test(contentType))
    throw new UnsupportedMediaTypeError('a multipart body must be multipart/form-data')
  const match = /; *boundary=(?:"([^"]*)"|([^\s;]*))/i.exec(contentType)
  const boundary = match?.[1] ?? match?.[2] ?? ''
  if (!boundaryPattern.test(boundary))
    throw InvalidInputError.at('Content-Type', 'must have a valid boundary')
  return `multipart/form-data; boundary="${boundary}"`
}

function overheadError(maxOverheadBytes: number): InvalidInputError {
  return formError(`must have at most ${maxOverheadBytes} bytes besides its file`)
}

function formError(problem: string): InvalidInputError {
  return InvalidInputError.at('', `the form ${problem}`)
}
