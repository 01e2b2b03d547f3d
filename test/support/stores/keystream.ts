/** Deterministic random bytes of cryptographic quality. */

import { createCipheriv, createHash } from 'node:crypto'
import type { RandomBytes } from '../../../src/core/runtime/random.js'

const poolSize = 1 << 16

/** Creates the ChaCha20 keystream of a seed. */
export function keystream(seed: string): RandomBytes {
  const cipher = createCipheriv(
    'chacha20',
    createHash('sha256').update(seed).digest(),
    Buffer.alloc(16),
  )
  let pool: Uint8Array = new Uint8Array(0)
  return (length) => {
    if (pool.length < length) pool = cipher.update(new Uint8Array(poolSize))
    const bytes = pool.subarray(0, length)
    pool = pool.subarray(length)
    return bytes
  }
}
