import { inspect } from 'node:util'
import {
  type Caller,
  ConflictError,
  CredentialRejectedError,
  CredentialUnverifiedError,
  createCaller,
  createVaultService,
  type HiddenValue,
  InvalidInputError,
  type KnownCaller,
  NotFoundError,
  RuleError,
} from 'cofferkit'
import { connectDialect } from 'cofferkit/connect'
import {
  type CredentialKind,
  type CredentialKinds,
  type CredentialsOptions,
  createCredentials,
} from 'cofferkit/credentials'
import { createMemoryStore } from 'cofferkit/memory'
import { createReferenceResolver } from 'cofferkit/references'
import { createFaultyStore, createTestVault } from 'cofferkit/testing'
import { createSecretFetch, vaultSecrets } from 'cofferkit/use'
import { describe, expect, it, vi } from 'vitest'
import { findItemId } from '../../src/credentials/credential-item.js'
import { loginDraft } from '../support/drafts.js'
import { createMarkedCalls } from '../support/service/secret-marker-calls.js'
import { readPage } from '../support/source/pages.js'
import { createRecordingStore } from '../support/stores/stores.js'
import { useVirtualTime } from '../support/virtual-time.js'

const key = 'sk_live_0123456789abcdWXYZ'
const stripe = {
  fields: { key: { label: 'API key' }, team: { secret: false, optional: true } },
  origins: ['https://api.stripe.com'],
} as const

/** Returns credentials of the kind `stripe` in a test vault. */
async function setUp(
  kind: Partial<CredentialKind> = {},
  options = {},
  credentialsOptions: CredentialsOptions = {},
) {
  const vault = await createTestVault(options)
  const { service, caller, vaultId } = vault
  const kinds: CredentialKinds = {
    stripe: { ...stripe, ...kind },
    smtp: { fields: { host: { secret: false } } },
  }
  const credentials = createCredentials(service, kinds, credentialsOptions)
  const itemId = await findItemId(vaultId, 'stripe', undefined)
  const readItem = () => service.getItem(caller, { vaultId, itemId })
  return { ...vault, credentials, own: credentials.of(caller, vaultId), itemId, readItem }
}

/** Returns the credentials, and `verify` as a mock that accepts. */
async function setUpVerified(options = {}, credentialsOptions: CredentialsOptions = {}) {
  const verify = vi.fn(async (_: unknown, __: { readonly signal: AbortSignal }) => true)
  return { verify, ...(await setUp({ verify }, options, credentialsOptions)) }
}

/** Returns the names in the table of docs/activity.md, of operations that return values and others. */
function findNamesOfValueReaders(): ReadonlySet<string> {
  const [, text = ''] = readPage('docs/activity.md').split('\n## Who has seen a value')
  const [section = ''] = text.split('\n## ')
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  return new Set(
    rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => String(name))),
  )
}

describe('findItemId', () => {
  it('returns the first 26 characters of the digest in base32, different for each part', async () => {
    const vaultId = 'v'.repeat(26)
    expect(await findItemId(vaultId, 'stripe', undefined)).toBe('ezp2cvrz434jwk6auo4q6iah7y')
    const ids = [
      await findItemId(vaultId, 'stripe', 'live'),
      await findItemId(vaultId, 'stripe', 'test'),
      await findItemId(vaultId, 'stripe', undefined),
      await findItemId(vaultId, 'smtp', undefined),
      await findItemId('w'.repeat(26), 'stripe', undefined),
    ]
    expect(new Set(ids).size).toBe(5)
    for (const id of ids) expect(id).toMatch(/^[a-z2-7]{26}$/)
  })
})

