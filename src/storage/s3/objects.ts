/** Uploads an object in parts, and finds objects and unfinished uploads. */

import { StorageError } from '../../errors.js'
import { readText, type Send } from './send.js'

/** An upload of an object that does not exist before it is completed. */
export interface MultipartUpload {
  /** Uploads the next part: at least 5 MiB, except the last one. */
  add(part: Uint8Array): Promise<void>
  /** Creates the object of all parts. */
  complete(): Promise<void>
  /** Removes all parts. Does nothing if the upload was completed or removed. */
  abort(): Promise<void>
}

/** Begins an upload. No other upload may have the same key. */
export async function startUpload(send: Send, key: string): Promise<MultipartUpload> {
  const created = await send({ method: 'POST', key, query: { uploads: '' } }, 200)
  const uploadId = findElement(await readText(created), 'UploadId')
  if (uploadId === undefined) throw unexpectedResponseError()
  const parts: string[] = []
  let bytes = 0
  return {
    async add(part) {
      const partNumber = String(parts.length + 1)
      const query = { partNumber, uploadId }
      const response = await send({ method: 'PUT', key, query, body: part }, 200)
      await response.cancel()
      const etag = response.headers.get('etag')
      // The tag becomes part of XML, so it is checked.
      if (etag === null || !/^"?[\w+/=-]{1,200}"?$/.test(etag)) throw unexpectedResponseError()
      bytes += part.length
      parts.push(`<Part><PartNumber>${partNumber}</PartNumber><ETag>${etag}</ETag></Part>`)
    },
    async complete() {
      const xml = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
      const body = new TextEncoder().encode(xml)
      try {
        const response = await send({ method: 'POST', key, query: { uploadId }, body }, 200)
        // The status is sent before the outcome is known.
        if ((await readText(response)).includes('<CompleteMultipartUploadResult')) return
        throw unexpectedResponseError()
      } catch (error) {
        // An attempt whose response was lost may have completed the upload.
        if ((await findLength(send, key)) !== bytes) throw error
      }
    },
    abort: () => abortUpload(send, key, uploadId),
  }
}

/** Returns the length of an object in bytes, or undefined if it does not exist. */
export async function findLength(send: Send, key: string): Promise<number | undefined> {
  const { status, headers } = await send({ method: 'HEAD', key }, 200, 404)
  return status === 404 ? undefined : Number(headers.get('content-length') ?? Number.NaN)
}

/** Removes an object. Does nothing if it does not exist. */
export async function removeObject(send: Send, key: string): Promise<void> {
  await (await send({ method: 'DELETE', key }, 200, 204, 404)).cancel()
}

/**
 * Removes the objects and the unfinished uploads whose keys are `prefix` and a name that matches
 * `name`.
 */
export async function removeAll(send: Send, prefix: string, name: RegExp): Promise<void> {
  const isOwn = (key: string | undefined): key is string =>
    key?.startsWith(prefix) === true && name.test(key.slice(prefix.length))
  // Uploads come first, because one that completes in between becomes an object.
  for await (const upload of listElements(send, { uploads: '', prefix }, 'Upload')) {
    const [key, uploadId] = [findElement(upload, 'Key'), findElement(upload, 'UploadId')]
    if (isOwn(key) && uploadId !== undefined) await abortUpload(send, key, uploadId)
  }
  for await (const object of listElements(send, { 'list-type': '2', prefix }, 'Contents')) {
    const key = findElement(object, 'Key')
    if (isOwn(key)) await removeObject(send, key)
  }
}

/**
 * Yields the elements of the first page of a list, and of the pages after it.
 * @throws StorageError if a page does not begin after the one before it, because the list might
 * then go on forever.
 */
async function* listElements(
  send: Send,
  query: Readonly<Record<string, string>>,
  element: 'Upload' | 'Contents',
): AsyncGenerator<string> {
  let position: Position | undefined = { key: '', id: '', parameters: {} }
  while (position !== undefined) {
    const page = await readText(
      await send({ method: 'GET', query: { ...query, ...position.parameters } }, 200),
    )
    const elements = [...findElements(page, element)]
    yield* elements
    const lastKey = findElement(elements.at(-1) ?? '', 'Key') ?? position.key
    const next = nextPosition(page, lastKey)
    if (next && (next.key < position.key || (next.key === position.key && next.id === position.id)))
      throw unexpectedResponseError()
    position = next
  }
}

/** Where a page begins: after this key, and for the same key after this id or at this token. */
interface Position {
  readonly key: string
  readonly id: string
  /** The parameters that request the page. */
  readonly parameters: Readonly<Record<string, string>>
}

/** Returns the position of the next page, or undefined after the last one. */
function nextPosition(page: string, lastKey: string): Position | undefined {
  if (findElement(page, 'IsTruncated') !== 'true') return undefined
  const token = findElement(page, 'NextContinuationToken')
  if (token !== undefined)
    return { key: lastKey, id: token, parameters: { 'continuation-token': token } }
  const [key, id] = [findElement(page, 'NextKeyMarker'), findElement(page, 'NextUploadIdMarker')]
  if (key === undefined || id === undefined) throw unexpectedResponseError()
  return { key, id, parameters: { 'key-marker': key, 'upload-id-marker': id } }
}

async function abortUpload(send: Send, key: string, uploadId: string): Promise<void> {
  await (await send({ method: 'DELETE', key, query: { uploadId } }, 200, 204, 404)).cancel()
}

/** Returns the text of an XML element. Keys and ids of uploads contain no escaped characters. */
function findElement(xml: string, name: string): string | undefined {
  const [text = ''] = findElements(xml, name)
  return /^[^<>&]{1,2000}$/.test(text) ? text : undefined
}

/** Yields the contents of all elements with this name. Reads the text only once. */
function* findElements(xml: string, name: string): Generator<string> {
  const [open, close] = [`<${name}>`, `</${name}>`]
  let end = 0
  for (;;) {
    const start = xml.indexOf(open, end)
    end = xml.indexOf(close, start)
    if (start < 0 || end < 0) return
    yield xml.slice(start + open.length, end)
  }
}

function unexpectedResponseError(): StorageError {
  return new StorageError('unexpected response of the object store')
}
