/** That the fetch handler answers requests as the contract says, and every wrong one with its status. */

import { holds, patternOf, same, streamOf } from './check.mjs'
import { draftIn, secret } from './subject.mjs'

const nowhere = 'a'.repeat(26)

/** Checks of a subject that is made for each. */
export const httpChecks = [
  {
    name: 'creates, reads, changes and deletes an item over HTTP',
    async run({ ask, vaultId }) {
      const items = `/vaults/${vaultId}/items`
      const created = await ask('POST', items, json(draftIn(vaultId)))
      same([created.status, created.headers.get('etag')], [200, '"1"'], 'status and ETag')
      const { id } = await created.json()
      const patched = await ask('PATCH', `${items}/${id}`, {
        ...json([{ op: 'replace', path: '/title', value: 'Post' }]),
      })
      same((await patched.json()).title, 'Post', 'the title')
      const replaced = await ask('PUT', `${items}/${id}`, json(draftIn(vaultId)))
      same((await replaced.json()).version, 3, 'the version')
      const deleted = await ask('DELETE', `${items}/${id}`)
      same([deleted.status, await deleted.text()], [204, ''], 'status and body')
      same((await ask('GET', `${items}/${id}`)).status, 404, 'the status afterwards')
    },
  },
  {
    name: 'answers 401 without a token it knows',
    async run({ ask, vaultId }) {
      const withToken = (token) => ask('GET', `/vaults/${vaultId}`, { as: 'nobody', token })
      for (const token of [undefined, 'unknown', '']) {
        const answer = await withToken(token)
        same(answer.headers.get('www-authenticate'), 'Bearer', 'the challenge')
        same(await answer.json(), { status: 401, message: 'Invalid bearer token' }, 'the body')
      }
    },
  },
  {
    name: 'answers 403 and 404 in the same words whoever asks',
    async run({ ask, vaultId }) {
      const answerTo = async (as, id) => (await ask('GET', `/vaults/${id}`, { as })).json()
      const hidden = (id) => ({ status: 403, message: `vault ${id} is not in scope` })
      same(await answerTo('otherVault', vaultId), hidden(vaultId), 'a vault that is there')
      same(await answerTo('otherVault', nowhere), hidden(nowhere), 'a vault that is not')
      const missing = { status: 404, message: `vault ${nowhere} not found` }
      same(await answerTo('owner', nowhere), missing, 'what the owner reads')
    },
  },
  {
    name: 'answers 404, 405 and 415 to requests that are none of its own',
    async run({ ask, vaultId }) {
      same((await ask('GET', '/nothing')).status, 404, 'another path')
      const wrong = await ask('DELETE', '/activity')
      same([wrong.status, wrong.headers.get('allow')], [405, 'GET, HEAD'], 'another method')
      const xml = { ...json({}), headers: { 'content-type': 'application/xml' } }
      same((await ask('POST', `/vaults/${vaultId}/items`, xml)).status, 415, 'another type')
    },
  },
  {
    name: 'answers 413 to a body over its limit, however it comes',
    async run({ ask, vaultId }) {
      const items = `/vaults/${vaultId}/items`
      const large = patternOf(1_048_577)
      const headers = { 'content-type': 'application/json' }
      same((await ask('POST', items, { body: large, headers })).status, 413, 'in one piece')
      const body = streamOf(large, [65_536])
      same((await ask('POST', items, { body, headers, duplex: 'half' })).status, 413, 'in many')
    },
  },
  {
    name: 'answers 400 to a body that is not JSON in UTF-8',
    async run({ ask, vaultId }) {
      const text = JSON.stringify(draftIn(vaultId))
      const latin1 = Uint8Array.from(text.replace('Mail', 'M\xe4il'), (char) => char.charCodeAt(0))
      for (const body of ['', text.slice(1), `${text},`, `\ufeff${text}`, latin1]) {
        const answer = await ask('POST', `/vaults/${vaultId}/items`, {
          body,
          headers: { 'content-type': 'application/json' },
        })
        same(answer.status, 400, 'the status')
      }
    },
  },
  {
    name: 'answers 400 with the place and without the value',
    async run({ ask, vaultId }) {
      const draft = draftIn(vaultId, { urls: [{ href: `javascript:${secret}` }] })
      const answer = await ask('POST', `/vaults/${vaultId}/items`, json(draft))
      const text = await answer.text()
      same(answer.status, 400, 'the status')
      holds(text.includes('urls/0/href') && !text.includes(secret), `the message is ${text}`)
    },
  },
  {
    name: 'answers 412 to a change of a version that is gone',
    async run({ ask, vaultId, itemId }) {
      const patch = json([{ op: 'replace', path: '/title', value: 'Post' }])
      const change = () =>
        ask('PATCH', `/vaults/${vaultId}/items/${itemId}`, {
          ...patch,
          headers: { ...patch.headers, 'if-match': '"1"' },
        })
      same([(await change()).status, (await change()).status], [200, 412], 'the statuses')
    },
  },
  {
    name: 'reads a filter out of a query, however it is escaped',
    async run({ ask, vaultId, itemId }) {
      const filters = ['title%20eq%20%22Mail%22', 'title+eq+%22Mail%22', 'tag eq "home"']
      for (const filter of filters) {
        const answer = await ask('GET', `/vaults/${vaultId}/items?filter=${filter}`)
        same(
          (await answer.json()).map(({ id }) => id),
          [itemId],
          `the items of ${filter}`,
        )
      }
      const unreadable = await ask('GET', `/vaults/${vaultId}/items?filter=title`)
      same(unreadable.status, 400, 'the status of one that is none')
    },
  },
  {
    name: 'sends its headers with every answer, and a request id of its own',
    async run({ ask, vaultId }) {
      const ids = new Set()
      for (const as of ['owner', 'otherVault']) {
        const { headers } = await ask('GET', `/vaults/${vaultId}`, { as })
        same(headers.get('cache-control'), 'no-store', 'the header against caches')
        same(headers.get('x-content-type-options'), 'nosniff', 'the header against guesses')
        same(headers.get('content-type'), 'application/json; charset=utf-8', 'the type')
        ids.add(headers.get('x-request-id'))
      }
      same(ids.size, 2, 'request ids that differ')
    },
  },
  {
    name: 'answers HEAD as GET, without the body',
    async run({ ask, vaultId, itemId }) {
      const item = `/vaults/${vaultId}/items/${itemId}`
      const answer = await ask('HEAD', item)
      same([answer.status, await answer.text()], [200, ''], 'status and body')
      same(answer.headers.get('etag'), '"1"', 'the ETag')
    },
  },
  {
    name: 'pages through the activity log',
    async run({ ask, vaultId }) {
      for (let count = 0; count < 3; count++) await ask('GET', `/vaults/${vaultId}`)
      const answer = await ask('GET', '/activity?limit=2&offset=1')
      const range = answer.headers.get('content-range')
      holds(/^2-3\/\d+$/.test(range), `the range is ${range}`)
      same((await answer.json()).length, 2, 'entries')
    },
  },
  {
    name: 'says that it is well, and counts what it answered',
    async run({ ask, probe, vaultId }) {
      await ask('GET', `/vaults/${vaultId}`)
      same(await (await probe('/heartbeat')).text(), '.', 'the heartbeat')
      same((await probe('/health')).status, 200, 'the health')
      const metrics = await (await probe('/metrics')).text()
      holds(metrics.includes('getVault'), 'the operation among the metrics')
    },
  },
]

function json(body) {
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
}
