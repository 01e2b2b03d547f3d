import { describe, expect, it } from 'vitest'
import { type Caller, createCaller, type Permission } from '../../../src/core/access/caller.js'
import { defineOperation } from '../../../src/core/define-operation.js'
import { runOperation } from '../../../src/core/run-operation.js'
import { createContext } from '../../../src/core/runtime/context.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { forbidden, invalid, unauthorized } from '../../support/service/rejections.js'

const vaultId = 'v'.repeat(26)
const itemId = 'i'.repeat(26)
const ref = { vaultId, itemId }
const nobody = createCaller('nobody', {})

/** Runs an operation that needs these permissions; it returns its caller. */
function authorize(
  caller: Caller | undefined,
  input: { readonly vaultId: string; readonly itemId?: string; readonly fileId?: string },
  ...permissions: readonly Permission[]
): Promise<Caller> {
  const itemOrVault = 'itemId' in input ? 'item' : 'vault'
  const target = 'fileId' in input ? 'file' : itemOrVault
  const operation = defineOperation({
    name: 'test',
    target,
    permissions,
    activity: ['READ', 'ITEM'],
    errors: [],
    run: async (call) => call.caller,
  })
  return runOperation(createContext({ store: createMemoryStore() }), operation, caller, input)
}

/** A caller whose `may` answers so, and what it was asked. */
function asked(answer: (permission: Permission) => unknown): {
  caller: Caller
  questions: string[]
} {
  const questions: string[] = []
  const may = (permission: Permission, vault: string): boolean => {
    questions.push(`${permission} ${vault}`)
    return answer(permission) as boolean
  }
  return { caller: { id: 'somebody', can: may }, questions }
}

describe('authorize', () => {
  it('resolves with the caller if he has every access that is named', async () => {
    const caller = createCaller('somebody', { [vaultId]: 'read-write' })
    expect(await authorize(caller, ref, 'read', 'write')).toBe(caller)
    expect(await authorize(caller, { vaultId }, 'write')).toBe(caller)
  })

  it.each([
    ['read', ['read']],
    ['write', ['write']],
    ['read-write', ['read', 'write', 'both']],
  ] as const)('lets a caller with %s do %j and no more', async (right, allowed) => {
    const missing = right === 'read' ? 'writing' : 'reading'
    const caller = createCaller('somebody', { [vaultId]: right })
    const needs = { read: ['read'], write: ['write'], both: ['read', 'write'] } as const
    for (const [name, accesses] of Object.entries(needs)) {
      const answer = authorize(caller, ref, ...accesses)
      if ((allowed as readonly string[]).includes(name)) expect(await answer).toBe(caller)
      else await expect(answer).rejects.toMatchObject(forbidden(vaultId, missing))
    }
  })

  it('checks each access of the vault, and after the first that is missing only the other one', async () => {
    const { caller, questions } = asked((permission) => permission === 'read')
    await expect(authorize(caller, ref, 'read', 'write', 'read')).rejects.toMatchObject(
      forbidden(vaultId, 'writing'),
    )
    expect(questions).toEqual([`read ${vaultId}`, `write ${vaultId}`, `read ${vaultId}`])
  })

  it('names no right if the caller has neither, though it may be asked for one', async () => {
    const { caller, questions } = asked(() => false)
    await expect(authorize(caller, ref, 'write')).rejects.toMatchObject(forbidden(vaultId))
    expect(questions).toEqual([`write ${vaultId}`, `read ${vaultId}`])
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
  ])('takes nothing for a yes but true: not %s', async (answer) => {
    await expect(authorize(asked(() => answer).caller, ref, 'read')).rejects.toMatchObject(
      forbidden(vaultId),
    )
  })

  it('waits for an answer that takes its time', async () => {
    const { caller } = asked(() => new Promise((resolve) => setTimeout(resolve, 1, true)))
    expect(await authorize(caller, ref, 'read')).toBe(caller)
  })

  it('rejects with the caller’s own error if he cannot say', async () => {
    const error = new Error('the directory is out of order')
    await expect(authorize(asked(() => Promise.reject(error)).caller, ref, 'read')).rejects.toBe(
      error,
    )
  })

  it.each([
    ['nobody', undefined, { vaultId: 'x', itemId: 'x' }, unauthorized],
    ['a malformed vault', nobody, { vaultId: 'x', itemId: 'x' }, invalid('Invalid Vault UUID')],
    ['a malformed item', nobody, { vaultId, itemId: 'x' }, invalid('Invalid Item UUID')],
    [
      'a missing item',
      nobody,
      { vaultId, itemId: undefined as never },
      invalid('Invalid Item UUID'),
    ],
    ['a missing vault', nobody, { vaultId: undefined as never }, invalid('Invalid Vault UUID')],
    [
      'a malformed item before a file that is not a string',
      nobody,
      { vaultId, itemId: 'x', fileId: 5 as never },
      invalid('Invalid Item UUID'),
    ],
    [
      'a file that is not a string',
      nobody,
      { vaultId, itemId, fileId: 5 as never },
      invalid('fileId must be a string'),
    ],
    [
      'a missing file',
      nobody,
      { vaultId, itemId, fileId: undefined as never },
      invalid('fileId must be a string'),
    ],
    ['a caller without the right', nobody, { vaultId, itemId, fileId: 'x' }, forbidden(vaultId)],
  ])('refuses in this order: %s', async (_what, caller, where, refusal) => {
    await expect(authorize(caller, where, 'read')).rejects.toMatchObject(refusal)
  })

  it.each([
    [{ vaultId: 'x' }, 'vaultId'],
    [{ vaultId, itemId: 'x' }, 'itemId'],
  ])('names the id that is malformed: %j', async (where, path) => {
    await expect(authorize(nobody, where, 'read')).rejects.toMatchObject({
      issues: [{ path, message: 'must be 26 characters of a-z and 0-9' }],
    })
  })

  it('asks nobody about malformed ids', async () => {
    const { caller, questions } = asked(() => true)
    await expect(authorize(caller, { vaultId: 'x' }, 'read')).rejects.toMatchObject(invalid())
    await expect(authorize(caller, { vaultId, itemId: 'x' }, 'read')).rejects.toMatchObject(
      invalid(),
    )
    expect(questions).toEqual([])
  })
})
