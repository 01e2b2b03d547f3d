/** Contract cases about lists, filters, the activity log and the probes. */

import { assert, assertEqual, type ContractCase } from '../../base/contract-case.js'
import { itemDraft } from '../drafts/item-draft.js'
import { type ClientResponse, type HttpTarget, itemPath, request, vaultPath } from './client.js'

const title = 'C++ & "more" 100%'

/** Cases about lists, and about the state that the mount reports. */
export const listCases: readonly ContractCase<HttpTarget>[] = [
  {
    name: 'lists only the vaults that the caller can read',
    async run(mount) {
      const { service, caller, vaultId } = mount.vault
      const vault = await service.getVault(caller, { vaultId })
      for (const [as, vaults] of [
        ['full', [vault]],
        ['writer', []],
        ['reader', [vault]],
      ] as const) {
        const response = await request(mount, 'GET', '/v1/vaults', { as })
        assertEqual([response.status, response.json], [200, vaults], `the vaults of the ${as}`)
      }
      const { json } = await request(mount, 'GET', '/v1/vaults/')
      assertEqual(json, [vault], 'the vaults, with a trailing slash')
    },
  },
  {
    name: 'lists the files of an item, with small contents when inline_files is true',
    async run(mount) {
      const { smallFile, largeFile } = mount.vault
      const path = itemPath(mount, '/files')
      assertEqual((await request(mount, 'GET', path)).json, [smallFile, largeFile], 'the files')
      assertEqual(
        (await request(mount, 'GET', `${path}?inline_files=true`)).json,
        [{ ...smallFile, content: 'aGVsbG8=' }, largeFile],
        'the files, inlined',
      )
    },
  },
  {
    name: 'lists the matches of a filter, however it is escaped, and returns 400 for an invalid filter',
    async run(mount) {
      const { service, caller, vaultId } = mount.vault
      const { id } = await service.createItem(caller, {
        vaultId,
        item: itemDraft('SECURE_NOTE', { title, tags: ['tag'] }),
      })
      const filter = `title eq "${title}" and tag eq "tag"`
      const escaped = {
        'escaped as a URL component': encodeURIComponent(filter),
        'escaped as a form': new URLSearchParams({ filter }).toString().slice('filter='.length),
      }
      for (const [label, text] of Object.entries(escaped)) {
        const response = await request(mount, 'GET', vaultPath(mount, `/items?filter=${text}`))
        assertEqual([response.status, getIds(response)], [200, [id]], label)
      }
      const vaults = await request(mount, 'GET', '/v1/vaults?filter=name+eq+%22test%22')
      assertEqual([vaults.status, vaults.json], [200, []], 'vaults of another name')
      const path = vaultPath(mount, '/items?filter=SECRET+eq+%22x%22')
      const invalid = await request(mount, 'GET', path)
      assertEqual(invalid.status, 400, 'an invalid filter')
      assert(!invalid.text.includes('SECRET'), 'the message contains the filter')
    },
  },
  {
    name: 'returns a page of the activity log with its Content-Range',
    async run(mount) {
      const response = await request(mount, 'GET', '/v1/activity?limit=2')
      assertEqual([response.status, Array.isArray(response.json)], [200, true], 'the response')
      const range = response.headers.get('content-range') ?? ''
      assert(/^(?:1-[12]|\*)\/\d+$/.test(range), `the header content-range: ${range}`)
      const invalid = await request(mount, 'GET', '/v1/activity?limit=x')
      assertEqual(invalid.status, 400, 'an invalid limit')
    },
  },
  {
    name: 'returns the heartbeat, the health and the metrics without a token',
    async run(mount) {
      await request(mount, 'GET', itemPath(mount))
      const probe = (path: string): Promise<ClientResponse> =>
        request(mount, 'GET', path, { as: null })
      const [heartbeat, health, metrics] = [
        await probe('/heartbeat'),
        await probe('/health'),
        await probe('/metrics'),
      ]
      assertEqual([heartbeat.status, heartbeat.text], [200, '.'], 'the heartbeat')
      assertEqual(
        [health.status, health.json],
        [200, { name: 'cofferkit', dependencies: [{ service: 'store', status: 'ACTIVE' }] }],
        'the health',
      )
      assertEqual(
        [metrics.status, metrics.headers.get('content-type')],
        [200, 'text/plain; version=0.0.4; charset=utf-8'],
        'the metrics',
      )
      const counted = 'cofferkit_requests_total{operation="getItem",status="200"} 1\n'
      assert(metrics.text.includes(counted), `the request is not counted: ${metrics.text}`)
      assert(!metrics.text.includes(mount.vault.vaultId), 'the metrics contain an id')
    },
  },
]

function getIds({ json }: ClientResponse): unknown[] {
  return Array.isArray(json) ? json.map((item) => Reflect.get(Object(item), 'id')) : []
}
