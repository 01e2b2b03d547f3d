import { describe, expect, it } from 'vitest'
import { connectDialect } from '../../src/dialects/connect.js'
import { openApiText } from '../../tools/openapi/documents.js'
import { streamOf, utf8 } from '../support/bytes.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { createRequest, itemUrl, vaultUrl } from '../support/http/requests.js'

const contract = JSON.parse(openApiText('openapi-extensions.json'))
const connect = JSON.parse(openApiText('openapi-connect-extensions.json'))
const schemas = { contract: contract.components.schemas, connect: connect.components.schemas }

describe('inConnectDialect', () => {
  it('describes the bodies that only this dialect accepts', async () => {
    expect(schemas.contract.ItemDraft.required).toEqual(['category', 'vault'])
    expect(schemas.connect.ItemDraft.required).toEqual(['category'])
    expect(schemas.contract.FieldDraft.required).toEqual(['id'])
    expect(schemas.connect.FieldDraft).not.toHaveProperty('required')
    const { type } = schemas.connect.FieldDraft.properties
    expect('PHONE').toMatch(new RegExp(type.pattern))
    expect(type).not.toHaveProperty('enum')

    const body = JSON.stringify({
      category: 'LOGIN',
      urls: [{ href: 'example.com' }],
      fields: [{ value: 'a' }, { type: 'PHONE', value: '1' }],
    })
    for (const [dialect, status] of [
      [connectDialect, 200],
      [undefined, 400],
    ] as const) {
      const vault = await createTestVault(dialect && { dialect })
      const request = createRequest(vault, 'POST', vaultUrl(vault, '/items'))
      const response = await vault.handler({ ...request, body: streamOf([utf8(body)]) })
      expect(response.status).toBe(status)
    }
  })

  it('describes the responses that only this dialect sends', () => {
    const { totp, section } = schemas.connect.Field.properties
    expect([totp.type, section.properties.label.type]).toEqual(['string', 'string'])
    expect(schemas.contract.Field.properties).not.toHaveProperty('totp')
    const ofHealth = (document: typeof connect, status: string) =>
      document.paths['/health'].get.responses[status].content['application/json'].schema.required
    for (const status of ['200', '503']) {
      expect(ofHealth(connect, status)).toContain('version')
      expect(ofHealth(contract, status)).not.toContain('version')
    }
  })

  it('describes inline_content beside inline_files', async () => {
    const path = '/v1/vaults/{vaultId}/items/{itemId}/files'
    const names = (document: typeof connect) =>
      document.paths[path].get.parameters.map(({ name }: { name?: string }) => name)
    expect(names(connect)).toContain('inline_content')
    expect(names(contract)).not.toContain('inline_content')
    const vault = await createTestVault({ dialect: connectDialect })
    const url = itemUrl(vault, '/files?inline_content=true')
    const { body } = await vault.handler(createRequest(vault, 'GET', url))
    expect(JSON.parse(String(body))[0]).toHaveProperty('content')
  })

  it('changes nothing else', () => {
    expect(Object.keys(connect.paths)).toEqual(Object.keys(contract.paths))
    const same = Object.keys(schemas.contract).filter(
      (name) => !['Field', 'FieldDraft', 'ItemDraft'].includes(name),
    )
    for (const name of same) expect(schemas.connect[name]).toEqual(schemas.contract[name])
  })
})
