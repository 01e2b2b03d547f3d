import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createNodeListener } from '../src/adapters/node.js'
import type { HttpRequest } from '../src/http/message.js'
import type { HttpHandlerOptions } from '../src/http.js'
import { createMemoryStore } from '../src/storage/memory.js'
import { createFaultyStore, type TestVault } from '../src/testing.js'
import { replaceOperations } from '../tools/reliability/support/replace-operations.js'
import { streamOf, utf8 } from './support/bytes.js'
import { createHttpHandler, createTestVault } from './support/http/checked-handlers.js'
import { captureOutput, errorText, responseText } from './support/http/client-messages.js'
import { createRequest, itemUrl, vaultUrl } from './support/http/requests.js'
import { withListener } from './support/http/serve.js'
import { canaryDraft, invalidItems, invalidPatches } from './support/items/invalid-bodies.js'

const marker = `mark${randomBytes(12).toString('hex')}`

/**
 * Asserts that every request fails, and that neither its response, nor its error in `onError`, nor
 * anything written contains the marker.
 */
async function expectFailuresWithoutMarker(
  requests: (vault: TestVault) => readonly HttpRequest[],
  options: Partial<HttpHandlerOptions> = {},
  vault?: TestVault,
): Promise<void> {
  const target = vault ?? (await createTestVault({ strict: false }))
  const reported: unknown[] = []
  const onError = (error: unknown): number => reported.push(error)
  const { service, caller } = target
  const handler = createHttpHandler(service, { authenticate: () => caller, ...options, onError })
  const written = await captureOutput(async () => {
    for (const request of requests(target)) {
      const response = await handler(request)
      expect([response.status >= 400, responseText(response).includes(marker)]).toEqual([
        true,
        false,
      ])
    }
  })
  expect(reported.map(errorText).join('\n')).not.toContain(marker)
  expect(written).not.toContain(marker)
}

describe('createHttpHandler: secrets in responses', () => {
  it('returns no value of a rejected body', () =>
    expectFailuresWithoutMarker((vault) => {
      const send = (method: string, url: string, body: unknown): HttpRequest =>
        createRequest(vault, method, url, { body: streamOf([utf8(JSON.stringify(body))]) })
      const items = Object.values(invalidItems(marker, vault.vaultId))
      return [
        ...items.map((item) => send('POST', vaultUrl(vault, '/items'), item)),
        ...items.map((item) => send('PUT', itemUrl(vault), item)),
        ...Object.values(invalidPatches(marker, vault.vaultId)).map((patch) =>
          send('PATCH', itemUrl(vault), patch),
        ),
      ]
    }))

  it('returns no value of a body that is not JSON', () =>
    expectFailuresWithoutMarker((vault) => {
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
        createRequest(vault, 'PUT', itemUrl(vault), { body: streamOf([body]) }),
      )
    }))

  it('returns no header or query of a request', () =>
    expectFailuresWithoutMarker((vault) => [
      createRequest(vault, 'PUT', itemUrl(vault), { headers: { 'content-type': marker } }),
      createRequest(vault, 'PUT', itemUrl(vault), { headers: { 'content-encoding': marker } }),
      createRequest(vault, 'DELETE', itemUrl(vault), { headers: { 'if-match': marker } }),
      createRequest(vault, 'DELETE', itemUrl(vault), { headers: { 'if-match': `"${marker}"` } }),
      createRequest(vault, marker, itemUrl(vault)),
      createRequest(
        vault,
        'GET',
        itemUrl(vault, `/files/${vault.smallFile.id}?inline_files=${marker}`),
      ),
      createRequest(vault, 'GET', vaultUrl(vault, `/items?filter=${marker}&${marker}=${marker}`)),
      createRequest(vault, 'GET', vaultUrl(vault, `/items/x?${marker}`), {
        headers: { 'x-request-id': `${marker} ${marker}`, cookie: marker },
      }),
    ]))

  it('returns no token and no text of a failing authenticator', async () => {
    const vault = await createTestVault()
    const authorizations = [
      marker,
      `Bearer ${marker}`,
      `Basic ${marker}`,
      `Bearer ${marker} ${marker}`,
      `Bearer ${marker}${'a'.repeat(8200)}`,
    ]
    const requests = authorizations.map((authorization) =>
      createRequest(vault, 'GET', itemUrl(vault), { headers: { authorization } }),
    )
    for (const request of requests)
      expect(responseText(await vault.handler(request))).not.toContain(marker)
    for (const error of [
      new Error(marker),
      marker,
      Object.assign(new Error('x'), { token: marker, cause: new Error(marker) }),
    ]) {
      await expectFailuresWithoutMarker(() => requests, {
        authenticate: () => Promise.reject(error),
      })
    }
  })

  it('neither returns nor reports data in the error of a store', async () => {
    const leakyError = Object.assign(new Error(marker, { cause: new Error(marker) }), {
      detail: marker,
    })
    for (const fault of ['fail-before', 'fail-after'] as const) {
      let isBroken = false
      const store = createFaultyStore(
        createMemoryStore(),
        () => (isBroken ? fault : undefined),
        leakyError,
      )
      const vault = await createTestVault({ store, strict: false })
      isBroken = true
      const body = { parsed: canaryDraft(marker, vault.vaultId) }
      await expectFailuresWithoutMarker(
        () => [
          createRequest(vault, 'POST', vaultUrl(vault, '/items'), { body }),
          createRequest(vault, 'PUT', itemUrl(vault), { body }),
          createRequest(vault, 'PATCH', itemUrl(vault), {
            body: { parsed: [{ op: 'add', path: '/title', value: marker }] },
          }),
          createRequest(vault, 'GET', itemUrl(vault)),
          createRequest(vault, 'GET', vaultUrl(vault)),
          createRequest(vault, 'GET', vaultUrl(vault, '/items')),
          createRequest(vault, 'GET', vault.smallFile.content_path),
          createRequest(vault, 'DELETE', itemUrl(vault)),
        ],
        {},
        vault,
      )
    }
  })

  it('returns no text of a failing wrapped service', async () => {
    const vault = await createTestVault()
    const getItem = (): Promise<never> => Promise.reject(new Error(marker))
    const handler = createHttpHandler(replaceOperations(vault.service, { getItem }), {
      authenticate: () => vault.caller,
    })
    expect(responseText(await handler(createRequest(vault, 'GET', itemUrl(vault))))).not.toContain(
      marker,
    )
  })

  it('neither returns nor writes a body on a socket, complete or aborted', async () => {
    const vault = await createTestVault()
    const headers = {
      authorization: `Bearer ${vault.tokens.full}`,
      'content-type': 'application/json',
    }
    const written = await captureOutput(async () => {
      await withListener(createNodeListener(vault.handler), async (origin) => {
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
        const aborting = fetch(origin + vaultUrl(vault, '/items'), {
          method: 'POST',
          headers,
          body,
          duplex: 'half',
          signal: aborted.signal,
        } as RequestInit)
        setTimeout(() => aborted.abort(), 5)
        await aborting.catch(() => undefined)
      })
    })
    expect(written).not.toContain(marker)
  })
})
