/** An API that a test uses a secret with, and the vault that has the secret. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createCaller, createVaultService, type ItemDraft, type VaultService } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import {
  createSecretFetch,
  type SecretFetchOptions,
  type VaultSecretsOptions,
  vaultSecrets,
} from 'cofferkit/use'
import { onTestFinished } from 'vitest'

/** The value of `op://Team/Acme/key`. */
export const key = 'sk_live/51H+qLyjWD ar"jt<T1>é'
/** The value of `op://Team/Acme/token`, which a header can have. */
export const token = 'sk_live/51H+qLyjWDar"jt<T1>&zdp7dc=='
/** The value of `op://Team/Acme/login`. */
export const login = 'wendy@example.com:correct/horse+battery'

/** Starts a server until the end of the test, and returns its origin. */
export async function startServer(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/**
 * Creates a vault *Team* with an item *Acme* for these origins, and a fetch that uses it. By default,
 * it rejects with its refusals.
 */
export async function createUse(
  origins: readonly string[],
  { tokens, ...options }: SecretFetchOptions & VaultSecretsOptions = {},
) {
  const service = createVaultService({ store: createMemoryStore() })
  const caller = createCaller({ id: 'agent', vaults: '*' })
  const { id: vaultId } = await service.createVault(caller, { name: 'Team' })
  const item: ItemDraft = {
    vault: { id: vaultId },
    category: 'API_CREDENTIAL',
    title: 'Acme',
    urls: origins.map((href) => ({ href })),
    fields: [
      { id: 'key', type: 'CONCEALED', value: key },
      { id: 'token', type: 'CONCEALED', value: token },
      { id: 'login', type: 'CONCEALED', value: login },
      { id: 'short', type: 'CONCEALED', value: '1234567' },
      { id: 'blanks', type: 'CONCEALED', value: 'abcdef  ' },
      { id: 'rows', type: 'CONCEALED', value: 'abcdef\n1234567\n' },
      { id: 'empty', type: 'CONCEALED', value: '' },
      { id: 'long', type: 'CONCEALED', value: 'x'.repeat(8193) },
      { id: 'lines', type: 'CONCEALED', value: 'sk_live_51H\nqLyjWDarjt' },
      { id: 'pin', type: 'CONCEALED', value: 'wendy@example.com:1234' },
      { id: 'credential', type: 'CONCEALED', value: 'expired-token-of-a-grant' },
    ],
  }
  const { id: itemId } = await service.createItem(caller, { vaultId, item })
  const secrets = vaultSecrets(service, caller, { tokens })
  const secretFetch = createSecretFetch(secrets, {
    allowLoopbackHttp: true,
    refusal: 'throw',
    ...options,
  })
  return { service: service as VaultService, caller, vaultId, itemId, secretFetch }
}
