/** The same job by hand on Hono, served by its own server for Node. */

import { createAdaptorServer } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type { StoredItem } from '../building-blocks.js'
import type { CreatedServer, ServerOptions } from './created-server.js'
import { etag, requireToken, toErrorBody } from './handwritten-vault.js'
import { createMemoryVault } from './storage/memory.js'

const items = '/v1/vaults/:vaultId/items'

/** Creates the server. */
export async function createServer({ count }: ServerOptions): Promise<CreatedServer> {
  const vault = createMemoryVault(count)
  const app = new Hono()
  app.use(async (c, next) => {
    requireToken(c.req.header('authorization'))
    await next()
  })
  app.onError((error) => {
    const body = toErrorBody(error)
    return Response.json(body, { status: body.status })
  })
  const send = (c: Context, item: StoredItem) => c.json(item, 200, { etag: etag(item) })
  app.post(items, async (c) =>
    send(c, vault.createItem(c.req.param('vaultId'), await c.req.json())),
  )
  app.put(`${items}/:itemId`, async (c) => {
    const { vaultId, itemId } = c.req.param()
    return send(c, vault.replaceItem(vaultId, itemId, await c.req.json()))
  })
  app.patch(`${items}/:itemId`, async (c) => {
    const { vaultId, itemId } = c.req.param()
    return send(c, vault.patchItem(vaultId, itemId, await c.req.json()))
  })
  app.get(`${items}/:itemId/files/:fileId`, (c) => {
    const { vaultId, itemId, fileId } = c.req.param()
    const isInline = c.req.query('inline_files') === 'true'
    return c.json(vault.getFileDetails(vaultId, itemId, fileId, isInline))
  })
  return { server: createAdaptorServer({ fetch: app.fetch }), itemIds: vault.itemIds }
}
