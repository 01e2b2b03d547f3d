import { describe, expect, it } from 'vitest'
import { createCallbackActivityLog } from '../src/activity.js'
import { createCredentials } from '../src/credentials.js'
import { type ErrorCode, errorStatuses, TooManyRequestsError, VaultError } from '../src/errors.js'
import { createCaller, createVaultService } from '../src/index.js'
import { createTokenKeeper, vaultGrants } from '../src/oauth.js'
import { createEncryptedStore, createLocalKeyProvider } from '../src/storage/encrypted.js'
import { createMemoryStore } from '../src/storage/memory.js'
import {
  createFaultyStore,
  createTestVault,
  type TestVaultOptions,
  type TestWorld,
} from '../src/testing.js'
import { noteDraft } from './support/drafts.js'
import { readPage } from './support/source/pages.js'

const page = readPage('docs/errors.md')
const sections = page
  .split(/^### /m)
  .slice(1)
  .map((section) => ({ code: /^(\w+)\n/.exec(section)?.[1] ?? '', section }))

/** A call or a request that fails with the code; returns what the page shows. */
const examples: Readonly<Record<ErrorCode, () => Promise<unknown>>> = {
  INVALID_INPUT: async () => (await createMisspeltItem()).json(),
  UNAUTHORIZED: async () => {
    const { fetch } = await createTestVault()
    return (await fetch('/v1/vaults', { headers: { authorization: 'Bearer expired' } })).json()
  },
  FORBIDDEN: async () => {
    const { service, vaultId, item } = await createTestVault()
    const reader = createCaller({ id: 'reader', vaults: { [vaultId]: 'read' } })
    return bodyOf(service.deleteItem(reader, { vaultId, itemId: item.id }))
  },
  SECRET_USE_REFUSED: async () => {
    const { service, caller, vaultId, item } = await createTestVault()
    const use = { origin: 'https://other.example', method: 'GET' }
    const itemId = item.id
    return bodyOf(service.useField(caller, { vaultId, itemId, field: 'password', use }))
  },
  NOT_FOUND: async () => {
    const { service, caller, vaultId } = await createTestVault()
    return bodyOf(service.getItem(caller, { vaultId, itemId: 'a'.repeat(26) }))
  },
  ROUTE_NOT_FOUND: async () => (await send(await createTestVault(), '/v1/v1/vaults')).json(),
  METHOD_NOT_ALLOWED: async () => {
    const response = await send(await createTestVault(), '/v1/vaults', { method: 'POST' })
    return { allow: response.headers.get('allow'), ...(await response.json()) }
  },
  REQUEST_TIMEOUT: async () => {
    const world = await createTestVault({}, { bodyTimeoutMs: 50 })
    const init = { method: 'POST', body: new ReadableStream(), duplex: 'half' }
    return (await send(world, `/v1/vaults/${world.vaultId}/items`, init)).json()
  },
  CONFLICT: async () => {
    const { service, caller } = await createTestVault()
    const home = { vaultId: 'home'.padEnd(26, '2'), name: 'Home' }
    await service.createVault(caller, home)
    return bodyOf(service.createVault(caller, home))
  },
  RECONNECT_REQUIRED: async () => {
    const { service, store, caller, vaultId } = await createTestVault()
    const refresh = async () => false as const
    const grants = vaultGrants(service, caller)
    const tokens = createTokenKeeper({ grants, leases: store.records, refresh })
    const grant = { name: 'mail', accessToken: 'a', refreshToken: 'r', expiresInSeconds: 0 }
    return bodyOf(tokens.accessToken(await grants.save(vaultId, grant), caller))
  },
  PRECONDITION_FAILED: async () => {
    const { service, caller, vaultId, item } = await createTestVault()
    const patch = [{ op: 'replace', path: '/title', value: 'Mail' }] as const
    return bodyOf(service.patchItem(caller, { vaultId, itemId: item.id, patch, ifVersion: 1 }))
  },
  CONTENT_TOO_LARGE: async () => {
    const { service, caller, vaultId, item, largeFile } = await createTestVault()
    const file = { vaultId, itemId: item.id, fileId: largeFile.id }
    return bodyOf(service.getFileDetails(caller, { ...file, inlineFiles: true }))
  },
  UNSUPPORTED_MEDIA_TYPE: async () => {
    const world = await createTestVault()
    const init = { method: 'POST', body: new URLSearchParams({ title: 'Mail' }) }
    return (await send(world, `/v1/vaults/${world.vaultId}/items`, init)).json()
  },
  CREDENTIAL_REJECTED: async () => {
    const { service, caller, vaultId } = await createTestVault()
    const verify = async () => false
    const credentials = createCredentials(service, { stripe: { fields: { key: {} }, verify } })
    return bodyOf(credentials.of(caller, vaultId).save('stripe', { key: 'expired' }))
  },
  CREDENTIAL_UNVERIFIED: async () => {
    const { service, caller, vaultId } = await createTestVault()
    const verify = async () => Promise.reject(new Error('offline'))
    const kinds = { stripe: { fields: { key: {} }, verify } }
    const credentials = createCredentials(service, kinds, { whenUnverified: 'refuse' })
    return bodyOf(credentials.of(caller, vaultId).save('stripe', { key: 'new' }))
  },
  TOO_MANY_REQUESTS: async () => {
    const authenticate = () => {
      throw new TooManyRequestsError('too many requests', { retryAfterSeconds: 30 })
    }
    const response = await send(await createTestVault({}, { authenticate }), '/v1/vaults')
    return { retryAfter: response.headers.get('retry-after'), ...(await response.json()) }
  },
  STORAGE_FAILED: async () => {
    const full = Object.assign(new Error('the disk of db-1 is full'), { code: 'ENOSPC' })
    const store = createFaultyStore(createMemoryStore(), () => 'fail-before', full)
    return seenBy(createVaultService({ store }).createVault(all, { name: 'Home' }))
  },
  DECRYPTION_FAILED: async () => {
    const inner = createMemoryStore()
    const openWith = (key: Uint8Array) =>
      createEncryptedStore(inner, { keys: createLocalKeyProvider({ key }) })
    const { vaultId } = await createTestVault({ store: openWith(new Uint8Array(32).fill(1)) })
    const service = createVaultService({ store: openWith(new Uint8Array(32).fill(2)) })
    return seenBy(service.getVault(all, { vaultId }))
  },
  GENERATION_FAILED: async () => {
    const randomBytes = () => new Uint8Array()
    const service = createVaultService({ store: createMemoryStore(), randomBytes })
    return seenBy(service.createVault(all, { name: 'Home' }))
  },
  RULE_FAILED: async () => {
    const validateItem = () => {
      throw new TypeError('cannot read the rules of hunter2')
    }
    const { service, vaultId } = await createTestVault({ validateItem })
    return seenBy(service.createItem(all, { vaultId, item: noteDraft(vaultId) }))
  },
  STORAGE_UNAVAILABLE: async () => {
    const { service } = await createTestVault()
    await service.close()
    return seenBy(service.listVaults(all))
  },
  ACTIVITY_UNAVAILABLE: async () => {
    const activity = createCallbackActivityLog(() => Promise.reject(new Error('out of reach')))
    const service = createVaultService({ store: createMemoryStore(), activity })
    return seenBy(service.listVaults(all))
  },
  AUTHENTICATION_UNAVAILABLE: async () => {
    const authenticate = () => Promise.reject(new Error('the session store is out of reach'))
    const errors: unknown[] = []
    const onError = (error: unknown) => void errors.push(error)
    const { fetch } = await createTestVault({}, { authenticate, onError })
    await fetch('/v1/vaults')
    return seenBy(Promise.reject(errors[0]))
  },
}

const all = createCaller({ id: 'all', vaults: '*' })

describe('docs/errors.md', () => {
  it('has a section for each code, in the order of the table', () => {
    expect(sections.map(({ code }) => code)).toEqual(Object.keys(errorStatuses))
    for (const code of Object.keys(errorStatuses))
      expect(page).toContain(`| [\`${code}\`](#${code.toLowerCase()}) |`)
  })

  it.each(sections)('shows the cause, the remedy and the response of $code', async (row) => {
    const code = row.code as ErrorCode
    expect(row.section).toMatch(
      /^\*\*Cause\.\*\* .+\n\n[\s\S]*^\*\*What to do\.\*\* .+\n\n```json$/m,
    )
    const [, shown = ''] = /^```json\n([\s\S]*?)^```$/m.exec(row.section) ?? []
    const answer = JSON.parse(shown)
    expect(await examples[code]()).toEqual(answer)
    expect(answer.status).toBe(errorStatuses[code])
  })

  it('has an example of INVALID_INPUT that only a strict service rejects', async () => {
    const item = await (await createMisspeltItem({ strict: false })).json()
    expect(item).toMatchObject({ category: 'LOGIN', version: 1 })
    expect(item).not.toHaveProperty('title')
  })
})

async function createMisspeltItem(options: TestVaultOptions = {}): Promise<Response> {
  const world = await createTestVault(options)
  const { vaultId } = world
  const body = JSON.stringify({ vault: { id: vaultId }, category: 'LOGIN', titel: 'Mail' })
  const headers = { 'content-type': 'application/json' }
  return send(world, `/v1/vaults/${vaultId}/items`, { method: 'POST', headers, body })
}

/** Sends a request with the token that can do everything. */
function send(
  { fetch, tokens }: TestWorld,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const headers = { ...init.headers, authorization: `Bearer ${tokens.full}` }
  return fetch(path, { ...init, headers })
}

/** Returns the body of the response for the error of a call. */
async function bodyOf(call: Promise<unknown>): Promise<unknown> {
  return JSON.parse(JSON.stringify(await errorOf(call)))
}

/** Returns what the operator sees of the error of a call. Its response has a fixed sentence. */
async function seenBy(call: Promise<unknown>): Promise<unknown> {
  const error = await errorOf(call)
  const { status, message, cause } = error
  const fixed = status === 503 ? 'Service temporarily unavailable' : 'Internal server error'
  expect(error.toJSON()).toEqual({ status, message: fixed })
  const isShown = error.code === 'STORAGE_FAILED' || error.code === 'RULE_FAILED'
  return isShown && cause instanceof Error
    ? { status, message, cause: cause.message }
    : { status, message }
}

async function errorOf(call: Promise<unknown>): Promise<VaultError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof VaultError)) throw new Error('the call did not fail with a VaultError')
  return error
}
