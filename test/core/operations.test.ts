import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { createVaultService } from '../../src/core/create-vault-service.js'
import { operations } from '../../src/core/operations.js'
import { errorStatuses } from '../../src/errors.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { describedOperations } from '../../tools/openapi/operations.js'

const service = createVaultService({ store: createMemoryStore() })
const entries = Object.entries(describedOperations)

describe('operations', () => {
  it('has exactly the operations of VaultService', () => {
    const others = [
      'as',
      'on',
      'execute',
      'refuse',
      'checkHealth',
      'close',
      'stats',
      'dialect',
      'now',
      'isTransaction',
      'inTransaction',
    ]
    const members = Object.getOwnPropertyNames(service)
    expect([...Object.keys(operations), ...others].sort()).toEqual(members.sort())
  })

  it.each(entries)(
    'has a summary of one sentence without a full stop for %s',
    (_name, { summary }) => {
      expect(summary).toMatch(/^[A-Z][^.]*[^. ]$/)
    },
  )

  it.each(entries)('lists existing error codes for %s without duplicates', (_name, { errors }) => {
    expect(Object.keys(errorStatuses)).toEqual(expect.arrayContaining([...errors]))
    expect(new Set(errors).size).toBe(errors.length)
  })

  it.each(entries)(
    'lists the errors of section 7 of the contract for %s',
    (name, { input, errors }) => {
      // The vault of listActivity is a filter, of which 403 is the only error.
      const isAboutOneVault = 'vaultId' in input.shape && name !== 'listActivity'
      const codes = ['INVALID_INPUT', 'UNAUTHORIZED', ...(isAboutOneVault ? ['FORBIDDEN'] : [])]
      expect(errors).toEqual(expect.arrayContaining(codes))
      if (isAboutOneVault && name !== 'createVault') expect(errors).toContain('NOT_FOUND')
    },
  )

  it('lists CONTENT_TOO_LARGE only for getItems and getFileDetails', () => {
    const names = entries.flatMap(([name, { errors }]) =>
      errors.some((code) => code === 'CONTENT_TOO_LARGE') ? [name] : [],
    )
    expect(names).toEqual(['getItems', 'getFileDetails'])
  })

  it.each(entries)(
    'lists 412 for %s only if its input has ifVersion',
    (_name, { input, errors }) => {
      const codes: readonly string[] = errors
      expect(codes.includes('PRECONDITION_FAILED')).toBe('ifVersion' in input.shape)
    },
  )

  it.each(entries)('has an input for %s that converts to JSON Schema', (_name, { input }) => {
    for (const io of ['input', 'output'] as const) {
      expect(z.toJSONSchema(input, { io })).toMatchObject({ type: 'object' })
    }
  })

  it.each(entries)(
    'has an output for %s that converts to JSON Schema, if it is JSON',
    (name, { output }) => {
      const withoutOutput = ['deleteItem', 'deleteVault', 'removeFile', 'readFileContent']
      if (output === undefined) return expect(withoutOutput).toContain(name)
      for (const io of ['input', 'output'] as const) {
        const jsonSchema = z.toJSONSchema(output, { io })
        expect(['type', '$ref'].some((key) => key in jsonSchema)).toBe(true)
      }
    },
  )

  it.each(entries)('requires the ids in the path of %s', (_name, { input }) => {
    const { required = [] } = z.toJSONSchema(input, { io: 'input' })
    const ids = ['itemId', 'fileId'].filter(
      (name) => name in input.shape && required.includes(name),
    )
    expect(ids.every((name) => required.includes('vaultId') && name !== '')).toBe(true)
  })
})
