import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import {
  type Caller,
  createCaller,
  type Permission,
  timeLeftOf,
  toKnownCaller,
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
    const caller = createCaller({ id: 'alice', vaults: { [vaultId]: permission } })
    expect(caller.id).toBe('alice')
    expect(permissionsOf(caller, vaultId)).toEqual(expected)
    expect(permissionsOf(caller, otherVaultId)).toEqual([false, false])
  })

  it('grants each vault its own permission', () => {
    const caller = createCaller({
      id: 'alice',
      vaults: { [vaultId]: 'read', [otherVaultId]: 'write' },
    })
    expect([permissionsOf(caller, vaultId), permissionsOf(caller, otherVaultId)]).toEqual([
      [true, false],
      [false, true],
    ])
  })

  it('grants read and write in every vault for `*`', () => {
    expect(createCaller({ id: 'alice', vaults: '*' }).id).toBe('alice')
    expect(permissionsOf(createCaller({ id: 'alice', vaults: '*' }), vaultId)).toEqual([true, true])
  })

  it('grants creating vaults for `*` and with createVaults, not with permissions on a vault', () => {
    const callers = [
      createCaller({ id: 'a', vaults: '*' }),
      createCaller({ id: 'a', vaults: {}, createVaults: true }),
      createCaller({ id: 'a', vaults: { [vaultId]: 'read' }, createVaults: true }),
      createCaller({ id: 'a', vaults: { [vaultId]: 'read-write' } }),
      createCaller({ id: 'a', vaults: {} }),
    ]
    const canCreate = callers.map((caller) => caller.can('create', vaultId))
    expect(canCreate).toEqual([true, true, true, false, false])
  })

  it('grants nothing when no vault is listed', () => {
    expect(permissionsOf(createCaller({ id: 'alice', vaults: {} }), vaultId)).toEqual([
      false,
      false,
    ])
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'grants nothing in a vault named %s',
    (name) => {
      expect(
        permissionsOf(createCaller({ id: 'alice', vaults: { [vaultId]: 'read-write' } }), name),
      ).toEqual([false, false])
    },
  )

  it.each(['admin' as Permission, undefined as never, 'read-write' as Permission])(
    'rejects the unknown permission %s',
    (permission) => {
      expect(
        createCaller({ id: 'alice', vaults: { [vaultId]: 'read' } }).can(permission, vaultId),
      ).toBe(false)
      expect(createCaller({ id: 'alice', vaults: {} }).can(permission, vaultId)).toBe(false)
    },
  )

  it('keeps its permissions when the given object changes later', () => {
    const permissions: Record<string, 'read' | 'write'> = { [vaultId]: 'read' }
    const caller = createCaller({ id: 'alice', vaults: permissions })
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
    const message = 'options.vaults must be * or an object with vault ids as keys'
    expect(() => createCaller({ id: 'alice', vaults: permissions as '*' })).toThrow(
      new TypeError(message),
    )
  })

  it('accepts permissions in an object without a prototype', () => {
    const permissions = Object.assign(Object.create(null), { [vaultId]: 'read' })
    expect(permissionsOf(createCaller({ id: 'alice', vaults: permissions }), vaultId)).toEqual([
      true,
      false,
    ])
  })

  it.each(['readwrite', 'READ', '', 'admin', undefined, null, true])(
    'throws a TypeError for the permission %j',
    (permission) => {
      const permissions = { [otherVaultId]: 'read', [vaultId]: permission as 'read' } as const
      const message = 'each of options.vaults must be one of read, write, read-write, use'
      expect(() => createCaller({ id: 'alice', vaults: permissions })).toThrow(
        new TypeError(message),
      )
    },
  )

  it('grants use alone, in the vaults that have it', () => {
    const permissions = { [vaultId]: 'use', [otherVaultId]: 'read-write' } as const
    const caller = createCaller({ id: 'agent', vaults: permissions, use: [{}] })
    const check = (vault: string) =>
      (['read', 'write', 'create', 'use'] as const).map((one) => caller.can(one, vault))
    expect(check(vaultId)).toEqual([false, false, false, true])
    expect(check(otherVaultId)).toEqual([true, true, false, false])
  })

  it('has copies of expiresAt and use, as members that a copy of the caller keeps', () => {
    const expiresAt = new Date('2026-01-01')
    const use = [{ items: ['i'.repeat(26)], methods: ['GET'] }]
    const caller = {
      ...createCaller({ id: 'agent', vaults: { [vaultId]: 'use' }, expiresAt, use }),
    }
    expiresAt.setFullYear(2030)
    use[0]?.methods.push('POST')
    use.push({ items: [], methods: [] })
    expect(caller).toMatchObject({
      expiresAt: new Date('2026-01-01'),
      use: [{ items: ['i'.repeat(26)], methods: ['GET'] }],
    })
    expect(createCaller({ id: 'wendy', vaults: '*', expiresAt: new Date(0) }).expiresAt).toEqual(
      new Date(0),
    )
    expect(createCaller({ id: 'wendy', vaults: '*' })).not.toHaveProperty('expiresAt')
    const { use: copied = [] } = caller
    const again = createCaller({ id: 'agent', vaults: { [vaultId]: 'use' }, use: copied })
    expect(again.use).toEqual(copied)
  })

  it('throws a TypeError when only one of the permission and the option use is there', () => {
    expect(() => createCaller({ id: 'agent', vaults: { [vaultId]: 'use' } })).toThrow(
      new TypeError('options.use must be a list, because of the permission use'),
    )
    for (const permissions of ['*', {}, { [vaultId]: 'read' }] as const)
      expect(() => createCaller({ id: 'agent', vaults: permissions, use: [{}] })).toThrow(
        new TypeError('options.use needs a vault with the permission use'),
      )
    expect(createCaller({ id: 'agent', vaults: { [vaultId]: 'use' }, use: [] }).use).toEqual([])
  })

  it('accepts a date of another realm', () => {
    const expiresAt = runInNewContext('new Date(0)')
    expect(createCaller({ id: 'wendy', vaults: '*', expiresAt }).expiresAt).toEqual(new Date(0))
  })
})

