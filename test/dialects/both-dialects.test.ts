import { describe, expect, it } from 'vitest'
import type { Field } from '../../src/schema/field.js'
import { createDialectClient, type dialects } from '../support/http/dialect-client.js'

const names: (keyof typeof dialects)[] = ['contract', 'connect']
const unknownId = 'o'.repeat(26)

/** The field as the connect dialect returns it. */
function withLabel(field: Field): object {
  return field.section === undefined ? field : { ...field, section: { id: 'more', label: 'More' } }
}

describe.each(names)('%sDialect over HTTP', (dialect) => {
  it('accepts a returned item with changed managed attributes and unknown attributes', async () => {
    const { send, item, vault } = await createDialectClient(dialect)
    const { json } = await send('GET', item)
    const sent = {
      ...Object(json),
      trashed: true,
      additional_information: 'x',
      createdAt: '0001-01-01T00:00:00Z',
      updatedAt: '0001-01-01T00:00:00Z',
      lastEditedBy: '',
      version: 0,
      files: [],
      fields: vault.item.fields.map((field) => ({ ...field, totp: '123456', otp: '1' })),
    }
    expect((await send('PUT', item, sent)).status).toBe(200)
    const { createdAt, fields, files, version } = vault.item
    expect((await send('GET', item)).json).toStrictEqual({
      ...vault.item,
      ...{ createdAt, files },
      fields: dialect === 'connect' ? fields.map(withLabel) : fields,
      lastEditedBy: 'full',
      version: version + 1,
    })
  })

  it.each(['/vaults/{v}/items/', '/vaults/{v}/items/{i}/', '/vaults/{v}/items/{i}/files/'])(
    'accepts the path %s with a trailing slash and with two leading slashes',
    async (path) => {
      const { send, vault } = await createDialectClient(dialect)
      const filled = path.replace('{v}', vault.vaultId).replace('{i}', vault.item.id)
      const plain = await send('GET', `/v1${filled.slice(0, -1)}`)
      expect(plain.status).toBe(200)
      expect((await send('GET', `/v1${filled}`)).text).toBe(plain.text)
      expect((await send('GET', `//v1${filled}`)).text).toBe(plain.text)
    },
  )

  it('ignores a content type without a body', async () => {
    const { send, item } = await createDialectClient(dialect)
    const options = { headers: { 'content-type': 'application/json' } }
    expect((await send('GET', item, undefined, options)).status).toBe(200)
    expect((await send('DELETE', item, undefined, options)).status).toBe(204)
  })

  it('returns 200 for POST, and 204 without a body for DELETE', async () => {
    const { send, items, item, vault } = await createDialectClient(dialect)
    const body = { category: 'LOGIN', vault: { id: vault.vaultId } }
    expect((await send('POST', items, body)).status).toBe(200)
    const deleted = await send('DELETE', item)
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    expect(deleted.headers.has('content-type')).toBe(false)
    expect((await send('GET', item)).status).toBe(404)
  })

  it('returns 404 for a title of 26 characters instead of an id', async () => {
    const { send, items } = await createDialectClient(dialect)
    expect(await send('GET', `${items}/${unknownId}`)).toMatchObject({
      status: 404,
      json: { status: 404, message: `item ${unknownId} not found` },
    })
  })

  it('returns 400 for a name instead of an id, before permissions are checked', async () => {
    const { send, items } = await createDialectClient(dialect)
    const as = 'otherVault'
    expect(await send('GET', '/v1/vaults/Private', undefined, { as })).toMatchObject({
      status: 400,
      json: { message: 'Invalid Vault UUID' },
    })
    expect(await send('GET', `${items}/My%20Login`, undefined, { as })).toMatchObject({
      status: 400,
      json: { message: 'Invalid Item UUID' },
    })
  })

  it('returns a content_path that follows the base URL', async () => {
    const { send, item } = await createDialectClient(dialect)
    const [file] = Object((await send('GET', `${item}/files`)).json)
    expect(file.content_path).toMatch(/^\/v1\/vaults\//)
    expect((await send('GET', file.content_path)).text).toBe('hello')
  })

  it('lists summaries with vault, times, version and category', async () => {
    const { send, items, vault } = await createDialectClient(dialect)
    const { createdAt, updatedAt, version, category } = vault.item
    const [summary] = Object((await send('GET', items)).json)
    expect(summary).toMatchObject({
      ...{ createdAt, updatedAt, version, category },
      vault: { id: vault.vaultId },
    })
    for (const name of ['fields', 'sections', 'files']) expect(summary).not.toHaveProperty(name)
  })

  it('returns a write in the next read', async () => {
    const { send, items, vault } = await createDialectClient(dialect)
    const body = { category: 'LOGIN', vault: { id: vault.vaultId }, title: 'Fresh' }
    const { json } = await send('POST', items, body)
    const path = `${items}/${Reflect.get(Object(json), 'id')}`
    expect((await send('GET', path)).json).toEqual(json)
    await send('PATCH', path, [{ op: 'replace', path: '/title', value: 'Fresher' }])
    expect((await send('GET', path)).json).toMatchObject({ title: 'Fresher', version: 2 })
  })

  it('returns times in RFC 3339 and UTC', async () => {
    const { send, item } = await createDialectClient(dialect)
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect((await send('GET', item)).json).toMatchObject({ createdAt: time, updatedAt: time })
  })
})

describe('inline content of a file', () => {
  it.each([
    ['contract', 'inline_files', true],
    ['contract', 'inline_content', false],
    ['connect', 'inline_files', true],
    ['connect', 'inline_content', true],
  ] as const)('%sDialect with %s: %s', async (dialect, name, isInlined) => {
    const { send, item, vault } = await createDialectClient(dialect)
    const content = isInlined ? { content: 'aGVsbG8=' } : {}
    const file = `${item}/files/${vault.smallFile.id}`
    expect((await send('GET', `${file}?${name}=true`)).json).toStrictEqual({
      ...vault.smallFile,
      ...content,
    })
    expect((await send('GET', `${file}?${name}=false`)).json).toStrictEqual({ ...vault.smallFile })
  })

  it.each(names)(
    '%sDialect returns 413 for a large file with every accepted name',
    async (dialect) => {
      const { send, item, vault } = await createDialectClient(dialect)
      const path = `${item}/files/${vault.largeFile.id}?inline_files=true`
      expect((await send('GET', path)).status).toBe(413)
      const other = await send('GET', path.replace('inline_files', 'inline_content'))
      expect(other.status).toBe(dialect === 'connect' ? 413 : 200)
    },
  )
})
