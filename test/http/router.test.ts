import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HttpError } from '../../src/errors.js'
import { createRouter } from '../../src/http/router.js'
import { probes, routes } from '../../src/http/routes.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'

const id = 'a'.repeat(26)
const item = `/v1/vaults/${id}/items/${id}`

/** What is found, or the status and the methods that are allowed. */
function found(method: string, url: string, basePath = '', extensions = false): unknown {
  try {
    const { route, query } = createRouter(basePath, extensions).match(method, url)
    return ['probe' in route ? route.probe : route.operation, query]
  } catch (error) {
    return error instanceof HttpError ? [error.status, error.headers] : error
  }
}

describe('createRouteTable', () => {
  it.each(routes)('finds $operation by its own method and path', ({ operation, method, path }) => {
    const match = createRouter('', true).match(method, path.replaceAll(/[{}]/g, ''))
    expect(match.route).toHaveProperty('operation', operation)
    expect(match.parameters).toEqual(
      Object.fromEntries([...path.matchAll(/{(\w+)}/g)].map(([, name = '']) => [name, name])),
    )
  })

  it.each(routes.filter(({ extension }) => extension))(
    'has no $operation unless it is asked to go beyond the published service',
    ({ method, path }) => {
      expect([404, 405]).toContainEqual((found(method, path) as unknown[])[0])
      expect([404, 405]).not.toContainEqual((found(method, path, '', true) as unknown[])[0])
    },
  )

  it.each(probes)('finds $probe beside /v1, and under a base path', ({ probe, path }) => {
    expect(found('GET', path)).toEqual([probe, ''])
    expect(found('GET', `/api${path}/`, '/api')).toEqual([probe, ''])
    expect(found('POST', path)).toEqual([405, { allow: 'GET, HEAD' }])
  })

  it.each([
    [item, ['getItem', '']],
    [`${item}/`, ['getItem', '']],
    [`/${item}`, ['getItem', '']],
    [`${item}?`, ['getItem', '']],
    [`${item}?a=/b?c#d`, ['getItem', 'a=/b?c#d']],
    [`${item}#fragment?a`, ['getItem', '']],
    [`http://elsewhere:8080${item}?a`, ['getItem', 'a']],
    [`HTTPS://user@elsewhere${item}`, ['getItem', '']],
    [`${item}/files/..`, ['getFileDetails', '']],
    ['', [404, {}]],
    ['*', [404, {}]],
    ['/', [404, {}]],
    ['//', [404, {}]],
    ['///', [404, {}]],
    ['//evil/v1', [404, {}]],
    [`http://elsewhere`, [404, {}]],
    [`http:/${item}`, [404, {}]],
    [`ftp://elsewhere${item}`, [404, {}]],
    [`elsewhere:443`, [404, {}]],
    [`//${item}`, [404, {}]],
    [`${item}//`, [404, {}]],
    [item.slice(1), [404, {}]],
    [`${item}/files/`, ['listFiles', '']],
    ['/v1/vaults/', ['listVaults', '']],
    ['/v1/heartbeat', [404, {}]],
    ['/v1/vaults//items', [404, {}]],
    [item.replace('/', '\\'), [404, {}]],
    [item.replace('v1', 'V1'), [404, {}]],
    [item.replace('vaults', '%76aults'), [404, {}]],
    [`${item}/files/x/content/y`, [404, {}]],
  ])('answers GET %s', (url, answer) => {
    expect(found('GET', url)).toEqual(answer)
  })

  it.each([
    ['PUT', `/v1/vaults/${id}/items`, 'GET, HEAD, POST'],
    ['OPTIONS', `/v1/vaults/${id}`, 'GET, HEAD'],
    ['TRACE', item, 'GET, HEAD, PUT, PATCH, DELETE'],
    ['get', `${item}/files/x`, 'GET, HEAD'],
    ['__proto__', `${item}/files/x/content`, 'GET, HEAD'],
  ])('says for %s %s that %s are allowed', (method, url, allow) => {
    expect(found(method, url)).toEqual([405, { allow }])
  })

  it('takes HEAD for GET, and for nothing where there is no GET', () => {
    expect(found('HEAD', item)).toEqual(['getItem', ''])
    expect(found('HEAD', `/v1/vaults/${id}/get-items`, '', true)).toEqual([405, { allow: 'POST' }])
    expect(found('HEAD', `${item}/versions/1/restore`, '', true)).toEqual([405, { allow: 'POST' }])
  })

  it.each([
    ['/v1/vaults', 'GET, HEAD, POST'],
    [`/v1/vaults/${id}`, 'GET, HEAD, PATCH, DELETE'],
    [`${item}/files`, 'GET, HEAD, POST'],
    [`${item}/files/x`, 'GET, HEAD, DELETE'],
    [`${item}/state`, 'PUT'],
    [`${item}/versions/1`, 'GET, HEAD'],
  ])('says for %s what is allowed beyond the published service too', (url, allow) => {
    expect(found('OPTIONS', url, '', true)).toEqual([405, { allow }])
  })

  it('tells the item’s own places from a file or a version of that name', () => {
    const at = (rest: string) => (found('GET', `${item}${rest}`, '', true) as unknown[])[0]
    expect(at('/files/versions')).toBe('getFileDetails')
    expect(at('/files/state/content')).toBe('readFileContent')
    expect(at('/versions/files')).toBe('getVersion')
    expect([at('/versions/1/content'), at('/files/x/restore')]).toEqual([404, 404])
  })

  it.each([
    ['/api', `/api${item}`, 'getItem'],
    ['/api', `/api/${item}`, 'getItem'],
    ['/a/b', `/a/b${item}/`, 'getItem'],
    ['/api', item, 404],
    ['/api', `/apis${item}`, 404],
    ['/api', `/api`, 404],
    ['/api', `/API${item}`, 404],
    ['/api', `/api/api${item}`, 404],
    ['/api', `/x/../api${item}`, 404],
  ])('under %s, answers %s with %s', (basePath, url, answer) => {
    expect(found('GET', url, basePath)).toHaveProperty('0', answer)
  })

  it('finds nothing but a route or a 404 or 405 for any target, and hands on its parts as they are', () => {
    const part = fc.oneof(
      fc.constantFrom('v1', 'vaults', 'items', 'files', 'content', id, '.', '..', '%2f', '\\', ''),
      fc.string({ maxLength: 5 }),
    )
    const table = createRouter('', true)
    fc.assert(
      fc.property(fc.array(part, { maxLength: 10 }), (parts) => {
        const url = `/${parts.join('/')}`
        try {
          const { parameters } = table.match('GET', url)
          for (const value of Object.values(parameters)) {
            expect(url).toContain(`/${value}`)
            expect(value).toMatch(/^[^/?#]+$/)
          }
        } catch (error) {
          expect([404, 405]).toContain((error as HttpError).status)
        }
      }),
      { numRuns: propertyRuns() },
    )
  })
})

describe('routes', () => {
  it('names each method and path once', () => {
    const places = [...routes, ...probes].map(({ method, path }) => `${method} ${path}`)
    expect(new Set(places).size).toBe(places.length)
  })

  it('offers every operation once, but for those that have no route', async () => {
    const { describedOperations: operations } = await import('../../src/http/openapi/operations.js')
    const offered = routes.map(({ operation }) => operation)
    expect(Object.keys(operations).filter((name) => !offered.includes(name as 'getItem'))).toEqual([
      'collectGarbage',
    ])
    expect(new Set(offered).size).toBe(offered.length)
  })

  it.each(routes)(
    'hands $operation only what it takes',
    async ({ operation, path, body, query, conditional }) => {
      const { describedOperations: operations } = await import(
        '../../src/http/openapi/operations.js'
      )
      const taken = Object.keys(operations[operation].input.shape)
      const given = [
        ...[...path.matchAll(/{(\w+)}/g)].map(([, name]) => name),
        ...(body === undefined ? [] : [body].flat()),
        ...Object.values(query ?? {}).map(({ member }) => member),
        ...(conditional ? ['ifVersion'] : []),
      ]
      expect(given.toSorted()).toEqual(taken.toSorted())
    },
  )
})
