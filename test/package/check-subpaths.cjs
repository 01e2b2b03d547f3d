/** Uses every subpath of the package, loaded by either module system. */

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { mkdtempSync, rmSync } = require('node:fs')
const { createServer } = require('node:http')
const { tmpdir } = require('node:os')
const { join } = require('node:path')

const subpaths = Object.keys(require('cofferkit/package.json').exports)

/** The names of all files of JSON, such as `openapi.json`. */
exports.jsonNames = subpaths
  .filter((subpath) => subpath.endsWith('.json'))
  .map((subpath) => subpath.slice('./'.length))

/** The names of all other subpaths; `index` for the package itself. */
exports.subpathNames = subpaths
  .filter((subpath) => !subpath.endsWith('.json'))
  .map((subpath) => (subpath === '.' ? 'index' : subpath.slice('./'.length)))

/**
 * Runs the checks on all subpaths, each by its name. @throws AssertionError if one of them is not
 * used here.
 */
exports.checkSubpaths = async ({
  activity,
  compose,
  connect,
  credentials,
  encrypted,
  etcd,
  express,
  fastify,
  fetch: fetchMount,
  hono,
  http,
  import: imports,
  index: core,
  jwt,
  koa,
  libsql,
  memory,
  multipart,
  mysql,
  node,
  oauth,
  page,
  postgres,
  references,
  rules,
  s3,
  sqlite,
  ssh,
  testing,
  'testing/hostile': { hostileRequests },
  tokens,
  use,
  ...others
}) => {
  assert.deepEqual(Object.keys(others), [])
  checkClasses(core)
  await checkOptional({ core, memory, references, ssh })

  const caller = core.createCaller('smoke', '*')
  const keys = encrypted.createLocalKeyProvider({ key: crypto.getRandomValues(new Uint8Array(32)) })
  const store = encrypted.createEncryptedStore(memory.createMemoryStore(), { keys })
  const log = activity.createMemoryActivityLog()
  const service = core.createVaultService({ store, activity: log })
  const { id: vaultId } = await service.createVault(caller, { name: 'Smoke' })

  const draft = testing.loginDraft(vaultId, { title: 'Before' })
  const { id: itemId } = await service.createItem(caller, { vaultId, item: draft })
  await checkFiles({ core, service, caller, vaultId, draft })
  const patch = [{ op: 'replace', path: '/title', value: 'After' }]
  await service.patchItem(caller, { vaultId, itemId, patch })
  const item = await service.getItem(caller, { vaultId, itemId })
  assert.equal(item.title, 'After')
  assert.equal(item.fields[1].value, draft.fields[1].value)
  const { entries } = await service.listActivity(caller, {})
  const calls = ['readFileContent', 'attachFile', 'createItem', 'createItem']
  assert.deepEqual(
    entries.map(({ operation }) => operation),
    ['getItem', 'patchItem', ...calls, 'createItem', 'createVault'],
  )

  const authenticate = tokens.createTokenAuthenticator({
    tokens: [{ id: 'smoke', sha256: await tokens.hashToken('secret'), vaults: '*' }],
  })
  await assertRejects(authenticate('unknown'), core.UnauthorizedError)
  await assertRejects(service.createItem(caller, { vaultId, item: {} }), core.InvalidInputError)
  await assertRejects(service.getItem(undefined, { vaultId, itemId }), core.UnauthorizedError)

  const handler = http.createHttpHandler(service, {
    authenticate: http.bearerAuth(authenticate),
    extensions: true,
    multipart: multipart.multipartUploads(),
  })
  const path = `/v1/vaults/${vaultId}/items/${itemId}`
  const fetchVault = fetchMount.createFetchHandler(handler)
  await assertResponses(
    (url, init) => fetchVault(new Request(url, init)),
    `http://localhost${path}`,
  )

  const fetchPage = fetchMount.createFetchHandler(page.createPage(handler))
  const shown = await fetchPage(new Request('http://localhost/ui'))
  assert.match(await shown.text(), /data-extensions="true"/)

  const form = new FormData()
  form.append('file', new Blob(['hello']), 'hello.txt')
  const headers = { authorization: 'Bearer secret' }
  const upload = { method: 'POST', headers, body: form }
  const uploaded = await fetchVault(new Request(`http://localhost${path}/files`, upload))
  assert.deepEqual([uploaded.status, (await uploaded.json()).size], [200, 5])

  const server = createServer(node.createNodeListener(handler)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  await assertResponses(fetch, `http://127.0.0.1:${server.address().port}${path}`)
  server.close()
  server.closeAllConnections()

  for (const make of Object.values({ ...express, ...fastify, ...hono, ...koa }))
    assert.equal(typeof make(handler), 'function')
  await checkCredentials({ core, credentials, memory })
  await checkUse({ core, memory, oauth, use })
  await checkConnectDialect({ connect, core, fetchMount, http, memory })
  await checkSignedTokens({ core, jwt })
  await checkStoresOnDisk({ core, etcd, mysql, postgres, sqlite })
  await checkRemoteStores({ compose, core, libsql, s3 })
  await checkImports({ core, imports, memory })
  checkRules({ core, rules, testing })
  await checkTesting({ hostileRequests, node, testing })
}

/** Each error has the name of its class, which is also that of its constructor. */
function checkClasses(core) {
  const { name, constructor } = new core.NotFoundError('item', '1')
  assert.deepEqual([name, constructor.name], ['NotFoundError', 'NotFoundError'])
  const classes = Object.entries(core).filter(([className]) => /^[A-Z]\w+Error$/.test(className))
  for (const [className, errorClass] of classes) {
    assert.equal(errorClass.name, className)
    assert.equal(errorClass.prototype.constructor, errorClass)
  }
  assert.ok(classes.length >= Object.keys(core.errorStatuses).length)
}

/** A draft's contents of files are checked and not stored; a file is attached, and encrypted. */
async function checkFiles({ core, service, caller, vaultId, draft }) {
  const createWith = (content) => {
    const files = [{ name: 'hello.txt', content }]
    return service.createItem(caller, { vaultId, item: { ...draft, files } })
  }
  await assertRejects(createWith('not base64!'), core.InvalidInputError)
  const { id: itemId, files } = await createWith('aGVsbG8=')
  assert.deepEqual(files, [])
  const bytes = new TextEncoder().encode('hello')
  const file = { vaultId, itemId, name: 'hello.txt', content: bytes }
  const { id: fileId } = await service.attachFile(caller, file)
  const { content } = await service.readFileContent(caller, { vaultId, itemId, fileId })
  assert.equal(await new Response(content).text(), 'hello')
}

/** The token of a grant is saved, masked, and used for no origin that is not of its item. */
async function checkUse({ core, memory, oauth, use }) {
  const store = memory.createMemoryStore()
  const service = core.createVaultService({ store })
  const caller = core.createCaller('wendy', '*')
  const { id } = await service.createVault(caller, { name: 'Tokens' })
  const refresh = async () => false
  const keeper = oauth.createTokenKeeper(service, { leases: store.records, caller, refresh })
  const ref = await keeper.save(id, { name: 'mail', accessToken: 'token-0123456789' })
  const token = await keeper.accessToken(caller, ref)
  assert.equal(use.createRedactor([token]).text(`<${token}>`), '<[secret]>')
  const secretFetch = use.createSecretFetch(service, caller)
  const reference = `op://${id}/${ref.itemId}/credential`
  const headers = { authorization: `Bearer {{ ${reference} }}` }
  await assert.rejects(secretFetch('https://api.example.com', { headers }), { status: 403 })
}

/** A key is saved and verified, and the view of it does not contain it. */
async function checkCredentials({ core, credentials, memory }) {
  const service = core.createVaultService({ store: memory.createMemoryStore() })
  const caller = core.createCaller('smoke', '*')
  const { id: vaultId } = await service.createVault(caller, { name: 'Smoke' })
  const verify = async ({ key }) => key !== 'revoked'
  const { of } = credentials.createCredentials(service, {
    stripe: { fields: { key: { secret: true } }, verify },
  })
  const own = of(caller, vaultId)
  const view = await own.save('stripe', { key: 'secret' })
  assert.deepEqual([view.status, view.fields], ['ok', { key: { isSet: true } }])
  await assertRejects(own.save('stripe', { key: 'revoked' }), core.CredentialRejectedError)
  assert.equal(await own.reveal('stripe', 'key'), 'secret')
}

/** The connect dialect fills in what published clients omit, and returns one-time codes. */
async function checkConnectDialect({ connect, core, fetchMount, http, memory }) {
  const store = memory.createMemoryStore()
  const service = core.createVaultService({ store, dialect: connect.connectDialect })
  const caller = core.createCaller('smoke', '*')
  const { id: vaultId } = await service.createVault(caller, { name: 'Smoke' })
  const handler = http.createHttpHandler(service, { authenticate: () => caller })
  const value = 'otpauth://totp/a?secret=JBSWY3DPEHPK3PXP'
  const body = JSON.stringify({ category: 'login', fields: [{ type: 'otp', value }] })
  const url = `http://localhost/v1/vaults/${vaultId}/items`
  const response = await fetchMount.createFetchHandler(handler)(
    new Request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    }),
  )
  assert.equal(response.headers.get('1password-connect-version') >= '1.3.0', true)
  assert.match((await response.json()).fields[0].totp, /^\d{6}$/)
}

