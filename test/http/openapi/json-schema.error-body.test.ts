import { describe, expect, it } from 'vitest'
import { errorStatuses } from '../../../src/error-codes.js'
import { ForbiddenError, InvalidInputError, StorageError } from '../../../src/errors.js'
import { errorBodySchema } from '../../../src/http/openapi/json-schema.js'
import { jsonSchemaOf } from '../../support/http/json-schema.js'

describe('the body of an error', () => {
  it('is a message and a status, and no more', () => {
    expect(jsonSchemaOf(errorBodySchema, 'output')).toMatchObject({
      properties: { message: { type: 'string' }, status: { type: 'integer' } },
      required: expect.arrayContaining(['message', 'status']),
      additionalProperties: false,
    })
  })

  it.each([
    new ForbiddenError('v'),
    new StorageError('x'),
    new InvalidInputError([{ path: 'a', message: 'b' }]),
  ])('is what %s becomes', (error) => {
    const body = error.toJSON()
    expect(errorBodySchema.parse(body)).toEqual(body)
  })

  it('repeats a status of the HTTP range', () => {
    for (const status of Object.values(errorStatuses)) {
      expect(errorBodySchema.safeParse({ status, message: '' }).success).toBe(true)
    }
    expect(errorBodySchema.safeParse({ status: 400.5, message: '' }).success).toBe(false)
  })
})
