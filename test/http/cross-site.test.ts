import { readFileSync } from 'node:fs'
import { describe, expect, it, vi } from 'vitest'
import { refuseCrossSite } from '../../examples/refuse-cross-site.js'
import { routes } from '../../src/http.js'
import { createCaller, ForbiddenError } from '../../src/index.js'
import { streamOf, utf8 } from '../support/bytes.js'
import { createHttpHandler, createTestVault } from '../support/http/checked-handlers.js'
import { createRequest, itemUrl, parseResponse, vaultUrl } from '../support/http/requests.js'
import { readRecords } from '../support/stores/stores.js'

type Headers = Readonly<Record<string, string>>

const refused: readonly (readonly [string, Headers])[] = [
  ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
  [
    'another origin of the site',
    { 'sec-fetch-site': 'same-site', origin: 'https://x.app.example' },
  ],
  ['another site that hides its origin', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
  ['another site without an origin', { 'sec-fetch-site': 'cross-site' }],
  ['an unknown relation', { 'sec-fetch-site': 'elsewhere' }],
  ['two relations', { 'sec-fetch-site': 'same-origin, cross-site' }],
  ['another site of an old browser', { origin: 'https://evil.example' }],
  ['another port of an old browser', { origin: 'https://app.example:8443' }],
  ['the site without TLS', { origin: 'http://app.example' }],
  ['a hidden origin of an old browser', { origin: 'null' }],
  ['an empty origin', { origin: '' }],
  ['two origins', { origin: 'https://app.example, https://evil.example' }],
]
const accepted: readonly (readonly [string, Headers])[] = [
  ['its own page', { 'sec-fetch-site': 'same-origin', origin: 'https://app.example' }],
  ['its own page with a hidden origin', { 'sec-fetch-site': 'same-origin', origin: 'null' }],
  ['the user', { 'sec-fetch-site': 'none' }],
  ['its own page in an old browser', { origin: 'https://app.example' }],
  ['a program', {}],
]

/** Sends a request with a cookie to a handler that refuses changes of other sites. */
async function send(
  method: string,
  url: (item: string, items: string) => string,
  headers: Headers,
) {
  const vault = await createTestVault()
  const before = await readRecords(vault.store, vault.vaultId)
  const handler = createHttpHandler(vault.service, {
    authenticate: refuseCrossSite(
      ({ header }) => header('cookie') === 's=1' && createCaller({ id: 'me', vaults: '*' }),
    ),
    extensions: true,
  })
  const draft = { category: 'LOGIN', vault: { id: vault.vaultId } }
  const text = JSON.stringify(method === 'PATCH' ? [] : draft)
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH'
  const response = await handler(
    createRequest(vault, method, url(itemUrl(vault), vaultUrl(vault, '/items')), {
      headers: { authorization: undefined, cookie: 's=1', ...headers },
      body: hasBody ? streamOf([utf8(text)]) : null,
    }),
  )
  const after = await readRecords(vault.store, vault.vaultId)
  return { response, isChanged: JSON.stringify(after) !== JSON.stringify(before) }
}

const changes: readonly (readonly [string, string, (item: string, items: string) => string])[] = [
  ['createItem', 'POST', (_, items) => items],
  ['attachFile', 'POST', (item) => `${item}/files?name=a`],
  ['replaceItem', 'PUT', (item) => item],
  ['deleteItem', 'DELETE', (item) => item],
]

describe.each(changes)('refuseCrossSite and %s', (_, method, url) => {
  it.each(refused)('responds with 403 to %s, and stores nothing', async (_, headers) => {
    const { response, isChanged } = await send(method, url, headers)
    expect(parseResponse(response)).toEqual({
      status: 403,
      body: { status: 403, message: 'changes must come from a page of this site' },
    })
    expect(isChanged).toBe(false)
  })

  it.each(accepted)('accepts %s', async (_, headers) => {
    const { response, isChanged } = await send(method, url, headers)
    expect([response.status < 300, isChanged]).toEqual([true, true])
  })
})

describe('docs/authentication.md', () => {
  it('names every operation that a page can call without a preflight', () => {
    const page = readFileSync('docs/authentication.md', 'utf8')
    const [, section = ''] = /\n### Requests of other sites\n(.*?)\n1\. /s.exec(page) ?? []
    const posts = routes.filter(({ method }) => method === 'POST')
    const missing = posts.filter(({ operation }) => !section.includes(`\`${operation}\``))
    expect(missing.map(({ operation }) => operation)).toEqual([])
  })
})

describe('refuseCrossSite', () => {
  it('returns a login with the same challenge', () => {
    const login = Object.assign(() => undefined, { challenge: null })
    expect(refuseCrossSite(login).challenge).toBeNull()
  })

  it.each(['GET', 'HEAD'])('accepts %s of every site', async (method) => {
    for (const [, headers] of refused)
      expect((await send(method, (item) => item, headers)).response.status).toBe(200)
  })

  it('throws a ForbiddenError', () => {
    const login = vi.fn()
    const request = { method: 'POST', url: '/', header: () => 'cross-site', body: null }
    expect(() => refuseCrossSite(login)(request)).toThrow(ForbiddenError)
    expect(login).not.toHaveBeenCalled()
  })
})
