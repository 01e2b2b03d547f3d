/** That a mount holds against odd targets, odd bytes and clients who hang up. */

import { type ContractCase, holds, same } from './contract.js'
import { ask, askRaw, type MountUnderTest, pathIn, pathOfItem, rawHead } from './http-client.js'
import { loginDraft } from './item-drafts.js'

const json = 'content-type: application/json'
const limit = 1_048_576

/** Cases about what goes over the wire. */
export const wireCases: readonly ContractCase<MountUnderTest>[] = [
  {
    name: 'sends its headers with every answer, errors too',
    async run(mount) {
      for (const [path, status] of [[pathOfItem(mount), 200], [pathOfItem(mount, '/files/x'), 404], ['/nowhere', 404]] as const) {
        const { headers, ...answer } = await ask(mount, 'GET', path)
        same(answer.status, status, 'the status')
        const expected = {
          'content-type': 'application/json; charset=utf-8',
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
          'referrer-policy': 'no-referrer',
        }
        for (const [name, value] of Object.entries(expected)) same(headers.get(name), value, `the header ${name}`)
        holds(/^[\da-f-]{36}$/.test(headers.get('x-request-id') ?? ''), 'a request id of its own')
        same(headers.get('access-control-allow-origin'), null, 'the header of CORS')
      }
    },
  },
  {
    name: 'keeps a good X-Request-Id and replaces a bad one',
    async run(mount) {
      const idFor = async (id: string): Promise<string | null> =>
        (await ask(mount, 'GET', pathIn(mount), { headers: { 'x-request-id': id } })).headers.get('x-request-id')
      same(await idFor('trace-1.a_B'), 'trace-1.a_B', 'a good id')
      for (const bad of ['a b', '<script>', 'a'.repeat(129)]) {
        holds(/^[\da-f-]{36}$/.test((await idFor(bad)) ?? ''), `a bad id is replaced: ${bad.slice(0, 20)}`)
      }
    },
  },
  {
    name: 'never takes an odd target for another resource',
    async run(mount) {
      const item = pathOfItem(mount)
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
        const { status } = await askRaw(mount, rawHead(mount, 'GET', target))
        holds(status === 400 || status === 404, `${target.replaceAll(/[\da-z]{26}/g, 'id')} is answered with ${status}`)
      }
    },
  },
  {
    name: 'answers 400 to bodies that are no JSON in UTF-8',
    async run(mount) {
      const utf16 = Uint8Array.of(0x7b, 0, 0x7d, 0)
      const bodies = ['', ' ', '{', '{}}', '{"a":1,}', "{'a':1}", '\ufeff{}', '[', 'NaN', Uint8Array.of(0x22, 0xff, 0x22), utf16]
      for (const body of bodies) {
        const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
        const head = rawHead(mount, 'POST', pathIn(mount, '/items'), json, `content-length: ${bytes.length}`)
        same((await askRaw(mount, head, bytes)).status, 400, `the status for ${JSON.stringify(body)}`)
      }
    },
  },
  {
    name: 'answers 400 to a body of more than 32 levels, however many',
    async run(mount) {
      for (const depth of [32, 100_000]) {
        const body = `{"deep":${'['.repeat(depth)}${']'.repeat(depth)}}`
        const head = rawHead(mount, 'POST', pathIn(mount, '/items'), json, `content-length: ${body.length}`)
        const { status, text } = await askRaw(mount, head, body)
        holds(status === 400 && text.includes('32 levels'), `${depth + 1} levels are answered with ${status}`)
      }
    },
  },
  {
    name: 'answers 413 to a body over the limit, announced or counted',
    async run(mount) {
      const path = pathIn(mount, '/items')
      const announced = rawHead(mount, 'POST', path, json, `content-length: ${limit + 1}`)
      same((await askRaw(mount, announced)).status, 413, 'the status for an announced length')
      const chunked = rawHead(mount, 'POST', path, json, 'transfer-encoding: chunked')
      const chunk = `${(65_536).toString(16)}\r\n${' '.repeat(65_536)}\r\n`
      same((await askRaw(mount, chunked, `${chunk.repeat(17)}0\r\n\r\n`)).status, 413, 'the status for counted bytes')
    },
  },
  {
    name: 'takes a body of exactly the limit, in one piece or in many',
    async run(mount) {
      const draft = JSON.stringify(loginDraft(mount.vault.vaultId))
      const body = draft + ' '.repeat(limit - draft.length)
      const whole = rawHead(mount, 'POST', pathIn(mount, '/items'), json, `content-length: ${limit}`)
      same((await askRaw(mount, whole, body)).status, 200, 'the status for one piece')
      const pieces = body.match(/[^]{1,50000}/g) ?? []
      const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')
      const chunked = rawHead(mount, 'POST', pathIn(mount, '/items'), json, 'transfer-encoding: chunked')
      same((await askRaw(mount, chunked, `${chunks}0\r\n\r\n`)).status, 200, 'the status for many')
    },
  },
  {
    name: 'answers 415 to another content type, charset or encoding, and reads a body without a type as JSON',
    async run(mount) {
      const body = JSON.stringify(loginDraft(mount.vault.vaultId))
      const statusWith = async (...headers: readonly string[]): Promise<number> =>
        (await askRaw(mount, rawHead(mount, 'POST', pathIn(mount, '/items'), `content-length: ${body.length}`, ...headers), body)).status
      for (const type of ['text/plain', 'application/xml', 'application/jsonp', 'application/json; charset=latin1', 'application/x-www-form-urlencoded']) {
        same(await statusWith(`content-type: ${type}`), 415, `the status for ${type}`)
      }
      same(await statusWith(json, 'content-encoding: gzip'), 415, 'the status for gzip')
      for (const type of ['application/json; charset=UTF-8', 'APPLICATION/JSON', 'application/json;charset="utf-8"']) {
        same(await statusWith(`content-type: ${type}`), 200, `the status for ${type}`)
      }
      same(await statusWith(), 200, 'the status without a type')
    },
  },
  {
    name: 'writes nothing when the client hangs up in the middle of a body',
    async run(mount) {
      const body = JSON.stringify(loginDraft(mount.vault.vaultId))
      const head = rawHead(mount, 'POST', pathIn(mount, '/items'), json, `content-length: ${body.length + 10}`)
      await askRaw(mount, head, body, true)
      const items = await mount.vault.service.listItems(mount.vault.caller, { vaultId: mount.vault.vaultId })
      same(items.length, 1, 'items afterwards')
      same((await ask(mount, 'GET', pathOfItem(mount))).status, 200, 'the next answer')
    },
  },
  {
    name: 'answers the next request of a connection after each refusal',
    async run(mount) {
      for (let round = 0; round < 8; round++) {
        same((await ask(mount, 'POST', pathIn(mount, '/items'), { as: 'reader', body: loginDraft(mount.vault.vaultId) })).status, 403, 'a refusal')
        same((await ask(mount, 'GET', pathOfItem(mount))).status, 200, 'the answer after it')
      }
    },
  },
]
