import { S3Client } from '@aws-sdk/client-s3'
import { AwsClient } from 'aws4fetch'
import { createCaller, createVaultService } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { createSecretFetch, vaultSecrets } from 'cofferkit/use'
import { describe, expect, it } from 'vitest'

const origin = 'https://bucket.s3.eu-central-1.amazonaws.com'
const credentials = { accessKeyId: 'AKIACORRECTHORSE', secretAccessKey: 'correct/horse+battery' }

/** Signs the same request with the SDK of AWS. */
async function signWithSdk(url: URL, method: string, headers: Headers, body: string) {
  const client = new S3Client({ region: 'eu-central-1', credentials: { ...credentials } })
  const signer = await client.config.signer()
  const date = String(headers.get('x-amz-date'))
  const signed = await signer.sign(
    {
      ...{ method, protocol: url.protocol, hostname: url.hostname, path: url.pathname, body },
      query: Object.fromEntries(url.searchParams),
      headers: {
        host: url.host,
        'x-amz-content-sha256': String(headers.get('x-amz-content-sha256')),
      },
    },
    {
      signingDate: new Date(date.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z')),
      signableHeaders: new Set(['host', 'x-amz-content-sha256', 'x-amz-date']),
    },
  )
  return signed.headers['authorization']
}

describe('createSecretFetch', () => {
  it.each([
    ['GET', '/photos/a%20b.jpg?list-type=2&prefix=a%2Fb', ''],
    ['PUT', '/notes.txt', 'written by an agent'],
  ])('signs a %s as the SDK of AWS does when sign calls aws4fetch', async (method, path, body) => {
    const service = createVaultService({ store: createMemoryStore() })
    const owner = createCaller({ id: 'owner', vaults: '*' })
    const { id: vaultId } = await service.createVault(owner, { name: 'Acme' })
    const fields = Object.entries(credentials).map(([id, value]) => ({
      ...({ id, type: 'CONCEALED', value } as const),
    }))
    const urls = [{ href: origin }]
    await service.createItem(owner, {
      ...{ vaultId, item: { category: 'API_CREDENTIAL', title: 'AWS', urls, fields } },
    })
    const sent: { url: string; headers: Headers }[] = []
    const secretFetch = createSecretFetch(vaultSecrets(service, owner), {
      sign: {
        aws: (request, { accessKeyId = '', secretAccessKey = '' }) =>
          new AwsClient({ accessKeyId, secretAccessKey }).sign(request),
      },
      async fetch(url, init) {
        sent.push({ url, headers: new Headers(init.headers) })
        return new Response(JSON.stringify(init.headers))
      },
    })
    const headers = { 'x-cofferkit-sign': 'aws op://Acme/AWS' }
    const response = await secretFetch(origin + path, { method, headers, body: body || null })
    expect(await response.text()).not.toContain(credentials.secretAccessKey)
    const [request] = sent
    expect(request?.headers.get('authorization')).toBe(
      await signWithSdk(new URL(String(request?.url)), method, new Headers(request?.headers), body),
    )
  })
})
