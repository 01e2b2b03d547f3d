import { describe, expect, it, vi } from 'vitest'
import { createFetchHandler } from '../../src/adapters/fetch.js'
import { streamOf, utf8 } from '../support/bytes.js'
import { noteDraft } from '../support/drafts.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { itemUrl, vaultUrl } from '../support/http/requests.js'

const origin = 'https://vault.example'
const authorization = 'Bearer full-token'

function post(url: string, body: BodyInit): Request {
  return new Request(origin + url, {
    method: 'POST',
    headers: { authorization },
    body,
    duplex: 'half',
  } as RequestInit)
}

describe('createFetchHandler', () => {
  it('returns a Response with the headers and the body', async () => {
    const vault = await createTestVault()
    const handle = createFetchHandler(vault.handler)
    const response = await handle(
      new Request(origin + itemUrl(vault), { headers: { authorization } }),
    )
    expect(response.headers.get('etag')).toBe(`"${vault.item.version}"`)
    expect(await response.json()).toEqual(vault.item)
  })

  it('reads a body that arrives in chunks', async () => {
    const vault = await createTestVault()
    const bytes = utf8(JSON.stringify(noteDraft(vault.vaultId, { title: 'Näme' })))
    const chunks = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1))
    const response = await createFetchHandler(vault.handler)(
      post(vaultUrl(vault, '/items'), streamOf(chunks)),
    )
    expect(await response.json()).toMatchObject({ title: 'Näme' })
  })

  it('cancels a body that is too large without waiting for it', async () => {
    const vault = await createTestVault({}, { maxBodyBytes: 10 })
    const cancel = vi.fn(() => new Promise<void>(() => undefined))
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(8)),
      cancel,
    })
    const response = await createFetchHandler(vault.handler)(post(vaultUrl(vault, '/items'), body))
    expect(response.status).toBe(413)
    expect(cancel).toHaveBeenCalledOnce()
  })

  it('stores nothing when the body fails in the middle', async () => {
    const vault = await createTestVault()
    const body = streamOf([utf8(JSON.stringify(noteDraft(vault.vaultId)))], new Error('gone'))
    const response = await createFetchHandler(vault.handler)(post(vaultUrl(vault, '/items'), body))
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(await vault.service.listItems(vault.caller, { vaultId: vault.vaultId })).toHaveLength(1)
  })

  it('responds with 400 to a missing body, and with 204 and no body', async () => {
    const vault = await createTestVault()
    const handle = createFetchHandler(vault.handler)
    const send = (method: string): Promise<Response> =>
      handle(new Request(origin + itemUrl(vault), { method, headers: { authorization } }))
    expect((await send('PATCH')).status).toBe(400)
    const deleted = await send('DELETE')
    expect([deleted.status, deleted.body]).toEqual([204, null])
  })

  it('returns a download as a stream that can be cancelled', async () => {
    const cancel = vi.fn()
    const body = new ReadableStream<Uint8Array>({ cancel })
    const handle = createFetchHandler(async () => ({ status: 200, headers: {}, body }))
    await (await handle(new Request(origin))).body?.cancel()
    expect(cancel).toHaveBeenCalledOnce()
  })
})
