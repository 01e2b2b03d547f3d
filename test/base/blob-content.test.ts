import { describe, expect, it, vi } from 'vitest'
import { cancelContent, readContent, toStream } from '../../src/base/blob-content.js'
import { openReader, readBytes, streamOf, utf8 } from '../support/bytes.js'

describe('toStream', () => {
  it('returns a stream unchanged', () => {
    const stream = streamOf([utf8('text')])
    expect(toStream(stream)).toBe(stream)
  })

  it.each(['', 'text'])('returns a stream of the bytes %j', async (text) => {
    const stream = toStream(utf8(text))
    expect(stream).toBeInstanceOf(ReadableStream)
    expect(await readBytes(stream)).toEqual(utf8(text))
  })

  it('copies the bytes, so that the receiver can modify its chunk', async () => {
    const bytes = utf8('text')
    const { value } = await openReader(bytes).read()
    value?.fill(0)
    expect(bytes).toEqual(utf8('text'))
  })
})

describe('readContent', () => {
  it('returns bytes unchanged, and the bytes of a stream', async () => {
    const bytes = utf8('text')
    expect(await readContent(bytes)).toBe(bytes)
    expect(await readContent(streamOf([utf8('te'), utf8('xt')]))).toEqual(bytes)
  })

  it('rejects with the error of the stream', async () => {
    const error = new Error('cut off')
    await expect(readContent(streamOf([], error))).rejects.toBe(error)
  })
})

describe('cancelContent', () => {
  it('cancels a stream, and does nothing for bytes or without content', async () => {
    const cancel = vi.fn()
    await cancelContent(new ReadableStream({ cancel }), 'enough')
    expect(cancel).toHaveBeenCalledExactlyOnceWith('enough')
    await cancelContent(utf8('text'))
    await cancelContent(undefined)
  })
})
