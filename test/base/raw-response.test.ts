import { describe, expect, it } from 'vitest'
import { isCompleteResponse, parseRawResponse, toRawResponse } from '../../src/base/raw-response.js'
import { utf8 } from '../support/bytes.js'

const head = 'HTTP/1.1 200 OK\r\n'

describe('parseRawResponse', () => {
  it('joins the chunks of a body', () => {
    const headers = 'transfer-encoding: chunked\r\nx-a: b: c\r\n\r\n'
    const text = `${head}${headers}3\r\nä1\r\n2\r\n22\r\n0\r\n\r\n`
    const parsed = parseRawResponse({ status: 200, text })
    expect([parsed.body, parsed.headers.get('x-a')]).toEqual(['ä122', 'b: c'])
  })

  it('returns an empty response when the connection was closed without one', () => {
    expect(parseRawResponse({ status: 0, text: '' })).toMatchObject({ status: 0, body: '' })
  })
})

describe('toRawResponse', () => {
  it('decodes a character that is split between two chunks', () => {
    const bytes = utf8(`${head}\r\nä`)
    const raw = toRawResponse([bytes.subarray(0, -1), bytes.subarray(-1)])
    expect(raw).toEqual({ status: 200, text: `${head}\r\nä` })
  })

  it('returns status 0 when nothing was received', () => {
    expect(toRawResponse([])).toEqual({ status: 0, text: '' })
  })
})

describe('isCompleteResponse', () => {
  it.each([
    ['', false],
    [head, false],
    [`${head}content-length: 2\r\n\r\na`, false],
    [`${head}content-length: 2\r\n\r\nä`, true],
    [`${head}transfer-encoding: chunked\r\n\r\n1\r\na\r\n`, false],
    [`${head}transfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`, true],
    ['HTTP/1.1 204 No Content\r\n\r\n', true],
  ])('of %j returns %s', (text, isComplete) => {
    expect(isCompleteResponse([utf8(text)])).toBe(isComplete)
  })
})
