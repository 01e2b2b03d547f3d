/** That a mount holds against odd headers, odd targets and clients who hang up. */

import { assert, assertEqual, type ContractCase } from '../contract-case.js'
import { commonHeaders } from '../hostile/check-response.js'
import { loginDraft } from '../item-drafts.js'
import {
  type HttpTarget,
  itemPath,
  type RequestOptions,
  requestHead,
  rawRequest,
  request,
  vaultPath,
} from './client.js'

const json = 'content-type: application/json'

/** Cases about what goes over the wire. */
export const wireCases: readonly ContractCase<HttpTarget>[] = [
  {
    name: 'sends its headers with every answer, errors too',
    async run(mount) {
      for (const [path, status] of [
        [itemPath(mount), 200],
        [itemPath(mount, '/files/x'), 404],
        ['/nowhere', 404],
      ] as const) {
        const { headers, ...response } = await request(mount, 'GET', path)
        assertEqual(response.status, status, 'the status')
        const expected = {
          'content-type': 'application/json; charset=utf-8',
          ...commonHeaders,
        }
        for (const [name, value] of Object.entries(expected))
          assertEqual(headers.get(name), value, `the header ${name}`)
        assert(/^[\da-f-]{36}$/.test(headers.get('x-request-id') ?? ''), 'a request id of its own')
        assertEqual(headers.get('access-control-allow-origin'), null, 'the header of CORS')
      }
    },
  },
  {
    name: 'keeps a good X-Request-Id and replaces a bad one',
    async run(mount) {
      const idFor = async (id: string): Promise<string | null> =>
        (
          await request(mount, 'GET', vaultPath(mount), { headers: { 'x-request-id': id } })
        ).headers.get('x-request-id')
      assertEqual(await idFor('trace-1.a_B'), 'trace-1.a_B', 'a good id')
      for (const bad of ['a b', '<script>', 'a'.repeat(129)]) {
        assert(
          /^[\da-f-]{36}$/.test((await idFor(bad)) ?? ''),
          `a bad id is replaced: ${bad.slice(0, 20)}`,
        )
      }
    },
  },
  {
    name: 'never takes an odd target for another resource',
    async run(mount) {
      const item = itemPath(mount)
      const odd = [
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
      for (const target of odd) {
        const { status } = await rawRequest(mount, requestHead(mount, 'GET', target))
        assert(
          status === 400 || status === 404,
          `${target.replaceAll(/[\da-z]{26}/g, 'id')} is answered with ${status}`,
        )
      }
    },
  },
  {
    name: 'writes nothing when the client hangs up in the middle of a body',
    async run(mount) {
      const body = JSON.stringify(loginDraft(mount.vault.vaultId))
      const header = requestHead(
        mount,
        'POST',
        vaultPath(mount, '/items'),
        json,
        `content-length: ${body.length + 10}`,
      )
      await rawRequest(mount, header, body, true)
      assertEqual((await request(mount, 'GET', itemPath(mount))).status, 200, 'the next answer')
      await new Promise((resolve) => setTimeout(resolve, 50))
      const items = await mount.vault.service.listItems(mount.vault.caller, {
        vaultId: mount.vault.vaultId,
      })
      assertEqual(items.length, 1, 'items afterwards')
    },
  },
  {
    name: 'answers the next request of a connection after each refusal, read or unread',
    async run(mount) {
      const body = { ...loginDraft(mount.vault.vaultId), padding: ' '.repeat(500_000) }
      const refusals: readonly [string, RequestOptions, number][] = [
        [vaultPath(mount, '/items'), { as: 'reader', body }, 403],
        [vaultPath(mount, '/items'), { as: null, body }, 401],
        [itemPath(mount), { body }, 405],
      ]
      for (const [path, options, status] of [...refusals, ...refusals]) {
        assertEqual((await request(mount, 'POST', path, options)).status, status, 'a refusal')
        assertEqual(
          (await request(mount, 'GET', itemPath(mount))).status,
          200,
          'the answer after it',
        )
      }
    },
  },
]
