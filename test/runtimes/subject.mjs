/** A vault that is ready to be checked, on any store: a service, three callers, and a way to ask it over HTTP. */

import { createCaller, createMemoryActivityLog, createVaultService } from 'cofferkit'
import { createFetchHandler } from 'cofferkit/fetch'
import { bearerAuth, createHttpHandler } from 'cofferkit/http'
import { createToken, createTokenAuthenticator } from 'cofferkit/tokens'

/** The secret of every item here; found in no error. */
export const secret = 'correct horse battery staple'

/** A vault of its own with one item. `options` are those of the service. */
export async function createSubject(store, options = {}) {
  const service = createVaultService({
    store,
    maxInlineFileSizeKb: 1,
    history: { maxVersions: 3 },
    activity: createMemoryActivityLog(),
    ...options,
  })
  const owner = createCaller('owner', '*')
  const { id: vaultId } = await service.createVault(owner, { name: 'Home' })
  const { id: itemId } = await service.createItem(owner, { vaultId, item: draftIn(vaultId) })
  const rights = { owner: '*', reader: { [vaultId]: 'read' }, otherVault: {} }
  const tokens = {}
  const known = []
  for (const [id, vaults] of Object.entries(rights)) {
    const { token, sha256 } = await createToken()
    tokens[id] = token
    known.push({ id, sha256, vaults })
  }
  const authenticate = bearerAuth(createTokenAuthenticator({ tokens: known }))
  const handler = createHttpHandler(service, { authenticate, extensions: true })
  const answer = createFetchHandler(handler)
  return {
    service,
    owner,
    reader: createCaller('reader', rights.reader),
    otherVault: createCaller('otherVault', rights.otherVault),
    place: { vaultId, itemId },
    vaultId,
    itemId,
    ask(method, path, { as = 'owner', token = tokens[as], headers = {}, ...init } = {}) {
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
      const url = `http://vault.test/v1${path}`
      return answer(
        new Request(url, { method, headers: { ...authorization, ...headers }, ...init }),
      )
    },
    probe: (path) => answer(new Request(`http://vault.test${path}`)),
  }
}

/** A login with one secret. */
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