/** Reads an export and imports it. */
async function checkImports({ core, imports, memory }) {
  const service = core.createVaultService({ store: memory.createMemoryStore() })
  const caller = core.createCaller('smoke', '*')
  const { id: vaultId } = await service.createVault(caller, { name: 'Smoke' })
  const csv = 'name,url,username,password\nSmoke,https://example.com,smoke,secret\n'
  const result = imports.readExport(new TextEncoder().encode(csv))
  const report = await imports.importItems(service, caller, { vaultId, ...result })
  assert.deepEqual([result.format, report.created, report.losses], ['chrome', 1, []])
  // The code that unpacks archives is part of the package.
  assert.throws(() => imports.readOnePux(new Uint8Array(100)), core.InvalidInputError)
}

async function checkSignedTokens({ core, jwt }) {
  const { privateKey, publicKey } = await jwt.createSigningKey()
  const options = { issuer: 'smoke', audience: 'vault' }
  const claims = { subject: 'wendy', vaults: {}, lifetimeSeconds: 60 }
  const { token, jti } = await jwt.issueToken({ ...options, ...claims, privateKey })
  const authenticate = jwt.createJwtAuthenticator({ ...options, keys: [publicKey] })
  assert.equal((await authenticate(token)).tokenId, jti)
  await assertRejects(authenticate(`${token}x`), core.UnauthorizedError)
}

