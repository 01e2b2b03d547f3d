import { describe, expect, it } from 'vitest'
import { openApiText } from '../../tools/openapi/documents.js'
import { createHttpHandler, createTestVault } from '../support/http/checked-handlers.js'

describe('createHttpHandler GET /v1/openapi.json', () => {
  const openApiDocument = JSON.parse(openApiText('openapi.json'))

  async function get(url: string, options: Partial<Parameters<typeof createHttpHandler>[1]>) {
    const { service } = await createTestVault()
    const authenticate = (): never => {
      throw new Error('authenticate must not be called')
    }
    const handler = createHttpHandler(service, { authenticate, ...options })
    return handler({ method: 'GET', url, header: () => undefined, body: null })
  }

  it('returns the document of the options without a token', async () => {
    const { status, headers, body } = await get('/v1/openapi.json', { openApiDocument })
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(JSON.parse(String(body))).toEqual(openApiDocument)
  })

  it('is found only under the base path', async () => {
    const options = { openApiDocument, basePath: '/secrets' }
    expect((await get('/secrets/v1/openapi.json', options)).status).toBe(200)
    expect((await get('/v1/openapi.json', options)).status).toBe(404)
  })

  it('is not found without the option openApiDocument', async () => {
    expect((await get('/v1/openapi.json', {})).status).toBe(404)
  })
})
