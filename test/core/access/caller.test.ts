import { describe, expect, it } from 'vitest'
import { type Caller, createCaller, type Permission } from '../../../src/core/access/caller.js'

const vaultId = 'v'.repeat(26)
const other = 'o'.repeat(26)

function rightsOf(caller: Caller, vault: string): unknown[] {
  return (['read', 'write'] as const).map((permission) => caller.can(permission, vault))
}

describe('grant', () => {
  it.each([
    ['read', [true, false]],
    ['write', [false, true]],
    ['read-write', [true, true]],
  ] as const)('gives %s in the vault and nothing elsewhere', (right, rights) => {
    const caller = createCaller('somebody', { [vaultId]: right })
    expect(caller.id).toBe('somebody')
    expect(rightsOf(caller, vaultId)).toEqual(rights)
    expect(rightsOf(caller, other)).toEqual([false, false])
  })

  it('gives each vault its own right', () => {
    const caller = createCaller('somebody', { [vaultId]: 'read', [other]: 'write' })
    expect([rightsOf(caller, vaultId), rightsOf(caller, other)]).toEqual([
      [true, false],
      [false, true],
    ])
  })

  it('gives read and write in every vault for a star, which is no vault’s name among others', () => {
    expect(createCaller('somebody', '*').id).toBe('somebody')
    expect(rightsOf(createCaller('somebody', '*'), vaultId)).toEqual([true, true])
    expect(rightsOf(createCaller('somebody', { '*': 'read-write' }), vaultId)).toEqual([
      false,
      false,
    ])
  })

  it('gives nothing if nothing is named', () => {
    expect(rightsOf(createCaller('somebody', {}), vaultId)).toEqual([false, false])
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'gives nothing in a vault named %s',
    (name) => {
      expect(rightsOf(createCaller('somebody', { [vaultId]: 'read-write' }), name)).toEqual([
        false,
        false,
      ])
    },
  )

  it.each(['admin' as Permission, undefined as never, 'read-write' as Permission])(
    'gives no access named %s',
    (permission) => {
      expect(createCaller('somebody', { [vaultId]: 'read' }).can(permission, vaultId)).toBe(false)
      expect(createCaller('somebody', {}).can(permission, vaultId)).toBe(false)
    },
  )

  it('keeps the rights that it was given when their object changes later', () => {
    const rights: Record<string, 'read' | 'write'> = { [vaultId]: 'read' }
    const caller = createCaller('somebody', rights)
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
    expect(() => createCaller('somebody', rights as '*')).toThrow(new TypeError(message))
  })

  it('takes rights of any plain object, also of one without a prototype', () => {
    const rights = Object.assign(Object.create(null), { [vaultId]: 'read' })
    expect(rightsOf(createCaller('somebody', rights), vaultId)).toEqual([true, false])
  })

  it.each(['readwrite', 'READ', '', 'admin', undefined, null, true])(
    'refuses the right %j',
    (right) => {
      const rights = { [other]: 'read', [vaultId]: right as 'read' } as const
      expect(() => createCaller('somebody', rights)).toThrow(new TypeError('unknown right'))
    },
  )
})
