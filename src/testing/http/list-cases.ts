/** That lists, filters, the activity log and the probes can be reached over a mount. */

import { assert, assertEqual, type ContractCase } from '../contract-case.js'
import { noteDraft } from '../item-drafts.js'
import { type ClientResponse, type HttpTarget, itemPath, request, vaultPath } from './client.js'

const title = 'C++ & "more" 100%'

/** Cases about what is found, and about what the mount says of itself. */
export const listCases: readonly ContractCase<HttpTarget>[] = [
  {
    name: 'lists the vaults that the caller may read, and no others',
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
      assertEqual(
        (await request(mount, 'GET', '/v1/vaults/')).json,
        [vault],
        'the vaults, after a slash',
      )
    },
  },
  {
    name: 'lists the files of an item, with the contents that are small enough when asked',
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
    name: 'finds what a filter asks for, however it is escaped, and answers 400 to one it cannot read',
    async run(mount) {
      const { service, caller, vaultId } = mount.vault
      const { id } = await service.createItem(caller, {
        vaultId,
        item: noteDraft(vaultId, { title, tags: ['tag'] }),
      })
      const filter = `title eq "${title}" and tag eq "tag"`
      const spelled = {
        'as a part of a URL': encodeURIComponent(filter),
        'as a form': new URLSearchParams({ filter }).toString().slice('filter='.length),
      }
      for (const [how, text] of Object.entries(spelled)) {
        const response = await request(mount, 'GET', vaultPath(mount, `/items?filter=${text}`))
        assertEqual([response.status, idsIn(response)], [200, [id]], how)
      }
      const vaults = await request(mount, 'GET', '/v1/vaults?filter=name+eq+%22test%22')
      assertEqual([vaults.status, vaults.json], [200, []], 'vaults of another name')
      const invalid = await request(
        mount,
        'GET',
        vaultPath(mount, '/items?filter=SECRET+eq+%22x%22'),
      )
      assertEqual(invalid.status, 400, 'a filter that cannot be read')
      assert(!invalid.text.includes('SECRET'), 'the message does not repeat the filter')
    },
  },
  {
    name: 'answers a part of the activity log with its Content-Range',
    async run(mount) {
      const response = await request(mount, 'GET', '/v1/activity?limit=2')
      assertEqual([response.status, Array.isArray(response.json)], [200, true], 'the answer')
      const range = response.headers.get('content-range') ?? ''
      assert(/^(?:1-[12]|\*)\/\d+$/.test(range), `the header content-range: ${range}`)
      assertEqual(
        (await request(mount, 'GET', '/v1/activity?limit=x')).status,
        400,
        'a limit that is none',
      )
    },
  },
  {
    name: 'says to whoever asks that it is there, that its store is well, and what it has answered',
    async run(mount) {
      await request(mount, 'GET', itemPath(mount))
      const probe = (path: string): Promise<ClientResponse> => request(mount, 'GET', path, { as: null })
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
      assert(metrics.text.includes(counted), `the metrics count the answers: ${metrics.text}`)
      assert(!metrics.text.includes(mount.vault.vaultId), 'the metrics hold no id')
    },
  },
]

function idsIn({ json }: ClientResponse): unknown[] {
  return Array.isArray(json) ? json.map((item) => Reflect.get(Object(item), 'id')) : []
}
