/**
 * Stores blobs as objects of a bucket.
 *
 * Only `PutObject` with `If-None-Match: *` is write-once on every service that supports the header,
 * because some ignore it when an upload in parts is completed. So a blob exists once the object
 * `blobs/<id>` exists. It contains the content or, for a larger blob, the name of the object with
 * the content: `parts/<id>/<writer>`, which only its writer uploads.
 */

import { releaseContent, toChunks } from '../../base/blob-content.js'
import { collectBytes } from '../../base/concat-bytes.js'
import { StorageError } from '../../errors.js'
import type { BlobContent, BlobStore } from '../../store.js'
import { cutContent } from '../chunks.js'
import {
  findLength,
  type MultipartUpload,
  removeAll,
  removeObject,
  startUpload,
} from './objects.js'
import { findCode, readText, type S3Response, type Send } from './send.js'

/** The bytes of every part except the last. Smaller contents are one object. */
const partSize = 8_388_608

/** Maximum size in bytes of a content that is returned as bytes. A larger one is read in chunks. */
const maxSmallBytes = 65_536

/** The metadata of an object `blobs/<id>`: `<form>.<writer>.<bytes of the content>`. */
const descriptionHeader = 'x-amz-meta-cofferkit'

/** A version 4 UUID. */
const writerPattern = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

interface Description {
  readonly form: 'whole' | 'parts'
  readonly writer: string
  readonly length: number
}

/**
 * @param prefix The beginning of all keys. It needs no escaping in a URL.
 * @param timeoutMs How long a delete may take, with all its requests, in milliseconds.
 */
export function createS3Blobs(send: Send, prefix: string, timeoutMs: number): BlobStore {
  const blobKey = (id: string): string => `${prefix}blobs/${escapeId(id)}`
  const partsPrefix = (id: string): string => `${prefix}parts/${escapeId(id)}/`
  const assertWriteOnce = createWriteOnceCheck(send, `${prefix}write-once`)
  return {
    async read(id) {
      const response = await getObject(send, blobKey(id))
      if (response === undefined) return undefined
      const { form, writer, length } = await parseDescription(response)
      if (form === 'whole') return openContent(response, length)
      await response.cancel()
      const content = await getObject(send, `${partsPrefix(id)}${writer}`)
      if (content === undefined) throw new StorageError('the content of the blob is missing')
      return openContent(content, length)
    },
    async write(id, content) {
      const writer = crypto.randomUUID()
      try {
        await assertWriteOnce()
        await writeBlob(
          send,
          { key: blobKey(id), partsKey: `${partsPrefix(id)}${writer}` },
          writer,
          content,
        )
      } catch (error) {
        releaseContent(content, error)
        throw error
      }
    },
    async delete(id) {
      const end = performance.now() + timeoutMs
      const sendInTime: Send = (request, ...accepted) => send({ ...request, end }, ...accepted)
      await removeAll(sendInTime, partsPrefix(id), writerPattern)
      // Removed last, so that a writer that finds its parts has created this object before.
      await removeObject(sendInTime, blobKey(id))
    },
  }
}

interface Keys {
  readonly key: string
  readonly partsKey: string
}

async function writeBlob(
  send: Send,
  { key, partsKey }: Keys,
  writer: string,
  content: BlobContent,
): Promise<void> {
  let upload: MultipartUpload | undefined
  let length = 0
  const removeParts = async (): Promise<void> => {
    await upload?.abort()
    await removeObject(send, partsKey)
  }
  try {
    for await (const { bytes, isLast } of cutContent(content, partSize)) {
      length += bytes.length
      if (isLast && upload === undefined)
        return await createBlob(send, key, { form: 'whole', writer, length }, bytes)
      upload ??= await startUpload(send, partsKey)
      await upload.add(bytes)
    }
    await upload?.complete()
  } catch (error) {
    // If parts cannot be removed now, they are removed when the id is deleted.
    if (upload !== undefined) await removeParts().catch(() => {})
    throw error
  }
  // If this fails, the object may have been created. It then needs its parts.
  await createBlob(send, key, { form: 'parts', writer, length }, new Uint8Array(0), removeParts)
  if ((await findLength(send, partsKey)) === length) return
  await removeObject(send, key)
  throw new StorageError('the blob was deleted while it was written')
}

