import { describe, expect, it } from 'vitest'
import { zodFromSchemas } from '../support/http/zod-from-schema.js'

describe('zodFromSchemas', () => {
  const zodOf = zodFromSchemas({ Name: { type: 'string', minLength: 2 } })

  it.each<[format: string, valid: readonly unknown[], invalid: readonly unknown[]]>([
    [
      'date-time',
      ['2024-02-29T23:59:59Z', '2024-01-01T00:00:00.123Z'],
      ['2023-02-29T00:00:00Z', '2024-01-01T00:00Z', '2024-01-01T24:00:00Z', '2024-01-01 00:00:00Z'],
    ],
    ['uuid', ['0123abcd-0123-0123-0123-0123456789AB'], ['0123abcd012301230123', '']],
    ['uri', ['https://a.example/b?c=%20#d', 'urn:a'], ['https://ä.example', '/a', 'a:%2', 'a: b']],
    ['byte', ['', 'aGVsbG8=', 'aGVsbG8h'], ['aGVsbG8', 'aGV-', 'a===']],
  ])('checks the format %s', (format, valid, invalid) => {
    const schema = zodOf({ type: 'string', format })
    const accepts = (value: unknown): boolean => schema.safeParse(value).success
    expect([valid.filter((value) => !accepts(value)), invalid.filter(accepts)]).toEqual([[], []])
  })

  it('accepts each of several alternatives', () => {
    const schema = zodOf({
      anyOf: [{ $ref: '#/components/schemas/Name' }, { type: 'object', properties: {} }],
    })
    const accepted = ['ab', 'a', {}, { a: 1 }, 7].map((one) => schema.safeParse(one).success)
    expect(accepted).toEqual([true, false, true, false, false])
  })

  it('checks the formats of integers', () => {
    const accepts = (format: string, value: number): boolean =>
      zodOf({ type: 'integer', format }).safeParse(value).success
    expect([accepts('int32', 2 ** 31 - 1), accepts('int32', 2 ** 31)]).toEqual([true, false])
    expect([accepts('int64', 2 ** 31), accepts('int64', 0.5)]).toEqual([true, false])
  })

  it.each([
    { type: 'string', contentEncoding: 'base64' },
    { type: 'string', format: 'email' },
    { type: 'number', format: 'int32' },
    { type: 'null' },
    { type: ['string', 'null'] },
    { allOf: [{ type: 'object' }] },
    { anyOf: [{ type: 'string' }], title: 'x' },
    { type: 'object', additionalProperties: true },
    { type: 'object', required: ['name'] },
    { $ref: '#/components/schemas/Name', maxLength: 3 },
    { $ref: '#/components/schemas/Other' },
    {},
  ])('throws for a schema with an unsupported part: %j', (schema) => {
    expect(() => zodOf(schema)).toThrow(
      /not supported|does not exist|not described|requires an integer/,
    )
  })
})
