/** Uses every subpath of the package, in whichever module system it was loaded. */

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { createServer } = require('node:http')

exports.checkSubpaths = async ({
  core,
  fetch: fetchMount,
  http,
  memory,
  node,
  testing,
  tokens,
}) => {
  const caller = core.grant('smoke', '*')
  const service = core.createVaultService({ store: memory.createMemoryStore() })
  const { id: vaultId } = await service.createVault(caller, { name: 'Smoke' })

  const draft = testing.loginDraft(vaultId, { title: 'Before' })
  const { id: itemId } = await service.createItem(caller, { vaultId, item: draft })
  const patch = [{ op: 'replace', path: '/title', value: 'After' }]
  await service.patchItem(caller, { vaultId, itemId, patch })
  const item = await service.getItem(caller, { vaultId, itemId })
  assert.equal(item.title, 'After')
  assert.equal(item.fields[1].value, draft.fields[1].value)

  const authenticate = tokens.createTokenAuthenticator({
    tokens: [{ id: 'smoke', sha256: await tokens.hashToken('secret'), vaults: '*' }],
  })
  await refuses(authenticate('unknown'), core.UnauthorizedError)
  await refuses(service.createItem(caller, { vaultId, item: {} }), core.InvalidInputError)
  await refuses(service.getItem(undefined, { vaultId, itemId }), core.UnauthorizedError)

  const handler = http.createHttpHandler(service, { authenticate: http.bearer(authenticate) })
  const path = `/v1/vaults/${vaultId}/items/${itemId}`
  const answer = fetchMount.createFetchHandler(handler)
  await answers((url, init) => answer(new Request(url, init)), `http://localhost${path}`)

  const server = createServer(node.createNodeListener(handler)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  await answers(fetch, `http://127.0.0.1:${server.address().port}${path}`)
  server.close()
  server.closeAllConnections()
}

/** The very class, not only one that `instanceof` takes for it: the subpaths share one copy of the sources. */
function refuses(promise, errorClass) {
  return assert.rejects(promise, (error) => {
    assert.ok(error instanceof errorClass)
    assert.equal(error.constructor, errorClass)
    return true
  })
}

async function answers(ask, url) {
  const refused = await ask(url)
  assert.equal(refused.status, 401)
  assert.equal((await refused.json()).status, 401)
  const found = await ask(url, { headers: { authorization: 'Bearer secret' } })
  assert.equal((await found.json()).title, 'After')
}
