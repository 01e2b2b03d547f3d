import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type LoggedRequest, withRequestLog } from '../../../src/command/serve/request-log.js'

const id = 'a'.repeat(26)
const uuid = '01234567-89ab-CDEF-0123-456789abcdef'

describe('withRequestLog', () => {
  it.each([
    [`/v1/vaults/${id}/items/${id}/files/${uuid}/content`, undefined],
    [`/v1/vaults/${id}/items?filter=title+eq+%22s3cret%22`, `/v1/vaults/${id}/items`],
    [`/v1/vaults/${id}/items/${id}/versions/12`, undefined],
    [`/v1/vaults/${id}/items/${id}/fields/s3cret/regenerate`, 's3cret -> *'],
    ['/v1/openapi.json', undefined],
    ['/heartbeat', undefined],
    ['/v1/vaults/', undefined],
    ['//v1/vaults', undefined],
    ['http://s3cret/v1/vaults', '*//*/v1/vaults'],
    ['/s3cret#s3cret', '/*'],
  ])('logs the path of %s', async (url, expected = url) => {
    const path = expected.replace('s3cret -> *', url.replace('s3cret', '*'))
    expect(await logOf(url)).toMatchObject({ method: 'GET', path, status: 204, requestId: 'mine' })
  })

  it('logs only ids, words of routes and * when the URL is anything', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        const { path } = await logOf(`/v1/${text}`)
        expect(path).toMatch(/^\/v1(?:\/(?:[a-z-]*|\*|[\da-z]{26}|\d+|openapi\.json))*$/)
      }),
    )
  })
})

async function logOf(url: string): Promise<LoggedRequest> {
  const logged: LoggedRequest[] = []
  const headers = { 'x-request-id': 'mine' }
  const handler = withRequestLog(
    async () => ({ status: 204, headers, body: null }),
    (request) => logged.push(request),
  )
  await handler({ method: 'GET', url, header: () => undefined, body: null })
  return logged[0] as LoggedRequest
}
