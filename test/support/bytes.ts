/** Bytes and streams of bytes. */

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

/** Reads a stream completely. */
export async function readBytes(content: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(content).arrayBuffer())
}

/** Encodes a string as UTF-8. */
export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
