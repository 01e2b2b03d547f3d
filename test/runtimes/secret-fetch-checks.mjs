/** Checks that no body gets past the mask because the runtime has not decoded it. */

import { createCaller, createVaultService } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { createSecretFetch, vaultSecrets } from 'cofferkit/use'

/** The paths of the server, which name encodings, and whether their bodies must be received. */
const paths = {
  '/identity': 'masked',
  '/gzip': 'masked',
  '/br': 'masked',
  '/deflate': 'refused',
  '/gzip,gzip': 'refused',
  '/gzip,br': 'refused',
  '/gzip-in-gzip': 'refused',
  '/gzip-without-header': 'refused',
}

/**
 * Sends a secret to a server of `echo-encodings.ts`. Resolves with the names of the checks, or with
 * `{ failed }`.
 */
export async function report(origin) {
  const service = createVaultService({ store: createMemoryStore() })
  const caller = createCaller({ id: 'agent', vaults: '*' })
  const { id: vaultId } = await service.createVault(caller, { name: 'Team' })
  const fields = [{ id: 'key', value: 'correct-horse-battery' }]
  const item = { category: 'API_CREDENTIAL', urls: [{ href: origin }], fields }
  const { id: itemId } = await service.createItem(caller, { vaultId, item })
  const options = { allowLoopbackHttp: true, refusal: 'throw' }
  const secretFetch = createSecretFetch(vaultSecrets(service, caller), options)
  const headers = { 'x-key': `{{ op://${vaultId}/${itemId}/key }}` }
  const checks = []
  for (const [path, expected] of Object.entries(paths)) {
    const outcome = await outcomeOf(() => secretFetch(origin + path, { headers }))
    if (outcome !== expected) return { failed: `${path}: ${outcome}` }
    checks.push(`${path} is ${outcome}`)
  }
  const asked = await (await secretFetch(`${origin}/accept-encoding`, { headers })).text()
  const isExpected = asked === 'identity' || ('Deno' in globalThis && /gzip/.test(asked))
  if (!isExpected) return { failed: `it asks for the encoding ${asked}` }
  return { checks: [...checks, `asks for the encoding ${asked}`] }
}

async function outcomeOf(send) {
  try {
    const text = await (await send()).text()
    return text === 'the key is [secret]' ? 'masked' : `received as ${JSON.stringify(text)}`
  } catch (error) {
    const isOurs = error.code === 'SECRET_USE_REFUSED' || error.message === 'the request failed'
    return isOurs && !/correct|http:\/\/[^/\s]+\//.test(error.message) ? 'refused' : String(error)
  }
}
