import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSealer, type RowPart } from '../../src/seal.js'
import { createLocalKeyProvider } from '../../src/storage/encrypted.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { utf8 } from '../support/bytes.js'
import {
  openSealedText,
  ringMac,
  type StoredRing,
  unwrapKeyByHand,
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
    const materials = new Map(
      stored.keys.map(({ id, wrapped }) => {
        const context = ['cofferkit seal key', scope, `${id}`] as const
        return [id, unwrapKeyByHand(Buffer.from(kek, 'hex'), context, wrapped)]
      }),
    )
    const [material = Buffer.alloc(64)] = materials.values()
    expect(ringMac(material, scope, 1, stored, 'seal ring').toString('base64')).toBe(stored.mac)
    for (const { place, value, sealed } of texts) {
      const key = materials.get(Number(sealed.split('.')[1]))?.subarray(0, 32)
      expect(openSealedText(key ?? Buffer.alloc(32), scope, place.map(String), sealed)).toBe(value)
    }
  })
})
