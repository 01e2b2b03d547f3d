/** Checks of the fetch handler: responses and error statuses. */

import { assert, assertEqual, patternOf, streamOf } from './check.mjs'
import { draftIn, secret } from './subject.mjs'

const absentId = 'a'.repeat(26)

/** Checks with a new subject each. */
export const httpChecks = [
  {
    name: 'creates, reads, changes and deletes an item over HTTP',
    async run({ request, vaultId }) {
      const items = `/vaults/${vaultId}/items`
      const created = await request('POST', items, json(draftIn(vaultId)))
      assertEqual([created.status, created.headers.get('etag')], [200, '"1"'], 'status and ETag')
      const { id } = await created.json()
      const patched = await request('PATCH', `${items}/${id}`, {
        ...json([{ op: 'replace', path: '/title', value: 'Post' }]),
      })
      assertEqual((await patched.json()).title, 'Post', 'the title')
      const replaced = await request('PUT', `${items}/${id}`, json(draftIn(vaultId)))
      assertEqual((await replaced.json()).version, 3, 'the version')
      const deleted = await request('DELETE', `${items}/${id}`)
      assertEqual([deleted.status, await deleted.text()], [204, ''], 'status and body')
      assertEqual((await request('GET', `${items}/${id}`)).status, 404, 'the status afterwards')
    },
  },
  {
    name: 'returns 401 without a valid token',
    async run({ request, vaultId }) {
      const withToken = (token) => request('GET', `/vaults/${vaultId}`, { as: 'unknown', token })
      for (const token of [undefined, 'unknown', '']) {
        const response = await withToken(token)
        assertEqual(response.headers.get('www-authenticate'), 'Bearer', 'the challenge')
        assertEqual(
          await response.json(),
          { status: 401, message: 'Invalid bearer token' },
          'the body',
        )
      }
    },
  },
  {
    name: 'returns the same 403 for a vault that exists and one that does not',
    async run({ request, vaultId }) {
      const getVault = async (as, id) => (await request('GET', `/vaults/${id}`, { as })).json()
      const hidden = (id) => ({ status: 403, message: `vault ${id} is not in scope` })
      assertEqual(await getVault('otherVault', vaultId), hidden(vaultId), 'a vault that exists')
      assertEqual(
        await getVault('otherVault', absentId),
        hidden(absentId),
        'a vault that does not exist',
      )
      const missing = { status: 404, message: `vault ${absentId} not found` }
      assertEqual(await getVault('owner', absentId), missing, 'the response to the owner')
    },
  },
  {
    name: 'returns 404, 405 and 415 for unsupported paths, methods and types',
    async run({ request, vaultId }) {
      assertEqual((await request('GET', '/nothing')).status, 404, 'another path')
      const wrong = await request('DELETE', '/activity')
      assertEqual([wrong.status, wrong.headers.get('allow')], [405, 'GET, HEAD'], 'another method')
      const xml = { ...json({}), headers: { 'content-type': 'application/xml' } }
      assertEqual(
        (await request('POST', `/vaults/${vaultId}/items`, xml)).status,
        415,
        'another type',
      )
    },
  },
  {
    name: 'returns 413 for a body over the limit, whole or streamed',
    async run({ request, vaultId }) {
      const items = `/vaults/${vaultId}/items`
      const large = patternOf(1_048_577)
      const headers = { 'content-type': 'application/json' }
      assertEqual(
        (await request('POST', items, { body: large, headers })).status,
        413,
        'a whole body',
      )
      const body = streamOf(large, [65_536])
      assertEqual(
        (await request('POST', items, { body, headers, duplex: 'half' })).status,
        413,
        'a streamed body',
      )
    },
  },
  {
    name: 'returns 400 for a body that is not JSON in UTF-8',
    async run({ request, vaultId }) {
      const text = JSON.stringify(draftIn(vaultId))
      const latin1 = Uint8Array.from(text.replace('Mail', 'M\xe4il'), (char) => char.charCodeAt(0))
      for (const body of ['', text.slice(1), `${text},`, `\ufeff${text}`, latin1]) {
        const response = await request('POST', `/vaults/${vaultId}/items`, {
          body,
          headers: { 'content-type': 'application/json' },
        })
        assertEqual(response.status, 400, 'the status')
      }
    },
  },
  {
    name: 'returns 400 with the path and without the value',
    async run({ request, vaultId }) {
      const draft = draftIn(vaultId, { urls: [{ href: `javascript:${secret}` }] })
      const response = await request('POST', `/vaults/${vaultId}/items`, json(draft))
      const text = await response.text()
      assertEqual(response.status, 400, 'the status')
      assert(text.includes('urls/0/href') && !text.includes(secret), `the message is ${text}`)
    },
  },
  {
    name: 'returns 412 for a change of an old version',
    async run({ request, vaultId, itemId }) {
      const patch = json([{ op: 'replace', path: '/title', value: 'Post' }])
      const change = () =>
        request('PATCH', `/vaults/${vaultId}/items/${itemId}`, {
          ...patch,
          headers: { ...patch.headers, 'if-match': '"1"' },
        })
      assertEqual([(await change()).status, (await change()).status], [200, 412], 'the statuses')
    },
  },
  {
    name: 'parses a filter in the query, however it is escaped',
    async run({ request, vaultId, itemId }) {
      const filters = ['title%20eq%20%22Mail%22', 'title+eq+%22Mail%22', 'tag eq "home"']
      for (const filter of filters) {
        const response = await request('GET', `/vaults/${vaultId}/items?filter=${filter}`)
        assertEqual(
          (await response.json()).map(({ id }) => id),
          [itemId],
          `the items of ${filter}`,
        )
      }
      const invalid = await request('GET', `/vaults/${vaultId}/items?filter=title`)
      assertEqual(invalid.status, 400, 'the status for an invalid filter')
    },
  },
  {
    name: 'sends its headers and a new request id with every response',
    async run({ request, vaultId }) {
      const ids = new Set()
      for (const as of ['owner', 'otherVault']) {
        const { headers } = await request('GET', `/vaults/${vaultId}`, { as })
        assertEqual(headers.get('cache-control'), 'no-store', 'the header cache-control')
        assertEqual(
          headers.get('x-content-type-options'),
          'nosniff',
          'the header x-content-type-options',
        )
        assertEqual(headers.get('content-type'), 'application/json; charset=utf-8', 'the type')
        ids.add(headers.get('x-request-id'))
      }
      assertEqual(ids.size, 2, 'request ids that differ')
    },
  },
  {
    name: 'returns the headers of GET without the body for HEAD',
    async run({ request, vaultId, itemId }) {
      const item = `/vaults/${vaultId}/items/${itemId}`
      const response = await request('HEAD', item)
      assertEqual([response.status, await response.text()], [200, ''], 'status and body')
      assertEqual(response.headers.get('etag'), '"1"', 'the ETag')
    },
  },
  {
    name: 'pages through the activity log',
    async run({ request, vaultId }) {
      for (let count = 0; count < 3; count++) await request('GET', `/vaults/${vaultId}`)
      const response = await request('GET', '/activity?limit=2&offset=1')
      const range = response.headers.get('content-range')
      assert(/^2-3\/\d+$/.test(range), `the range is ${range}`)
      assertEqual((await response.json()).length, 2, 'entries')
    },
  },
  {
    name: 'returns health and metrics',
    async run({ request, probe, vaultId }) {
      await request('GET', `/vaults/${vaultId}`)
      assertEqual(await (await probe('/heartbeat')).text(), '.', 'the heartbeat')
      assertEqual((await probe('/health')).status, 200, 'the health')
      const metrics = await (await probe('/metrics')).text()
      assert(metrics.includes('getVault'), 'the operation among the metrics')
    },
  },
]

function json(body) {
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}
