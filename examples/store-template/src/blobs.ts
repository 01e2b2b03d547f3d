/** Blobs: chunks, and a value that makes them readable once they are complete. */

import type { BlobContent, BlobStore } from 'cofferkit'
import type { Database } from './database.ts'

const chunkBytes = 256 * 1024

/** The value of a blob. Its chunks can be read when their number is known. */
interface Head {
  readonly writer: string
  readonly chunks?: number
}

/** Creates a blob store in `database`. */
export function createBlobs(database: Database): BlobStore {
  /** Removes all values whose keys begin with `start`. */
  async function clear(start: string): Promise<void> {
    for await (const [name, value] of database.scan(start, `${start}\x7f`))
      await database.change(name, value, [[name, undefined]])
  }

  async function readChunk(
    id: string,
    writer: string,
    number: number,
  ): Promise<Uint8Array> {
    const chunk = await database.get(chunkNameOf(id, writer, number))
    if (chunk === undefined)
      throw new Error('the blob was deleted while it was being read')
    return chunk
  }

  async function* readChunks(id: string, writer: string, count: number) {
    for (let number = 0; number < count; number++)
      yield await readChunk(id, writer, number)
  }

  return {
    async read(id) {
      const value = await database.get(nameOf(id))
      const { writer, chunks }: Head = value ? decode(value) : { writer: '' }
      if (chunks === undefined) return undefined
      if (chunks === 0) return new Uint8Array(0)
      if (chunks === 1) return readChunk(id, writer, 0)
      return readChunks(id, writer, chunks)
    },

    async write(id, content) {
      const writer = crypto.randomUUID()
      const claim = encode({ writer })
      if (
        !(await database.change(nameOf(id), undefined, [[nameOf(id), claim]]))
      )
        throw new Error('the blob exists')
      try {
        let chunks = 0
        for await (const chunk of splitContent(content)) {
          const name = chunkNameOf(id, writer, chunks++)
          await database.change(name, undefined, [[name, chunk]])
        }
        const head = encode({ writer, chunks })
        if (!(await database.change(nameOf(id), claim, [[nameOf(id), head]])))
          throw new Error('the blob was deleted while it was being written')
      } catch (error) {
        // If this fails as well, `delete` removes the rest.
        await clear(`chunks\0${id}\0${writer}\0`).catch(() => {})
        await database
          .change(nameOf(id), claim, [[nameOf(id), undefined]])
          .catch(() => {})
        throw error
      }
    },

    async delete(id) {
      const head = await database.get(nameOf(id))
      // Removed first, so that a write in progress is not completed without its first chunks.
      if (head !== undefined)
        await database.change(nameOf(id), head, [[nameOf(id), undefined]])
      await clear(`chunks\0${id}\0`)
    },
  }
}

function nameOf(id: string): string {
  return `blobs\0${id}`
}

function chunkNameOf(id: string, writer: string, number: number): string {
  return `chunks\0${id}\0${writer}\0${String(number).padStart(10, '0')}`
}

/** Splits and joins what arrives, so that no value is large and few are small. */
async function* splitContent(content: BlobContent): AsyncIterable<Uint8Array> {
  const parts = content instanceof Uint8Array ? [content] : content
  let rest = new Uint8Array(0)
  for await (const part of parts) {
    const joined = new Uint8Array(rest.length + part.length)
    joined.set(rest)
    joined.set(part, rest.length)
    let start = 0
    for (; joined.length - start >= chunkBytes; start += chunkBytes)
      yield joined.subarray(start, start + chunkBytes)
    rest = joined.subarray(start)
  }
  if (rest.length > 0) yield rest
}

function encode(head: Head): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(head))
}

function decode(value: Uint8Array): Head {
  return JSON.parse(new TextDecoder().decode(value))
}
