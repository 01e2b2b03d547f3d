/** What a check says when it does not hold, with nothing but the language. */

/** @throws Error if `condition` is not true. */
export function holds(condition, what) {
  if (condition !== true) throw new Error(what)
}

/** @throws Error if the two are not equal as JSON. */
export function same(actual, expected, what) {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (left !== right) throw new Error(`${what}: expected ${right}, got ${left}`)
}

/** What `work` rejects with. @throws Error if it resolves, or rejects with an error of another class or code. */
export async function refused(work, errorClass, code) {
  const error = await work.then(
    () => undefined,
    (reason) => reason,
  )
  if (error === undefined) throw new Error(`expected ${code}, got an answer`)
  if (error.code !== code) throw error
  if (!(error instanceof errorClass) || error.constructor !== errorClass)
    throw new Error(`the error of ${code} is not of its class`)
  return error
}

/** All bytes of a stream. */
export async function bytesOf(stream) {
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** A stream of these bytes, in pieces of these lengths over and over. */
export function streamOf(bytes, lengths) {
  let [start, piece] = [0, 0]
  return new ReadableStream({
    pull(controller) {
      if (start === bytes.length) return controller.close()
      const end = Math.min(start + lengths[piece++ % lengths.length], bytes.length)
      controller.enqueue(bytes.slice(start, end))
      start = end
    },
  })
}

/** Whether the two are the same bytes. */
export function equalBytes(left, right) {
  return left.length === right.length && left.every((byte, index) => byte === right[index])
}

/** Bytes that are not the same everywhere. */
export function patternOf(length) {
  return Uint8Array.from({ length }, (_, index) => (index * 31) & 255)
}
