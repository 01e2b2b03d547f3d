import { describe, expect, it } from 'vitest'
import { DecryptionError } from '../../../../src/errors.js'
import { decodeRing, vaultRings } from '../../../../src/storage/encrypted/keys/key-ring.js'
import {
  deriveRingKey,
  encodeAuthenticatedRing,
  verifyRing,
} from '../../../../src/storage/encrypted/keys/key-ring-mac.js'
import { utf8 } from '../../../support/bytes.js'
import { ringMac } from '../../../support/stores/encrypted-reader.js'
import vectors from '../../../vectors/envelope.json' with { type: 'json' }

describe('encodeAuthenticatedRing', () => {
  it.each(vectors.rings)(
    'returns the bytes of the vector, which verifyRing accepts: $what',
    async (vector) => {
      const { scope, version } = vector
      const material = Buffer.from(vector.material, 'hex')
      const ringKey = await deriveRingKey(material)
      const ring = decodeRing({ version, body: utf8(vector.body) })
      await verifyRing(ringKey, scope, ring)
      const { body } = await encodeAuthenticatedRing(ringKey, scope, version, ring)
      expect(new TextDecoder().decode(body)).toBe(vector.body)
      const mac = ringMac(material, scope, version, JSON.parse(vector.body))
      expect(mac.toString('base64')).toBe(ring.mac)
    },
  )

  it.each(vectors.refusedRings)(
    'has no form for the vector, which decodeRing refuses: $what',
    (vector) => {
      const { scope, version, body } = vector
      const ring = JSON.parse(body)
      const mac = ringMac(Buffer.from(vector.material, 'hex'), scope, version, ring)
      expect(mac.toString('base64')).toBe(ring.mac)
      expect(() => decodeRing({ version, body: utf8(body) })).toThrow(DecryptionError)
    },
  )

  it('returns different MACs for different scopes, versions, times and orders of the same keys', async () => {
    const ringKey = await deriveRingKey(new Uint8Array(64))
    const [one, two] = [
      { id: 1, made: 1, kekId: 'a', wrapped: 'AA==' },
      { id: 2, made: 2, kekId: 'b', wrapped: 'AA==' },
    ]
    const codes = [
      encodeAuthenticatedRing(ringKey, 'v1', 1, {
        use: vaultRings,
        hasReencryptions: false,
        keys: [one, two],
      }),
      encodeAuthenticatedRing(ringKey, 'v1', 1, {
        use: vaultRings,
        hasReencryptions: true,
        keys: [one, two],
      }),
      encodeAuthenticatedRing(ringKey, 'v1', 2, {
        use: vaultRings,
        hasReencryptions: false,
        keys: [one, two],
      }),
      encodeAuthenticatedRing(ringKey, 'v2', 1, {
        use: vaultRings,
        hasReencryptions: false,
        keys: [one, two],
      }),
      encodeAuthenticatedRing(ringKey, 'v1', 1, {
        use: vaultRings,
        hasReencryptions: false,
        keys: [two, one],
      }),
      encodeAuthenticatedRing(ringKey, 'v1', 1, {
        use: vaultRings,
        hasReencryptions: false,
        keys: [one],
      }),
      encodeAuthenticatedRing(ringKey, 'v1', 1, {
        use: vaultRings,
        hasReencryptions: false,
        keys: [{ ...one, kekId: 'aAA==' }, two],
      }),
      encodeAuthenticatedRing(ringKey, 'v1', 1, {
        use: vaultRings,
        hasReencryptions: false,
        keys: [{ ...one, made: 2 }, two],
      }),
    ]
    const bodies = (await Promise.all(codes)).map(({ body }) => new TextDecoder().decode(body))
    expect(new Set(bodies.map((body) => JSON.parse(body).mac)).size).toBe(codes.length)
  })
})
