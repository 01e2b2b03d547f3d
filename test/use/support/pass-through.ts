/** Passes chunks through the stream of a redactor, one after the other. */

import type { Redactor } from 'cofferkit/use'

/** Returns what comes out of the stream after each of the chunks, and at the end. */
export async function passThrough(
  redactor: Redactor,
  chunks: readonly Uint8Array[],
): Promise<readonly Buffer[]> {
  const { readable, writable } = redactor.stream()
  return readAfterEach(readable, writable.getWriter(), chunks)
}

/** Writes chunks, and returns what is read after each of them, and at the end. */
export async function readAfterEach(
  readable: ReadableStream<Uint8Array>,
  writer: { write(chunk: Uint8Array): unknown; close(): unknown },
  chunks: readonly Uint8Array[],
): Promise<readonly Buffer[]> {
  const reader = readable.getReader()
  const outputs: Buffer[] = []
  let output: Uint8Array[] = []
  const reading = (async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read())
      output.push(next.value)
  })()
  const take = (): void => {
    outputs.push(Buffer.concat(output))
    output = []
  }
  for (const chunk of chunks) {
    await writer.write(chunk)
    // A stream with several steps needs some turns of the event loop.
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    take()
  }
  await Promise.all([writer.close(), reading])
  take()
  return outputs
}
