import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createCaller, createVaultService, type ItemRef } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { createTokenKeeper, type TokenSet, vaultGrants } from 'cofferkit/oauth'
import { JWT } from 'google-auth-library'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startAssertionProvider } from '../../../examples/assertion-provider.js'
import { refreshInstallation, requestInstallationToken } from '../../../examples/github-app.js'
import {
  refreshServiceAccount,
  requestGoogleToken,
} from '../../../examples/google-service-account.js'

const clientId = 'Iv23shop'
const email = 'shop@project.iam.gserviceaccount.com'
const scope = 'https://www.googleapis.com/auth/devstorage.read_only'
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const toPem = (key: KeyObject, type: 'pkcs1' | 'pkcs8') =>
  key.export({ type, format: 'pem' }).toString()
const pems = { github: toPem(rsa.privateKey, 'pkcs1'), google: toPem(rsa.privateKey, 'pkcs8') }
const otherKey = toPem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, 'pkcs8')

type Kind = 'github' | 'google'

/** A provider, and a vault with a key of each kind. */
async function setUp() {
  const provider = await startAssertionProvider({ publicKey: rsa.publicKey, clientId, email })
  onTestFinished(() => provider.close())
  const app = { clientId, api: provider.origin }
  const endpoint = `${provider.origin}/token`
  const store = createMemoryStore()
  const service = createVaultService({ store })
  const caller = createCaller({ id: 'token-keeper', vaults: '*' })
  const { id: vaultId } = await service.createVault(caller, { name: 'Keys' })
  const grants = vaultGrants(service, caller)
  const refreshes = { github: refreshInstallation(app), google: refreshServiceAccount(endpoint) }
  const accounts = { github: '7', google: email }
  const save = (kind: Kind, refreshToken: string, tokens: TokenSet): Promise<ItemRef> =>
    grants.save(vaultId, { name: kind, account: accounts[kind], refreshToken, scope, ...tokens })
  return {
    ...{ provider, app, endpoint, service, caller, save },
    /** Creates a keeper as another process would. */
    createKeeper: (kind: Kind) =>
      createTokenKeeper({
        grants: vaultGrants(createVaultService({ store }), caller),
        leases: store.records,
        refresh: refreshes[kind],
      }),
  }
}

/** Returns the lines of a key that no request must contain. */
const linesOf = (pem: string) => pem.split('\n').filter((line) => line.length > 20)

describe.each(['github', 'google'] as const)(
  'createTokenKeeper with the private key of %s',
  (kind) => {
    it('requests one token for eight processes, and keeps the key as it is', async () => {
      const { provider, caller, service, save, createKeeper } = await setUp()
      const ref = await save(kind, pems[kind], { accessToken: 'old', expiresInSeconds: 0 })
      const tokens = await Promise.all(
        Array.from({ length: 8 }, () => createKeeper(kind).accessToken(ref, caller)),
      )
      expect(new Set(tokens).size).toBe(1)
      expect(provider.countTokens()).toBe(1)
      const { fields } = await service.getItem(caller, ref)
      expect(fields.find(({ id }) => id === 'refresh_token')?.value).toBe(pems[kind])
      const [token = ''] = tokens
      const api = await fetch(`${provider.origin}/api`, {
        headers: { authorization: `Bearer ${token}` },
      })
      expect(api.status).toBe(200)
      expect(await createKeeper(kind).accessToken(ref, caller, { rejected: token })).not.toBe(token)
      expect(provider.countTokens()).toBe(2)
      for (const line of linesOf(pems[kind]))
        expect(provider.received.join('\n')).not.toContain(line)
    })

    it('has no text of the key in the error of one that cannot be read', async () => {
      const { provider, caller, save, createKeeper } = await setUp()
      const broken = pems[kind].replaceAll('\n', ' ')
      const ref = await save(kind, broken, { accessToken: 'old', expiresInSeconds: 0 })
      const error = await createKeeper(kind)
        .accessToken(ref, caller)
        .catch((reason: unknown) => reason)
      expect(error).toMatchObject({ code: 'STORAGE_UNAVAILABLE', status: 503 })
      const printed = `${JSON.stringify(error)}${Object(error).stack}${Object(error).cause?.stack}`
      for (const line of linesOf(pems[kind])) expect(printed).not.toContain(line)
      expect(provider.received).toEqual([])
    })
  },
)

