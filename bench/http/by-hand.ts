/**
 * The same job in the least code: one file on `node:http` that keeps items as bytes, as every store
 * that outlives its process does. The servers on frameworks keep objects, which saves them from
 * parsing an item before they change it.
 */

import * as http from 'node:http'
import { itemSchema, newId, type StoredItem } from '../building-blocks.js'
import { content, storedItem } from '../sample.js'
import type { CreatedServer, ServerOptions } from './created-server.js'
import {
  createItem,
  findFile,
  patchItem,
  replaceItem,
  requireFound,
  requireToken,
  requireVault,
  StatusError,
  toBase64,
  toErrorBody,
} from './handwritten-vault.js'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

const headers = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

/** Creates the server. */
export async function createServer({ count }: ServerOptions): Promise<CreatedServer> {
  const records = new Map<string, Uint8Array>()
  const contents = new Map<string, Uint8Array<ArrayBuffer>>()
  const itemIds = Array.from({ length: count }, () => newId())
  for (const [index, id] of itemIds.entries()) {
    put(storedItem(id, index))
    contents.set(id, content.slice())
  }
  return { server: http.createServer(respond), itemIds }

  async function respond(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
    try {
      requireToken(req.headers.authorization)
      const [path = '', query] = (req.url ?? '').split('?')
      const [, , , vaultId = '', , itemId = '', , fileId = ''] = path.split('/')
      requireVault(vaultId)
      if (req.method === 'GET') {
        const file = findFile(load(itemId), fileId)
        const bytes = requireFound(contents.get(itemId), itemId)
        const isInline = query === 'inline_files=true'
        send(res, JSON.stringify(isInline ? { ...file, content: toBase64(bytes) } : file))
        return
      }
      const body = await readBody(req)
      const item = change(req.method, itemId, body)
      send(res, put(item), { etag: `"${item.version}"` })
    } catch (error) {
      const body = toErrorBody(error)
      res.writeHead(body.status, headers).end(JSON.stringify(body))
    }
  }

  function change(method: string | undefined, id: string, body: unknown): StoredItem {
    if (method === 'POST') return createItem(body)
    return method === 'PUT' ? replaceItem(load(id), body) : patchItem(load(id), body)
  }

  function put(item: StoredItem): string {
    const text = JSON.stringify(item)
    records.set(item.id, encoder.encode(text))
    return text
  }

  function load(id: string): StoredItem {
    return itemSchema.parse(JSON.parse(decoder.decode(requireFound(records.get(id), id))))
  }
}

/** An async iterator would take 5 % of a create. */
function readBody(req: http.IncomingMessage): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('error', reject)
    req.on('end', () => {
      try {
        resolve(JSON.parse(decoder.decode(Buffer.concat(chunks))))
      } catch {
        reject(new StatusError(400, 'the body must be JSON'))
      }
    })
  })
}

function send(res: http.ServerResponse, text: string, more?: http.OutgoingHttpHeaders): void {
  const length = { 'content-length': Buffer.byteLength(text) }
  res
    .writeHead(200, { ...headers, 'x-request-id': crypto.randomUUID(), ...more, ...length })
    .end(text)
}
