/** The form in which a blob store returns a content. */

import { expect } from 'vitest'
import type { BlobStore } from '../../../src/index.js'
import { readBytes, streamOf } from '../bytes.js'

/**
 * Asserts that a content of this length is returned complete and in this form, whether it was
 * written as bytes or in chunks.
 */
export async function expectContentForm(
  blobs: BlobStore,
  length: number,
  form: 'bytes' | 'chunks',
): Promise<void> {
  const bytes = Uint8Array.from({ length }, (_, index) => index & 255)
  await blobs.write('v/bytes', bytes)
  await blobs.write('v/stream', streamOf([bytes]))
  for (const id of ['v/bytes', 'v/stream']) {
    const content = await blobs.read(id)
    expect(content instanceof Uint8Array).toBe(form === 'bytes')
    expect(content && Buffer.compare(await readBytes(content), bytes)).toBe(0)
  }
}
