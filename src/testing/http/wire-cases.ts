/** Contract cases about the wire: headers, unusual targets, disconnects and connection reuse. */

import { commonHeaders } from '../../base/common-headers.js'
import { assert, assertEqual, type ContractCase } from '../../base/contract-case.js'
import { rawRequest } from '../../base/raw-request.js'
import { itemDraft } from '../drafts/item-draft.js'
import {
  type HttpTarget,
  itemPath,
  type RequestOptions,
  request,
  requestHead,
  vaultPath,
} from './client.js'

/** Cases about headers, targets and connections. */
export const wireCases: readonly ContractCase<HttpTarget>[] = [
  {
    name: 'sends its headers with every response, including errors',
    async run(mount) {
      for (const [path, status] of [
        [itemPath(mount), 200],
        [itemPath(mount, '/files/x'), 404],
        ['/nowhere', 404],
      ] as const) {
        const { headers, ...response } = await request(mount, 'GET', path)
        assertEqual(response.status, status, 'the status')
        const expected = { 'content-type': 'application/json; charset=utf-8', ...commonHeaders }
        for (const [name, value] of Object.entries(expected))
          assertEqual(headers.get(name), value, `the header ${name}`)
        const requestId = headers.get('x-request-id') ?? ''
        assert(/^[\da-f-]{36}$/.test(requestId), 'the header x-request-id is not a UUID')
        assertEqual(headers.get('access-control-allow-origin'), null, 'the CORS header')
      }
    },
  },
  {
    name: 'keeps a valid X-Request-Id and replaces an invalid one',
    async run(mount) {
      const responseIdFor = async (id: string): Promise<string | null> => {
        const headers = { 'x-request-id': id }
        const response = await request(mount, 'GET', vaultPath(mount), { headers })
        return response.headers.get('x-request-id')
      }
      assertEqual(await responseIdFor('trace-1.a_B'), 'trace-1.a_B', 'a valid id')
      for (const invalid of ['a b', '<script>', 'a'.repeat(129)]) {
        const id = (await responseIdFor(invalid)) ?? ''
        assert(/^[\da-f-]{36}$/.test(id), `an invalid id is not replaced: ${invalid.slice(0, 20)}`)
      }
    },
  },
  {
    name: 'never resolves an unusual target to another resource',
    async run(mount) {
      const item = itemPath(mount)
      const targets = [
        `/v1/../v1/vaults/${mount.vault.vaultId}`,
        `/v1/%2e%2e/v1/vaults/${mount.vault.vaultId}`,
        item.replace('/items/', '/items/./'),
        item.replace('/items/', '/items%2f'),
        item.replace('/items/', '/items\\'),
        item.replace('/items/', '/items//'),
        item.replace('/vaults/', '//vaults/'),
        `${item}%`,
        `${item}%00`,
        `${item}/../../items`,
        item.toUpperCase(),
      ]
      for (const target of targets) {
        const { status } = await rawRequest(mount, requestHead(mount, 'GET', target))
        const expected = [400, 404]
        if (mount.platform?.normalizesTargets === true)
          expected.push(...(await statusesOfNormalized(mount, target)))
        assert(
          expected.includes(status),
          `${target.replaceAll(/[\da-z]{26}/g, 'id')} returns ${status}`,
        )
      }
    },
  },
  {
    name: 'writes nothing when the client disconnects in the middle of a body',
    async run(mount) {
      const { service, caller, vaultId } = mount.vault
      const body = JSON.stringify(itemDraft('LOGIN', { vault: { id: vaultId } }))
      const head = requestHead(
        mount,
        'POST',
        vaultPath(mount, '/items'),
        'content-type: application/json',
        `content-length: ${body.length + 10}`,
      )
      await rawRequest(mount, head, { body, disconnect: true })
      const next = await request(mount, 'GET', itemPath(mount))
      assertEqual(next.status, 200, 'the next response')
      await new Promise((resolve) => setTimeout(resolve, 50))
      const items = await service.listItems(caller, { vaultId })
      assertEqual(items.length, 1, 'items afterwards')
    },
  },
  {
    name: 'serves the next request on a connection after a rejected one, whether its body was read or not',
    async run(mount) {
      const body = {
        ...itemDraft('LOGIN', { vault: { id: mount.vault.vaultId } }),
        padding: ' '.repeat(500_000),
      }
      const rejected: readonly [string, RequestOptions, number][] = [
        [vaultPath(mount, '/items'), { as: 'reader', body }, 403],
        [vaultPath(mount, '/items'), { as: null, body }, 401],
        [itemPath(mount), { body }, 405],
      ]
      for (const [path, options, status] of [...rejected, ...rejected]) {
        const rejection = await request(mount, 'POST', path, options)
        assertEqual(rejection.status, status, 'a rejected request')
        const next = await request(mount, 'GET', itemPath(mount))
        assertEqual(next.status, 200, 'the next response')
      }
    },
  },
]

/**
 * Returns the status of the target as a URL parser normalizes it, or nothing if it is the same
 * target.
 */
async function statusesOfNormalized(mount: HttpTarget, target: string): Promise<readonly number[]> {
  const { href } = new URL(mount.origin + target)
  if (href === mount.origin + target || !href.startsWith(mount.origin)) return []
  return [(await request(mount, 'GET', href.slice(mount.origin.length))).status]
}
