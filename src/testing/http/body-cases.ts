/** That a mount reads JSON in UTF-8 within its limits, and nothing else. */

import { assert, assertEqual, type ContractCase } from '../contract-case.js'
import { loginDraft } from '../item-drafts.js'
import { type HttpTarget, requestHead, rawRequest, vaultPath } from './client.js'

const json = 'content-type: application/json'
const limit = 1_048_576

/** Cases about the bytes of a body. */
export const bodyCases: readonly ContractCase<HttpTarget>[] = [
  {
    name: 'answers 400 to bodies that are no JSON in UTF-8',
    async run(mount) {
      const good = JSON.stringify(loginDraft(mount.vault.vaultId, { title: '#' }))
      const texts = [
        good,
        '',
        ' ',
        good.slice(0, -1),
        `${good}}`,
        good.replace(/}$/, ',}'),
        good.replaceAll('"', "'"),
      ]
      const utf8 = [...texts, `\ufeff${good}`, good.replace('[', '[NaN,')].map((text) =>
        new TextEncoder().encode(text),
      )
      const notUtf8 = [good.replace('#', '\xff'), [...good].join('\0')].map((text) =>
        Uint8Array.from(text, (char) => char.charCodeAt(0)),
      )
      for (const [index, bytes] of [...utf8, ...notUtf8].entries()) {
        const header = requestHead(
          mount,
          'POST',
          vaultPath(mount, '/items'),
          json,
          `content-length: ${bytes.length}`,
        )
        assertEqual(
          (await rawRequest(mount, header, bytes)).status,
          index === 0 ? 200 : 400,
          `the status for body ${index}`,
        )
      }
    },
  },
  {
    name: 'answers 400 to a body of more than 32 levels, however many',
    async run(mount) {
      const postDepth = (depth: number): ReturnType<typeof rawRequest> => {
        const draft = JSON.stringify(loginDraft(mount.vault.vaultId))
        const body = `{"deep":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)},${draft.slice(1)}`
        return rawRequest(
          mount,
          requestHead(
            mount,
            'POST',
            vaultPath(mount, '/items'),
            json,
            `content-length: ${body.length}`,
          ),
          body,
        )
      }
      assertEqual((await postDepth(32)).status, 200, 'the status for 32 levels')
      for (const depth of [33, 100_000]) {
        const { status, text } = await postDepth(depth)
        assert(
          status === 400 && text.includes('must not have more than'),
          `${depth} levels are answered with ${status}`,
        )
      }
    },
  },
  {
    name: 'answers 413 to a body over the limit, announced or counted',
    async run(mount) {
      const path = vaultPath(mount, '/items')
      const announced = requestHead(mount, 'POST', path, json, `content-length: ${limit + 1}`)
      assertEqual(
        (await rawRequest(mount, announced)).status,
        413,
        'the status for an announced length',
      )
      const chunked = requestHead(mount, 'POST', path, json, 'transfer-encoding: chunked')
      const chunk = `${(65_536).toString(16)}\r\n${' '.repeat(65_536)}\r\n`
      assertEqual(
        (await rawRequest(mount, chunked, `${chunk.repeat(17)}0\r\n\r\n`)).status,
        413,
        'the status for counted bytes',
      )
    },
  },
  {
    name: 'takes a body of exactly the limit, in one piece or in many',
    async run(mount) {
      const draft = JSON.stringify(loginDraft(mount.vault.vaultId))
      const body = draft + ' '.repeat(limit - draft.length)
      const whole = requestHead(
        mount,
        'POST',
        vaultPath(mount, '/items'),
        json,
        `content-length: ${limit}`,
      )
      assertEqual((await rawRequest(mount, whole, body)).status, 200, 'the status for one piece')
      const pieces = body.match(/.{1,50000}/gs) ?? []
      const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('')
      const chunked = requestHead(
        mount,
        'POST',
        vaultPath(mount, '/items'),
        json,
        'transfer-encoding: chunked',
      )
      assertEqual(
        (await rawRequest(mount, chunked, `${chunks}0\r\n\r\n`)).status,
        200,
        'the status for many',
      )
    },
  },
  {
    name: 'answers 415 to another content type, charset or encoding, and reads a body without a type as JSON',
    async run(mount) {
      const body = JSON.stringify(loginDraft(mount.vault.vaultId))
      const statusWith = async (...headers: readonly string[]): Promise<number> =>
        (
          await rawRequest(
            mount,
            requestHead(
              mount,
              'POST',
              vaultPath(mount, '/items'),
              `content-length: ${body.length}`,
              ...headers,
            ),
            body,
          )
        ).status
      for (const type of [
        'text/plain',
        'application/xml',
        'application/jsonp',
        'application/json; charset=latin1',
        'application/x-www-form-urlencoded',
      ]) {
        assertEqual(await statusWith(`content-type: ${type}`), 415, `the status for ${type}`)
      }
      assertEqual(await statusWith(json, 'content-encoding: gzip'), 415, 'the status for gzip')
      for (const type of [
        'application/json; charset=UTF-8',
        'APPLICATION/JSON',
        'application/json;charset="utf-8"',
      ]) {
        assertEqual(await statusWith(`content-type: ${type}`), 200, `the status for ${type}`)
      }
      assertEqual(await statusWith(), 200, 'the status without a type')
    },
  },
]
