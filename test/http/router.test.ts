import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRouter, formatAllow } from '../../src/http/router.js'
import { type ProbeRoute, probes, type Route, routes } from '../../src/http/routes.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'

const id = 'a'.repeat(26)
const item = `/v1/vaults/${id}/items/${id}`

/** Returns a router for the API. */
function createApiRouter(basePath: string, extensions: boolean) {
  const visible = routes.filter(({ extension }) => extensions || extension !== true)
  return createRouter<Route | ProbeRoute>(basePath, [...visible, ...probes])
}

/** Returns the name of the matching route and the query, or the status and headers of the error. */
function match(method: string, url: string, basePath = '', extensions = false): unknown {
  const found = createApiRouter(basePath, extensions).match(method, url)
  if (found === undefined) return [404, {}]
  const { route, query } = found
  if (route === undefined) return [405, { allow: formatAllow(found.routes) }]
  return ['probe' in route ? route.probe : route.operation, query]
}

describe('createRouter', () => {
  it.each(routes)('matches $operation by its method and path', ({ operation, method, path }) => {
    const matched = createApiRouter('', true).match(method, path.replaceAll(/[{}]/g, ''))
    expect(matched?.route).toHaveProperty('operation', operation)
    expect(matched?.parameters).toEqual(
      Object.fromEntries([...path.matchAll(/{(\w+)}/g)].map(([, name = '']) => [name, name])),
    )
  })

  it.each(routes.filter(({ extension }) => extension))(
    'matches $operation only when extensions are enabled',
    ({ method, path }) => {
      expect([404, 405]).toContainEqual((match(method, path) as unknown[])[0])
      expect([404, 405]).not.toContainEqual((match(method, path, '', true) as unknown[])[0])
    },
  )

  it.each(probes)('matches $probe beside /v1 and under a base path', ({ probe, path }) => {
    expect(match('GET', path)).toEqual([probe, ''])
    expect(match('GET', `/api${path}/`, '/api')).toEqual([probe, ''])
    expect(match('POST', path)).toEqual([405, { allow: 'GET, HEAD' }])
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
    ['/v1', [404, {}]],
    ['/v1/', [404, {}]],
    ['/v1/vault', [404, {}]],
    [`/v1/vaults/${id}/things`, [404, {}]],
    [`${item}/files/x/y`, [404, {}]],
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
  ])('matches GET %s', (url, expected) => {
    expect(match('GET', url)).toEqual(expected)
  })

  it.each([
    ['DELETE', '/v1/vaults', 'GET, HEAD'],
    ['POST', '/v1/activity', 'GET, HEAD'],
    ['POST', `${item}/files`, 'GET, HEAD'],
    ['PUT', `/v1/vaults/${id}/items`, 'GET, HEAD, POST'],
    ['OPTIONS', `/v1/vaults/${id}`, 'GET, HEAD'],
    ['TRACE', item, 'GET, HEAD, PUT, PATCH, DELETE'],
    ['get', `${item}/files/x`, 'GET, HEAD'],
    ['__proto__', `${item}/files/x/content`, 'GET, HEAD'],
  ])('finds the path for %s %s with Allow %s', (method, url, allow) => {
    expect(match(method, url)).toEqual([405, { allow }])
  })

  it('matches HEAD as GET, and nothing when there is no GET', () => {
    expect(match('HEAD', item)).toEqual(['getItem', ''])
    expect(match('HEAD', `/v1/vaults/${id}/get-items`, '', true)).toEqual([405, { allow: 'POST' }])
    expect(match('HEAD', `${item}/versions/1/restore`, '', true)).toEqual([405, { allow: 'POST' }])
  })

  it.each([
    ['/v1/vaults', 'GET, HEAD, POST'],
    [`/v1/vaults/${id}`, 'GET, HEAD, PUT, PATCH, DELETE'],
    [`${item}/files`, 'GET, HEAD, POST'],
    [`${item}/files/x`, 'GET, HEAD, DELETE'],
    [`${item}/state`, 'PUT'],
    [`${item}/versions/1`, 'GET, HEAD'],
  ])('finds the path for %s with the methods of extensions when they are enabled', (url, allow) => {
    expect(match('OPTIONS', url, '', true)).toEqual([405, { allow }])
  })

  it('distinguishes the paths of an item from files and versions of the same name', () => {
    const at = (rest: string) => (match('GET', `${item}${rest}`, '', true) as unknown[])[0]
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
  ])('matches under the base path %s the target %s with %s', (basePath, url, expected) => {
    expect(match('GET', url, basePath)).toHaveProperty('0', expected)
  })

  it('matches any target or none, and returns its segments unchanged', () => {
    const part = fc.oneof(
      fc.constantFrom('v1', 'vaults', 'items', 'files', 'content', id, '.', '..', '%2f', '\\', ''),
      fc.string({ maxLength: 5 }),
    )
    const router = createApiRouter('', true)
    fc.assert(
      fc.property(fc.array(part, { maxLength: 10 }), (parts) => {
        const url = `/${parts.join('/')}`
        const { parameters = {} } = router.match('GET', url) ?? {}
        for (const value of Object.values(parameters)) {
          expect(url).toContain(`/${value}`)
          expect(value).toMatch(/^[^/?#]+$/)
        }
      }),
      { numRuns: propertyRuns() },
    )
  })
})

describe('routes', () => {
  it('has each method and path once', () => {
    const lines = [...routes, ...probes].map(({ method, path }) => `${method} ${path}`)
    expect(new Set(lines).size).toBe(lines.length)
  })

  it('has every operation once, except those in process only, and createVault twice', async () => {
    const { describedOperations: operations } = await import('../../tools/openapi/operations.js')
    const names = routes.map(({ operation }) => operation)
    expect(Object.keys(operations).filter((name) => !names.includes(name as 'getItem'))).toEqual([
      'getField',
      'useField',
      'collectGarbage',
    ])
    expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual(['createVault'])
  })

  it.each(routes)(
    'has exactly the input members of $operation: $method $path',
    async ({ operation, path, body, query, conditional }) => {
      const { describedOperations: operations } = await import('../../tools/openapi/operations.js')
      // Over HTTP the id of a new item cannot be chosen, and the whole log is always counted.
      const isChosen = (name: string) =>
        (operation === 'createItem' && name === 'itemId') ||
        (operation === 'listActivity' && name === 'count') ||
        (operation === 'createVault' && name === 'vaultId' && !path.includes(name))
      const names = Object.keys(operations[operation].input.shape)
      const expected = names.filter((name) => !isChosen(name))
      const members = [
        ...[...path.matchAll(/{(\w+)}/g)].map(([, name]) => name),
        ...(body === undefined ? [] : [body].flat()),
        ...Object.values(query ?? {}).map(({ member }) => member),
        ...(conditional ? ['ifVersion'] : []),
      ]
      expect(members.toSorted()).toEqual(expected.toSorted())
    },
  )

  it.each([
    ['', '/a/b//?c=d#e', 'a/b//?c=d#e'],
    ['/x', '/x/a', 'a'],
    ['/x', '/x//a', 'a'],
    ['/x', '/x', undefined],
    ['/x', '/x/', undefined],
    ['/x', '/x/?a', undefined],
  ])(
    'passes the whole target below %j, as in %s, to a route for every target',
    (base, url, rest) => {
      const router = createRouter(base, [{ method: '*', path: '/{target*}' }])
      const found = router.match('PROPFIND', url)
      expect([found?.parameters['target'], found?.route?.method]).toEqual([
        rest,
        rest === undefined ? undefined : '*',
      ])
    },
  )
})
