/**
 * A ready vault on any store: a service, three callers, and a function that sends HTTP requests.
 */

import { createCaller, createVaultService } from 'cofferkit'
import { createMemoryActivityLog } from 'cofferkit/activity'
import { createFetchHandler } from 'cofferkit/fetch'
import { bearerAuth, createHttpHandler } from 'cofferkit/http'
import { createToken, createTokenAuthenticator } from 'cofferkit/tokens'

/** The secret in every item; no error contains it. */
export const secret = 'correct horse battery staple'

/**
 * Creates a vault with one item.
 * @param options Options of the service.
 */
export async function createSubject(store, options = {}) {
  const service = createVaultService({
    store,
    maxInlineFileSizeKb: 1,
    history: { maxVersions: 3 },
    activity: createMemoryActivityLog(),
    ...options,
  })
  const owner = createCaller({ id: 'owner', vaults: '*' })
  const { id: vaultId } = await service.createVault(owner, { name: 'Home' })
  const { id: itemId } = await service.createItem(owner, { vaultId, item: draftIn(vaultId) })
  const permissions = { owner: '*', reader: { [vaultId]: 'read' }, otherVault: {} }
  const tokens = {}
  const entries = []
  for (const [id, vaults] of Object.entries(permissions)) {
    const { token, sha256 } = await createToken()
    tokens[id] = token
    entries.push({ id, sha256, vaults })
  }
  const authenticate = bearerAuth(createTokenAuthenticator({ tokens: entries }))
  const handler = createHttpHandler(service, { authenticate, extensions: true })
  const fetchVault = createFetchHandler(handler)
  return {
    service,
    owner,
    reader: createCaller({ id: 'reader', vaults: permissions.reader }),
    otherVault: createCaller({ id: 'otherVault', vaults: permissions.otherVault }),
    ref: { vaultId, itemId },
    vaultId,
    itemId,
    request(method, path, { as = 'owner', token = tokens[as], headers = {}, ...init } = {}) {
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
      const url = `http://vault.test/v1${path}`
      return fetchVault(
        new Request(url, { method, headers: { ...authorization, ...headers }, ...init }),
      )
    },
    probe: (path) => fetchVault(new Request(`http://vault.test${path}`)),
  }
}

/** Returns a draft of a login with one secret. */
export function draftIn(vaultId, more = {}) {
  return {
    category: 'LOGIN',
    vault: { id: vaultId },
    title: 'Mail',
    tags: ['home'],
    fields: [
      { id: 'username', type: 'STRING', purpose: 'USERNAME', value: 'wendy' },
      { id: 'password', type: 'CONCEALED', purpose: 'PASSWORD', value: secret },
    ],
    ...more,
  }
}