/**
 * Creates the object of a blob. If an attempt created it but its response was lost, the next
 * attempt fails, but the object has this writer's description.
 * @param onExists Called if another writer has created it.
 */
async function createBlob(
  send: Send,
  key: string,
  { form, writer, length }: Description,
  body: Uint8Array,
  onExists: () => Promise<void> = async () => {},
): Promise<void> {
  const description = `${form}.${writer}.${length}`
  if (await putOnce(send, key, body, { [descriptionHeader]: description })) return
  const { headers } = await send({ method: 'HEAD', key }, 200, 404)
  if (headers.get(descriptionHeader) === description) return
  await onExists().catch(() => {})
  throw new StorageError('a blob with this id already exists')
}

/** Writes an object if it does not exist. @returns false if it exists. */
async function putOnce(
  send: Send,
  key: string,
  body: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const condition = { ...headers, 'if-none-match': '*' }
  const response = await send({ method: 'PUT', key, headers: condition, body }, 200, 412)
  await response.cancel()
  return response.status === 200
}

/**
 * Returns a function that rejects if the service ignores `If-None-Match`, and does nothing after it
 * has resolved once. To find out, it creates an object a second time that is never removed.
 */
function createWriteOnceCheck(send: Send, key: string): () => Promise<void> {
  let isChecked = false
  const run = async (): Promise<void> => {
    const body = new Uint8Array(0)
    if ((await putOnce(send, key, body)) && (await putOnce(send, key, body)))
      throw new StorageError('the object store ignores If-None-Match')
  }
  // A check in progress is not shared, because one that hangs must not hold up every other write.
  return async () => {
    if (isChecked) return
    await run()
    isChecked = true
  }
}

/** Returns the response with an object, or undefined if it does not exist. */
async function getObject(send: Send, key: string): Promise<S3Response | undefined> {
  const response = await send({ method: 'GET', key }, 200, 404)
  if (response.status === 200) return response
  const code = findCode(await readText(response))
  if (code === 'NoSuchKey') return undefined
  throw new StorageError(`the object store responded with 404 ${code ?? ''}`.trimEnd())
}

/**
 * Returns the content of a response that must have exactly `length` bytes. With any other number,
 * the promise rejects or the chunks fail with a StorageError. Bytes must be complete at the `end`
 * of the response. Chunks may take any time, but must not pause for longer than the timeout.
 */
async function openContent(response: S3Response, length: number): Promise<BlobContent> {
  if (length > maxSmallBytes) return toChunks(checkLength(response, length), response.cancel)
  return collectBytes(checkLength(response, length, response.end))
}

async function* checkLength(
  response: S3Response,
  length: number,
  end?: number,
): AsyncGenerator<Uint8Array> {
  let left = length
  const readNext = (): Promise<Uint8Array | undefined> => response.read(end)
  for (let chunk = await readNext(); chunk; chunk = await readNext()) {
    left -= chunk.length
    if (left < 0) break
    yield chunk
  }
  if (left === 0) return
  await response.cancel()
  throw new StorageError('the object store returned content of the wrong length')
}

async function parseDescription(response: S3Response): Promise<Description> {
  const [form, writer = '', length = ''] = response.headers.get(descriptionHeader)?.split('.') ?? []
  if (
    (form === 'whole' || form === 'parts') &&
    writerPattern.test(writer) &&
    /^\d{1,15}$/.test(length)
  )
    return { form, writer, length: Number(length) }
  await response.cancel()
  throw new StorageError('the object was not written by this store')
}

/**
 * Escapes everything but letters, digits, `-`, `_` and `/`, so that a key is the same in URLs and
 * XML.
 */
function escapeId(id: string): string {
  return Array.from(new TextEncoder().encode(id), (byte) => {
    const character = String.fromCharCode(byte)
    return /[\w/-]/.test(character) ? character : `=${byte.toString(16).padStart(2, '0')}`
  }).join('')
}
