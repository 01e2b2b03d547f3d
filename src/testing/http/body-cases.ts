/** Contract cases about request bodies: JSON in UTF-8, limits and content types. */

import { assert, assertEqual, type ContractCase } from '../../base/contract-case.js'
import { rawRequest } from '../../base/raw-request.js'
import type { RawResponse } from '../../base/raw-response.js'
import { itemDraft } from '../drafts/item-draft.js'
import { type HttpTarget, requestHead, vaultPath } from './client.js'

const json = 'content-type: application/json'
const chunked = 'transfer-encoding: chunked'
const limitBytes = 1_048_576

/** Cases about the bytes of a body. */
export const bodyCases: readonly ContractCase<HttpTarget>[] = [
  {
    name: 'returns 400 for bodies that are not JSON in UTF-8',
    async run(mount) {
      const valid = JSON.stringify(
        itemDraft('LOGIN', { vault: { id: mount.vault.vaultId }, title: '#' }),
      )
      const texts = [
        valid,
        '',
        ' ',
        valid.slice(0, -1),
        `${valid}}`,
        valid.replace(/}$/, ',}'),
        valid.replaceAll('"', "'"),
      ]
      const utf8 = [...texts, valid.replace('[', '[NaN,')].map((text) =>
        new TextEncoder().encode(text),
      )
      for (const [index, body] of utf8.entries()) {
        const { status } = await postItem(mount, body, json, lengthOf(body))
        assertEqual(status, index === 0 ? 200 : 400, `the status for body ${index}`)
      }
      // A platform that decodes bodies may accept these as JSON.
      if (mount.platform?.buffersBodies === true) return
      const notUtf8 = [`\xef\xbb\xbf${valid}`, valid.replace('#', '\xff'), [...valid].join('\0')]
      for (const [index, text] of notUtf8.entries()) {
        const body = Uint8Array.from(text, (char) => char.charCodeAt(0))
        const { status } = await postItem(mount, body, json, lengthOf(body))
        assertEqual(status, 400, `the status for bytes ${index}`)
      }
    },
  },
  {
    name: 'returns 400 for bodies of more than 32 levels, however many',
    async run(mount) {
      const postDepth = (depth: number): Promise<RawResponse> => {
        const draft = JSON.stringify(itemDraft('LOGIN', { vault: { id: mount.vault.vaultId } }))
        const body = `{"deep":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)},${draft.slice(1)}`
        return postItem(mount, body, json, lengthOf(body))
      }
      const tooDeep = 'must not have more than'
      // A strict service rejects the attribute at any depth.
      assert(!(await postDepth(32)).text.includes(tooDeep), '32 levels are too deep')
      for (const depth of [33, 100_000]) {
        const { status, text } = await postDepth(depth)
        assert(status === 400 && text.includes(tooDeep), `${depth} levels return ${status}`)
      }
    },
  },
  {
    name: 'returns 413 for a body over the limit, declared or counted',
    async run(mount) {
      const buffersBodies = mount.platform?.buffersBodies === true
      // A platform that waits for the complete body would wait for the declared bytes.
      const draft = JSON.stringify(itemDraft('LOGIN', { vault: { id: mount.vault.vaultId } }))
      const sent = buffersBodies ? draft + ' '.repeat(limitBytes + 1 - draft.length) : ''
      const declared = await postItem(mount, sent, json, `content-length: ${limitBytes + 1}`)
      assertEqual(declared.status, 413, 'the status for a declared length')
      // Without a declared length, only the platform knows how long a parsed body was.
      if (buffersBodies) return
      const chunk = toChunk(' '.repeat(65_536))
      const counted = await postItem(mount, `${chunk.repeat(17)}0\r\n\r\n`, json, chunked)
      assertEqual(counted.status, 413, 'the status for counted bytes')
    },
  },
  {
    name: 'accepts a body of exactly the limit, whole or chunked',
    async run(mount) {
      const draft = JSON.stringify(itemDraft('LOGIN', { vault: { id: mount.vault.vaultId } }))
      const body = draft + ' '.repeat(limitBytes - draft.length)
      const whole = await postItem(mount, body, json, lengthOf(body))
      assertEqual(whole.status, 200, 'the status for a whole body')
      const chunks = (body.match(/.{1,50000}/gs) ?? []).map(toChunk).join('')
      const inChunks = await postItem(mount, `${chunks}0\r\n\r\n`, json, chunked)
      assertEqual(inChunks.status, 200, 'the status for a chunked body')
    },
  },
  {
    name: 'returns 415 for another content type, charset or encoding, and reads a body without a type as JSON',
    async run(mount) {
      const body = JSON.stringify(itemDraft('LOGIN', { vault: { id: mount.vault.vaultId } }))
      const statusWith = async (...headers: readonly string[]): Promise<number> =>
        (await postItem(mount, body, lengthOf(body), ...headers)).status
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

function postItem(
  mount: HttpTarget,
  body: string | Uint8Array,
  ...headers: readonly string[]
): Promise<RawResponse> {
  const head = requestHead(mount, 'POST', vaultPath(mount, '/items'), ...headers)
  return rawRequest(mount, head, { body })
}

function lengthOf(body: string | Uint8Array): string {
  return `content-length: ${body.length}`
}

function toChunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`
}