describe('toKnownCaller', () => {
  /** A caller of an application whose ids are numbers, with private members. */
  class User {
    readonly id = 7
    readonly #vaults = [vaultId]
    get expiresAt(): Date {
      return new Date('2026-01-01')
    }
    can(_: Permission, id: string): boolean {
      return this.#vaults.includes(id)
    }
    filterVaults(ids: readonly string[]): readonly string[] {
      return ids.filter((id) => this.#vaults.includes(id))
    }
  }

  it('returns the same caller if its id is a string', () => {
    const caller = createCaller({ id: 7, vaults: '*' })
    expect(toKnownCaller(caller)).toBe(caller)
    expect(caller.id).toBe('7')
  })

  it('turns an id that is a whole number into text, and keeps everything else', () => {
    const caller = toKnownCaller(new User())
    expect(caller).toMatchObject({ id: '7', expiresAt: new Date('2026-01-01') })
    expect(permissionsOf(caller, vaultId)).toEqual([true, true])
    expect(caller.filterVaults?.([vaultId, otherVaultId])).toEqual([vaultId])
    const members = { tokenId: 't', use: [], client: { requestId: 'r' } }
    expect(toKnownCaller({ ...members, id: 0, can: () => true })).toMatchObject({
      ...members,
      id: '0',
    })
    expect(Object.keys(toKnownCaller({ id: 0, can: () => true }))).toEqual(['id', 'can'])
  })

  it.each([
    undefined,
    null,
    {},
    { id: 'a' },
    { can: () => true },
    ...['', 1.5, null, {}].map((id): unknown => ({ id, can: () => true })),
  ])('throws UnauthorizedError for %o', (caller) => {
    expect(() => toKnownCaller(caller)).toThrow(UnauthorizedError)
  })
})

describe('timeLeftOf', () => {
  it('returns the time until the caller expires, and throws from then on', () => {
    const left = (ms: number) => timeLeftOf({ expiresAt: new Date(1000) }, () => new Date(ms))
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
