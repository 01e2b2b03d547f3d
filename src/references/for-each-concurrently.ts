/** Works on the elements of an array, several at a time. */

/**
 * Calls `work` for each element in order, with at most `limit` calls at a time.
 * @throws The error of the first element, in the order of the array, for which `work` rejects. No
 * further element is begun then, and the calls that were begun have settled.
 */
export async function forEachConcurrently<Element>(
  elements: readonly Element[],
  limit: number,
  work: (element: Element) => Promise<void>,
): Promise<void> {
  const failures: { readonly index: number; readonly error: unknown }[] = []
  const queue = elements.entries()
  const runWorker = async (): Promise<void> => {
    for (const [index, element] of queue) {
      await work(element).catch((error: unknown) => failures.push({ index, error }))
      if (failures.length > 0) return
    }
  }
  await Promise.all(Array.from({ length: limit }, runWorker))
  const [first] = failures.sort((left, right) => left.index - right.index)
  if (first !== undefined) throw first.error
}