/** Without `node:sqlite` (Node 20) and without a database server, the stores reject. */
async function checkStoresOnDisk({ core, etcd, mysql, postgres, sqlite }) {
  const key = { collection: 'vaults', id: 'one' }
  const fail = () => Promise.reject(new Error('no server'))
  const unreachable = { query: fail, execute: fail }
  await assertRejects(mysql.createMysqlStore(unreachable).records.get(key), core.StorageError)
  await assertRejects(postgres.createPostgresStore(unreachable).records.get(key), core.StorageError)
  const { records } = etcd.createEtcdStore({ endpoints: ['http://127.0.0.1:1'] })
  await assertRejects(records.get(key), core.StorageUnavailableError)
  const folder = mkdtempSync(join(tmpdir(), 'cofferkit-smoke-'))
  try {
    const opening = sqlite.openSqliteStore(join(folder, 'vault.db'))
    if (!process.getBuiltinModule('node:sqlite'))
      return await assertRejects(opening, core.StorageError)
    const { records, close } = await opening
    assert.equal(await records.put(key, { body: Uint8Array.of(1) }, 0), true)
    assert.deepEqual([...(await records.get(key)).body], [1])
    await close()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Out of reach of a server, both halves of a store reject. */
async function checkRemoteStores({ compose, core, libsql, s3 }) {
  const unreachable = () => Promise.reject(new TypeError('fetch failed'))
  const { records, blobs } = compose.composeStore({
    records: libsql.createLibsqlStore({ execute: unreachable, batch: unreachable }),
    blobs: s3.createS3BlobStore({ fetch: unreachable }, { url: 'https://vault.example.com' }),
  })
  const key = { collection: 'vaults', id: 'one' }
  await assertRejects(records.get(key), core.StorageUnavailableError)
  await assertRejects(blobs.read('one'), core.StorageUnavailableError)
}

/** Requires the exact class, so that all subpaths share one copy of the sources. */
function assertRejects(promise, errorClass) {
  return assert.rejects(promise, (error) => {
    assert.ok(error instanceof errorClass)
    assert.equal(error.constructor, errorClass)
    return true
  })
}

async function assertResponses(request, url) {
  const response = await request(url)
  assert.equal(response.status, 401)
  assert.equal((await response.json()).status, 401)
  const found = await request(url, { headers: { authorization: 'Bearer secret' } })
  assert.equal((await found.json()).title, 'After')
}

/** Stores a key pair, finds it by a filter, and resolves a reference to it. */
async function checkOptional({ core, memory, references, ssh }) {
  const store = memory.createMemoryStore()
  const service = core.createVaultService({ store })
  const caller = core.createCaller('wendy', '*')
  const { id: vaultId } = await service.createVault(caller, { name: 'Keys' })
  const pair = await ssh.createSshKeyPair()
  const item = { category: 'SSH_KEY', title: 'Deploy', fields: ssh.sshKeyFields(pair) }
  await service.createItem(caller, { vaultId, item })
  const filter = 'category eq "SSH_KEY"'
  assert.equal((await service.listItems(caller, { vaultId, filter })).length, 1)
  const { resolve } = references.createReferenceResolver(service, caller)
  assert.equal(await resolve('op://Keys/Deploy/public_key'), pair.publicKey)
}

/** An item is created and changed without a vault, and an invalid draft rejected. */
function checkRules({ core, rules, testing }) {
  const { create, patch } = rules.createItemRules()
  const item = create(testing.loginDraft('1'.repeat(26)))
  const after = patch(item, [{ op: 'replace', path: '/title', value: 'After' }])
  assert.deepEqual([after.title, after.version], ['After', 2])
  assert.throws(() => create({}), core.InvalidInputError)
}

/** Kills and resets a vault, reaches it with and without a socket, and runs a hostile request. */
async function checkTesting({ hostileRequests, node, testing }) {
  const vault = await testing.createTestVault()
  const server = await vault.listen()
  const headers = { authorization: `Bearer ${vault.tokens.full}` }
  for (const request of [vault.fetch, fetch])
    assert.equal((await request(`${server.origin}/v1/vaults`, { headers })).status, 200)
  await server.close()
  assert.equal(await vault.crash(), false)
  await vault.reset()
  assert.equal((await vault.fork()).item.id, vault.item.id)
  const { toBeVaultError } = testing.vaultMatchers
  assert.ok(toBeVaultError(await vault.fetch('/v1/vaults'), 401).pass)
  await hostileRequests[0].run({
    async serve(handler, work) {
      const server = createServer(node.createNodeListener(handler)).listen(0, '127.0.0.1')
      await once(server, 'listening')
      await work(`http://127.0.0.1:${server.address().port}`)
      server.close()
      server.closeAllConnections()
    },
  })
}
