import { StorageError, VaultError } from 'cofferkit'
import { createTestVault, itemDraft, type VaultMatchers, vaultMatchers } from 'cofferkit/testing'
import fc from 'fast-check'
import { expect as baseExpect, describe, it } from 'vitest'
import { arbitraryItemDraft } from '../../support/arbitraries/item-drafts.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'

const expect = baseExpect
expect.extend(vaultMatchers)

declare module 'vitest' {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown>
    extends VaultMatchers<R> {}
}

const secret = 'SWORDFISH "ß"'

/** Returns the message with which an assertion fails. */
function failureOf(assertion: () => unknown): string {
  try {
    assertion()
  } catch (error) {
    return String(error)
  }
  throw new Error('the assertion passed')
}

describe('toBeVaultError', () => {
  it('compares the status or the code of an error', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const missing = service.getItem(caller, { vaultId, itemId: '0'.repeat(26) })
    await expect(missing).rejects.toBeVaultError(404)
    await expect(missing).rejects.toBeVaultError('NOT_FOUND')
    await expect(missing).rejects.not.toBeVaultError('ROUTE_NOT_FOUND')
    const error = await missing.catch((reason) => reason)
    expect(error).toBeInstanceOf(VaultError)
    expect(failureOf(() => expect(error).toBeVaultError('CONFLICT'))).toContain(
      'expected a vault error with CONFLICT, got NOT_FOUND (404)',
    )
    expect(failureOf(() => expect(error).not.toBeVaultError(404))).toContain(
      'expected anything but a vault error with 404',
    )
  })

  it('compares the status of a response, and of the error of a client', async () => {
    const { fetch } = await createTestVault()
    expect(await fetch('/v1/vaults')).toBeVaultError(401)
    expect(await fetch('/v1/vaults')).toBeVaultError('UNAUTHORIZED')
    expect(await fetch('/heartbeat')).not.toBeVaultError(404)
    expect({ status: 403, message: 'vault is not in scope' }).toBeVaultError(403)
  })

  it.each<[unknown, string]>([
    [Promise.resolve(), 'got a promise: await it'],
    [new Response('<html>', { status: 404 }), 'got 404 with another content type than JSON'],
    [new Response('{}', { status: 404 }), 'got 404 with another content type than JSON'],
    [undefined, 'got a value of type undefined'],
    [null, 'got null'],
    [new Error(secret), 'got an Error without a status'],
    [secret, 'got a value of type string'],
  ])('fails for %o', (received, message) => {
    const failure = failureOf(() => expect(received).toBeVaultError(404))
    expect(failure).toContain(message)
    expect(failure).not.toContain('SWORDFISH')
  })

  it('throws TypeError for a status or a code that no error has', () => {
    for (const expected of [200, 'MISSING', undefined])
      expect(() => expect({}).toBeVaultError(expected as never)).toThrow(TypeError)
  })
})

describe('toHaveField', () => {
  const item = itemDraft('DATABASE', { values: { password: secret } })

  it('finds a field by its id or its label, with a value', () => {
    expect(item).toHaveField('password')
    expect(item).toHaveField('password', secret)
    expect(item).toHaveField('server', 'db.example.com')
    expect(item).toHaveField('port', expect.stringMatching(/^\d+$/))
    expect(item).not.toHaveField('pin')
    expect(item).not.toHaveField('password', 'hunter2')
    expect({ fields: [{ id: 'a' }] }).toHaveField('a', undefined)
    expect({ fields: [{ id: 'a', value: 'x' }] }).not.toHaveField('a', undefined)
  })

  it('fails without a value in the message', () => {
    const failures = [
      failureOf(() => expect(item).toHaveField('password', 'SWORDFISH')),
      failureOf(() => expect(item).not.toHaveField('password', secret)),
      failureOf(() => expect(item).toHaveField('pin', secret)),
      failureOf(() => expect(secret).toHaveField('pin')),
    ]
    expect(failures[0]).toContain('expected a field password with this value, got another value')
    expect(failures[2]).toContain('got fields database_type, hostname')
    expect(failures.join()).not.toContain('SWORDFISH')
    expect(() => expect(item).toHaveField(7 as never)).toThrow(TypeError)
  })
})

describe('toMatchItem', () => {
  it('matches each item that was created from a draft, and no item of another one', async () => {
    const { service, caller, vaultId } = await createTestVault()
    await fc.assert(
      fc.asyncProperty(arbitraryItemDraft(), async (draft) => {
        const item = await service.createItem(caller, { vaultId, item: draft })
        expect(item).toMatchItem(draft)
        expect(item).not.toMatchItem({ ...draft, title: `${draft.title}!` })
        const fields = [...(draft.fields ?? []), { id: 'another', value: 'x' }]
        expect(item).not.toMatchItem({ ...draft, fields })
      }),
      { numRuns: propertyRuns(50) },
    )
  })

  it('fails with the paths of the differences', () => {
    const item = itemDraft('SERVER')
    const draft = itemDraft('SERVER', { title: secret, tags: [secret], values: { url: secret } })
    const failure = failureOf(() => expect(item).toMatchItem(draft))
    expect(failure).toContain('differences at title, tags, fields/url/value')
    expect(failure).not.toContain('SWORDFISH')
    expect(failureOf(() => expect(undefined).toMatchItem(draft))).toContain('the item')
    expect(() => expect(item).toMatchItem(null as never)).toThrow(TypeError)
  })
})

describe('toContainNoSecret', () => {
  const circle: Record<string, unknown> = { name: 'x' }
  circle['self'] = circle

  it.each<[string, unknown]>([
    ['text', `a ${secret} b`],
    ['JSON', JSON.stringify({ a: [secret] })],
    ['a URL', `/a?b=${encodeURIComponent(secret)}`],
    ['base64', Buffer.from(secret).toString('base64')],
    ['base64 for URLs', Buffer.from(secret).toString('base64url')],
    ['the cause of an error', new StorageError('failed', { cause: new Error(secret) })],
    ['the stack of an error', new Error(secret)],
    ['a member that is not enumerable', Object.defineProperty({}, 'a', { value: secret })],
    ['a name of a member', { [secret]: 1 }],
    ['a map', new Map([[{ key: secret }, 1]])],
    ['a set', new Set([secret])],
    ['headers', new Headers({ 'x-a': encodeURIComponent(secret) })],
    ['bytes', new TextEncoder().encode(`x${secret}`)],
    ['a list of log lines', ['GET /', { line: secret }]],
  ])('finds a secret in %s', (_, received) => {
    const failure = failureOf(() => expect(received).toContainNoSecret(['other!', secret]))
    expect(failure).toContain('expected no secret, got secrets[1] at')
    expect(failure).not.toContain('SWORDFISH')
  })

  it.each([undefined, 7, 'text', circle, new Error('x'), () => secret])(
    'passes for %o',
    (value) => {
      expect(value).toContainNoSecret([secret, 'pin-4711'])
    },
  )

  it('throws TypeError without secrets', () => {
    for (const secrets of [[], [''], 'text', [7], undefined])
      expect(() => expect('text').toContainNoSecret(secrets as never)).toThrow(TypeError)
  })
})
