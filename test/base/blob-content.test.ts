import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { PassThrough } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import {
  isChunks,
  readContent,
  releaseContent,
  toChunks,
  toStream,
} from '../../src/base/blob-content.js'
import { readBytes, streamOf, utf8 } from '../support/bytes.js'
import { inTime } from '../support/http/wire.js'

const never = new Promise<never>(() => {})

/** A generator that yields `text`, then hangs if `hangs`; and whether it was ended. */
function generator(hangs = false) {
  const ended = vi.fn()
  async function* generate(): AsyncGenerator<Uint8Array> {
    try {
      yield utf8('text')
      if (hangs) await never
      yield utf8('more')
    } finally {
      ended()
    }
  }
  return { content: generate(), ended }
}

describe('toChunks', () => {
  it.each<[string, () => Parameters<typeof toChunks>[0]]>([
    ['bytes', () => utf8('textmore')],
    ['a web stream', () => streamOf([utf8('text'), utf8('more')])],
    ['a generator', () => generator().content],
    ['a function that makes a generator', () => () => generator().content],
    ['a stream of Node', () => new PassThrough().end('textmore')],
    ['chunks', () => toChunks(generator().content)],
  ])('returns the chunks of %s, and then only the end', async (_, content) => {
    const chunks = toChunks(content())
    expect(await readBytes(chunks)).toEqual(utf8('textmore'))
    expect(await chunks.next()).toEqual({ done: true, value: undefined })
    expect(await chunks.return('late')).toEqual({ done: true, value: undefined })
  })

  it('returns no chunk for no bytes, and copies others', async () => {
    expect((await toChunks(new Uint8Array(0)).next()).done).toBe(true)
    const bytes = utf8('text')
    const { value } = await toChunks(bytes).next()
    value?.fill(0)
    expect(bytes).toEqual(utf8('text'))
  })

  it('makes a generator when the first chunk is requested, and only one', async () => {
    const make = vi.fn(() => generator().content)
    const chunks = toChunks(make)
    expect(make).not.toHaveBeenCalled()
    await readBytes(chunks)
    expect(make).toHaveBeenCalledOnce()
  })

  it('releases chunks that were not read', async () => {
    const [release, returned] = [vi.fn(), vi.fn()]
    const inner = { next: () => never, return: returned, [Symbol.asyncIterator]: () => inner }
    await toChunks(inner, release).return('reason')
    expect([release.mock.calls, returned.mock.calls]).toEqual([[['reason']], [['reason']]])
  })

  it('locks a web stream at once, and throws if it is locked', () => {
    const content = streamOf([])
    toChunks(content)
    expect(content.locked).toBe(true)
    expect(() => toChunks(content)).toThrow(TypeError)
  })

  it('rejects with the error of the source, and then returns the end', async () => {
    const error = new Error('cut off')
    const release = vi.fn()
    const chunks = toChunks(streamOf([utf8('text')], error), release)
    await chunks.next()
    await expect(chunks.next()).rejects.toBe(error)
    expect((await chunks.next()).done).toBe(true)
    await chunks.return()
    expect(release).not.toHaveBeenCalled()
  })

  it.each<[string, () => AsyncIterator<Uint8Array>['next']]>([
    ['throws', () => () => expect.fail('no promise')],
    ['rejects', () => () => Promise.reject(new Error('no promise'))],
  ])('rejects when an iterator %s', async (_, next) => {
    const chunks = toChunks({ [Symbol.asyncIterator]: () => ({ next: next() }) })
    await expect(chunks.next()).rejects.toThrow('no promise')
    await chunks.return()
  })

  describe('return', () => {
    it('cancels a web stream with its reason during a read, which then ends', async () => {
      const cancelled = Promise.withResolvers<unknown>()
      const chunks = toChunks(new ReadableStream({ pull: () => never, cancel: cancelled.resolve }))
      const pending = chunks.next()
      await inTime('return', chunks.return('enough'))
      expect(await inTime('the cancellation', cancelled.promise)).toBe('enough')
      expect(await inTime('the read', pending)).toEqual({ done: true, value: undefined })
    })

    it('does not wait for a generator that hangs, and releases its source with the reason', async () => {
      const { content, ended } = generator(true)
      const release = vi.fn()
      const chunks = toChunks(content, release)
      await chunks.next()
      const pending = chunks.next()
      await inTime('return', chunks.return('enough'))
      expect((await inTime('the read', pending)).done).toBe(true)
      expect(release).toHaveBeenCalledExactlyOnceWith('enough')
      expect(ended).not.toHaveBeenCalled()
      await chunks.return('again')
      expect(release).toHaveBeenCalledOnce()
    })

    it('ends a generator between two chunks, after its source', async () => {
      const { content, ended } = generator()
      const chunks = toChunks(content, () => expect(ended).not.toHaveBeenCalled())
      for await (const chunk of chunks) {
        expect(chunk).toEqual(utf8('text'))
        break
      }
      expect(ended).toHaveBeenCalledOnce()
    })

    it.each<[string, Partial<AsyncIterator<Uint8Array>>]>([
      ['cannot be released', {}],
      ['rejects', { return: () => Promise.reject(new Error('no')) }],
      ['throws', { return: () => expect.fail('no') }],
      ['never ends', { return: () => never }],
    ])('resolves when the source %s', async (_, members) => {
      const next = () => never
      const chunks = toChunks({ [Symbol.asyncIterator]: () => ({ next, ...members }) })
      const pending = chunks.next()
      expect(await inTime('return', chunks.return())).toEqual({ done: true, value: undefined })
      expect((await pending).done).toBe(true)
    })

    it.each([0, 1])('closes the file of a stream of Node after %d reads', async (reads) => {
      const file = createReadStream(import.meta.filename, { highWaterMark: 10 })
      const closed = once(file, 'close')
      const chunks = toChunks(file)
      for (let read = 0; read < reads; read++) await chunks.next()
      await chunks.return()
      await inTime('closing', closed)
      expect(file.destroyed).toBe(true)
    })

    it('destroys a stream of Node during a read', async () => {
      const content = new PassThrough()
      const chunks = toChunks(content)
      const pending = chunks.next()
      await inTime('return', chunks.return())
      expect([content.destroyed, (await pending).done]).toEqual([true, true])
    })
  })
})

