import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSealer, type RowPart } from '../../src/seal.js'
import { createLocalKeyProvider } from '../../src/storage/encrypted.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { utf8 } from '../support/bytes.js'
import {
  kekIdByHand,
  openKeysByHand,
  openSealedText,
  ringMac,
  type StoredRing,
  unwrapSecretByHand,
} from '../support/stores/encrypted-reader.js'

interface Vectors {
  readonly kek: string
  readonly scope: string
  readonly ring: string
  readonly texts: readonly {
    readonly place: readonly [string, string, RowPart, ...RowPart[]]
    readonly value: string
    readonly sealed: string
  }[]
}

const path = join(import.meta.dirname, '../vectors/seal.json')
const { kek, scope, ring, texts }: Vectors = JSON.parse(readFileSync(path, 'utf8'))

describe('sealed texts of version 0.1', () => {
  it('are opened by a sealer with their key ring', async () => {
    const { records } = createMemoryStore()
    await records.put({ collection: 'seal', id: scope }, { body: utf8(ring) }, 0)
    const keys = createLocalKeyProvider({ key: Buffer.from(kek, 'hex') })
    const box = await createSealer(records, { keys }).box(scope)
    for (const { place, value, sealed } of texts) expect(box.open(place, sealed)).toBe(value)
    expect(texts.map(({ sealed }) => box.isCurrent(sealed))).toEqual([false, true, true])
  })

  it('are opened by a reader that follows FORMAT.md without the library', () => {
    const stored: StoredRing & { readonly mac: string } = JSON.parse(ring)
    const kekBytes = Buffer.from(kek, 'hex')
    expect(stored.kekId).toBe(kekIdByHand(kekBytes))
    const secret = unwrapSecretByHand(kekBytes, ['cofferkit seal ring', scope], stored.secret)
    const material = openKeysByHand(secret, scope, stored)
    expect(ringMac(material, scope, 1, stored, 'seal ring').toString('base64')).toBe(stored.mac)
    for (const { place, value, sealed } of texts) {
      const index = stored.keys.findIndex(({ id }) => id === Number(sealed.split('.')[1]))
      const key = material.subarray(32 * (1 + index), 32 * (2 + index))
      expect(openSealedText(key, scope, place.map(String), sealed)).toBe(value)
    }
  })
})
