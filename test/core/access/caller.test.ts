import { describe, expect, it } from 'vitest'
import { type Access, type Caller, grant } from '../../../src/core/access/caller.js'

const vaultId = 'v'.repeat(26)
const other = 'o'.repeat(26)

function rightsOf(caller: Caller, vault: string): unknown[] {
  return (['read', 'write'] as const).map((access) => caller.may(access, vault))
}

describe('grant', () => {
  it.each([
    ['read', [true, false]],
    ['write', [false, true]],
    ['read-write', [true, true]],
  ] as const)('gives %s in the vault and nothing elsewhere', (right, rights) => {
    const caller = grant('somebody', { [vaultId]: right })
    expect(caller.id).toBe('somebody')
    expect(rightsOf(caller, vaultId)).toEqual(rights)
    expect(rightsOf(caller, other)).toEqual([false, false])
  })

  it('gives each vault its own right', () => {
    const caller = grant('somebody', { [vaultId]: 'read', [other]: 'write' })
    expect([rightsOf(caller, vaultId), rightsOf(caller, other)]).toEqual([
      [true, false],
      [false, true],
    ])
  })

  it('gives read and write in every vault for a star, which is no vault’s name among others', () => {
    expect(grant('somebody', '*').id).toBe('somebody')
    expect(rightsOf(grant('somebody', '*'), vaultId)).toEqual([true, true])
    expect(rightsOf(grant('somebody', { '*': 'read-write' }), vaultId)).toEqual([false, false])
  })

  it('gives nothing if nothing is named', () => {
    expect(rightsOf(grant('somebody', {}), vaultId)).toEqual([false, false])
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'gives nothing in a vault named %s',
    (name) => {
      expect(rightsOf(grant('somebody', { [vaultId]: 'read-write' }), name)).toEqual([false, false])
    },
  )

  it.each(['admin' as Access, undefined as never, 'read-write' as Access])(
    'gives no access named %s',
    (access) => {
      expect(grant('somebody', { [vaultId]: 'read' }).may(access, vaultId)).toBe(false)
      expect(grant('somebody', {}).may(access, vaultId)).toBe(false)
    },
  )

  it('keeps the rights that it was given when their object changes later', () => {
    const rights: Record<string, 'read' | 'write'> = { [vaultId]: 'read' }
    const caller = grant('somebody', rights)
    rights[vaultId] = 'write'
    rights[other] = 'read'
    expect([rightsOf(caller, vaultId), rightsOf(caller, other)]).toEqual([
      [true, false],
      [false, false],
    ])
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'read'],
    ['a number', 42],
    ['a list', [vaultId]],
    ['a Map', new Map([[vaultId, 'read']])],
    ['a promise', Promise.resolve({})],
  ])('refuses %s in the place of rights by vault id', (_, rights) => {
    const message = 'rights must be an object, by vault id'
    expect(() => grant('somebody', rights as '*')).toThrow(new TypeError(message))
  })

  it('takes rights of any plain object, also of one without a prototype', () => {
    const rights = Object.assign(Object.create(null), { [vaultId]: 'read' })
    expect(rightsOf(grant('somebody', rights), vaultId)).toEqual([true, false])
  })

  it.each(['readwrite', 'READ', '', 'admin', undefined, null, true])(
    'refuses the right %j',
    (right) => {
      const rights = { [other]: 'read', [vaultId]: right as 'read' } as const
      expect(() => grant('somebody', rights)).toThrow(new TypeError('unknown right'))
    },
  )
})
