/** Puts a content together from its chunks. */

/** A stream of `count` chunks. Each is asked for when it is wanted, so that nothing is held meanwhile. */
export function chunkStream(
  count: number,
  chunkAt: (place: number) => Uint8Array | Promise<Uint8Array>,
): ReadableStream<Uint8Array> {
  let next = 0
  return new ReadableStream(
    {
      async pull(controller) {
        if (next < count) controller.enqueue(await chunkAt(next++))
        else controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}
