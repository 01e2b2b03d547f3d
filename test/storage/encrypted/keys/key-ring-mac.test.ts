import { describe, expect, it } from 'vitest'
import { DecryptionError } from '../../../../src/errors.js'
import {
  decodeRing,
  sealRings,
  vaultRings,
} from '../../../../src/storage/encrypted/keys/key-ring.js'
import {
  authenticateRing,
  deriveRingKey,
  verifyRing,
} from '../../../../src/storage/encrypted/keys/key-ring-mac.js'
import { utf8 } from '../../../support/bytes.js'
import { openKeysByHand, ringMac } from '../../../support/stores/encrypted-reader.js'
import vectors from '../../../vectors/envelope.json' with { type: 'json' }

describe('authenticateRing', () => {
  it.each(vectors.rings)(
    'returns the bytes of the vector, which verifyRing accepts: $what',
    async (vector) => {
      const { scope, version } = vector
      const material = Buffer.from(vector.material, 'hex')
      const ringKey = await deriveRingKey(material)
      const ring = decodeRing({ version, body: utf8(vector.body) }, vaultRings)
      await verifyRing(ringKey, scope, ring)
      const { body, ...same } = await authenticateRing(ringKey, scope, version, ring)
      expect(same).toEqual(ring)
      expect(new TextDecoder().decode(body)).toBe(vector.body)
      const mac = ringMac(material, scope, version, JSON.parse(vector.body))
      expect(mac.toString('base64')).toBe(ring.mac)
      if (ring.keys.length === 0) return
      const opened = openKeysByHand(
        Buffer.from(vector.secret, 'hex'),
        scope,
        JSON.parse(vector.body),
      )
      expect(opened.toString('hex')).toBe(vector.material)
    },
  )

  it.each(vectors.refusedRings)(
    'has no form for the vector, which decodeRing refuses: $what',
    (vector) => {
      const { scope, version, body } = vector
      const ring = JSON.parse(body)
      const mac = ringMac(Buffer.from(vector.material, 'hex'), scope, version, ring)
      expect(mac.toString('base64')).toBe(ring.mac)
      expect(() => decodeRing({ version, body: utf8(body) }, vaultRings)).toThrow(DecryptionError)
    },
  )

  it('returns different MACs for different scopes, versions, times, KEKs, secrets and orders of the same keys', async () => {
    const ringKey = await deriveRingKey(new Uint8Array(64))
    const [one, two] = [
      { id: 1, made: 1 },
      { id: 2, made: 2 },
    ]
    const content = {
      use: vaultRings,
      hasReencryptions: false,
      ...{ kekId: 'a', secret: 'AA==', sealed: 'AAAA' },
      keys: [one, two],
    }
    const rings = [
      authenticateRing(ringKey, 'v1', 1, content),
      authenticateRing(ringKey, 'v1', 2, content),
      authenticateRing(ringKey, 'v2', 1, content),
      authenticateRing(ringKey, 'v1', 1, { ...content, use: sealRings }),
      authenticateRing(ringKey, 'v1', 1, { ...content, hasReencryptions: true }),
      authenticateRing(ringKey, 'v1', 1, { ...content, keys: [two, one] }),
      authenticateRing(ringKey, 'v1', 1, { ...content, keys: [one] }),
      authenticateRing(ringKey, 'v1', 1, { ...content, keys: [{ ...one, made: 2 }, two] }),
      authenticateRing(ringKey, 'v1', 1, { ...content, kekId: 'aAA==', secret: '' }),
      authenticateRing(ringKey, 'v1', 1, { ...content, kekId: 'b' }),
      authenticateRing(ringKey, 'v1', 1, { ...content, secret: 'AQ==' }),
      authenticateRing(ringKey, 'v1', 1, { ...content, sealed: 'AAAB' }),
    ]
    const macs = (await Promise.all(rings)).map(({ mac }) => mac)
    expect(new Set(macs).size).toBe(rings.length)
  })
})
