/** Uses the types of every subpath. The package test compiles it in projects of several kinds. */

import { createServer, type RequestListener } from 'node:http'
import {
  type Caller,
  composeStore,
  createCaller,
  createVaultService,
  type ItemRef,
  isVaultError,
  type VaultStore,
} from 'cofferkit'
import { createCallbackActivityLog } from 'cofferkit/activity'
import { connectDialect } from 'cofferkit/connect'
import { createCredentialHandler, createCredentials } from 'cofferkit/credentials'
import { createEncryptedStore, createLocalKeyProvider } from 'cofferkit/encrypted'
import { createEtcdStore } from 'cofferkit/etcd'
import { createExpressHandler, fromExpress } from 'cofferkit/express'
import { createFastifyPlugin } from 'cofferkit/fastify'
import { createFetchHandler } from 'cofferkit/fetch'
import { createHonoHandler } from 'cofferkit/hono'
import { bearerAuth, createHttpHandler, type HttpHandler } from 'cofferkit/http'
import { type ImportReport, importItems, readExport } from 'cofferkit/import'
import { createJwtAuthenticator, createSigningKey } from 'cofferkit/jwt'
import { createKoaMiddleware } from 'cofferkit/koa'
import { createLibsqlStore } from 'cofferkit/libsql'
import { createMemoryStore } from 'cofferkit/memory'
import { createMysqlStore } from 'cofferkit/mysql'
import { createNodeListener, createPublicFetch } from 'cofferkit/node'
import { createTokenKeeper, newGrant, type TokenKeeper, vaultGrants } from 'cofferkit/oauth'
import { createPage } from 'cofferkit/page'
import { createPostgresStore } from 'cofferkit/postgres'
import { createReferenceResolver } from 'cofferkit/references'
import { createItemRules } from 'cofferkit/rules'
import { createS3BlobStore } from 'cofferkit/s3'
import { createSealer, hintOf, type Sealed } from 'cofferkit/seal'
import { openSqliteStore } from 'cofferkit/sqlite'
import { httpContract, itemDraft } from 'cofferkit/testing'
import { hostileRequests } from 'cofferkit/testing/hostile'
import { createTokenAuthenticator } from 'cofferkit/tokens'
import {
  createRedactor,
  createSecretFetch,
  createSecretRelay,
  type SecretSource,
  vaultSecrets,
} from 'cofferkit/use'

export async function stores(): Promise<readonly VaultStore[]> {
  const keys = createLocalKeyProvider({ key: new Uint8Array(32) })
  return [
    createEncryptedStore(createMemoryStore(), { keys }),
    createMysqlStore({ execute: () => Promise.resolve([[], []]) }),
    createPostgresStore({ query: () => Promise.resolve({ rows: [] }) }),
    createEtcdStore({ endpoints: ['http://127.0.0.1:2379'] }),
    await openSqliteStore('vault.db'),
    composeStore({
      records: createLibsqlStore({
        execute: () => Promise.resolve({ rows: [] }),
        batch: () => Promise.resolve(),
      }),
      blobs: createS3BlobStore({ fetch }, { url: 'https://vault.example.com' }),
    }),
  ]
}

export async function handlers(store: VaultStore): Promise<readonly HttpHandler[]> {
  const { publicKey } = await createSigningKey()
  const claims = { issuer: 'issuer', audience: 'vault', keys: [publicKey] }
  const fromGateway = fromExpress(
    ({ headers }) => headers['x-user'] && createCaller({ id: 'wendy', vaults: '*' }),
  )
  const authenticators = [createJwtAuthenticator(claims), createTokenAuthenticator({ tokens: [] })]
  const service = createVaultService({
    store,
    dialect: connectDialect,
    activity: createCallbackActivityLog(({ operation }) => operation),
  })
  return [fromGateway, ...authenticators.map(bearerAuth)].map((authenticate) =>
    createHttpHandler(service, { authenticate }),
  )
}

export function credentialHandler(store: VaultStore): HttpHandler {
  const credentials = createCredentials(createVaultService({ store }), {
    stripe: { fields: { key: {} }, verify: async ({ key }) => key.startsWith('sk_') },
  })
  const authenticate = () => createCaller({ id: 'wendy', vaults: '*' })
  return createCredentialHandler(credentials, { authenticate, vaultOf: ({ id }) => id })
}