describe('createTokenKeeper with the private key of github', () => {
  it('rejects with ReconnectRequiredError after the app was uninstalled', async () => {
    const { provider, caller, save, createKeeper } = await setUp()
    provider.uninstall()
    const ref = await save('github', pems.github, { accessToken: 'old', expiresInSeconds: 0 })
    await expect(createKeeper('github').accessToken(ref, caller)).rejects.toMatchObject({
      ...{ code: 'RECONNECT_REQUIRED', reason: 'refused' },
    })
  })

  it('sends an assertion that lasts less than ten minutes, and keeps the grant if it is refused', async () => {
    const { provider, app, caller, save, createKeeper } = await setUp()
    expect(await requestInstallationToken(pems.github, '7', app)).toMatchObject({
      accessToken: expect.stringMatching(/^token-/),
    })
    const [, url, headers] = JSON.parse(String(provider.received[0]))
    const { iss, iat = 0, exp = 0 } = decodeJwt(headers.authorization.replace('Bearer ', ''))
    expect([url, iss, exp - iat]).toEqual(['/app/installations/7/access_tokens', clientId, 540])
    const ref = await save('github', otherKey, { accessToken: 'old', expiresInSeconds: 0 })
    const refused = createKeeper('github').accessToken(ref, caller)
    await expect(refused).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    await expect(requestInstallationToken(otherKey, '7', app)).rejects.toThrow(
      new Error('GitHub has answered 401'),
    )
  })
})

describe('createTokenKeeper with the private key of google', () => {
  it('rejects with ReconnectRequiredError for a key that Google does not know', async () => {
    const { caller, save, createKeeper } = await setUp()
    const ref = await save('google', otherKey, { accessToken: 'old', expiresInSeconds: 0 })
    await expect(createKeeper('google').accessToken(ref, caller)).rejects.toMatchObject({
      ...{ code: 'RECONNECT_REQUIRED', reason: 'refused' },
    })
  })

  it('sends the same assertion as google-auth-library', async () => {
    const { provider, endpoint } = await setUp()
    const account = { client_email: email, private_key: pems.google }
    expect(await requestGoogleToken(account, scope, { endpoint })).toMatchObject({
      ...{ accessToken: expect.stringMatching(/^token-/), expiresInSeconds: 3599, scope },
    })
    // The library calls the same server.
    const transporter = {
      async request({ url, data }: { readonly url: string; readonly data: URLSearchParams }) {
        expect(url).toBe('https://oauth2.googleapis.com/token')
        const response = await fetch(endpoint, { method: 'POST', body: data })
        return { data: await response.json() }
      },
    }
    const client = new JWT({ email, key: pems.google, scopes: [scope] })
    Object.assign(client, { transporter })
    expect((await client.authorize()).access_token).toMatch(/^token-/)
    const [ours, theirs] = provider.received.map((request) => {
      const [method, path, headers, body] = JSON.parse(request)
      const parameters = new URLSearchParams(body)
      const assertion = String(parameters.get('assertion'))
      const { iat = 0, exp = 0, ...claims } = decodeJwt(assertion)
      const type = String(headers['content-type']).split(';')[0]
      return {
        ...{ method, path, type, names: [...parameters.keys()].sort() },
        ...{ grant: parameters.get('grant_type'), claims, lifetime: exp - iat },
        header: decodeProtectedHeader(assertion),
      }
    })
    expect(ours).toMatchObject({ claims: { iss: email, scope }, lifetime: 3600 })
    expect(theirs).toEqual(ours)
  })
})
