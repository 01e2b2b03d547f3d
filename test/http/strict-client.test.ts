import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { HttpResponse } from '../../src/http.js'
import { createCaller, type VaultService } from '../../src/index.js'
import { openApiText } from '../../tools/openapi/documents.js'
import { replaceOperations } from '../../tools/reliability/support/replace-operations.js'
import {
  createHttpHandler,
  createTestVault,
  takeDifferences,
} from '../support/http/checked-handlers.js'
import { createRequest, itemUrl, vaultUrl } from '../support/http/requests.js'
import { createStrictClient, type DescribedService } from '../support/http/strict-client.js'

const document: DescribedService = JSON.parse(openApiText('openapi-extensions.json'))

type Change = (response: HttpResponse) => HttpResponse

const withBody =
  (change: (body: string) => string): Change =>
  (response) => ({ ...response, body: change(String(response.body)) })
const replacing = (found: string | RegExp, by: string): Change =>
  withBody((body) => {
    expect(body).toMatch(found)
    return body.replace(found, by)
  })
const withHeader =
  (name: string, value: string): Change =>
  (response) => ({ ...response, headers: { ...response.headers, [name]: value } })
const withoutHeader =
  (name: string): Change =>
  ({ headers: { [name]: _, ...headers }, ...response }) => ({ ...response, headers })
const withStatus =
  (status: number): Change =>
  (response) => ({ ...response, status })

