/** The requests that are sent to the servers, as the text of HTTP/1.1. */

import type { MethodName } from '../measure.js'
import { draft, draftCount, fileId, listedVaultId, patch, token, vaultId } from '../sample.js'

/** The path of the items of the vault. */
export const itemsPath = `/v1/vaults/${vaultId}/items`
/** The path of the items that are listed. */
export const listedPath = `/v1/vaults/${listedVaultId}/items`

const drafts = Array.from({ length: draftCount }, (_, index) => JSON.stringify(draft(index)))
const patches = Array.from({ length: draftCount }, (_, index) => JSON.stringify(patch(index)))
let turn = 0

/** Creates the source of a slice's requests: each is for another item than the last. */
export function createRequests(operation: MethodName, itemIds: readonly string[]): () => string {
  const item = () => {
    const index = (turn++ * 61) % itemIds.length
    return `${itemsPath}/${itemIds[index]}`
  }
  const body = (list: readonly string[]) => list[turn % list.length]
  switch (operation) {
    case 'create':
      return () => formatRequest('POST', itemsPath, drafts[turn++ % drafts.length])
    case 'get':
      return () => formatRequest('GET', item())
    case 'list':
      return () => formatRequest('GET', listedPath)
    case 'replace':
      return () => formatRequest('PUT', item(), body(drafts))
    case 'patch':
      return () => formatRequest('PATCH', item(), body(patches))
    case 'file':
      return () => formatRequest('GET', `${item()}/files/${fileId}?inline_files=true`)
  }
}

function formatRequest(method: string, path: string, body?: string): string {
  const length = body === undefined ? '' : `content-length: ${body.length}\r\n`
  const type = body === undefined ? '' : 'content-type: application/json\r\n'
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: keep-alive\r\n`
  const agent = `accept: application/json\r\nuser-agent: cofferkit-bench\r\n`
  return `${head}authorization: Bearer ${token}\r\n${agent}${type}${length}\r\n${body ?? ''}`
}
