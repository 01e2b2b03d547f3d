import { describe, expect, it } from 'vitest'
import { type Caller, createCaller, type Permission } from '../../../src/core/access/caller.js'
import { inProcess } from '../../../src/core/assert-service.js'
import { defineOperation } from '../../../src/core/operation/define-operation.js'
import { execute } from '../../../src/core/operation/execute.js'
import { createContext } from '../../../src/core/runtime/context.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { forbidden, invalid, unauthorized } from '../../support/service/rejections.js'

const vaultId = 'v'.repeat(26)
const itemId = 'i'.repeat(26)
const ref = { vaultId, itemId }
const outsider = createCaller({ id: 'outsider', vaults: {} })

/** Runs an operation that needs these permissions; it returns its caller. */
function authorize(
  caller: Caller | undefined,
  input: { readonly vaultId: string; readonly itemId?: string; readonly fileId?: string },
  ...permissions: readonly Exclude<Permission, 'use'>[]
): Promise<Caller> {
  const itemOrVault = 'itemId' in input ? 'item' : 'vault'
  const target = 'fileId' in input ? 'file' : itemOrVault
  const operation = defineOperation({
    name: 'getItem',
    summary: 'Returns its caller',
    target,
    permissions,
    activity: ['READ', 'ITEM'],
    errors: [],
    run: async (call) => call.caller,
  })
  const request = inProcess(caller, input)
  return execute(createContext({ store: createMemoryStore() }), operation, request)
}

/** A caller whose `can` returns the result of `decide`, and the calls of it, such as `read v…`. */
function recordingCaller(decide: (permission: Permission) => unknown): {
  caller: Caller
  checks: string[]
} {
  const checks: string[] = []
  const can = (permission: Permission, vault: string): boolean => {
    checks.push(`${permission} ${vault}`)
    return decide(permission) as boolean
  }
  return { caller: { id: 'alice', can }, checks }
}

describe('execute', () => {
  it('returns the caller when they have every required permission', async () => {
    const caller = createCaller({ id: 'alice', vaults: { [vaultId]: 'read-write' } })
    expect(await authorize(caller, ref, 'read', 'write')).toBe(caller)
    expect(await authorize(caller, { vaultId }, 'write')).toBe(caller)
  })

  it.each([
    ['read', ['read']],
    ['write', ['write']],
    ['read-write', ['read', 'write', 'both']],
  ] as const)('returns a caller with %s permission for %j only', async (granted, accepted) => {
    const missing = granted === 'read' ? 'writing' : 'reading'
    const caller = createCaller({ id: 'alice', vaults: { [vaultId]: granted } })
    const required = { read: ['read'], write: ['write'], both: ['read', 'write'] } as const
    for (const [name, permissions] of Object.entries(required)) {
      const result = authorize(caller, ref, ...permissions)
      if ((accepted as readonly string[]).includes(name)) expect(await result).toBe(caller)
      else await expect(result).rejects.toMatchObject(forbidden(vaultId, missing))
    }
  })

  it('checks permissions in order up to the first missing one, then the other one', async () => {
    const { caller, checks } = recordingCaller((permission) => permission === 'read')
    await expect(authorize(caller, ref, 'read', 'write', 'read')).rejects.toMatchObject(
      forbidden(vaultId, 'writing'),
    )
    expect(checks).toEqual([`read ${vaultId}`, `write ${vaultId}`, `read ${vaultId}`])
  })

  it('passes the operation and the item to every check, also to that of the other permission', async () => {
    const checks: unknown[] = []
    const caller = { id: 'alice', can: (...check: unknown[]) => checks.push(check) > 1 }
    await expect(authorize(caller, { ...ref, fileId: 'x' }, 'read')).rejects.toMatchObject(
      forbidden(vaultId, 'reading'),
    )
    expect(checks).toEqual(['read', 'write'].map((one) => [one, vaultId, 'getItem', itemId]))
  })

  it('names no permission when the caller has neither', async () => {
    const { caller, checks } = recordingCaller(() => false)
    await expect(authorize(caller, ref, 'write')).rejects.toMatchObject(forbidden(vaultId))
    expect(checks).toEqual([`write ${vaultId}`, `read ${vaultId}`])
  })

  it.each([
    false,
    undefined,
    null,
    0,
    1,
    '',
    'true',
    {},
    Promise.resolve(false),
    Promise.resolve('yes'),
  ])('rejects the caller when `can` returns %s instead of true', async (result) => {
    await expect(
      authorize(recordingCaller(() => result).caller, ref, 'read'),
    ).rejects.toMatchObject(forbidden(vaultId))
  })

  it('waits for a `can` that resolves later', async () => {
    const { caller } = recordingCaller(() => new Promise((resolve) => setTimeout(resolve, 1, true)))
    expect(await authorize(caller, ref, 'read')).toBe(caller)
  })

  it('rejects with the error of `can` when it rejects', async () => {
    const error = new Error('the directory is unavailable')
    await expect(
      authorize(recordingCaller(() => Promise.reject(error)).caller, ref, 'read'),
    ).rejects.toBe(error)
  })

  it.each([
    ['a missing caller', undefined, { vaultId: 'x', itemId: 'x' }, unauthorized],
    [
      'a malformed vault',
      outsider,
      { vaultId: 'x', itemId: 'x' },
      invalid('vaultId must be an id: 26 characters of a-z and 0-9'),
    ],
    [
      'a malformed item',
      outsider,
      { vaultId, itemId: 'x' },
      invalid('itemId must be an id: 26 characters of a-z and 0-9'),
    ],
    [
      'a missing item',
      outsider,
      { vaultId, itemId: undefined as never },
      invalid('itemId must be an id: 26 characters of a-z and 0-9'),
    ],
    [
      'a missing vault',
      outsider,
      { vaultId: undefined as never },
      invalid('vaultId must be an id: 26 characters of a-z and 0-9'),
    ],
    [
      'a malformed item before a file that is not a string',
      outsider,
      { vaultId, itemId: 'x', fileId: 5 as never },
      invalid('itemId must be an id: 26 characters of a-z and 0-9'),
    ],
    [
      'a file that is not a string',
      outsider,
      { vaultId, itemId, fileId: 5 as never },
      invalid('fileId must be a string'),
    ],
    [
      'a missing file',
      outsider,
      { vaultId, itemId, fileId: undefined as never },
      invalid('fileId must be a string'),
    ],
    [
      'a caller without the permission',
      outsider,
      { vaultId, itemId, fileId: 'x' },
      forbidden(vaultId),
    ],
  ])('rejects %s with the error that comes first', async (_case, caller, target, error) => {
    await expect(authorize(caller, target, 'read')).rejects.toMatchObject(error)
  })

  it.each([
    [{ vaultId: 'x' }, 'vaultId'],
    [{ vaultId, itemId: 'x' }, 'itemId'],
  ])('reports the path of the malformed id in %j', async (target, path) => {
    await expect(authorize(outsider, target, 'read')).rejects.toMatchObject({
      issues: [{ path, message: 'must be an id: 26 characters of a-z and 0-9' }],
    })
  })

  it('does not call `can` when an id is malformed', async () => {
    const { caller, checks } = recordingCaller(() => true)
    await expect(authorize(caller, { vaultId: 'x' }, 'read')).rejects.toMatchObject(invalid())
    await expect(authorize(caller, { vaultId, itemId: 'x' }, 'read')).rejects.toMatchObject(
      invalid(),
    )
    expect(checks).toEqual([])
  })
})
