/**
 * The same job by hand on Express. Its own ETag, a hash of every response, is off: the version is
 * the tag.
 */

import * as http from 'node:http'
import express, { type ErrorRequestHandler, type Response } from 'express'
import type { StoredItem } from '../building-blocks.js'
import type { CreatedServer } from './created-server.js'
import { createVault, etag, requireToken, toErrorBody } from './handwritten-vault.js'

const items = '/v1/vaults/:vaultId/items'

/** Creates the server. */
export async function createServer(count: number): Promise<CreatedServer> {
  const vault = createVault(count)
  const app = express().disable('x-powered-by').disable('etag')
  app.use((req, _res, next) => {
    requireToken(req.headers.authorization)
    next()
  })
  app.use(express.json({ limit: '1mb' }))
  const send = (res: Response, item: StoredItem) => res.set('ETag', etag(item)).json(item)
  app.post(items, ({ params, body }, res) => {
    send(res, vault.createItem(params.vaultId, body))
  })
  app.put(`${items}/:itemId`, ({ params, body }, res) => {
    send(res, vault.replaceItem(params.vaultId, params.itemId, body))
  })
  app.patch(`${items}/:itemId`, ({ params, body }, res) => {
    send(res, vault.patchItem(params.vaultId, params.itemId, body))
  })
  app.get(`${items}/:itemId/files/:fileId`, ({ params }, res) => {
    res.json(vault.getFileDetails(params.vaultId, params.itemId, params.fileId))
  })
  const onError: ErrorRequestHandler = (error, _req, res, _next) => {
    const body = toErrorBody(error)
    res.status(body.status).json(body)
  }
  app.use(onError)
  return { server: http.createServer(app), itemIds: vault.itemIds }
}
