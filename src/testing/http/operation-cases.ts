/** That every operation can be reached over a mount, and answers as the contract says. */

import { assertEqual, type ContractCase } from '../contract-case.js'
import { loginDraft, noteDraft } from '../item-drafts.js'
import { type ClientResponse, type HttpTarget, itemPath, request, vaultPath } from './client.js'

const noSuchId = '0'.repeat(26)

/** Cases in which the caller gets what he asks for. */
export const operationCases: readonly ContractCase<HttpTarget>[] = [
  {
    name: 'creates an item, and answers it with its version as the ETag',
    async run(mount) {
      const response = await request(mount, 'POST', vaultPath(mount, '/items'), {
        body: noteDraft(mount.vault.vaultId),
      })
      assertEqual([response.status, response.headers.get('etag')], [200, '"1"'], 'the answer')
      const id = String(getMember(response, 'id'))
      assertEqual(
        await mount.vault.service.getItem(mount.vault.caller, {
          vaultId: mount.vault.vaultId,
          itemId: id,
        }),
        response.json,
        'the stored item',
      )
    },
  },
  {
    name: 'answers a vault, its items and an item',
    async run(mount) {
      const vault = await request(mount, 'GET', vaultPath(mount))
      const items = await request(mount, 'GET', vaultPath(mount, '/items'))
      const item = await request(mount, 'GET', itemPath(mount))
      assertEqual([vault.status, items.status, item.status], [200, 200, 200], 'the statuses')
      assertEqual(getMember(vault, 'id'), mount.vault.vaultId, 'the vault')
      const { fields: _fields, sections: _sections, files: _files, ...summary } = mount.vault.item
      assertEqual(items.json, [summary], 'the list')
      assertEqual(item.json, mount.vault.item, 'the item')
      assertEqual(item.headers.get('etag'), `"${mount.vault.item.version}"`, 'the ETag of the item')
    },
  },
  {
    name: 'replaces an item',
    async run(mount) {
      const body = loginDraft(mount.vault.vaultId, { title: 'Replaced', tags: [] })
      const response = await request(mount, 'PUT', itemPath(mount), { body })
      assertEqual(
        [response.status, getMember(response, 'title'), getMember(response, 'tags')],
        [200, 'Replaced', []],
        'the answer',
      )
      assertEqual(response.headers.get('etag'), `"${mount.vault.item.version + 1}"`, 'the ETag')
    },
  },
  {
    name: 'patches a field by its id, and answers an empty patch with the item as it is',
    async run(mount) {
      const body = [{ op: 'replace', path: '/fields/pin/value', value: '4321' }]
      const patched = await request(mount, 'PATCH', itemPath(mount), { body })
      const values = (getMember(patched, 'fields') as { id: string; value: string }[]).map(
        ({ id, value }) => [id, value],
      )
      assertEqual(values[2], ['pin', '4321'], 'the field')
      const unchanged = await request(mount, 'PATCH', itemPath(mount), { body: [] })
      assertEqual(
        [unchanged.status, unchanged.text],
        [200, patched.text],
        'the item after an empty patch',
      )
    },
  },
  {
    name: 'deletes an item with 204 and no body, after which it is not found',
    async run(mount) {
      const deleted = await request(mount, 'DELETE', itemPath(mount))
      assertEqual([deleted.status, deleted.text], [204, ''], 'the answer')
      assertEqual(
        (await request(mount, 'GET', itemPath(mount))).status,
        404,
        'the item afterwards',
      )
      assertEqual(
        (await request(mount, 'DELETE', itemPath(mount))).status,
        404,
        'a second delete',
      )
    },
  },
  {
    name: 'answers file details without content, and with it when that is asked for',
    async run(mount) {
      const path = itemPath(mount, `/files/${mount.vault.smallFile.id}`)
      assertEqual((await request(mount, 'GET', path)).json, mount.vault.smallFile, 'the details')
      assertEqual(
        (await request(mount, 'GET', `${path}?inline_files=false`)).json,
        mount.vault.smallFile,
        'the details, not inlined',
      )
      const inlined = await request(mount, 'GET', `${path}?inline_files=true`)
      assertEqual(
        inlined.json,
        { ...mount.vault.smallFile, content: 'aGVsbG8=' },
        'the details, inlined',
      )
    },
  },
  {
    name: 'answers 413 for a file that is too large to inline, and names where to download it',
    async run(mount) {
      const { largeFile } = mount.vault
      const response = await request(
        mount,
        'GET',
        itemPath(mount, `/files/${largeFile.id}?inline_files=true`),
      )
      assertEqual([response.status, getMember(response, 'status')], [413, 413], 'the status')
      assertEqual(
        getMember(response, 'message'),
        `File is too large to inline in request. Use the ${largeFile.content_path} endpoint instead.`,
        'the message',
      )
    },
  },
  {
    name: 'streams the content of a file from its content_path, as octets to be saved under its name',
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
    name: 'takes a trailing slash and a doubled leading one for the same place',
    async run(mount) {
      for (const path of [
        vaultPath(mount, '/'),
        vaultPath(mount, '/items/'),
        itemPath(mount, '/'),
      ]) {
        assertEqual(
          (await request(mount, 'GET', path)).status,
          200,
          path.replaceAll(/[\da-z]{26}/g, 'id'),
        )
      }
      assertEqual(
        (await request(mount, 'GET', `/${vaultPath(mount)}`)).status,
        200,
        'a doubled leading slash',
      )
    },
  },
  {
    name: 'answers HEAD as GET, without the body',
    async run(mount) {
      const content = mount.vault.largeFile.content_path
      for (const path of [itemPath(mount), content, vaultPath(mount, `/items/${noSuchId}`)]) {
        const [get, header] = [
          await request(mount, 'GET', path),
          await request(mount, 'HEAD', path),
        ]
        assertEqual([header.status, header.text], [get.status, ''], 'the status and body')
        for (const name of ['content-type', 'etag'])
          assertEqual(header.headers.get(name), get.headers.get(name), `the header ${name}`)
        assertEqual(
          header.headers.get('content-length'),
          String(get.text.length),
          'the header content-length',
        )
      }
    },
  },
  {
    name: 'changes only the version that If-Match names',
    async run(mount) {
      const change = (tag: string): Promise<ClientResponse> =>
        request(mount, 'PATCH', itemPath(mount), {
          body: [{ op: 'replace', path: '/title', value: 'x' }],
          headers: { 'if-match': tag },
        })
      const { version } = mount.vault.item
      for (const tag of [`"${version + 1}"`, `"${version - 1}"`, '"x"', `W/"${version}"`]) {
        assertEqual((await change(tag)).status, 412, `the status for ${tag}`)
      }
      for (const tag of [String(version), '"', '"1", "2"'])
        assertEqual((await change(tag)).status, 400, `the status for ${tag}`)
      assertEqual(
        (await change(`"${version}"`)).status,
        200,
        'the status for the version that is stored',
      )
      assertEqual((await change('*')).status, 200, 'the status for any version')
      const stale = { headers: { 'if-match': `"${version}"` } }
      assertEqual(
        (await request(mount, 'DELETE', itemPath(mount), stale)).status,
        412,
        'a stale delete',
      )
      const put = { ...stale, body: loginDraft(mount.vault.vaultId) }
      assertEqual(
        (await request(mount, 'PUT', itemPath(mount), put)).status,
        412,
        'a stale replace',
      )
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
      assertEqual(
        new Set((await Promise.all(patches)).map(({ status }) => status)).size,
        1,
        'kinds of answers',
      )
      const item = await request(mount, 'GET', itemPath(mount))
      assertEqual((getMember(item, 'tags') as string[]).length, 66, 'tags')
      assertEqual(getMember(item, 'version'), mount.vault.item.version + 64, 'the version')
    },
  },
]

function getMember(response: ClientResponse, name: string): unknown {
  return Reflect.get(Object(response.json), name)
}
