/** Requests of the Kubernetes operator, which copies items into secrets and polls them. */

import type { Known, Replayed } from '../support/http/replay.js'
import { goHeaders } from './go-requests.js'

/** The requests for an item path. */
export function operatorRequests({ vault, item }: Known): Replayed[] {
  const { smallFile } = vault
  const get = { client: 'onepassword-operator', method: 'GET', headers: goHeaders }
  return [
    {
      ...get,
      does: 'finds the vault of an item path by its title',
      path: '/v1/vaults?filter=title+eq+%22Test%22',
      expects: { status: 200, shape: 'vaults', body: [{ name: 'Test' }] },
    },
    {
      ...get,
      does: 'polls an item for its version and its tags',
      path: item,
      expects: { status: 200, shape: 'item', body: { version: 3, tags: ['work', 'mail'] } },
    },
    {
      ...get,
      does: 'reads a file into a secret from a path that it builds itself',
      path: `${item}/files/${smallFile.id}/content`,
      expects: { status: 200, shape: 'bytes', body: { text: 'hello', length: 5 } },
    },
  ]
}