describe('createStrictClient', () => {
  const client = createStrictClient(document)

  /** Returns the issues of the response to a request, before and after a change of the response. */
  async function findDifferences(method: string, path: string, change: Change): Promise<unknown[]> {
    const vault = await createTestVault({ history: { maxVersions: 3 } }, { extensions: true })
    const url = path.replace('{item}', itemUrl(vault)).replace('{vault}', vaultUrl(vault))
    const { id } = vault.smallFile
    const request = createRequest(
      vault,
      method,
      url.replace('{file}', itemUrl(vault, `/files/${id}`)),
    )
    const response = await vault.handler(request)
    return [response, change(response)].map((one) => client.read(request, one).differences)
  }

  it.each<[what: string, method: string, path: string, change: Change, fault: RegExp]>([
    ['an unknown attribute', 'GET', '{item}', replacing('{', '{"extra":1,'), /key: "extra"/],
    [
      'an unknown attribute of a field',
      'GET',
      '{item}',
      replacing('"fields":[{', '"fields":[{"totp":"1",'),
      /at \/fields\/0: .*key: "totp"/,
    ],
    [
      'an unknown attribute of a reference',
      'GET',
      '{item}',
      replacing('"vault":{', '"vault":{"name":"Test",'),
      /at \/vault: .*key: "name"/,
    ],
    [
      'a missing attribute',
      'GET',
      '{item}',
      replacing('"favorite":false,', ''),
      /at \/favorite: .*received undefined/,
    ],
    [
      'an attribute of another type',
      'GET',
      '{item}',
      replacing(/"version":(\d+)/, '"version":"$1"'),
      /at \/version/,
    ],
    [
      'null for an attribute',
      'GET',
      '{item}',
      replacing(/"title":"[^"]*"/, '"title":null'),
      /title/,
    ],
    ['a time with an offset', 'GET', '{item}', replacing(/Z"/, '+00:00"'), /is not a date-time/],
    ['a day that does not exist', 'GET', '{item}', replacing(/\d\dT/, '32T'), /is not a date-time/],
    ['an id of another form', 'GET', '{vault}', replacing('"id":"', '"id":"A'), /at \/id/],
    [
      'a value that the enum lacks',
      'GET',
      '{vault}',
      replacing('USER_CREATED', 'USER'),
      /at \/type/,
    ],
    [
      'a number below the minimum',
      'GET',
      '{vault}',
      replacing('"attributeVersion":1', '"attributeVersion":0'),
      /at \/attributeVersion/,
    ],
    [
      'content that is not base64',
      'GET',
      '{file}?inline_files=true',
      replacing('"content":"', '"content":"-'),
      /at \/content: is not a byte/,
    ],
    ['invalid JSON', 'GET', '{item}', withBody((body) => `${body},`), /not JSON/],
    ['no ETag', 'GET', '{item}', withoutHeader('etag'), /the header ETag is missing/],
    ['a weak ETag', 'GET', '{item}', withHeader('etag', 'W/"1"'), /the header ETag is not as/],
    [
      'an undescribed header',
      'GET',
      '{vault}/items',
      withHeader('etag', '"1"'),
      /the header etag is not described here/,
    ],
    [
      'a length that is not a number',
      'GET',
      '{file}/content',
      withHeader('content-length', 'long'),
      /the header Content-Length is not as/,
    ],
    ['text for bytes', 'GET', '{file}/content', withBody(() => 'text'), /not bytes/],
    ['another content type', 'GET', '{item}', withHeader('content-type', 'text/html'), /type/],
    ['no content type', 'GET', '{item}', withoutHeader('content-type'), /content type/],
    [
      'a body in a response without one',
      'DELETE',
      '{item}',
      withBody(() => '{}'),
      /a body is present/,
    ],
    ['a body in the response to HEAD', 'HEAD', '{item}', withBody(() => '{}'), /response to HEAD/],
    ['an undescribed status', 'GET', '{item}', withStatus(201), /status is not described/],
    ['a status of other operations', 'GET', '{item}', withStatus(412), /status is not described/],
    [
      'a third member of an error',
      'GET',
      '{vault}x',
      replacing('{', '{"code":"INVALID_INPUT",'),
      /key: "code"/,
    ],
    [
      'another status in the body of an error',
      'GET',
      '{vault}x',
      replacing('400', '404'),
      /status in the body is not that/,
    ],
    ['a third member of an unknown path', 'GET', '/v1/no', replacing('{', '{"a":1,'), /key: "a"/],
    ['another status of an unknown path', 'GET', '/v1/no', withStatus(400), /not described/],
    ['no Allow', 'PUT', '/v1/vaults', withoutHeader('allow'), /the header Allow is missing/],
    ['a health of another form', 'GET', '/health', replacing('ACTIVE', 'GOOD'), /dependencies/],
  ])('rejects %s', async (_what, method, path, change, fault) => {
    const [before, after] = await findDifferences(method, path, change)
    expect(before).toEqual([])
    expect(String(after)).toMatch(fault)
  })

  it('matches a path with a slash at its end and under a base path', () => {
    const response = { status: 200, headers: {}, body: null }
    const operationOf = (url: string, basePath = ''): string =>
      createStrictClient(document, basePath).read({ method: 'GET', url }, response).responseName
    expect(
      ['/v1/vaults/', '//v1/vaults', 'http://a/v1/vaults?b'].map((url) => operationOf(url)),
    ).toEqual(Array(3).fill('listVaults 200'))
    expect([operationOf('/a/v1/vaults', '/a'), operationOf('/v1/vaults', '/a')]).toEqual([
      'listVaults 200',
      'none 200',
    ])
  })

  it('requires the headers and accepts the attributes of the connect dialect', async () => {
    const vault = await createTestVault()
    const request = createRequest(vault, 'GET', itemUrl(vault))
    const response = await vault.handler(request)
    const connect = createStrictClient(JSON.parse(openApiText('openapi-connect-extensions.json')))
    const changed = withHeader(
      '1password-connect-version',
      '1.8.1',
    )(replacing('"fields":[{', '"fields":[{"totp":"123456",')(response))
    expect(connect.read(request, response).differences).toEqual([
      'the header 1Password-Connect-Version is missing',
    ])
    expect(connect.read(request, changed).differences).toEqual([])
    expect(client.read(request, changed).differences).toHaveLength(2)
  })
})

describe('createHttpHandler of test/support', () => {
  it('records a response that differs from its description', async () => {
    const { service, ...vault } = await createTestVault()
    const broken: VaultService = replaceOperations(service, {
      getVault: async (caller, input) => ({
        ...(await service.getVault(caller, input)),
        name: 5 as never,
      }),
    })
    const handler = createHttpHandler(broken, {
      authenticate: () => createCaller({ id: 'me', vaults: '*' }),
    })
    await handler(createRequest(vault, 'GET', `/v1/vaults/${vault.vaultId}`))
    expect(takeDifferences()).toEqual([
      'GET, getVault 200: the body at /name: Invalid input: expected string, received number',
    ])
  })

  it('is used by every test that calls a handler', () => {
    const found = globSync('**/*.ts', { cwd: 'test', exclude: ['**/node_modules'] })
      .filter((name) => !/^(?:package|support.(?:arguments|guesses))./.test(name))
      .filter((name) => {
        const text = readFileSync(join('test', name), 'utf8')
        const names = [
          ...text.matchAll(/^import (?!type)([^']+) from '(?:[./]+\/src|cofferkit)\/[^']+'/gm),
        ].join()
        const hasVault = /\bcreateTestVault\b/.test(names) && /\bhandler\b/.test(text)
        return hasVault || /\b(?:createHttpHandler|hostileRequests)\b/.test(names)
      })
    // The document describes open probes, so hidden ones are requested without the client.
    // The responses to the recorded requests are parsed as their clients parse them. Errors of an
    // embedder's function can have headers that it does not describe.
    // Handlers without a mount, and embedders that refuse what nobody else refuses, are not in it.
    const exceptions = [
      'clients/replay.test.ts',
      'http/create-http-handler.headers.test.ts',
      'http/probes.access.test.ts',
      'http/serve-routes.test.ts',
      'support/http/checked-handlers.ts',
    ]
    expect(found.sort()).toEqual(exceptions)
  })
})

describe('openapi-extensions.json', () => {
  it('has one form for all errors, except for the health', () => {
    const forms = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ operationId, responses }) =>
        Object.entries(responses)
          .filter(([status, response]) => Number(status) >= 400 && !('$ref' in response))
          .map(([status]) => `${operationId} ${status}`),
      )
    expect(forms).toEqual(['health 503'])
    const schemas = Object.values(document.components.responses).map(({ content }) => content)
    const form = { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } }
    expect(new Set(schemas.map((schema) => JSON.stringify(schema)))).toEqual(
      new Set([JSON.stringify(form)]),
    )
  })
})
