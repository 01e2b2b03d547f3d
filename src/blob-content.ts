/**
 * Reads the content of a blob, which is bytes or a stream. A small content that is bytes never
 * becomes a web stream on its way through the library: in process, one costs more than everything
 * else that is done for the details of a file with 1 KB of content.
 */

import type { BlobContent } from './store.js'

/** Returns the content as a stream, whose chunks belong to the receiver. Bytes are copied. */
export function toStream(content: BlobContent): ReadableStream<Uint8Array> {
  if (!(content instanceof Uint8Array)) return content
  let isRead = content.length === 0
  return new ReadableStream(
    {
      // Not closed before the bytes were read, so that until then a signal can make it fail.
      pull(controller) {
        if (isRead) return controller.close()
        isRead = true
        controller.enqueue(new Uint8Array(content))
      },
    },
    { highWaterMark: 0 },
  )
}

/** Returns the whole content, that of a stream as a promise, which rejects with its error. */
export function readContent(content: BlobContent): Uint8Array | Promise<Uint8Array> {
  if (content instanceof Uint8Array) return content
  return new Response(content).arrayBuffer().then((buffer) => new Uint8Array(buffer))
}

/** Releases a content that is not read. Rejects if its stream cannot be cancelled. */
export async function cancelContent(
  content: BlobContent | undefined,
  reason?: unknown,
): Promise<void> {
  if (content !== undefined && !(content instanceof Uint8Array)) await content.cancel(reason)
}