describe('toStream', () => {
  it('returns a web stream unchanged', () => {
    const stream = streamOf([utf8('text')])
    expect(toStream(stream)).toBe(stream)
  })

  it.each(['', 'text'])('returns a stream of the bytes %j', async (text) => {
    const stream = toStream(utf8(text))
    expect(stream).toBeInstanceOf(ReadableStream)
    expect(await readBytes(stream)).toEqual(utf8(text))
  })

  it('requests no chunk before it is read, and no more than one at a time', async () => {
    let requested = 0
    const next = async () => ({ done: false as const, value: Uint8Array.of(++requested) })
    const reader = toStream({ [Symbol.asyncIterator]: () => ({ next }) }).getReader()
    await new Promise((resolve) => setTimeout(resolve))
    expect(requested).toBe(0)
    expect((await reader.read()).value).toEqual(Uint8Array.of(1))
    await new Promise((resolve) => setTimeout(resolve))
    expect(requested).toBe(1)
  })

  it('fails with the error of the chunks', async () => {
    const error = new Error('cut off')
    const stream = toStream(toChunks(streamOf([utf8('text')], error)))
    await expect(readBytes(stream)).rejects.toBe(error)
  })

  it('releases the source at once when it is cancelled during a read', async () => {
    const release = vi.fn()
    const reader = toStream(toChunks(generator(true).content, release)).getReader()
    await reader.read()
    const pending = reader.read()
    await inTime('cancelling', reader.cancel('enough'))
    expect((await inTime('the read', pending)).done).toBe(true)
    expect(release).toHaveBeenCalledExactlyOnceWith('enough')
  })
})

describe('readContent', () => {
  it('returns bytes unchanged, and the bytes of chunks', async () => {
    const bytes = utf8('text')
    expect(await readContent(bytes)).toBe(bytes)
    expect(await readContent(streamOf([utf8('te'), utf8('xt')]))).toEqual(bytes)
    expect(await readContent(generator().content)).toEqual(utf8('textmore'))
  })

  it('rejects with the error of the chunks', async () => {
    const error = new Error('cut off')
    await expect(readContent(streamOf([], error))).rejects.toBe(error)
  })
})

describe('isChunks', () => {
  it('is true for async iterables only', () => {
    const contents = [streamOf([]), generator().content, new PassThrough(), toChunks(utf8('a'))]
    expect(contents.map(isChunks)).toEqual([true, true, true, true])
    const others = [utf8('text'), 'text', ['text'], new Error('text'), null, undefined]
    expect(others.map(isChunks)).toEqual([false, false, false, false, false, false])
  })
})

describe('releaseContent', () => {
  it('cancels a web stream with the reason', () => {
    const cancel = vi.fn()
    releaseContent(new ReadableStream({ cancel }), 'enough')
    expect(cancel).toHaveBeenCalledExactlyOnceWith('enough')
  })

  it('ends a generator, so that it yields nothing', async () => {
    const { content, ended } = generator()
    releaseContent(content)
    expect((await content.next()).done).toBe(true)
    expect(ended).not.toHaveBeenCalled()
  })

  it('does nothing for bytes, for no content, and for a stream that is being read', async () => {
    const content = streamOf([utf8('text')])
    const reader = content.getReader()
    for (const other of [utf8('text'), undefined, 'text', content]) releaseContent(other)
    expect((await reader.read()).value).toEqual(utf8('text'))
  })
})
