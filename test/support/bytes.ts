/** Bytes and streams of bytes. */

import { toStream } from '../../src/base/blob-content.js'
import type { BlobContent } from '../../src/index.js'

/** Creates a stream of these chunks, which then ends or fails with `error`. */
export function streamOf(chunks: readonly unknown[], error?: unknown): ReadableStream<Uint8Array> {
  const left = [...chunks]
  return new ReadableStream({
    pull(controller) {
      if (left.length > 0) controller.enqueue(left.shift() as Uint8Array)
      else if (error === undefined) controller.close()
      else controller.error(error)
    },
  })
}

/** Reads a content completely. */
export async function readBytes(content: BlobContent): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  if (content instanceof Uint8Array) chunks.push(content)
  else for await (const chunk of content) chunks.push(chunk)
  return new Uint8Array(Buffer.concat(chunks))
}

/** Reads a content in chunks. */
export function openReader(
  content: BlobContent | undefined,
): ReadableStreamDefaultReader<Uint8Array> {
  if (content === undefined) throw new Error('there is no content')
  return toStream(content).getReader()
}

/** Encodes a string as UTF-8. */
export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
