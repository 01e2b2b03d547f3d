import { describe, expect, it } from 'vitest'
import { createRequestIds } from '../../src/activity/request-ids.js'
import { GenerationError } from '../../src/index.js'

const zeros = (length: number): Uint8Array => new Uint8Array(length)

describe('createRequestIds', () => {
  it('returns UUIDs of version 7 with the time and a counter', () => {
    const newRequestId = createRequestIds()
    const now = new Date(0x0123_4567_89ab)
    expect([1, 2].map(() => newRequestId(now, zeros))).toEqual([
      '01234567-89ab-7000-8000-000000000000',
      '01234567-89ab-7000-8001-000000000000',
    ])
    for (let count = 2; count < 4096; count++) newRequestId(now, zeros)
    expect(newRequestId(now, zeros)).toBe('01234567-89ab-7001-8000-000000000000')
    expect(newRequestId(new Date(now.getTime() + 1), zeros)).toBe(
      '01234567-89ac-7000-8000-000000000000',
    )
  })

  it('takes a time before 1970 as 1970', () => {
    const id = createRequestIds()(new Date(-1), zeros)
    expect(id).toBe('00000000-0000-7000-8000-000000000000')
  })

  it('throws a GenerationError when the random source does not return 6 bytes', () => {
    expect(() => createRequestIds()(new Date(0), () => zeros(5))).toThrow(GenerationError)
  })
})
