import { describe, expect, it } from 'vitest'
import { type Caller, createCaller, type Permission } from '../../../src/core/access/caller.js'

const vaultId = 'v'.repeat(26)
const otherVaultId = 'o'.repeat(26)

function permissionsOf(caller: Caller, vault: string): unknown[] {
  return (['read', 'write'] as const).map((permission) => caller.can(permission, vault))
}

describe('createCaller', () => {
  it.each([
    ['read', [true, false]],
    ['write', [false, true]],
    ['read-write', [true, true]],
  ] as const)('grants %s in the vault and nothing in other vaults', (permission, expected) => {
    const caller = createCaller('alice', { [vaultId]: permission })
    expect(caller.id).toBe('alice')
    expect(permissionsOf(caller, vaultId)).toEqual(expected)
    expect(permissionsOf(caller, otherVaultId)).toEqual([false, false])
  })

  it('grants each vault its own permission', () => {
    const caller = createCaller('alice', { [vaultId]: 'read', [otherVaultId]: 'write' })
    expect([permissionsOf(caller, vaultId), permissionsOf(caller, otherVaultId)]).toEqual([
      [true, false],
      [false, true],
    ])
  })

  it('grants read and write in every vault for `*`', () => {
    expect(createCaller('alice', '*').id).toBe('alice')
    expect(permissionsOf(createCaller('alice', '*'), vaultId)).toEqual([true, true])
  })

  it('grants creating vaults for `*` and with createVaults, not with permissions on a vault', () => {
    const callers = [
      createCaller('a', '*'),
      createCaller('a', {}, { createVaults: true }),
      createCaller('a', { [vaultId]: 'read' }, { createVaults: true }),
      createCaller('a', { [vaultId]: 'read-write' }),
      createCaller('a', {}),
    ]
    const canCreate = callers.map((caller) => caller.can('create', vaultId))
    expect(canCreate).toEqual([true, true, true, false, false])
  })

  it('grants nothing when no vault is listed', () => {
    expect(permissionsOf(createCaller('alice', {}), vaultId)).toEqual([false, false])
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'grants nothing in a vault named %s',
    (name) => {
      expect(permissionsOf(createCaller('alice', { [vaultId]: 'read-write' }), name)).toEqual([
        false,
        false,
      ])
    },
  )

  it.each(['admin' as Permission, undefined as never, 'read-write' as Permission])(
    'rejects the unknown permission %s',
    (permission) => {
      expect(createCaller('alice', { [vaultId]: 'read' }).can(permission, vaultId)).toBe(false)
      expect(createCaller('alice', {}).can(permission, vaultId)).toBe(false)
    },
  )

  it('keeps its permissions when the given object changes later', () => {
    const permissions: Record<string, 'read' | 'write'> = { [vaultId]: 'read' }
    const caller = createCaller('alice', permissions)
    permissions[vaultId] = 'write'
    permissions[otherVaultId] = 'read'
    expect([permissionsOf(caller, vaultId), permissionsOf(caller, otherVaultId)]).toEqual([
      [true, false],
      [false, false],
    ])
  })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a string', 'read'],
    ['a number', 42],
    ['an array', [vaultId]],
    ['a Map', new Map([[vaultId, 'read']])],
  ])('throws a TypeError when the permissions are %s', (_, permissions) => {
    const message = 'permissions must be * or an object with vault ids as keys'
    expect(() => createCaller('alice', permissions as '*')).toThrow(new TypeError(message))
  })

  it('accepts permissions in an object without a prototype', () => {
    const permissions = Object.assign(Object.create(null), { [vaultId]: 'read' })
    expect(permissionsOf(createCaller('alice', permissions), vaultId)).toEqual([true, false])
  })

  it.each(['readwrite', 'READ', '', 'admin', undefined, null, true])(
    'throws a TypeError for the permission %j',
    (permission) => {
      const permissions = { [otherVaultId]: 'read', [vaultId]: permission as 'read' } as const
      const message = 'each of permissions must be read, write or read-write'
      expect(() => createCaller('alice', permissions)).toThrow(new TypeError(message))
    },
  )
})
