/**
 * The same job by hand on Express, with any storage. Its own ETag, a hash of every response, is
 * off: the version is the tag.
 */

import * as http from 'node:http'
import express, { type ErrorRequestHandler, type Response } from 'express'
import type { StoredItem } from '../building-blocks.js'
import { etag, type HandwrittenVault, requireToken, toErrorBody } from './handwritten-vault.js'
import type { CreatedServer, ServerOptions } from './server-process.js'
import { createMemoryVault } from './storage/memory.js'
import { createPostgresVault } from './storage/postgres.js'
import { createSqliteVault } from './storage/sqlite.js'

const items = '/v1/vaults/:vaultId/items'

/** Creates the server. */
export async function createServer(options: ServerOptions): Promise<CreatedServer> {
  const vault = await createVault(options)
  const app = express().disable('x-powered-by').disable('etag')
  app.use((req, _res, next) => {
    requireToken(req.headers.authorization)
    next()
  })
  app.use(express.json({ limit: '1mb' }))
  const send = (res: Response, item: StoredItem) => res.set('ETag', etag(item)).json(item)
  app.post(items, async ({ params, body }, res) => {
    send(res, await vault.createItem(params.vaultId, body))
  })
  app.put(`${items}/:itemId`, async ({ params, body }, res) => {
    send(res, await vault.replaceItem(params.vaultId, params.itemId, body))
  })
  app.patch(`${items}/:itemId`, async ({ params, body }, res) => {
    send(res, await vault.patchItem(params.vaultId, params.itemId, body))
  })
  app.get(`${items}/:itemId`, async ({ params }, res) => {
    send(res, await vault.getItem(params.vaultId, params.itemId))
  })
  app.get(items, async ({ params }, res) => {
    res.json(await vault.listItems(params.vaultId))
  })
  app.get(`${items}/:itemId/files/:fileId`, async ({ params }, res) => {
    res.json(await vault.getFile(params.vaultId, params.itemId, params.fileId))
  })
  const onError: ErrorRequestHandler = (error, _req, res, _next) => {
    const body = toErrorBody(error)
    res.status(body.status).json(body)
  }
  app.use(onError)
  return { server: http.createServer(app), itemIds: vault.itemIds }
}

async function createVault(options: ServerOptions): Promise<HandwrittenVault> {
  const { count, storage, location } = options
  if (storage === 'memory') return createMemoryVault(count)
  if (storage === 'sqlite') return createSqliteVault(count, location)
  return createPostgresVault(count, location)
}
