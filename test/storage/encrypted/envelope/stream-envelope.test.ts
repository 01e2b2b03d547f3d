import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toChunks } from '../../../../src/base/blob-content.js'
import { collectBytes } from '../../../../src/base/concat-bytes.js'
import { DecryptionError } from '../../../../src/errors.js'
import type { Chunk } from '../../../../src/storage/chunks.js'
import {
  type DataKey,
  randomBytes,
} from '../../../../src/storage/encrypted/envelope/record-envelope.js'
import {
  chunkLength,
  decryptChunks,
  encryptChunks,
} from '../../../../src/storage/encrypted/envelope/stream-envelope.js'
import { propertyRuns } from '../../../support/arbitraries/property-runs.js'
import * as support from '../../../support/bytes.js'
import * as reader from '../../../support/stores/encrypted-reader.js'
import vectors from '../../../vectors/envelope.json' with { type: 'json' }

const key: DataKey = { id: 1, bytes: randomBytes(32) }
const sealedLength = chunkLength + 16

/** Returns the envelope of the content, read in pieces of this length. */
async function envelopeOf(content: Uint8Array, id = 'v/a', prefix?: Uint8Array): Promise<Buffer> {
  const source = toChunks(support.streamOf([content]))
  return Buffer.from(await collectBytes(encryptChunks(id, () => key, source, prefix)))
}

async function opened(
  envelope: Uint8Array,
  id = 'v/a',
  pieceLength = 50_000,
  dataKey: DataKey = key,
): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for (let start = 0; start < envelope.length; start += pieceLength)
    pieces.push(envelope.subarray(start, start + pieceLength))
  const source = toChunks(support.streamOf(pieces))
  return Buffer.from(await collectBytes(contentOf(decryptChunks(id, async () => dataKey, source))))
}

async function* contentOf(chunks: AsyncIterable<Chunk>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of chunks) yield bytes
}

/** Returns the header and the chunks of an envelope. */
function chunksOf(envelope: Buffer): Buffer[] {
  const chunks = [envelope.subarray(0, 24)]
  for (let start = 24; start < envelope.length; start += sealedLength)
    chunks.push(envelope.subarray(start, start + sealedLength))
  return chunks
}

