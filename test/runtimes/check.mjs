/** Assertions for checks, with nothing but the language. */

/** @throws Error if `condition` is not true. */
export function assert(condition, what) {
  if (condition !== true) throw new Error(what)
}

/** @throws Error if the two are not equal as JSON. */
export function assertEqual(actual, expected, what) {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (left !== right) throw new Error(`${what}: expected ${right}, got ${left}`)
}

/**
 * Returns what `work` rejects with. @throws Error if it resolves, or rejects with an error of
 * another class or code.
 */
export async function assertRejects(work, errorClass, code) {
  const error = await work.then(
    () => undefined,
    (reason) => reason,
  )
  if (error === undefined) throw new Error(`expected ${code}, got a result`)
  if (error.code !== code) throw error
  if (!(error instanceof errorClass) || error.constructor !== errorClass)
    throw new Error(`the error with code ${code} has another class`)
  return error
}

/** Reads a stream completely. */
export async function bytesOf(stream) {
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** Creates a stream of these bytes, in pieces of these lengths over and over. */
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

/** Returns whether two byte arrays are equal. */
export function equalBytes(left, right) {
  return left.length === right.length && left.every((byte, index) => byte === right[index])
}

/** Returns bytes in a pattern that is not constant. */
export function patternOf(length) {
  return Uint8Array.from({ length }, (_, index) => (index * 31) & 255)
}
