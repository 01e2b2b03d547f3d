import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import {
  type Caller,
  createCaller,
  type Permission,
  timeLeftOf,
} from '../../../src/core/access/caller.js'
import { UnauthorizedError } from '../../../src/errors.js'

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
      const message = 'each of permissions must be one of read, write, read-write, use'
      expect(() => createCaller('alice', permissions)).toThrow(new TypeError(message))
    },
  )

  it('grants use alone, in the vaults that have it', () => {
    const permissions = { [vaultId]: 'use', [otherVaultId]: 'read-write' } as const
    const caller = createCaller('agent', permissions, { use: [{}] })
    const check = (vault: string) =>
      (['read', 'write', 'create', 'use'] as const).map((one) => caller.can(one, vault))
    expect(check(vaultId)).toEqual([false, false, false, true])
    expect(check(otherVaultId)).toEqual([true, true, false, false])
  })

  it('has copies of until and use, as members that a copy of the caller keeps', () => {
    const until = new Date('2026-01-01')
    const use = [{ items: ['i'.repeat(26)], methods: ['GET'] }]
    const caller = { ...createCaller('agent', { [vaultId]: 'use' }, { until, use }) }
    until.setFullYear(2030)
    use[0]?.methods.push('POST')
    use.push({ items: [], methods: [] })
    expect(caller).toMatchObject({
      until: new Date('2026-01-01'),
      use: [{ items: ['i'.repeat(26)], methods: ['GET'] }],
    })
    expect(createCaller('wendy', '*', { until: new Date(0) }).until).toEqual(new Date(0))
    expect(createCaller('wendy', '*')).not.toHaveProperty('until')
  })

  it('throws a TypeError when only one of the permission and the option use is there', () => {
    expect(() => createCaller('agent', { [vaultId]: 'use' })).toThrow(
      new TypeError('options.use must be a list, because of the permission use'),
    )
    for (const permissions of ['*', {}, { [vaultId]: 'read' }] as const)
      expect(() => createCaller('agent', permissions, { use: [{}] })).toThrow(
        new TypeError('options.use needs a vault with the permission use'),
      )
    expect(createCaller('agent', { [vaultId]: 'use' }, { use: [] }).use).toEqual([])
  })

  it('accepts a date of another realm', () => {
    const until = runInNewContext('new Date(0)')
    expect(createCaller('wendy', '*', { until }).until).toEqual(new Date(0))
  })
})

describe('timeLeftOf', () => {
  it('returns the time until the caller expires, and throws from then on', () => {
    const left = (ms: number) => timeLeftOf({ until: new Date(1000) }, () => new Date(ms))
    expect([left(0), left(999)]).toEqual([1000, 1])
    for (const ms of [1000, 2000, Number.NaN])
      expect(() => left(ms)).toThrow(new UnauthorizedError('the caller has expired'))
  })

  it('asks no clock for a caller who does not expire', () => {
    const now = () => {
      throw new Error('was asked')
    }
    expect(timeLeftOf({}, now)).toBe(Number.POSITIVE_INFINITY)
  })
})
