import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createNodeListener } from '../src/adapters/node.js'
import type { HttpRequest } from '../src/http/message.js'
import type { HttpHandlerOptions } from '../src/http.js'
import { createMemoryStore } from '../src/storage/memory.js'
import { canaryDraft, invalidItems } from '../src/testing/hostile/items.js'
import { invalidPatches } from '../src/testing/hostile/patches.js'
import { createFaultyStore, type TestVault } from '../src/testing.js'
import { streamOf, utf8 } from './support/bytes.js'
import { createHttpHandler, createTestVault } from './support/http/checked-handlers.js'
import { wordsIn, wordsOf, writtenDuring } from './support/http/client-messages.js'
import { itemUrl, requestTo, vaultUrl } from './support/http/requests.js'
import { serving } from './support/http/serve.js'

const marker = `mark${randomBytes(12).toString('hex')}`

/** Fails if an answer, or what the operator is told of it, or anything that is written, holds the marker. */
async function refusesSilently(
  requests: (vault: TestVault) => readonly HttpRequest[],
  options: Partial<HttpHandlerOptions> = {},
  vault?: TestVault,
): Promise<void> {
  const asked = vault ?? (await createTestVault())
  const told: unknown[] = []
  const onError = (error: unknown): number => told.push(error)
  const { service, caller } = asked
  const handler = createHttpHandler(service, { authenticate: () => caller, ...options, onError })
  const written = await writtenDuring(async () => {
    for (const request of requests(asked)) {
      const response = await handler(request)
      expect([response.status >= 400, wordsIn(response).includes(marker)]).toEqual([true, false])
    }
  })
  expect(told.map(wordsOf).join('\n')).not.toContain(marker)
  expect(written).not.toContain(marker)
}

