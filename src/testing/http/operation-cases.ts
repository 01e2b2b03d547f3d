/**
 * Contract cases about successful operations: every operation is reachable and returns its result.
 */

import { assertEqual, type ContractCase } from '../../base/contract-case.js'
import { itemDraft } from '../drafts/item-draft.js'
import { type ClientResponse, type HttpTarget, itemPath, request, vaultPath } from './client.js'

const absentId = '0'.repeat(26)

/** Cases in which the request succeeds. */
export const operationCases: readonly ContractCase<HttpTarget>[] = [
  {
    name: 'creates an item and returns it with its version as the ETag',
    async run(mount) {
      const { service, caller, vaultId } = mount.vault
      const body = itemDraft('SECURE_NOTE', { vault: { id: vaultId } })
      const response = await request(mount, 'POST', vaultPath(mount, '/items'), { body })
      assertEqual([response.status, response.headers.get('etag')], [200, '"1"'], 'the response')
      const itemId = String(getMember(response.json, 'id'))
      const stored = await service.getItem(caller, { vaultId, itemId })
      assertEqual(stored, response.json, 'the stored item')
    },
  },
  {
    name: 'returns a vault, its items and an item',
    async run(mount) {
      const vault = await request(mount, 'GET', vaultPath(mount))
      const items = await request(mount, 'GET', vaultPath(mount, '/items'))
      const item = await request(mount, 'GET', itemPath(mount))
      assertEqual([vault.status, items.status, item.status], [200, 200, 200], 'the statuses')
      assertEqual(getMember(vault.json, 'id'), mount.vault.vaultId, 'the vault')
      const { fields: _fields, sections: _sections, files: _files, ...summary } = mount.vault.item
      assertEqual(items.json, [summary], 'the list')
      assertEqual(item.json, mount.vault.item, 'the item')
      assertEqual(item.headers.get('etag'), `"${mount.vault.item.version}"`, 'the ETag of the item')
    },
  },
  {
    name: 'replaces an item',
    async run(mount) {
      const body = itemDraft('LOGIN', {
        vault: { id: mount.vault.vaultId },
        title: 'Replaced',
        tags: [],
      })
      const response = await request(mount, 'PUT', itemPath(mount), { body })
      assertEqual(
        [response.status, getMember(response.json, 'title'), getMember(response.json, 'tags')],
        [200, 'Replaced', []],
        'the response',
      )
      assertEqual(response.headers.get('etag'), `"${mount.vault.item.version + 1}"`, 'the ETag')
    },
  },
  {
    name: 'patches a field by its id, and returns the item unchanged for an empty patch',
    async run(mount) {
      const body = [{ op: 'replace', path: '/fields/pin/value', value: '4321' }]
      const patched = await request(mount, 'PATCH', itemPath(mount), { body })
      const pin = getList(patched, 'fields')[2]
      assertEqual([getMember(pin, 'id'), getMember(pin, 'value')], ['pin', '4321'], 'the field')
      const unchanged = await request(mount, 'PATCH', itemPath(mount), { body: [] })
      assertEqual(
        [unchanged.status, unchanged.text],
        [200, patched.text],
        'the item after an empty patch',
      )
    },
  },
  {
    name: 'deletes an item with 204 and no body, and then returns 404',
    async run(mount) {
      const deleted = await request(mount, 'DELETE', itemPath(mount))
      assertEqual([deleted.status, deleted.text], [204, ''], 'the response')
      const afterwards = await request(mount, 'GET', itemPath(mount))
      assertEqual(afterwards.status, 404, 'the item afterwards')
      const again = await request(mount, 'DELETE', itemPath(mount))
      assertEqual(again.status, 404, 'a second delete')
    },
  },
  {
    name: 'returns file details without content, and with content when inline_files is true',
    async run(mount) {
      const { smallFile } = mount.vault
      const path = itemPath(mount, `/files/${smallFile.id}`)
      const details = await request(mount, 'GET', path)
      assertEqual(details.json, smallFile, 'the details')
      const notInlined = await request(mount, 'GET', `${path}?inline_files=false`)
      assertEqual(notInlined.json, smallFile, 'the details, not inlined')
      const inlined = await request(mount, 'GET', `${path}?inline_files=true`)
      assertEqual(inlined.json, { ...smallFile, content: 'aGVsbG8=' }, 'the details, inlined')
    },
  },
  {
    name: 'returns 413 for a file that is too large to inline, with the path of the download',
    async run(mount) {
      const { largeFile } = mount.vault
      const path = itemPath(mount, `/files/${largeFile.id}?inline_files=true`)
      const response = await request(mount, 'GET', path)
      assertEqual([response.status, getMember(response.json, 'status')], [413, 413], 'the status')
      assertEqual(
        getMember(response.json, 'message'),
        `File is too large to inline in request. Use the ${largeFile.content_path} endpoint instead.`,
        'the message',
      )
    },
  },
  {
    name: 'returns the content of a file from its content_path, as an attachment with its name',
    async run(mount) {
      const response = await request(mount, 'GET', mount.vault.largeFile.content_path)
      assertEqual([response.status, response.text], [200, '\x07'.repeat(1025)], 'the content')
      const headers = ['content-type', 'content-length', 'content-disposition'].map((name) =>
        response.headers.get(name),
      )
      assertEqual(
        headers,
        [
          'application/octet-stream',
          '1025',
          `attachment; filename="large.bin"; filename*=UTF-8''large.bin`,
        ],
        'the headers',
      )
    },
  },
  {
    name: 'streams a content that the store returns as a stream',
    async run(mount) {
      const { service, caller, vaultId, item } = mount.vault
      const text = 'chunk '.repeat(50_000)
      const content = new TextEncoder().encode(text)
      const input = { vaultId, itemId: item.id, name: 'long.txt', content }
      const { content_path } = await service.attachFile(caller, input)
      const response = await request(mount, 'GET', content_path)
      const length = response.headers.get('content-length')
      assertEqual([response.status, response.text === text], [200, true], 'the content is complete')
      assertEqual(length === null || length === String(text.length), true, 'the content-length')
    },
  },
  {
    name: 'ignores a trailing slash and a doubled leading slash',
    async run(mount) {
      for (const path of [
        vaultPath(mount, '/'),
        vaultPath(mount, '/items/'),
        itemPath(mount, '/'),
      ]) {
        const { status } = await request(mount, 'GET', path)
        assertEqual(status, 200, path.replaceAll(/[\da-z]{26}/g, 'id'))
      }
      const { status } = await request(mount, 'GET', `/${vaultPath(mount)}`)
      assertEqual(status, 200, 'a doubled leading slash')
    },
  },
  {
    name: 'returns the headers of GET without the body for HEAD',
    async run(mount) {
      const content = mount.vault.largeFile.content_path
      for (const path of [itemPath(mount), content, vaultPath(mount, `/items/${absentId}`)]) {
        const get = await request(mount, 'GET', path)
        const head = await request(mount, 'HEAD', path)
        assertEqual([head.status, head.text], [get.status, ''], 'the status and body')
        for (const name of ['content-type', 'etag'])
          assertEqual(head.headers.get(name), get.headers.get(name), `the header ${name}`)
        assertEqual(
          head.headers.get('content-length'),
          String(get.text.length),
          'the header content-length',
        )
      }
    },
  },
  {
    name: 'changes an item only at the version in If-Match',
    async run(mount) {
      const patch = (tag: string): Promise<ClientResponse> =>
        request(mount, 'PATCH', itemPath(mount), {
          body: [{ op: 'replace', path: '/title', value: 'x' }],
          headers: { 'if-match': tag },
        })
      const { version } = mount.vault.item
      for (const tag of [`"${version + 1}"`, `"${version - 1}"`, '"x"', `W/"${version}"`])
        assertEqual((await patch(tag)).status, 412, `the status for ${tag}`)
      for (const tag of [String(version), '"', '"1", "2"'])
        assertEqual((await patch(tag)).status, 400, `the status for ${tag}`)
      const current = await patch(`"${version}"`)
      assertEqual(current.status, 200, 'the status for the current version')
      assertEqual((await patch('*')).status, 200, 'the status for any version')
      const stale = { headers: { 'if-match': `"${version}"` } }
      const deleted = await request(mount, 'DELETE', itemPath(mount), stale)
      assertEqual(deleted.status, 412, 'a stale delete')
      const put = { ...stale, body: itemDraft('LOGIN', { vault: { id: mount.vault.vaultId } }) }
      const replaced = await request(mount, 'PUT', itemPath(mount), put)
      assertEqual(replaced.status, 412, 'a stale replace')
    },
  },
  {
    name: 'loses none of 64 concurrent patches of one item',
    async run(mount) {
      const patches = Array.from({ length: 64 }, (_, index) =>
        request(mount, 'PATCH', itemPath(mount), {
          body: [{ op: 'add', path: '/tags/-', value: `tag ${index}` }],
        }),
      )
      const statuses = new Set((await Promise.all(patches)).map(({ status }) => status))
      assertEqual(statuses.size, 1, 'distinct statuses')
      const item = await request(mount, 'GET', itemPath(mount))
      assertEqual(getList(item, 'tags').length, 66, 'tags')
      assertEqual(getMember(item.json, 'version'), mount.vault.item.version + 64, 'the version')
    },
  },
]

function getMember(value: unknown, name: string): unknown {
  return Reflect.get(Object(value), name)
}

/** Returns a member of the response, or an empty list if the member is not a list. */
function getList({ json }: ClientResponse, name: string): readonly unknown[] {
  const value = getMember(json, name)
  return Array.isArray(value) ? value : []
}
