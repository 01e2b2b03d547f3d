import { describe, expect, it, vi } from 'vitest'
import { routes } from '../../src/http/routes.js'
import { createCaller, ForbiddenError } from '../../src/index.js'
import { createHttpHandler, createTestVault } from '../support/http/checked-handlers.js'
import { createRequest } from '../support/http/requests.js'

const withBody = routes.filter(({ body }) => body !== undefined)

/** A body that never ends, and the function that is called when a chunk is requested. */
function endlessBody() {
  const next = vi.fn(() => new Promise<IteratorResult<Uint8Array>>(() => {}))
  return { next, body: { [Symbol.asyncIterator]: () => ({ next }) } }
}

/** A request of a route for the item of a test vault, with an endless body. */
async function endlessRequest(path: string, method: string) {
  const vault = await createTestVault()
  // A new vault cannot have an id that the vault has made.
  const isNew = method === 'PUT' && path.endsWith('{vaultId}')
  const vaultId = isNew ? 'n'.repeat(26) : vault.vaultId
  const parts = { vaultId, itemId: vault.item.id, fieldId: 'password', version: '1' }
  const url = Object.entries(parts).reduce(
    (line, [name, value]) => line.replace(`{${name}}`, value),
    path,
  )
  const { next, body } = endlessBody()
  return { vault, vaultId, next, request: createRequest(vault, method, url, { body }) }
}

describe.each(withBody)('the body of $operation: $method $path', ({ path, method }) => {
  it('is not read for a caller without the permission', async () => {
    const { vault, next, request } = await endlessRequest(path, method)
    const authenticate = () => createCaller({ id: 'nobody', vaults: {} })
    const handler = createHttpHandler(vault.service, { authenticate, extensions: true })
    expect((await handler(request)).status).toBe(403)
    expect(next).not.toHaveBeenCalled()
  })

  it('is not read when an id is malformed', async () => {
    const { vault, vaultId, next, request } = await endlessRequest(path, method)
    const url = request.url.replace(vaultId, 'x')
    const authenticate = () => vault.caller
    const handler = createHttpHandler(vault.service, { authenticate, extensions: true })
    if (url === request.url) return expect(path).toBe('/v1/vaults')
    expect((await handler({ ...request, url })).status).toBe(400)
    expect(next).not.toHaveBeenCalled()
  })
})

describe('a body', () => {
  it('is not read when around refuses the call', async () => {
    const vault = await createTestVault({
      around({ client }, next) {
        if (client === undefined) return next()
        throw new ForbiddenError('closed')
      },
    })
    const { next, body } = endlessBody()
    const url = `/v1/vaults/${vault.vaultId}/items`
    expect((await vault.handler(createRequest(vault, 'POST', url, { body }))).status).toBe(403)
    expect(next).not.toHaveBeenCalled()
  })

  it('is waited for when the service is closed, at most bodyTimeoutMs', async () => {
    const { vault, request } = await endlessRequest('/v1/vaults/{vaultId}/items', 'POST')
    const authenticate = () => vault.caller
    const handler = createHttpHandler(vault.service, { authenticate, bodyTimeoutMs: 20 })
    const order: string[] = []
    const response = handler(request).then(({ status }) => order.push(`response ${status}`))
    await Promise.all([response, vault.service.close().then(() => order.push('closed'))])
    expect(order).toEqual(['response 408', 'closed'])
  })
})