describe('save', () => {
  it('stores one item however often it is called, and returns a view without the secret', async () => {
    const { own, service, caller, vaultId, itemId, readItem } = await setUp()
    const view = await own.save('stripe', { key, team: 'Acme' })
    expect(view).toEqual({
      name: 'stripe',
      itemId,
      version: 1,
      fields: { key: { isSet: true, hint: '…WXYZ' }, team: 'Acme' },
      status: 'unverified',
      updatedAt: expect.any(String),
      updatedBy: 'tester',
    })
    expect(await own.save('stripe', { key: `${key}2` })).toMatchObject({ version: 2 })
    const items = await service.listItems(caller, { vaultId, filter: 'tag eq "credential"' })
    expect(items).toMatchObject([{ id: itemId, title: 'stripe', category: 'API_CREDENTIAL' }])
    const item = await readItem()
    expect(item.urls).toEqual([{ href: 'https://api.stripe.com' }])
    expect(item.fields.slice(0, 2)).toEqual([
      { id: 'key', type: 'CONCEALED', label: 'API key', value: `${key}2` },
      { id: 'team', type: 'STRING', label: 'team', value: 'Acme' },
    ])
  })

  it('stores one item for each account', async () => {
    const { own } = await setUp()
    await own.save('stripe', { key }, { account: 'live' })
    await own.save('stripe', { key, team: 'Test' }, { account: 'test' })
    await own.save('stripe', { key })
    await own.save('smtp', { host: 'mail' })
    const names = (await own.list()).map(({ name, account }) => [name, account])
    expect(names).toEqual([
      ['smtp', undefined],
      ['stripe', undefined],
      ['stripe', 'live'],
      ['stripe', 'test'],
    ])
    expect(await own.describe('stripe', { account: 'test' })).toMatchObject({
      account: 'test',
      fields: { team: 'Test' },
    })
  })

  it('makes one item when a save whose answer was lost is sent again', async () => {
    const memory = createMemoryStore()
    let isLost = false
    const store = createFaultyStore(memory, ({ method, collection }) => {
      const isItem = method === 'put' && collection?.startsWith('items/')
      return isLost && isItem ? 'fail-after' : undefined
    })
    const { own, service, caller, vaultId } = await setUp({}, { store })
    isLost = true
    await expect(own.save('stripe', { key })).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    isLost = false
    expect(await own.save('stripe', { key })).toMatchObject({ version: 2 })
    const filter = 'tag eq "credential"'
    expect(await service.listItems(caller, { vaultId, filter })).toHaveLength(1)
  })

  it('stores the result of verify, which is called with all values', async () => {
    const { own, verify, clock, readItem } = await setUpVerified()
    const view = await own.save('stripe', { key, team: 'Acme' })
    expect(verify).toHaveBeenCalledWith({ key, team: 'Acme' }, { signal: expect.any(AbortSignal) })
    const checkedAt = clock().toISOString()
    expect(view).toMatchObject({ status: 'ok', checkedAt, version: 1 })
    await own.save('stripe', { team: 'Other' })
    expect(verify).toHaveBeenLastCalledWith({ key, team: 'Other' }, expect.anything())
    expect(await own.describe('stripe')).toMatchObject({ status: 'ok', version: 2 })
    expect((await readItem()).lastEditedBy).toBe('tester')
  })

  it('calls verify and origins as methods of the kind', async () => {
    class Kind implements CredentialKind {
      readonly fields = { key: {} }
      readonly #host: string = 'https://api.example.com'
      readonly origins = () => [this.#host]
      async verify() {
        return this.#host !== ''
      }
    }
    const { service, caller, vaultId } = await setUp()
    const own = createCredentials(service, { stripe: new Kind() }).of(caller, vaultId)
    expect(await own.save('stripe', { key })).toMatchObject({ status: 'ok' })
  })

  it('keeps the stored values when the provider rejects the new ones', async () => {
    const { own, verify, readItem } = await setUpVerified()
    await own.save('stripe', { key })
    const before = await readItem()
    verify.mockResolvedValueOnce(false)
    const error = await own.save('stripe', { key: 'revoked' }).catch((reason) => reason)
    expect(error).toBeInstanceOf(CredentialRejectedError)
    expect(error).toMatchObject({ code: 'CREDENTIAL_REJECTED', status: 422 })
    expect(await readItem()).toEqual(before)
    verify.mockResolvedValueOnce(false)
    await expect(own.save('stripe', { key }, { account: 'a' })).rejects.toThrow('rejects')
    await expect(own.describe('stripe', { account: 'a' })).rejects.toThrow('not found')
  })

  it.each([
    ['rejects', async () => Promise.reject(new Error(key))],
    ['throws', () => JSON.parse(key)],
  ])('stores unverified when verify %s', async (_, verify) => {
    const { own } = await setUp({ verify })
    const view = await own.save('stripe', { key })
    expect(view.status).toBe('unverified')
    expect(view).not.toHaveProperty('checkedAt')
  })

  it.each([undefined, null, 1, 'true', {}])(
    'stores nothing when verify resolves with %j, also before',
    async (result) => {
      const { own, verify } = await setUpVerified()
      const saved = await own.save('stripe', { key })
      const error = new RuleError('verify of stripe did not return true or false')
      verify.mockResolvedValue(result as never)
      await expect(own.save('stripe', { key: 'new' })).rejects.toEqual(error)
      await expect(own.verify('stripe')).rejects.toEqual(error)
      expect(await own.describe('stripe')).toEqual(saved)
    },
  )

  it('stores nothing that could not be verified when whenUnverified is refuse', async () => {
    const { own, verify } = await setUpVerified({}, { whenUnverified: 'refuse' })
    const saved = await own.save('stripe', { key })
    verify.mockRejectedValue(new Error('offline'))
    const error = await own.save('stripe', { key: 'new' }).catch((reason) => reason)
    expect(error).toBeInstanceOf(CredentialUnverifiedError)
    expect(error).toMatchObject({ code: 'CREDENTIAL_UNVERIFIED', status: 503 })
    expect(error.message).toBe('the values of stripe could not be verified')
    expect(await own.describe('stripe')).toEqual(saved)
    expect(await own.verify('stripe')).toMatchObject({ status: 'unverified', version: 2 })
    expect(await own.save('smtp', { host: 'mail' })).toMatchObject({ status: 'unverified' })
  })

  it('stores unverified when verify takes too long, and aborts it', async () => {
    const { own, verify } = await setUpVerified()
    useVirtualTime()
    verify.mockReturnValueOnce(new Promise(() => {}))
    expect(await own.save('stripe', { key })).toMatchObject({ status: 'unverified' })
    expect(verify.mock.calls[0]?.[1].signal.aborted).toBe(true)
  })

  it('requires every secret again when the origins of the stored values cannot be found', async () => {
    const { own, service, caller, vaultId } = await setUp({ fields: { key: {} } })
    await own.save('stripe', { key })
    const origins = ({ host }: Readonly<Record<string, string>>) => [new URL(String(host)).origin]
    const fields = { key: {}, host: { secret: false } }
    const changed = createCredentials(service, { stripe: { fields, origins } })
    const values = { host: 'https://acme.example.com' }
    const later = changed.of(caller, vaultId)
    await expect(later.save('stripe', values)).rejects.toThrow('key must be entered again')
    expect(await later.save('stripe', { ...values, key })).toMatchObject({ version: 2 })
  })

  it('reads the values once, before anything is waited for', async () => {
    const { own, readItem } = await setUp()
    const values = { key: 'first' }
    const saving = own.save('stripe', values)
    values.key = ''
    await saving
    expect(JSON.stringify(await readItem())).toContain('first')
  })

  it('accepts a field with the name of a member that every object inherits', async () => {
    const fields = { key: { secret: false }, toString: { optional: true } }
    const { own } = await setUp({ fields } as never)
    expect(await own.save('stripe', { key })).toMatchObject({ fields: { key } })
  })

  it('requires every secret again when the origins change with the values', async () => {
    const verify = vi.fn(async () => true)
    const { own, readItem } = await setUp({
      fields: { key: {}, host: { secret: false } },
      origins: ({ host }) => [`https://${host}.example.com`],
      verify,
    })
    await own.save('stripe', { key, host: 'acme' })
    verify.mockClear()
    const saving = own.save('stripe', { host: 'evil' })
    await expect(saving).rejects.toThrow(
      'key must be entered again, because it would be sent to another origin',
    )
    expect(verify).not.toHaveBeenCalled()
    await own.save('stripe', { key, host: 'other' })
    expect((await readItem()).urls).toEqual([{ href: 'https://other.example.com' }])
    await expect(own.save('stripe', { key, host: 'a/b' })).rejects.toThrow(InvalidInputError)
  })

  it('needs no secret again when the origins stay the same, or are listed', async () => {
    const fields = { key: {}, host: { secret: false } }
    const origins = () => ['https://a.example.com']
    const { own, service, caller, vaultId } = await setUp({ fields, origins })
    await own.save('stripe', { key, host: 'a' })
    await own.save('stripe', { host: 'b' })
    const moved = createCredentials(service, {
      stripe: { fields, origins: ['https://b.example.com'] },
    }).of(caller, vaultId)
    expect(await moved.save('stripe', { host: 'c' })).toMatchObject({ version: 3 })
  })

  it('stores every field as CONCEALED except those that say secret: false', async () => {
    const fields = {
      ...{ key: {}, more: { label: 'More' }, same: { secret: true } },
      ...{ unset: { secret: undefined }, host: { secret: false } },
    }
    const { own, service, caller, vaultId, itemId, readItem } = await setUp({ fields } as never)
    const values = { key, more: key, same: key, unset: key, host: 'mail.example.com' }
    const view = await own.save('stripe', values)
    const hidden = { isSet: true, hint: '…WXYZ' }
    const hiddenFields = { key: hidden, more: hidden, same: hidden, unset: hidden }
    expect(view.fields).toEqual({ ...hiddenFields, host: 'mail.example.com' })
    const stored = await readItem()
    expect(
      Object.keys(values).map((id) => stored.fields.find((one) => one.id === id)?.type),
    ).toEqual(['CONCEALED', 'CONCEALED', 'CONCEALED', 'CONCEALED', 'STRING'])
    const described = await service.describeItem(caller, { vaultId, itemId })
    expect(JSON.stringify([view, described])).not.toContain(key)
    // An empty value keeps a secret, and is missing for a field that is shown.
    const kept = await own.save('stripe', { key: '', more: '', same: '', unset: '' })
    expect(kept.fields).toEqual(view.fields)
    await expect(own.save('stripe', { host: '' })).rejects.toThrow('host is required')
  })

  it('does not verify stored values when one is missing that the kind now needs', async () => {
    const { own, service, caller, vaultId } = await setUp({ fields: { key: {} } })
    await own.save('stripe', { key })
    const verify = vi.fn(async () => true)
    const fields = { key: {}, account: {} }
    const later = createCredentials(service, { stripe: { fields, verify } }).of(caller, vaultId)
    await expect(later.verify('stripe')).rejects.toThrow('account is required')
    expect(verify).not.toHaveBeenCalled()
    await later.save('stripe', { account: 'acme' })
    expect(await later.verify('stripe')).toMatchObject({ status: 'ok' })
  })

  it('hides a secret whose field was given a type that is shown', async () => {
    const { own, service, caller, vaultId, itemId } = await setUp()
    await own.save('stripe', { key })
    const patch = [{ op: 'replace', path: '/fields/key/type', value: 'STRING' }] as const
    await service.patchItem(caller, { vaultId, itemId, patch })
    expect((await own.describe('stripe')).fields).toHaveProperty('key', { isSet: true })
  })

  it('keeps what others have added to the item', async () => {
    const { own, service, caller, readItem } = await setUp()
    await own.save('stripe', { key })
    const before = await readItem()
    const item = {
      ...before,
      title: 'Our Stripe',
      favorite: true,
      tags: ['billing', ...before.tags],
      fields: [...before.fields, { id: 'note', type: 'STRING', label: 'note', value: 'ask Wendy' }],
    }
    const ref = { vaultId: before.vault.id, itemId: before.id }
    await service.replaceItem(caller, { ...ref, item })
    await own.save('stripe', { key: 'new' })
    const after = await readItem()
    expect(after).toMatchObject({ title: 'Our Stripe', favorite: true, version: 3 })
    expect(after.tags).toEqual(['billing', 'credential'])
    expect(after.fields.map(({ id }) => id)).toContain('note')
    expect(after.fields.filter(({ id }) => id === 'key')).toMatchObject([{ value: 'new' }])
  })

  it('rejects an archived item before anything is verified', async () => {
    const { own, verify, service, caller, vaultId, itemId } = await setUpVerified()
    await own.save('stripe', { key })
    await service.setItemState(caller, { vaultId, itemId, state: 'ARCHIVED' })
    verify.mockClear()
    await expect(own.save('stripe', { key })).rejects.toThrow(InvalidInputError)
    await expect(own.verify('stripe')).rejects.toThrow('an archived credential cannot be changed')
    expect(verify).not.toHaveBeenCalled()
  })

  it('makes an item that is marked as deleted active, and keeps none of its values', async () => {
    const { own, clock, verify, service, caller, vaultId, itemId } = await setUpVerified()
    await own.save('stripe', { key, team: 'Acme' })
    await service.setItemState(caller, { vaultId, itemId, state: 'DELETED' })
    await expect(own.describe('stripe')).rejects.toThrow(NotFoundError)
    await expect(own.save('stripe', { team: 'x' })).rejects.toThrow('key is required')
    clock.advance(1000)
    expect(await own.save('stripe', { key: 'new' })).toMatchObject({
      fields: { key: { isSet: true }, team: '' },
      status: 'ok',
    })
    expect(await service.getItem(caller, { vaultId, itemId })).not.toHaveProperty('state')
    await service.setItemState(caller, { vaultId, itemId, state: 'DELETED' })
    verify.mockRejectedValueOnce(new Error('down'))
    const { version } = await own.save('stripe', { key: 'newer' })
    expect(await own.describe('stripe')).toMatchObject({ version, status: 'unverified' })
  })

  it('merges the values of two first saves that run at the same time', async () => {
    const { own, service, caller, vaultId, readItem } = await setUp()
    const other = createCredentials(service, { stripe }).of(caller, vaultId)
    await Promise.all([own.save('stripe', { key, team: 'Acme' }), other.save('stripe', { key })])
    expect((await readItem()).version).toBe(2)
    expect(await own.describe('stripe')).toMatchObject({ fields: { team: 'Acme' } })
  })

  it('merges the values of a first save with those of one that has overtaken it', async () => {
    const { own, verify, service, caller, vaultId, readItem } = await setUpVerified()
    const other = createCredentials(service, { stripe }).of(caller, vaultId)
    verify.mockImplementationOnce(async () => {
      await other.save('stripe', { key, team: 'Acme' })
      return true
    })
    await own.save('stripe', { key })
    expect((await readItem()).version).toBe(2)
    expect(await own.describe('stripe')).toMatchObject({ fields: { team: 'Acme' } })
  })

  it('verifies the same values once when concurrent writers win', async () => {
    const { own, verify, service, caller, readItem } = await setUpVerified()
    await own.save('stripe', { key })
    verify.mockImplementationOnce(async () => {
      const { id, vault } = await readItem()
      const patch = [{ op: 'add', path: '/tags/-', value: 'billing' }] as const
      await service.patchItem(caller, { vaultId: vault.id, itemId: id, patch })
      return true
    })
    verify.mockClear()
    expect(await own.save('stripe', { key: 'new' })).toMatchObject({ version: 3, status: 'ok' })
    expect(verify).toHaveBeenCalledTimes(1)
    expect((await readItem()).tags).toEqual(['credential', 'billing'])
  })

  it('ends with a ConflictError when others win every attempt', async () => {
    const { own, store, caller, vaultId } = await setUp()
    await own.save('stripe', { key })
    const { records, blobs } = store
    const service = createVaultService({
      store: { records: { ...records, put: async () => false }, blobs },
      retry: { maxAttempts: 3, sleep: async () => {} },
    })
    const raced = createCredentials(service, { stripe }).of(caller, vaultId)
    const error = await raced.save('stripe', { key }).catch((reason) => reason)
    expect(error).toBeInstanceOf(ConflictError)
    expect(error).toMatchObject({ reason: 'races' })
  })

  it('ends with a ConflictError when others change the values during every verify', async () => {
    const { own, verify, service, caller, vaultId } = await setUpVerified()
    const other = createCredentials(service, { stripe }).of(caller, vaultId)
    await own.save('stripe', { key })
    let team = 0
    verify.mockImplementation(async () => {
      await other.save('stripe', { team: String(team++) })
      return true
    })
    await expect(own.save('stripe', { key: 'new' })).rejects.toBeInstanceOf(ConflictError)
    expect(team).toBe(32)
    await expect(own.verify('stripe')).rejects.toMatchObject({ reason: 'races' })
    expect(team).toBe(64)
  })

  it('verifies the values again that others have changed meanwhile', async () => {
    const { own, verify, service, caller, vaultId } = await setUpVerified()
    const other = createCredentials(service, { stripe }).of(caller, vaultId)
    await own.save('stripe', { key })
    verify.mockClear()
    verify.mockImplementationOnce(async () => {
      await other.save('stripe', { team: 'Acme' })
      return true
    })
    expect(await own.save('stripe', { key: 'new' })).toMatchObject({
      version: 3,
      status: 'ok',
      fields: { team: 'Acme' },
    })
    expect(verify.mock.calls.map(([values]) => values)).toEqual([
      { key: 'new' },
      { key: 'new', team: 'Acme' },
    ])
  })

  it('keeps a field of a type that the dialect does not accept in a body', async () => {
    const { own, verify, store, caller, vaultId, itemId, readItem } = await setUpVerified()
    await own.save('stripe', { key })
    const connected = createVaultService({ store, dialect: connectDialect })
    const passkey = { id: 'passkey', type: 'PASSKEY', value: 'p' }
    const patch = [{ op: 'add', path: '/fields/-', value: passkey }] as const
    await connected.patchItem(caller, { vaultId, itemId, patch })
    const isPasskey = ({ id }: { readonly id: string }): boolean => id === passkey.id
    const { fields } = await readItem()
    const [stored] = fields.filter(isPasskey)
    expect(stored).toMatchObject(passkey)
    await own.save('stripe', { team: 'Acme' })
    expect((await readItem()).fields.filter(isPasskey)).toEqual([stored])
    verify.mockResolvedValueOnce(false)
    expect(await own.verify('stripe')).toMatchObject({ status: 'rejected', version: 4 })
    expect((await readItem()).fields.filter(isPasskey)).toEqual([stored])
  })

  it.each(['save', 'verify'] as const)(
    'does not keep remove waiting while %s waits for the provider',
    async (method) => {
      const { own, verify } = await setUpVerified()
      await own.save('stripe', { key })
      let answer: ((isValid: boolean) => void) | undefined
      verify.mockImplementationOnce(
        () =>
          new Promise((resolve) => {
            answer = resolve
          }),
      )
      const changing = method === 'save' ? own.save('stripe', { key: 'new' }) : own.verify('stripe')
      await vi.waitFor(() => expect(answer).toBeDefined())
      await own.remove('stripe')
      answer?.(true)
      // A save makes the credential again; there is nothing left to verify.
      if (method === 'save') expect(await changing).toMatchObject({ status: 'ok', version: 3 })
      else await expect(changing).rejects.toThrow('credential stripe not found')
    },
  )

  it('rejects a caller who must not call saveCredential, before the provider is asked', async () => {
    const { credentials, vaultId, verify } = await setUpVerified()
    const caller: Caller = { id: 'one', can: (_, __, name) => name !== 'saveCredential' }
    const error = { code: 'FORBIDDEN', status: 403 }
    const saving = credentials.of(caller, vaultId).save('stripe', { key })
    await expect(saving).rejects.toMatchObject(error)
    expect(verify).not.toHaveBeenCalled()
  })

  it.each([['toString'], ['__proto__'], ['github'], ['']])(
    'rejects the unknown name %j with a TypeError in every method',
    async (name) => {
      const { own } = await setUp()
      const error = new TypeError('name must be one of stripe, smtp')
      for (const call of [
        () => own.save(name, { key }),
        () => own.describe(name),
        () => own.verify(name),
        () => own.reveal(name, 'key'),
        () => own.remove(name),
      ])
        await expect(call()).rejects.toEqual(error)
    },
  )

  it.each([
    ['live', "account must be an object, such as { account: 'live' }"],
    [null, "account must be an object, such as { account: 'live' }"],
    [['live'], 'account must be an object'],
    [{ acount: 'live' }, 'account.acount is unknown, did you mean account?'],
  ])('rejects %j as its last argument with a TypeError in every method', async (which, message) => {
    const { own } = await setUp()
    const before = await own.save('stripe', { key })
    for (const call of [
      () => own.save('stripe', { key: `${key}2` }, which as object),
      () => own.describe('stripe', which as object),
      () => own.verify('stripe', which as object),
      () => own.reveal('stripe', 'key', which as object),
      () => own.remove('stripe', which as object),
    ])
      await expect(call()).rejects.toEqual(new TypeError(message))
    expect(await own.list()).toEqual([before])
  })

  it('rejects an unknown option of list and listRejected with a TypeError', async () => {
    const { own } = await setUp()
    const error = new TypeError('options.onUnreadabel is unknown, did you mean onUnreadable?')
    for (const name of ['list', 'listRejected'] as const)
      await expect(own[name]({ onUnreadabel: () => {} } as object)).rejects.toEqual(error)
  })

  it.each(['', 'a'.repeat(201), 'a\nb', '\ud800', 7])('rejects the account %j', async (account) => {
    const { own, credentials, vaultId } = await setUp()
    const options = { account: account as string }
    await expect(own.save('stripe', { key }, options)).rejects.toThrow(InvalidInputError)
    await expect(own.describe('stripe', options)).rejects.toThrow('account must be')
    const unknown = credentials.of(undefined, vaultId)
    await expect(unknown.describe('stripe', options)).rejects.toThrow('account must be')
  })

  it('rejects a vault that does not exist', async () => {
    const { credentials, caller } = await setUp()
    const other = credentials.of(caller, 'z'.repeat(26))
    const notFound = { code: 'NOT_FOUND', resource: 'vault' }
    await expect(other.save('stripe', { key })).rejects.toMatchObject(notFound)
    await expect(other.list()).rejects.toMatchObject(notFound)
  })

  it('rejects with the error of a rule of the service', async () => {
    const validateItem = () => {
      throw new Error(key)
    }
    const { own } = await setUp({}, { validateItem })
    await expect(own.save('stripe', { key })).rejects.toThrow(RuleError)
  })

  it.each([['contract'], ['connect'], ['history']])('works with a service of %s', async (name) => {
    const options = {
      ...(name === 'connect' && { dialect: connectDialect }),
      ...(name === 'history' && { history: { maxVersions: 3 } }),
    }
    const { own, clock, credentials, vaultId } = await setUpVerified(options)
    const first = await own.save('stripe', { key, team: 'Acme' }, { account: 'live' })
    clock.advance(1000)
    const account = { account: 'live' }
    const second = await own.save('stripe', { team: 'Other' }, account)
    const other = credentials.of(createCaller({ id: 'other', vaults: '*' }), vaultId)
    clock.advance(1000)
    const third = await other.verify('stripe', account)
    expect([first.version, second.version, third.version]).toEqual([1, 2, 3])
    const checkedAt = clock().toISOString()
    expect(third).toEqual({ ...second, version: 3, checkedAt })
    expect(await own.describe('stripe', account)).toEqual(third)
    expect(await own.list()).toEqual([third])
    expect(await own.reveal('stripe', 'key', account)).toBe(key)
    await own.remove('stripe', account)
    expect(await own.list()).toEqual([])
    const again = await own.save('stripe', { key }, account)
    expect(again).toMatchObject({ status: 'ok', fields: { team: '' } })
    expect(again.version).toBeGreaterThan(3)
  })
})

describe('verify', () => {
  it('changes the status and not who edited the values', async () => {
    const { own, verify, clock, credentials, vaultId, readItem } = await setUpVerified()
    const saved = await own.save('stripe', { key })
    clock.advance(60_000)
    const other = credentials.of(createCaller({ id: 'other', vaults: '*' }), vaultId)
    verify.mockResolvedValueOnce(false)
    const checkedAt = clock().toISOString()
    const rejected = { ...saved, version: 2, status: 'rejected', checkedAt }
    expect(await other.verify('stripe')).toEqual(rejected)
    verify.mockRejectedValueOnce(new Error('down'))
    const { checkedAt: _, ...unverified } = { ...rejected, version: 3, status: 'unverified' }
    expect(await other.verify('stripe')).toEqual(unverified)
    expect(await other.describe('stripe')).toEqual(unverified)
    expect((await readItem()).lastEditedBy).toBe('other')
    expect(await own.reveal('stripe', 'key')).toBe(key)
  })

  it('writes nothing for a kind without verify', async () => {
    const { own } = await setUp()
    const saved = await own.save('stripe', { key })
    expect(await own.verify('stripe')).toEqual(saved)
  })

  it('shows unverified after another caller has changed the item, and tells who', async () => {
    const { own, clock, service, caller, vaultId, itemId } = await setUpVerified()
    await own.save('stripe', { key })
    clock.advance(1000)
    const other = createCaller({ id: 'other', vaults: '*' })
    const patch = [{ op: 'replace', path: '/fields/key/value', value: 'by hand' }] as const
    await service.patchItem(other, { vaultId, itemId, patch })
    const updatedAt = clock().toISOString()
    const edited = { status: 'unverified', updatedBy: 'other', updatedAt }
    expect(await own.describe('stripe')).toMatchObject(edited)
    clock.advance(1000)
    expect(await own.verify('stripe')).toMatchObject({ ...edited, status: 'ok' })
    clock.advance(1000)
    await service.patchItem(caller, { vaultId, itemId, patch })
    expect(await own.describe('stripe')).toMatchObject({ updatedBy: 'tester' })
  })

  it.each(['saved for the first time', 'saved again after its removal'])(
    'shows unverified after a change in the same millisecond as it was %s',
    async (when) => {
      const { own, service, caller, vaultId, itemId } = await setUpVerified()
      await own.save('stripe', { key })
      if (when.includes('removal')) {
        await own.remove('stripe')
        await own.save('stripe', { key })
      }
      expect(await own.describe('stripe')).toMatchObject({ status: 'ok' })
      const patch = [{ op: 'replace', path: '/fields/key/value', value: 'by hand' }] as const
      await service.patchItem(caller, { vaultId, itemId, patch })
      expect(await own.describe('stripe')).toMatchObject({ status: 'unverified' })
    },
  )

  it('rejects a credential that does not exist', async () => {
    const { own } = await setUpVerified()
    const error = { code: 'NOT_FOUND', message: 'credential stripe not found' }
    await expect(own.verify('stripe')).rejects.toMatchObject(error)
  })
})

describe('list', () => {
  it('shows a field that the kind did not have when the credential was saved', async () => {
    const { own, service, caller, vaultId } = await setUp()
    await own.save('stripe', { key })
    const unset = createCredentials(service, {
      stripe: { fields: { ...stripe.fields, more: { secret: false } } },
    })
    expect((await unset.of(caller, vaultId).list())[0]?.fields).toHaveProperty('more', '')
  })

  it('rejects when an item cannot be read', async () => {
    let isFailing = false
    const store = createFaultyStore(createMemoryStore(), ({ method, collection }) =>
      isFailing && method === 'get' && collection?.startsWith('items/') ? 'fail-before' : undefined,
    )
    const { own } = await setUp({}, { store })
    await own.save('stripe', { key })
    isFailing = true
    await expect(own.list()).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
  })

  it('leaves out items with the tag that are no credentials, and unknown kinds', async () => {
    const { own, service, caller, vaultId, readItem } = await setUp()
    const item = loginDraft(vaultId, { tags: ['credential'] })
    await service.createItem(caller, { vaultId, item })
    await own.save('stripe', { key })
    const { id: _, ...copy } = await readItem()
    await service.createItem(caller, { vaultId, item: copy })
    const other = createCredentials(service, { old: { fields: { key: {} } } })
    await other.of(caller, vaultId).save('old', { key: 'k' })
    expect((await own.list()).map(({ name }) => name)).toEqual(['stripe'])
  })
})

describe('reveal', () => {
  it('returns a value', async () => {
    const { own } = await setUp()
    await own.save('stripe', { key, team: 'Acme' })
    expect(await own.reveal('stripe', 'key')).toBe(key)
    expect(await own.reveal('stripe', 'team')).toBe('Acme')
  })

  it('rejects a value that is not set, also if a label is the id of its field', async () => {
    const { own, service, caller, readItem } = await setUp()
    await own.save('stripe', { key })
    const notFound = { code: 'NOT_FOUND', resource: 'field', id: 'team' }
    await expect(own.reveal('stripe', 'team')).rejects.toMatchObject(notFound)
    const item = await readItem()
    const fields = [...item.fields, { id: 'x', label: 'team', value: 'wrong' }]
    const ref = { vaultId: item.vault.id, itemId: item.id }
    await service.replaceItem(caller, { ...ref, item: { ...item, fields } })
    await expect(own.reveal('stripe', 'team')).rejects.toMatchObject(notFound)
  })

  it('rejects a field that the kind does not have with a TypeError', async () => {
    const { own } = await setUp()
    for (const field of ['credential.name', 'toString', ''])
      await expect(own.reveal('stripe', field)).rejects.toEqual(
        new TypeError('field must be one of key, team'),
      )
  })
})

describe('remove', () => {
  it('deletes the item', async () => {
    const { own } = await setUp()
    await own.save('stripe', { key })
    await own.remove('stripe')
    const error = { code: 'NOT_FOUND', message: 'credential stripe not found' }
    await expect(own.describe('stripe')).rejects.toMatchObject(error)
    await expect(own.remove('stripe')).rejects.toMatchObject(error)
  })
})

describe('createCredentials', () => {
  it('stores items that references find', async () => {
    const { own, service, caller, vaultId } = await setUp()
    await own.save('stripe', { key }, { account: 'live' })
    const references = createReferenceResolver(service, caller)
    expect(await references.resolve(`op://${vaultId}/stripe live/key`)).toBe(key)
  })

  it.each([
    ['describeCredential', ['describe']],
    ['listCredentials', ['list']],
  ])('lets a caller who may only call %s see no value', async (allowed, methods) => {
    const { credentials, ...vault } = await setUpVerified()
    const { own, service, vaultId, readItem } = vault
    await own.save('stripe', { key })
    const reader: KnownCaller = { id: 'page', can: (_, __, operation) => operation === allowed }
    const page = credentials.of(reader, vaultId)
    const view = await own.describe('stripe')
    const calls = {
      describe: () => page.describe('stripe'),
      list: async () => (await page.list())[0],
      save: () => page.save('stripe', { key }),
      verify: () => page.verify('stripe'),
      reveal: () => page.reveal('stripe', 'key'),
      remove: () => page.remove('stripe'),
    }
    const refused = Object.entries(calls).filter(([name]) => !methods.includes(name))
    for (const name of methods) expect(await Reflect.get(calls, name)()).toEqual(view)
    const marked = createMarkedCalls('marker', { ...vault, item: await readItem() }, reader)
    const names = findNamesOfValueReaders()
    const returning = Object.entries(marked).filter(([name]) => names.has(name))
    expect(returning.length).toBeGreaterThanOrEqual(14)
    for (const call of [
      ...returning.map(([, call]) => call),
      () => service.getItem(reader, { vaultId, itemId: vault.itemId }),
      ...refused.map(([, call]) => call),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'FORBIDDEN', status: 403 })
  })

  it('throws a RangeError for a timeout that is not a number of 100 or more', () => {
    const service = createVaultService({ store: createMemoryStore() })
    for (const verifyTimeoutMs of [0, -1, Number.NaN, 10])
      expect(() => createCredentials(service, { stripe }, { verifyTimeoutMs })).toThrow(
        new RangeError(
          'options.verifyTimeoutMs must be a number of 100 milliseconds or more, or Infinity',
        ),
      )
  })
})

describe('onVerifyError', () => {
  it('gets the redacted error of verify, and the credential', async () => {
    const onVerifyError = vi.fn()
    const { own, verify } = await setUpVerified({}, { onVerifyError })
    const reason = Object.assign(new TypeError(key), { code: 'ECONNRESET', request: key })
    verify.mockRejectedValueOnce(reason)
    expect(await own.save('stripe', { key })).toMatchObject({ status: 'unverified' })
    verify.mockRejectedValueOnce(reason)
    await own.save('stripe', { key }, { account: 'live' })
    const [[error, credential], [, other]] = onVerifyError.mock.calls as [unknown[], unknown[]]
    expect(credential).toEqual({ name: 'stripe' })
    expect(other).toEqual({ name: 'stripe', account: 'live' })
    expect(error).toMatchObject({ message: 'TypeError ECONNRESET' })
    expect(inspect(error, { showHidden: true })).not.toContain(key)
  })

  it('gets a TimeoutError when verify takes too long', async () => {
    const onVerifyError = vi.fn()
    const { own, verify } = await setUpVerified({}, { onVerifyError })
    useVirtualTime()
    verify.mockReturnValueOnce(new Promise(() => {}))
    await own.save('stripe', { key })
    expect(onVerifyError.mock.calls).toMatchObject([[{ message: 'TimeoutError' }, {}]])
    expect(verify.mock.calls[0]?.[1].signal.reason).toMatchObject({ name: 'TimeoutError' })
  })

  it.each([
    ['throws', () => JSON.parse('{')],
    ['rejects', async () => Promise.reject(new Error('the log is full'))],
  ])('is ignored when it %s', async (_, onVerifyError) => {
    const { own, verify } = await setUpVerified({}, { onVerifyError })
    verify.mockRejectedValueOnce(new Error('offline'))
    expect(await own.save('stripe', { key })).toMatchObject({ status: 'unverified' })
  })
})

describe('reference', () => {
  it('returns the reference of a value by ids, for a caller who can only use it', async () => {
    const { own, service, caller, vaultId, credentials } = await setUp()
    const { itemId } = await own.save('stripe', { key }, { account: 'live' })
    const reference = await own.reference('stripe', 'key', { account: 'live' })
    expect(reference).toBe(`op://${vaultId}/${itemId}/key`)
    expect(await createReferenceResolver(service, caller).resolve(reference)).toBe(key)
    const use = [{ items: [itemId] }]
    const worker = createCaller({ id: 'worker', vaults: { [vaultId]: 'use' }, use })
    expect(await credentials.of(worker, vaultId).reference('stripe', 'key')).not.toBe(reference)
    const fetch = async (_url: string, init: RequestInit) =>
      new Response(new Headers(init.headers).get('authorization'))
    const secretFetch = createSecretFetch(vaultSecrets(service, worker), { fetch })
    const headers = { authorization: `Bearer {{ ${reference} }}` }
    const response = await secretFetch('https://api.stripe.com', { headers })
    expect(await response.text()).toBe('Bearer [secret]')
  })

  it('rejects an unknown name or field, and an invalid account or vault', async () => {
    const { own, credentials, caller } = await setUp()
    await expect(own.reference('other', 'key')).rejects.toThrow(TypeError)
    const unknown = new TypeError('field must be one of key, team')
    await expect(own.reference('stripe', 'other')).rejects.toEqual(unknown)
    const account = { account: 'a\nb' }
    await expect(own.reference('stripe', 'key', account)).rejects.toThrow(InvalidInputError)
    const other = credentials.of(caller, 'Acme')
    await expect(other.reference('stripe', 'key')).rejects.toThrow('must be the id of a vault')
  })
})

describe('listRejected', () => {
  /** Credentials of which `b` and `d` are rejected. */
  async function setUpRejected() {
    const store = createRecordingStore()
    const world = await setUpVerified({ store })
    const { own, verify } = world
    for (const account of ['a', 'b', 'c', 'd']) await own.save('stripe', { key }, { account })
    verify.mockResolvedValue(false)
    await own.verify('stripe', { account: 'b' })
    await own.verify('stripe', { account: 'd' })
    return { ...world, store }
  }

  it('returns the rejected ones, and reads as much as list', async () => {
    const { own, verify, store } = await setUpRejected()
    store.calls.length = 0
    const rejected = await own.listRejected()
    expect(rejected.map(({ account, status }) => [account, status])).toEqual([
      ['b', 'rejected'],
      ['d', 'rejected'],
    ])
    const calls = store.calls.splice(0)
    expect(rejected).toEqual((await own.list()).filter(({ status }) => status === 'rejected'))
    expect(calls).toEqual(store.calls)
    verify.mockResolvedValue(true)
    await own.verify('stripe', { account: 'b' })
    await own.remove('stripe', { account: 'd' })
    expect(await own.listRejected()).toEqual([])
  })

  it('leaves out one that something else has changed since', async () => {
    const { own, service, caller, vaultId } = await setUpRejected()
    const { itemId } = await own.describe('stripe', { account: 'b' })
    const patch = [{ op: 'replace', path: '/title', value: 'Changed' }] as const
    await service.patchItem(caller, { vaultId, itemId, patch })
    expect(await own.listRejected()).toMatchObject([{ account: 'd' }])
  })

  it('rejects a caller who cannot list', async () => {
    const { credentials, vaultId } = await setUpRejected()
    const own = credentials.of(createCaller({ id: 'a', vaults: {} }), vaultId)
    await expect(own.listRejected()).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })
})

describe('the types of createCredentials', () => {
  it('follow from the kinds', async () => {
    const { service, caller, vaultId } = await setUp()
    const kinds = { stripe, smtp: { fields: { host: { secret: false }, password: {} } } } as const
    const credentials = createCredentials(service, kinds)
    const own = credentials.of(caller, vaultId)
    const view = await own.save('smtp', { host: 'mail', password: 'hunter2' })
    const name: 'smtp' = view.name
    const password: HiddenValue = view.fields.password
    expect([name, password]).toEqual(['smtp', { isSet: true }])
    for (const one of await own.list())
      if (one.name === 'smtp') expect(one.fields.host).toBe('mail')
    // @ts-expect-error: a field is secret by default
    const stored: string | undefined = (await own.save('stripe', { key })).fields.key.value
    expect(stored).toBeUndefined()
    const wrong = [
      // @ts-expect-error: no such kind
      () => own.describe('github'),
      // @ts-expect-error: no such field
      () => own.reveal('smtp', 'key'),
      // @ts-expect-error: no such field
      () => own.reference('stripe', 'host'),
      // @ts-expect-error: a field of another kind
      () => own.save('stripe', { host: 'mail' }),
      // @ts-expect-error: not an object
      () => own.describe('smtp', 'live'),
    ]
    for (const call of wrong) await expect(call()).rejects.toBeInstanceOf(Error)
  })

  it('give verify and origins the values of their own kind', async () => {
    const { service, caller, vaultId } = await setUp()
    const seen: unknown[] = []
    const credentials = createCredentials(service, {
      github: {
        fields: { key: {}, host: { secret: false }, team: { optional: true } },
        origins: ({ host }) => [`https://${host.toLowerCase()}`],
        async verify({ key: given, host, team }, { signal }) {
          seen.push(given.length, host.length, signal.aborted)
          // @ts-expect-error: an optional value may be missing
          const length: number | undefined = team.length
          return length === 4
        },
      },
      gitlab: { fields: { token: {} }, verify: async ({ token }) => token.startsWith('glpat-') },
    })
    const own = credentials.of(caller, vaultId)
    await own.save('github', { key, host: 'GitHub.example', team: 'Acme' })
    expect(seen).toEqual([key.length, 'GitHub.example'.length, false])
    const saved = await own.save('gitlab', { token: 'glpat-0123456789abcdef' })
    const token: HiddenValue = saved.fields.token
    expect([saved.status, token.isSet]).toEqual(['ok', true])
    const wrong = [
      createCredentials(service, {
        // @ts-expect-error: the field is called key
        stripe: { fields: { key: {} }, verify: async ({ apiKey }) => apiKey === undefined },
      }),
      createCredentials(service, {
        // @ts-expect-error: the field is called host
        stripe: { fields: { key: {}, host: {} }, origins: ({ hostname }) => [`${hostname}`] },
      }),
      createCredentials(service, {
        // @ts-expect-error: the values have no apiKey
        stripe: { fields: { key: {} }, verify: async (values: { apiKey: string }) => !values },
      }),
    ]
    for (const one of wrong) expect(one.names).toEqual(['stripe'])
  })

  it('accept kinds that are known only at run time', async () => {
    const { service, caller, vaultId } = await setUp()
    const kinds: CredentialKinds = {
      stripe: { fields: { key: {} }, verify: async ({ key: given }) => given !== undefined },
    }
    const name: string = 'stripe'
    const view = await createCredentials(service, kinds).of(caller, vaultId).save(name, { key })
    const field: string | HiddenValue | undefined = view.fields['key']
    expect([view.status, field]).toEqual(['ok', { isSet: true, hint: '…WXYZ' }])
  })
})