describe('an answer over HTTP', () => {
  it('holds no value of a body that is refused', () =>
    refusesSilently((vault) => {
      const send = (method: string, url: string, body: unknown): HttpRequest =>
        requestTo(vault, method, url, { body: streamOf([utf8(JSON.stringify(body))]) })
      const items = Object.values(invalidItems(marker, vault.vaultId))
      return [
        ...items.map((item) => send('POST', vaultUrl(vault, '/items'), item)),
        ...items.map((item) => send('PUT', itemUrl(vault), item)),
        ...Object.values(invalidPatches(marker, vault.vaultId)).map((patch) =>
          send('PATCH', itemUrl(vault), patch),
        ),
      ]
    }))

  it('holds no value of bytes that are no JSON', () =>
    refusesSilently((vault) => {
      const texts = [
        marker,
        `{"title":"${marker}"`,
        `{"title":${marker}}`,
        `\ufeff"${marker}"`,
        `${'['.repeat(99)}"${marker}"${']'.repeat(99)}`,
      ]
      const bodies = [
        ...texts.map(utf8),
        new Uint8Array(Buffer.from(`"${marker}"`, 'utf16le')),
        utf8(`"${marker}`.padEnd(1_100_000)),
      ]
      return bodies.map((body) =>
        requestTo(vault, 'PUT', itemUrl(vault), { body: streamOf([body]) }),
      )
    }))

  it('holds no header or query of a request', () =>
    refusesSilently((vault) => [
      requestTo(vault, 'PUT', itemUrl(vault), { headers: { 'content-type': marker } }),
      requestTo(vault, 'PUT', itemUrl(vault), { headers: { 'content-encoding': marker } }),
      requestTo(vault, 'DELETE', itemUrl(vault), { headers: { 'if-match': marker } }),
      requestTo(vault, 'DELETE', itemUrl(vault), { headers: { 'if-match': `"${marker}"` } }),
      requestTo(vault, marker, itemUrl(vault)),
      requestTo(
        vault,
        'GET',
        itemUrl(vault, `/files/${vault.smallFile.id}?inline_files=${marker}`),
      ),
      requestTo(vault, 'GET', vaultUrl(vault, `/items?filter=${marker}&${marker}=${marker}`)),
      requestTo(vault, 'GET', vaultUrl(vault, `/items/x?${marker}`), {
        headers: { 'x-request-id': `${marker} ${marker}`, cookie: marker },
      }),
    ]))

  it('holds no token, and none of the words of an authenticator that fails over one', async () => {
    const vault = await createTestVault()
    const authorizations = [
      marker,
      `Bearer ${marker}`,
      `Basic ${marker}`,
      `Bearer ${marker} ${marker}`,
      `Bearer ${marker}${'a'.repeat(8200)}`,
    ]
    const requests = authorizations.map((authorization) =>
      requestTo(vault, 'GET', itemUrl(vault), { headers: { authorization } }),
    )
    for (const request of requests)
      expect(wordsIn(await vault.handler(request))).not.toContain(marker)
    for (const error of [
      new Error(marker),
      marker,
      Object.assign(new Error('x'), { token: marker, cause: new Error(marker) }),
    ]) {
      await refusesSilently(() => requests, { authenticate: () => Promise.reject(error) })
    }
  })

  it('holds nothing of an item when a talkative store fails, and tells the operator nothing either', async () => {
    const talkative = Object.assign(new Error(marker, { cause: new Error(marker) }), {
      detail: marker,
    })
    for (const fault of ['fail-before', 'fail-after'] as const) {
      let broken = false
      const store = createFaultyStore(
        createMemoryStore(),
        () => (broken ? fault : undefined),
        talkative,
      )
      const vault = await createTestVault({ store })
      broken = true
      const body = { parsed: canaryDraft(marker, vault.vaultId) }
      await refusesSilently(
        () => [
          requestTo(vault, 'POST', vaultUrl(vault, '/items'), { body }),
          requestTo(vault, 'PUT', itemUrl(vault), { body }),
          requestTo(vault, 'PATCH', itemUrl(vault), {
            body: { parsed: [{ op: 'add', path: '/title', value: marker }] },
          }),
          requestTo(vault, 'GET', itemUrl(vault)),
          requestTo(vault, 'GET', vaultUrl(vault)),
          requestTo(vault, 'GET', vaultUrl(vault, '/items')),
          requestTo(vault, 'GET', vault.smallFile.content_path),
          requestTo(vault, 'DELETE', itemUrl(vault)),
        ],
        {},
        vault,
      )
    }
  })

  it('holds none of the words of a service that somebody has wrapped and that fails', async () => {
    const vault = await createTestVault()
    const getItem = (): Promise<never> => Promise.reject(new Error(marker))
    const handler = createHttpHandler(
      { ...vault.service, getItem },
      { authenticate: () => vault.caller },
    )
    expect(wordsIn(await handler(requestTo(vault, 'GET', itemUrl(vault))))).not.toContain(marker)
  })

  it('holds nothing of a body on a socket, whole or cut off, nor does the mount write anything', async () => {
    const vault = await createTestVault()
    const headers = {
      authorization: `Bearer ${vault.tokens.full}`,
      'content-type': 'application/json',
    }
    const written = await writtenDuring(async () => {
      await serving(createNodeListener(vault.handler), async (origin) => {
        for (const body of [marker, `{"title":"${marker}"`, JSON.stringify({ category: marker })]) {
          const response = await fetch(origin + vaultUrl(vault, '/items'), {
            method: 'POST',
            headers,
            body,
          })
          expect(
            [response.status, [...response.headers].join(), await response.text()].join(),
          ).not.toContain(marker)
        }
        const aborted = new AbortController()
        const body = streamOf([utf8(`"${marker}`), ...Array(2).fill(utf8(marker))])
        const asking = fetch(origin + vaultUrl(vault, '/items'), {
          method: 'POST',
          headers,
          body,
          duplex: 'half',
          signal: aborted.signal,
        } as RequestInit)
        setTimeout(() => aborted.abort(), 5)
        await asking.catch(() => undefined)
      })
    })
    expect(written).not.toContain(marker)
  })
})
