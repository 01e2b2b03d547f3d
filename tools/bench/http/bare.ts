/**
 * The baseline of HTTP: reads and parses the body, and sends a response of the same size. It stores
 * nothing.
 */

import * as http from 'node:http'
import { newId } from '../building-blocks.js'
import { content, listedCount, storedItem, token } from '../sample.js'
import { toBase64, toSummary } from './handwritten-vault.js'
import { listedPath } from './requests.js'
import type { CreatedServer, ServerOptions } from './server-process.js'

/** Creates the server. The ids are not used. */
export async function createServer({ count }: ServerOptions): Promise<CreatedServer> {
  const itemIds = Array.from({ length: count }, () => newId())
  const item = storedItem(itemIds[0] ?? '', 0)
  const summaries = Array.from({ length: listedCount }, () => toSummary(item))
  const server = http.createServer((req, res) => {
    if (req.headers.authorization !== `Bearer ${token}`) {
      res.writeHead(401).end()
      return
    }
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const body: object | undefined = text === '' ? undefined : JSON.parse(text)
      const response = JSON.stringify(selectResponse(req, body))
      res
        .writeHead(200, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(response),
        })
        .end(response)
    })
  })
  return { server, itemIds }

  function selectResponse({ method, url }: http.IncomingMessage, body?: object): unknown {
    if (method === 'PATCH') return item
    if (method !== 'GET') return { ...item, ...body }
    if (url === listedPath) return summaries
    return url?.endsWith('inline_files=true')
      ? { ...item.files[0], content: toBase64(content) }
      : item
  }
}
