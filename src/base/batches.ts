/** Splits work into batches whose elements are processed at the same time. */

/** Yields the elements in order, up to `size` at a time. Yields nothing for an empty array. */
export function* batchesOf<Element>(
  elements: readonly Element[],
  size: number,
): Generator<readonly Element[]> {
  for (let start = 0; start < elements.length; start += size)
    yield elements.slice(start, start + size)
}

/** Yields the elements in order, up to `size` at a time, as soon as that many have arrived. */
export async function* gatherBatches<Element>(
  elements: AsyncIterable<Element>,
  size: number,
): AsyncGenerator<readonly Element[]> {
  let batch: Element[] = []
  for await (const element of elements) {
    batch.push(element)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/**
 * Waits for all of these, even if one of them rejects, so that nothing goes on after a failure.
 * @returns The results in order.
 * @throws The error of the first one that has rejected.
 */
export async function settleAll<Result>(
  promises: readonly Promise<Result>[],
): Promise<readonly Result[]> {
  await Promise.allSettled(promises)
  return Promise.all(promises)
}
