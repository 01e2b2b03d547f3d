import { describe, expect, it, vi } from 'vitest'
import type { HttpRequest } from '../../src/http/message.js'
import { type BodyLimits, bodyLimits, readBody } from '../../src/http/read-body.js'
import { streamOf, utf8 } from '../support/bytes.js'
import { createRequest } from '../support/http/requests.js'
import { useVirtualTime } from '../support/virtual-time.js'

const anonymous = { tokens: { full: '', reader: '', writer: '', otherVault: '' } }

/** Returns the parsed body of a request with these headers. */
function read(
  body: HttpRequest['body'],
  headers: Record<string, string> = {},
  limits: BodyLimits = {},
): Promise<unknown> {
  return readBody(createRequest(anonymous, 'POST', '/', { headers, body }), bodyLimits.read(limits))
}

const json = (text: string): HttpRequest['body'] => streamOf([utf8(text)])

describe('readBody', () => {
  it.each<[string, HttpRequest['body'], unknown]>([
    ['one chunk', json('{"a":1}'), { a: 1 }],
    [
      'chunks that cut a character',
      streamOf([utf8('"ä"').subarray(0, 2), utf8('"ä"').subarray(2)]),
      'ä',
    ],
    ['empty chunks between', streamOf([utf8('['), new Uint8Array(0), utf8('1'), utf8(']')]), [1]],
    ['a value from a body parser', { parsed: { a: 1 } }, { a: 1 }],
    ['bytes from a body parser', { parsed: Buffer.from('{"a":1}') }, { a: 1 }],
    ['undefined from a body parser', { parsed: undefined }, undefined],
    ['white space around', json(' \r\n\t7 '), 7],
  ])('reads %s', async (_what, body, value) => {
    expect(await read(body)).toEqual(value)
  })

  it.each<[string, HttpRequest['body']]>([
    ['no body', null],
    ['an empty body', streamOf([])],
    ['a byte order mark', json('\ufeff{}')],
    ['UTF-16', streamOf([new Uint8Array(Buffer.from('{}', 'utf16le'))])],
    ['an overlong sequence', streamOf([Uint8Array.of(0x22, 0xc0, 0xaf, 0x22)])],
    ['a surrogate in UTF-8', streamOf([Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)])],
    ['bytes from a body parser that are invalid JSON', { parsed: Buffer.from('{') }],
    ['anything after the value', json('{} {}')],
    ['a body that fails', streamOf([utf8('{')], new Error('aborted'))],
  ])('rejects %s with 400', async (_what, body) => {
    await expect(read(body)).rejects.toMatchObject({ status: 400, message: /^the body must/ })
  })

  it('takes a body that has arrived, within the same limits and without a timer', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    try {
      expect(await read(utf8('{"a":1}'))).toEqual({ a: 1 })
      await expect(read(utf8('{'))).rejects.toMatchObject({ status: 400 })
      await expect(read(utf8('[[1]]'), {}, { maxBodyDepth: 1 })).rejects.toMatchObject({
        status: 400,
      })
      await expect(read(utf8('"abc"'), {}, { maxBodyBytes: 4 })).rejects.toMatchObject({
        status: 413,
      })
      expect(timers).not.toHaveBeenCalled()
    } finally {
      timers.mockRestore()
    }
  })

  it('rejects invalid JSON without a part of it in the error', async () => {
    const error = await read(json('{"password": hunter2}')).catch((caught: unknown) => caught)
    expect(error).toMatchObject({ message: 'the body must be JSON in UTF-8' })
    expect(error).not.toHaveProperty('cause')
  })

  // Rows that the contract (http-8) has are left out.
  it.each([
    ['application/json; charset=utf-8'],
    ['Application/JSON ; Charset="UTF-8"'],
    ['application/json; profile="x"'],
  ])('accepts the content type %s', async (type) => {
    expect(await read(json('7'), { 'content-type': type })).toBe(7)
  })

  it.each([
    [{ 'content-type': 'text/json' }],
    [{ 'content-type': 'application/jsonp' }],
    [{ 'content-type': 'application/json5' }],
    [{ 'content-type': '*/*' }],
    [{ 'content-type': 'application/json, text/plain' }],
    [{ 'content-type': 'application/merge-patch+json' }],
    [{ 'content-type': 'multipart/form-data; boundary=x' }],
    [{ 'content-type': 'application/json; charset=' }],
    [{ 'content-type': 'application/json; charset=utf-16' }],
    [{ 'content-type': 'application/json; charset=utf-8; charset=latin1' }],
    [{ 'content-encoding': 'identity, br' }],
  ])('rejects JSON with 415 when the headers are %j', async (headers) => {
    const message =
      'the body must be JSON in UTF-8: send Content-Type: application/json, and no Content-Encoding'
    await expect(read(json('{}'), headers)).rejects.toMatchObject({ status: 415, message })
    await expect(read({ parsed: {} }, headers)).rejects.toMatchObject({ status: 415 })
  })

  it('accepts the content encoding identity in any case', async () => {
    expect(await read(json('7'), { 'content-encoding': 'Identity' })).toBe(7)
  })

  it('counts the bytes that arrive, whatever Content-Length is', async () => {
    const limits = { maxBodyBytes: 10 }
    const ten = utf8('"12345678"')
    expect(
      await read(
        streamOf([ten.subarray(0, 5), ten.subarray(5)]),
        { 'content-length': '1' },
        limits,
      ),
    ).toBe('12345678')
    await expect(
      read(streamOf([ten, utf8(' ')]), { 'content-length': '1' }, limits),
    ).rejects.toMatchObject({ status: 413 })
    await expect(read(json('7'), { 'content-length': '11' }, limits)).rejects.toMatchObject({
      status: 413,
    })
    await expect(read({ parsed: Buffer.from('"123456789"') }, {}, limits)).rejects.toMatchObject({
      status: 413,
    })
  })

  it('stops reading at the limit', async () => {
    let chunks = 0
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield new Uint8Array(++chunks && 10)
    }
    await expect(read(endless(), {}, { maxBodyBytes: 95 })).rejects.toMatchObject({ status: 413 })
    expect(chunks).toBe(10)
  })

  it('reads a body in chunks of one byte', async () => {
    async function* bytes(text: string): AsyncGenerator<Uint8Array> {
      for (const byte of utf8(text)) yield Uint8Array.of(byte)
    }
    const text = 'x'.repeat(10_000)
    expect(await read(bytes(JSON.stringify(text)))).toBe(text)
  })

  it('holds chunks of one byte in little memory', async () => {
    const chunk = Uint8Array.of(0x20)
    let held = 0
    async function* bytes(): AsyncGenerator<Uint8Array> {
      for (let count = 0; count < 16_000; count++) yield Buffer.from(chunk)
      held = process.memoryUsage().arrayBuffers
    }
    const before = process.memoryUsage().arrayBuffers
    await read(bytes()).catch(() => {})
    expect(held - before).toBeLessThan(2_000_000)
  })

  it('rejects with 408 when the last byte does not arrive in time', async () => {
    useVirtualTime()
    async function* dripping(): AsyncGenerator<Uint8Array> {
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        yield utf8(' ')
      }
    }
    await expect(
      read(dripping(), {}, { bodyTimeoutMs: 40, maxBodyBytes: 50 }),
    ).rejects.toMatchObject({
      status: 408,
    })
  })

  it('rejects a long body with too many members and elements without parsing it', async () => {
    const limits = { maxBodyElements: 9 }
    const small = JSON.stringify(Array(10).fill(0))
    const long = JSON.stringify([...Array(9).fill(0), ' '.repeat(65_536)])
    expect(await read(json(small), {}, limits)).toHaveLength(10)
    expect(await read(json(long), {}, { maxBodyElements: 10 })).toHaveLength(10)
    for (const body of [json(long), { parsed: utf8(long) }, json('['.repeat(100_000))]) {
      await expect(read(body, {}, limits)).rejects.toMatchObject({
        status: 400,
        message: 'the body must not have more than 9 members and elements',
      })
    }
  })

  it.each([
    ['arrays', (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`],
    ['objects', (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`],
  ])('accepts 32 levels of %s and rejects more with 400, parsed or not', async (_what, nested) => {
    expect(await read(json(nested(32)))).toBeDefined()
    for (const body of [
      json(nested(33)),
      json(nested(10_000)),
      { parsed: JSON.parse(nested(33)) },
    ]) {
      await expect(read(body)).rejects.toMatchObject({
        status: 400,
        message: 'the body must not have more than 32 levels',
      })
    }
  })
})