describe('encryptChunks and decryptChunks', () => {
  it.each([0, 1, chunkLength - 1, chunkLength, chunkLength + 1, 3 * chunkLength, 200_000])(
    'return %i bytes unchanged, in pieces of any size',
    async (length) => {
      const content = Buffer.from(randomBytes(64)).toString('hex').repeat(2000).slice(0, length)
      const bytes = Buffer.from(content)
      const envelope = await envelopeOf(bytes)
      const chunks = Math.max(1, Math.ceil(length / chunkLength))
      expect(envelope).toHaveLength(24 + length + 16 * chunks)
      for (const pieceLength of [1_000_000, 65_552, 7919])
        expect((await opened(envelope, 'v/a', pieceLength)).equals(bytes)).toBe(true)
    },
  )

  it('return any short content unchanged, with a different envelope each time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), async (content) => {
        const envelope = await envelopeOf(content)
        const again = await envelopeOf(content)
        return (await opened(envelope)).equals(content) && !envelope.equals(again)
      }),
      { numRuns: propertyRuns(200) },
    )
  })

  it('reject an envelope under another id, or with another key', async () => {
    const envelope = await envelopeOf(Buffer.from('x'))
    await expect(opened(envelope, 'v/b')).rejects.toThrow(DecryptionError)
    const other = { id: 1, bytes: randomBytes(32) }
    await expect(opened(envelope, 'v/a', 10, other)).rejects.toThrow(DecryptionError)
  })

  it('reject an envelope when it was changed, cut or extended', async () => {
    const envelope = await envelopeOf(Buffer.from('a short content'))
    const attempts: Promise<unknown>[] = []
    for (let bit = 0; bit < envelope.length * 8; bit++) {
      // Bytes 2 and 3 are the id of the key. Here every id refers to the same key.
      if (bit >> 3 === 2 || bit >> 3 === 3) continue
      const flipped = Buffer.from(envelope)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      attempts.push(opened(flipped))
    }
    for (let length = 0; length < envelope.length; length++)
      attempts.push(opened(envelope.subarray(0, length)))
    attempts.push(opened(Buffer.concat([envelope, Buffer.alloc(1)])))
    for (const { status, ...outcome } of await Promise.allSettled(attempts)) {
      expect(status).toBe('rejected')
      expect('reason' in outcome && outcome.reason).toBeInstanceOf(DecryptionError)
    }
  })

  it('reject chunks when they are missing, duplicated, exchanged, or of another blob', async () => {
    const content = Buffer.alloc(2 * chunkLength + 5, 1)
    const [header = key.bytes, one = key.bytes, two = key.bytes, last = key.bytes] = chunksOf(
      await envelopeOf(content),
    )
    const [otherHeader = key.bytes, , otherTwo = key.bytes] = chunksOf(await envelopeOf(content))
    const forgeries = [
      [header, one, two],
      [header, one],
      [header, one, last],
      [header, two, last],
      [header, last],
      [header, two, one, last],
      [header, one, one, last],
      [header, one, two, two, last],
      [header, one, two, last, last],
      [header, one, two, last, one],
      [header, one, otherTwo, last],
      [otherHeader, one, two, last],
      [header],
      [],
    ]
    expect(await opened(Buffer.concat([header, one, two, last]))).toHaveLength(content.length)
    for (const [index, forgery] of forgeries.entries()) {
      const outcome = await opened(Buffer.concat(forgery)).catch((error: unknown) => error)
      expect({ index, outcome }).toEqual({ index, outcome: expect.any(DecryptionError) })
    }
  })

  it('accept a full last chunk', async () => {
    const envelope = await envelopeOf(Buffer.alloc(2 * chunkLength))
    await expect(opened(envelope.subarray(0, 24 + sealedLength))).rejects.toThrow(DecryptionError)
    expect(await opened(envelope)).toHaveLength(2 * chunkLength)
  })

  it('read the source on demand, and release it when the chunks are released', async () => {
    let pulls = 0
    let reason: unknown
    const endless = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulls++
          controller.enqueue(new Uint8Array(chunkLength))
        },
        cancel(why) {
          reason = why
        },
      },
      { highWaterMark: 0 },
    )
    const source = toChunks(endless)
    const chunks = toChunks(
      encryptChunks('v/a', () => key, source),
      source.return,
    )
    expect(pulls).toBe(0)
    await chunks.next()
    await chunks.next()
    expect(pulls).toBe(2)
    await chunks.return('enough')
    expect(reason).toBe('enough')
  })

  it('cancel the source when a later chunk is rejected', async () => {
    const envelope = await envelopeOf(new Uint8Array(4 * chunkLength))
    envelope[24 + 2 * sealedLength] = (envelope[24 + 2 * sealedLength] ?? 0) ^ 1
    let at = 0
    const reasons: unknown[] = []
    const source = toChunks(
      new ReadableStream(
        {
          pull(controller) {
            controller.enqueue(new Uint8Array(envelope.subarray(at, at + 1000)))
            at += 1000
          },
          cancel: (reason) => void reasons.push(reason),
        },
        { highWaterMark: 0 },
      ),
    )
    const stream = contentOf(decryptChunks('v/a', () => key, source))
    await expect(support.readBytes(stream)).rejects.toThrow(DecryptionError)
    expect(reasons).toHaveLength(1)
    expect(at).toBeLessThan(envelope.length)
  })

  it('reject with the error of the source', async () => {
    const error = new Error('the disk is gone')
    const source = toChunks(support.streamOf([Buffer.from('x')], error))
    await expect(collectBytes(encryptChunks('v/a', () => key, source))).rejects.toBe(error)
  })
})

describe('the blob vectors of test/vectors/envelope.json', () => {
  it.each(vectors.blobs)('are encrypted and decrypted: $what', async (vector) => {
    const content = Buffer.from(Array.from({ length: vector.length }, (_, index) => index & 255))
    const dataKey = { id: vector.keyId, bytes: Buffer.from(vector.key, 'hex') }
    const prefix = Buffer.from(vector.prefix, 'hex')
    const chunks = encryptChunks(vector.id, () => dataKey, new Uint8Array(content), prefix)
    const envelope = Buffer.from(await collectBytes(chunks))
    expect(envelope.subarray(0, 64).toString('hex')).toBe(vector.sealedStart)
    expect(envelope).toHaveLength(vector.sealedLength)
    expect(createHash('sha256').update(envelope).digest('hex')).toBe(vector.sealedSha256)
    expect((await opened(envelope, vector.id, 50_000, dataKey)).equals(content)).toBe(true)
    const theirs = reader.decryptBlob(dataKey.bytes, vector.id, envelope)
    expect(theirs.equals(content)).toBe(true)
  })
})