export function mounts(handler: HttpHandler): readonly unknown[] {
  createServer(createNodeListener(createPage(handler, { readOnly: false })))
  return [
    createExpressHandler(handler),
    createFastifyPlugin(handler),
    createFetchHandler(handler),
    createHonoHandler(handler),
    createKoaMiddleware(handler),
    httpContract,
    hostileRequests,
  ]
}

export function resolvePassword(store: VaultStore): Promise<string> {
  const caller = createCaller({ id: 'wendy', vaults: '*' })
  return createReferenceResolver(createVaultService({ store }), caller).resolve('op://a/b/c')
}

export function useSecret(store: VaultStore): Promise<Response> {
  const caller = createCaller({ id: 'agent', vaults: '*' })
  const allow = ({ method }: { readonly method: string }) => method === 'GET'
  const secretFetch = createSecretFetch(vaultSecrets(createVaultService({ store }), caller), {
    allow,
  })
  return secretFetch(createRedactor(['1']).text('https://example.com'), { method: 'GET' })
}

/** A source of the embedder, which names the origins of its secrets. */
export const ownSecrets: SecretSource = ({ all, item }, { origin }, next) =>
  next(async () => {
    const origins = [origin]
    return all ? { values: { key: item }, origins } : { value: item, origins }
  })

/** A relay, which every mount takes. */
export function relay(store: VaultStore): RequestListener {
  const service = createVaultService({ store })
  return createNodeListener(
    createSecretRelay(
      (caller, fetch) => createSecretFetch(vaultSecrets(service, caller), { fetch }),
      {
        authenticate: () => createCaller({ id: 'worker', vaults: '*' }),
        fetch: createPublicFetch(),
      },
    ),
  )
}

/** Returns what was missing: `code` narrows an error to its class. */
export async function missing(store: VaultStore): Promise<string | undefined> {
  const service = createVaultService({ store })
  const caller = createCaller({ id: 'wendy', vaults: { '1': 'read-write' } })
  try {
    return (await service.createItem(caller, { vaultId: '1', item: itemDraft('LOGIN') })).id
  } catch (error) {
    if (isVaultError(error) && error.code === 'NOT_FOUND') return error.resource ?? ''
    throw error
  }
}

export function tokens(store: VaultStore): TokenKeeper<ItemRef, Caller | undefined> {
  const caller = createCaller({ id: 'token-keeper', vaults: '*' })
  const refresh = async (refreshToken: string) => ({ accessToken: 'a', refreshToken })
  const grants = vaultGrants(createVaultService({ store }), caller)
  return createTokenKeeper({ grants, leases: store.records, refresh })
}

/** A keeper of grants in a table of the embedder's. */
export function tableTokens(store: VaultStore): Promise<string> {
  let row = newGrant({ accessToken: 'a', refreshToken: 'r' })
  const keeper = createTokenKeeper<number>({
    grants: {
      key: (id) => `account/${id}`,
      read: async () => ({ grant: row, version: row.accessToken }),
      async replace(_id, grant) {
        row = grant
        return true
      },
    },
    leases: store.records,
    refresh: async (refreshToken, { ref }) => ({ accessToken: `${ref}`, refreshToken }),
  })
  return keeper.accessToken(7)
}

export function renamed(): string | undefined {
  const rules = createItemRules({ dialect: connectDialect, strict: true })
  const item = rules.create({ ...itemDraft('LOGIN'), vault: { id: '1' } })
  return rules.patch(item, [{ op: 'replace', path: '/title', value: 'Bank' }]).title
}

export function importExport(store: VaultStore, bytes: Uint8Array): Promise<ImportReport> {
  const vault = { vaultId: '1', dryRun: true }
  const caller = createCaller({ id: 'wendy', vaults: '*' })
  return importItems(createVaultService({ store }), caller, { ...vault, ...readExport(bytes) })
}

export async function sealed(id: string): Promise<readonly [Sealed, string | undefined]> {
  const keys = createLocalKeyProvider({ key: new Uint8Array(32) })
  const box = await createSealer(createMemoryStore().records, { keys }).box('tenant')
  return [box.seal(['integrations', 'token', id], 'value'), hintOf('value')]
}
