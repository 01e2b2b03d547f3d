import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { type Caller, createCaller, InvalidInputError, NotFoundError, RuleError } from 'cofferkit'
import { createMemoryActivityLog } from 'cofferkit/activity'
import { createTokenKeeper, vaultGrants } from 'cofferkit/oauth'
import { createSecretFetch, type FilledInit, type SecretUse, vaultSecrets } from 'cofferkit/use'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createVaultService } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { echoForms, isLeaked } from './support/echo-forms.js'
import { createUse, key, login, startServer, token } from './support/echo-server.js'
import { readAfterEach } from './support/pass-through.js'

const bearer = { authorization: 'Bearer {{ op://Team/Acme/token }}' }
const refusedWith = (problem: string) =>
  expect.objectContaining({
    code: 'SECRET_USE_REFUSED',
    message: expect.stringContaining(problem),
  })
const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const parts = { 'content-type': 'multipart/form-data; boundary=x' }
const multipart = (name: string): string =>
  `--x\r\nContent-Disposition: form-data; ${name}\r\n\r\nDELETE\r\n--x--\r\n`
/** An origin that nothing listens on. */
const nowhere = 'http://127.0.0.1:9'

const errorWith = (text: string): Error =>
  Object.assign(new Error(text), { code: text, path: text, url: text, cause: new Error(text) })
const failWith = (text: string) => () => {
  throw errorWith(text)
}

/** A `fetch` that returns the body of the request. */
const sendBack = async (_url: string, { body }: FilledInit) => new Response(body ?? null)

/** Returns a response one of whose members is read in another way. */
function responseWith(name: string, get: () => unknown): Response {
  return Object.defineProperty(new Response('a'), name, { get })
}

/** Returns the error of a call whose request must not be sent. */
async function errorOf(
  url: string,
  init?: RequestInit,
  options: Parameters<typeof createUse>[1] = {},
  origins: readonly string[] = [nowhere],
): Promise<unknown> {
  const send = async (): Promise<Response> => expect.fail('the request was sent')
  const { secretFetch } = await createUse(origins, { fetch: send, ...options })
  const error = await secretFetch(url, init).catch((thrown: unknown) => thrown)
  expectNoSecret(inspect(error, { depth: 10, showHidden: true }))
  return error
}

function expectNoSecret(text: string): void {
  for (const value of [key, token, login, 'correct/horse+battery', 'sk_live_51H'])
    for (const form of Object.keys(echoForms)) expect(isLeaked(text, value, form)).toBe(false)
}

describe('createSecretFetch', () => {
  it('fills in a value at the last moment, and masks it in the response', async () => {
    const origin = await startServer((request, response) => {
      response.setHeader('x-echo', String(request.headers.authorization))
      response.statusMessage = String(request.headers.authorization)
      response.setHeader('set-cookie', 'session=1')
      response.end(`${request.headers.authorization === `Bearer ${token}`} ${token}`)
    })
    const { secretFetch } = await createUse([`${origin}/path`])
    const response = await secretFetch(`${origin}/customers`, { headers: bearer })
    expect(response.status).toBe(200)
    expect(response.statusText).toBe('Bearer [secret]')
    expect(response.headers.get('x-echo')).toBe('Bearer [secret]')
    expect(response.headers.getSetCookie()).toEqual([])
    expect(await response.text()).toBe('true [secret]')
  })

  it.each(['identity', 'gzip'])(
    'masks the forms in a %s body, one byte at a time, in headers, trailers and 1xx',
    async (encoding) => {
      const text = Object.values(echoForms)
        .map((encode) => encode(token))
        .join(' | ')
      const origin = await startServer(async (_, response) => {
        response.writeEarlyHints({ link: `</${encodeURIComponent(token)}>; rel=preload` })
        response.setHeader('trailer', 'x-trailer')
        if (encoding === 'gzip') response.setHeader('content-encoding', 'gzip')
        response.setHeader('x-echo', text)
        response.setHeader(`x-${encodeURIComponent('wendy')}`, 'kept')
        const bytes = encoding === 'gzip' ? gzipSync(text) : Buffer.from(text)
        for (const byte of bytes) {
          response.write(Uint8Array.of(byte))
          await new Promise((resolve) => setImmediate(resolve))
        }
        response.addTrailers({ 'x-trailer': token })
        response.end()
      })
      const { secretFetch } = await createUse([origin])
      const response = await secretFetch(origin, { headers: bearer })
      const received = `${await response.text()}\n${inspect(response, { depth: 9 })}`
      const all = received + JSON.stringify([...response.headers])
      for (const form of Object.keys(echoForms)) expect(isLeaked(all, token, form)).toBe(false)
      expect(all.match(/\[secret\]/g)?.length).toBeGreaterThan(24)
      expect(response.headers.has('content-encoding')).toBe(false)
      expect(response.headers.get('x-wendy')).toBe('kept')
    },
  )

  it('passes the first event of a stream on before the second is sent', async () => {
    let sendSecond = (): void => {}
    const origin = await startServer((_, response) => {
      response.setHeader('content-type', 'text/event-stream')
      response.write('data: 1\n\n')
      sendSecond = () => response.end(`data: ${token}\n\n`)
    })
    const { secretFetch } = await createUse([origin])
    const reader = (await secretFetch(origin, { headers: bearer })).body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('data: 1\n\n')
    sendSecond()
    let rest = ''
    for (let next = await reader?.read(); next?.value; next = await reader?.read())
      rest += Buffer.from(next.value).toString()
    expect(rest).toBe('data: [secret]\n\n')
  })

  it('fills in the query, a form and JSON where placesOf allows it', async () => {
    const origin = await startServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      response.end(`${request.url} ${body}`)
    })
    const seen: string[] = []
    const { secretFetch } = await createUse([origin], {
      placesOf: (reference) => {
        seen.push(reference)
        return ['query:key', 'body:client_secret', 'body:auth/key']
      },
    })
    const reference = '{{op://Team/Acme/key}}'
    const query = new URLSearchParams({ a: 'b c', key: reference })
    const queried = await secretFetch(`${origin}/?${query}`)
    expect(await queried.text()).toBe('/?a=b+c&key=[secret] ')
    const form = { method: 'POST', body: new URLSearchParams({ client_secret: reference, a: '&' }) }
    const sent = await secretFetch(origin, form)
    expect(await sent.text()).toBe('/ client_secret=[secret]&a=%26')
    const json = await secretFetch(origin, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"big":12345678901234567890,"auth":{"key":"k=${reference}"}}`,
    })
    expect(await json.text()).toBe('/ {"big":12345678901234567890,"auth":{"key":"k=[secret]"}}')
    expect(seen).toEqual(['op://Team/Acme/key', 'op://Team/Acme/key', 'op://Team/Acme/key'])
  })

  it('asks for exactly the places in which the server finds the values', async () => {
    const reference = '{{op://Team/Acme/key}}'
    const escaped = reference.replaceAll('/', '\\/').replace('o', '\\u006f')
    for (const [place, body] of [
      ['body:a', `{"a":"${escaped}"}`],
      ['body:a', `{"\\u0061":"${reference}","note":"\\u007b","n":[1.0,{"m":"x"}]}`],
      ['body:a/1/b', `{"a":["",{"b":"<${reference}>"}]}`],
      ['body:/a', `{"":{"a":"${reference}"}}`],
      ['body:a~1b', `{"a/b":"${reference}"}`],
      ['body:a~0b/c~01', `{"a~b":{"c~1":"${reference}"}}`],
      ['body:__proto__/a', `{"__proto__":{"a":"${reference}"}}`],
      ['body:a~1b', new URLSearchParams({ 'a/b': reference })],
    ] as const) {
      let sent = ''
      const used: string[] = []
      const { secretFetch } = await createUse([nowhere], {
        allow: (use) => used.push(use.place) > 0,
        placesOf: () => [place],
        fetch: async (_url, { body: sentBody }) => {
          sent = await new Response(sentBody).text()
          return new Response()
        },
      })
      const contentType = typeof body === 'string' ? json : form
      await secretFetch(nowhere, { method: 'POST', headers: contentType, body })
      expect(used).toEqual([place])
      const filled = String(body).replace(escaped, reference)
      expect(sent).toBe(
        typeof body === 'string'
          ? filled.replace(reference, JSON.stringify(key).slice(1, -1))
          : String(new URLSearchParams({ 'a/b': key })),
      )
    }
  })

  it.each([
    [{ ...json }, '{"note":"{{ op://Team/Acme/key }}","note":"x"}'],
    [
      { ...json },
      '{"note":"{{op://Team/Acme/key}}","note":"x","a":"{{op:\\/\\/Team\\/Acme\\/key}}"}',
    ],
    [{ ...json }, '{"a":"x","b":[{"a":1,"\\u0061":"{{op://Team/Acme/key}}"}]}'],
  ])('refuses a body with two members of the same name: %o %s', async (headers, body) => {
    const options = { placesOf: () => ['body:a', 'body:note', 'body:b/0/a'] }
    const error = await errorOf(nowhere, { method: 'POST', headers, body }, options)
    expect(error).toEqual(refusedWith('the body has two members of the same name'))
  })

  it.each([
    ['application/json; charset=utf-7', '{"a":"{{op://Team/Acme/key}}"}'],
    ['application/json; Charset*=ibm037', '{"a":"{{op://Team/Acme/key}}"}'],
    ['application/json;x=1, application/x-www-form-urlencoded', '{"a":"{{op://Team/Acme/key}}"}'],
    ['application/x-www-form-urlencoded; charset=utf-16', 'a={{op://Team/Acme/key}}'],
    ['application/json', '"{{op://Team/Acme/key}}"'],
    ['application/json', '{"{{op:\\/\\/Team\\/Acme\\/key}}":"a"}'],
    ['application/json', '{{op://Team/Acme/key}}'],
    ['text/plain', '{{op://Team/Acme/key}}'],
    ['application/json', '{"a":"\xff{{op://Team/Acme/key}}"}'],
  ])('fills in nothing where a server can find other places: %s %s', async (type, body) => {
    const bytes = Buffer.from(body, 'latin1')
    const init = { method: 'POST', headers: { 'content-type': type }, body: bytes }
    const options = { placesOf: () => ['body:a', 'body:'] }
    expect(await errorOf(nowhere, init, options)).toEqual(refusedWith('has no reference'))
    const { secretFetch } = await createUse([nowhere], { ...options, fetch: sendBack })
    const sent = await secretFetch(nowhere, { ...init, headers: { ...bearer, ...init.headers } })
    expect(Buffer.from(await sent.arrayBuffer())).toEqual(bytes)
  })

  it('accepts JSON with a profile or its own type in UTF-8', async () => {
    const types = ['application/problem+json ; charset="UTF-8"', 'application/json;profile=a']
    for (const type of types) {
      const { secretFetch } = await createUse([nowhere], {
        placesOf: () => ['body:a'],
        fetch: async (_url, { body }) =>
          new Response(`${(await new Response(body).text()).length}`),
      })
      const init = {
        method: 'POST',
        headers: { 'content-type': type },
        body: '{"a":"{{op://Team/Acme/key}}"}',
      }
      expect(await (await secretFetch(nowhere, init)).text()).toBe(
        `${JSON.stringify({ a: key }).length}`,
      )
    }
  })

  it('encodes user:password for Basic, and masks the password alone', async () => {
    const origin = await startServer((request, response) => {
      const [, encoded = ''] = String(request.headers.authorization).split(' ')
      const decoded = Buffer.from(encoded, 'base64').toString()
      response.setHeader('x-echo', encoded)
      response.end(`${decoded === login} ${decoded.split(':')[1]}`)
    })
    const { secretFetch } = await createUse([origin])
    for (const text of ['Basic {{ op://Team/Acme/login }}', 'basic {{op://Team/Acme/login}}']) {
      const response = await secretFetch(origin, { headers: { authorization: text } })
      expect(await response.text()).toBe('true [secret]')
      expect(response.headers.get('x-echo')).toMatch(/^\[secret\]=*$/)
    }
  })

  it('resolves an access token through the keeper, after which the origin is checked', async () => {
    const origin = await startServer((request, response) =>
      response.end(`${request.headers.authorization === 'Bearer fresh-token'}`),
    )
    const refs: unknown[] = []
    const tokens = {
      accessToken: async (ref: unknown, caller: Caller | undefined) => {
        refs.push([caller?.id, ref])
        return 'fresh-token'
      },
    }
    const { secretFetch, vaultId, itemId } = await createUse([origin], { tokens })
    const headers = {
      authorization: 'Bearer {{ op://Team/Acme/credential?attribute=access_token }}',
    }
    expect(await (await secretFetch(origin, { headers })).text()).toBe('true')
    expect(refs).toEqual([['agent', { vaultId, itemId }]])
    expect(await errorOf('http://127.0.0.1:8', { headers }, { tokens })).toMatchObject({
      code: 'SECRET_USE_REFUSED',
    })
  })

  it('needs only useField for ids, and listVaults and listItems for names', async () => {
    const origin = await startServer((_, response) => response.end())
    const { service, vaultId, itemId } = await createUse([origin])
    const used: string[] = []
    const caller: Caller = {
      id: 'agent',
      can: (_permission, _vaultId, operation) => {
        used.push(String(operation))
        return ['useField', 'listVaults', 'listItems'].includes(String(operation))
      },
    }
    const secretFetch = createSecretFetch(vaultSecrets(service, caller), {
      allowLoopbackHttp: true,
    })
    const withIds = { authorization: `{{ op://${vaultId}/${itemId.toUpperCase()}/token }}` }
    await secretFetch(origin, { headers: withIds })
    expect(used).toEqual(['useField'])
    await secretFetch(origin, { headers: bearer })
    expect(new Set(used)).toEqual(new Set(['useField', 'listVaults', 'listItems']))
  })

  it('records each use with its origin and its method', async () => {
    const origin = await startServer((_, response) => response.end())
    const activity = createMemoryActivityLog()
    const service = createVaultService({ store: createMemoryStore(), activity })
    const caller = createCaller({ id: 'agent', vaults: '*' })
    const { id: vaultId } = await service.createVault(caller, { name: 'Team' })
    const fields = [{ id: 'key', value: token }]
    const item = { category: 'API_CREDENTIAL', urls: [{ href: origin }], fields } as const
    const { id: itemId } = await service.createItem(caller, { vaultId, item })
    const secretFetch = createSecretFetch(vaultSecrets(service, caller), {
      allowLoopbackHttp: true,
    })
    const headers = { 'x-key': `{{ op://${vaultId}/${itemId}/key }}` }
    await secretFetch(origin, { method: 'DELETE', headers })
    const { entries } = await service.listActivity(caller)
    expect(entries[0]).toMatchObject({ operation: 'useField', use: { origin, method: 'DELETE' } })
  })

  it('calls allow with every use, before the value is read', async () => {
    const uses: unknown[] = []
    const allow = ({ url, ...use }: SecretUse): boolean => {
      uses.push({ ...use, url: url.href })
      url.hostname = 'evil.example'
      return false
    }
    const error = await errorOf(`${nowhere}/a`, { method: 'POST', headers: bearer }, { allow })
    expect(error).toEqual(refusedWith('the use of the secret is not allowed'))
    const place = { reference: 'op://Team/Acme/token', place: 'header:authorization' }
    expect(uses).toEqual([{ ...place, method: 'POST', url: `${nowhere}/a` }])
  })

  it.each([
    ['the request has no reference', nowhere, {}],
    ['the item has no URL of this origin', 'http://127.0.0.1:8', { headers: bearer }],
    ['a secret is only sent by https', 'http://api.test', { headers: bearer }],
    ['a secret is only sent by https', 'http://127.0.0.1.nip.io', { headers: bearer }],
    ['a secret is only sent by https', 'data:text/plain,a', { headers: bearer }],
    [
      'the URL must not contain a user name or a password',
      'http://a:b@127.0.0.1:9',
      { headers: bearer },
    ],
    ...[
      ...['Range', 'If-Range', 'Host', 'X-HTTP-Method-Override', 'Transfer-Encoding', 'Forwarded'],
      ...['X-HTTP-Method', 'X-HTTP_Method_Override', 'X-Method-Override', 'X-Forwarded-Host'],
      ...['X-Forwarded', 'x_forwarded_for', 'X-Forwarded-Scheme', 'X-Original-Url', 'X-Host'],
      ...['X-Original-Method', 'X-Original-Host', 'X-Override-URL', 'X-Rewrite-URL'],
    ].map(
      (name) =>
        [
          `the request has the header ${name.toLowerCase()}, which is not allowed with a secret`,
          nowhere,
          { headers: { ...bearer, [name]: 'bytes=0-1' } },
        ] as const,
    ),
    [
      'the value is too short to be masked',
      nowhere,
      { headers: { a: '{{op://Team/Acme/short}}' } },
    ],
    ...['empty', 'blanks', 'rows'].map(
      (field) =>
        [
          'the value is too short to be masked',
          nowhere,
          { headers: { a: `{{op://Team/Acme/${field}}}` } },
        ] as const,
    ),
    [
      'the value is too short to be masked',
      nowhere,
      { headers: { authorization: 'Basic {{op://Team/Acme/pin}}' } },
    ],
    [
      'the value has more than 8192 characters',
      nowhere,
      { headers: { a: '{{op://Team/Acme/long}}' } },
    ],
    [
      'the value has characters that a header cannot have',
      nowhere,
      { headers: { a: '{{op://Team/Acme/lines}}' } },
    ],
    [
      'the value has characters that a header cannot have',
      nowhere,
      { headers: { a: '{{op://Team/Acme/key}}' } },
    ],
    [
      'a reference to an access_token needs the option tokens',
      nowhere,
      { headers: { a: '{{op://Team/Acme/token?attribute=access_token}}' } },
    ],
    ...['otp', 'type', 'content'].map(
      (attribute) =>
        [
          'the attribute of the reference cannot be used',
          nowhere,
          { headers: { a: `{{op://Team/Acme/token?attribute=${attribute}}}` } },
        ] as const,
    ),
    [
      'the attribute of the reference cannot be used',
      nowhere,
      { headers: { a: '{{op://Team/Acme/token?ssh-format=openssh}}' } },
    ],
  ] as const)('refuses a request: %s (%s %o)', async (message, url, init) => {
    expect(await errorOf(url, init)).toEqual(refusedWith(message))
  })

  it.each<[string, RequestInit, string?]>([
    ['patch', { method: 'patch' }],
    ['Delete1', { method: 'Delete1' }],
    ['a query', {}, '?_method=DELETE'],
    ['a query with an escape', {}, '?a=1&%5fMETHOD=DELETE'],
    ['a query with semicolons', {}, '?a=1;_method=DELETE'],
    ['a query that PHP reads', {}, '?+.method[a]=DELETE'],
    ['the name of a header', {}, '?X-HTTP-Method-Override=DELETE'],
    ['a form', { method: 'POST', body: new URLSearchParams({ a: '1', _method: 'DELETE' }) }],
    ['a body without a type', { method: 'POST', body: Buffer.from('_method=DELETE') }],
    ['JSON', { method: 'POST', body: '{"_method":"DELETE"}', headers: json }],
    ['parts', { method: 'POST', body: multipart('name="_method"'), headers: parts }],
    ['parts without quotes', { method: 'POST', body: multipart('name=_method'), headers: parts }],
    [
      'parts with an escape',
      { method: 'POST', body: multipart("name*=utf-8''%5Fmethod"), headers: parts },
    ],
  ])('refuses a method that can be another one for the server: %s', async (_, init, query = '') => {
    const headers = { ...init.headers, ...bearer }
    expect(await errorOf(`${nowhere}/${query}`, { ...init, headers })).toEqual(
      refusedWith('the request has a method in lower case or names another one'),
    )
  })

  it('sends what only looks like another method', async () => {
    const { secretFetch } = await createUse([nowhere], { fetch: async () => new Response() })
    const note = 'the _method=DELETE of a form'
    for (const init of [
      { method: 'get', headers: bearer },
      { method: 'POST', headers: bearer, body: new URLSearchParams({ note, payment_method: '1' }) },
      { method: 'POST', headers: { ...bearer, ...json }, body: JSON.stringify({ note, a: {} }) },
      { method: 'POST', headers: { ...bearer, ...json }, body: '"_method"' },
      { method: 'POST', headers: bearer, body: note },
      { method: 'POST', headers: { ...bearer, ...parts }, body: multipart('filename="_method"') },
    ])
      expect((await secretFetch(`${nowhere}/?a=_method`, init)).status).toBe(200)
  })

  it('refuses every origin for an item without URLs, and http unless it is allowed', async () => {
    const noUrls = await errorOf(nowhere, { headers: bearer }, {}, [])
    expect(noUrls).toEqual(refusedWith('the item has no URL of this origin'))
    const http = await errorOf(nowhere, { headers: bearer }, { allowLoopbackHttp: false })
    expect(http).toEqual(refusedWith('a secret is sent by http only with allowLoopbackHttp'))
  })

  it('sends a short value if it is allowed', async () => {
    const origin = await startServer((request, response) =>
      response.end(String(request.headers['x-a'])),
    )
    const { secretFetch } = await createUse([origin], { allowShortValues: true })
    const headers = { 'x-a': '{{op://Team/Acme/short}}' }
    expect(await (await secretFetch(origin, { headers })).text()).toBe('1234567')
  })

  it.each([
    ['{{ op://Team/Acme }}', InvalidInputError],
    ['{{ op://Team/Acme/token', InvalidInputError],
    ['{{ op://Team/Acme/none }}', NotFoundError],
    ['{{ op://Team/none/token }}', NotFoundError],
    ['{{ op://none/Acme/token }}', NotFoundError],
  ])('rejects the reference %s with %o', async (text, errorClass) => {
    expect(await errorOf(nowhere, { headers: { a: text } })).toBeInstanceOf(errorClass)
  })

  it.each([
    [{ allow: () => Promise.reject(new Error(token)) }, 'allow failed'],
    [{ placesOf: () => expect.fail(key) }, 'placesOf failed'],
    [{ placesOf: () => 'query:key' as never }, 'placesOf must return a list'],
    [{ tokens: { accessToken: () => Promise.reject(new Error(token)) } }, 'tokens failed'],
  ])('rejects with RuleError when a rule fails: %o', async (options, message) => {
    const url = `${nowhere}/?key={{op://Team/Acme/key}}`
    const place = 'op://Team/Acme/credential?attribute=access_token'
    const headers = 'tokens' in options ? { a: `{{ ${place} }}` } : bearer
    const isInUrl = 'placesOf' in options
    const error = await errorOf(isInUrl ? url : nowhere, isInUrl ? {} : { headers }, options)
    expect(error).toEqual(new RuleError(message))
  })

  it('rejects with the code of the platform when the request fails', async () => {
    const { secretFetch } = await createUse([nowhere])
    const error = await secretFetch(nowhere, { headers: bearer }).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(TypeError)
    expect(error.message).toBe('the request failed')
    // Port 9 is blocked by the Fetch standard, which has no code.
    expect(error.cause.code).toBe('UNKNOWN')
    expect(error.stack + inspect(error.cause)).not.toContain('sk_live')
  })

  it('contains nothing that was received in the error of an invalid response', async () => {
    const net = await import('node:net')
    const server = net.createServer((socket) => {
      socket.on('data', (data) => socket.end(`HTTP/1.1 200 OK\r\n${data} ${token}\r\n\r\n`))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`
    const { secretFetch } = await createUse([origin])
    const error = await secretFetch(origin, { headers: bearer }).catch((thrown) => thrown)
    server.close()
    expect(error.message).toBe('the request failed')
    expect(error.cause.message).toBe('UNKNOWN')
    expectNoSecret(inspect(error, { depth: 10, showHidden: true }) + error.stack)
  })

  it('contains nothing that was received in the error of a body that is cut off', async () => {
    const origin = await startServer((_, response) => {
      response.setHeader('content-length', '1000')
      response.write(`${token} sk_li`)
      setImmediate(() => response.destroy())
    })
    const { secretFetch } = await createUse([origin])
    const response = await secretFetch(origin, { headers: bearer })
    const error = await response.text().catch((thrown) => thrown)
    expect(error.message).toBe('the request failed')
    expect(error.cause.code).toBe('UND_ERR_SOCKET')
    expectNoSecret(inspect(error, { depth: 10, showHidden: true }) + error.stack)
  })

  it('rejects with the reason of its signal', async () => {
    const origin = await startServer(() => {})
    const { secretFetch } = await createUse([origin])
    const controller = new AbortController()
    const call = secretFetch(origin, { headers: bearer, signal: controller.signal })
    await sleep(1)
    const reason = new Error('stopped')
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
  })

  it.each([
    ...['zstd', 'deflate', 'x-gzip', 'compress', 'aws-chunked'],
    ...['gzip, gzip', 'identity, gzip', 'gzip, x', 'gzip,', 'br, br'],
  ])(
    'refuses a response in the encoding %s, which not every platform decodes',
    async (encoding) => {
      let isCancelled = false
      const body = new ReadableStream({
        cancel() {
          isCancelled = true
          throw new Error('it cannot be cancelled')
        },
      })
      const fetch = async () => new Response(body, { headers: { 'content-encoding': encoding } })
      const { secretFetch } = await createUse([nowhere], { fetch })
      await expect(secretFetch(nowhere, { headers: bearer })).rejects.toEqual(
        refusedWith('the response has an encoding or a status that is unknown'),
      )
      expect(isCancelled).toBe(true)
    },
  )

  it.each(['', 'identity', 'gzip', 'GZIP ', 'br'])(
    'accepts the encoding %j, and fails when the body is still compressed with it',
    async (encoding) => {
      const texts = [Buffer.from(`plain ${token}`), gzipSync(token)]
      const fetch = async () =>
        new Response(texts.shift() ?? null, { headers: { 'content-encoding': encoding } })
      const { secretFetch } = await createUse([nowhere], { fetch })
      const plain = await secretFetch(nowhere, { headers: bearer })
      expect(await plain.text()).toBe('plain [secret]')
      const compressed = await secretFetch(nowhere, { headers: bearer })
      await expect(compressed.text()).rejects.toEqual(
        refusedWith('the body of the response is still compressed'),
      )
      const none = await secretFetch(nowhere, { headers: bearer })
      expect(none.body).toBe(null)
    },
  )

  it('finds gzip in a body whose first bytes come one by one, and cancels it', async () => {
    const bytes = gzipSync(token)
    let isCancelled = false
    let index = 0
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(bytes.subarray(index, ++index)),
      cancel() {
        isCancelled = true
      },
    })
    const { secretFetch } = await createUse([nowhere], { fetch: async () => new Response(body) })
    const reader = (await secretFetch(nowhere, { headers: bearer })).body?.getReader()
    await expect(reader?.read()).rejects.toMatchObject({ code: 'SECRET_USE_REFUSED' })
    expect(isCancelled).toBe(true)
  })

  it('asks for no encoding on Deno, which then decodes no body', async () => {
    vi.stubGlobal('Deno', {})
    onTestFinished(() => void vi.unstubAllGlobals())
    let sent: FilledInit | undefined
    const fetch = async (_url: string, init: FilledInit) => {
      sent = init
      return new Response()
    }
    const { secretFetch } = await createUse([nowhere], { fetch })
    await secretFetch(nowhere, { headers: { ...bearer, 'accept-encoding': 'gzip' } })
    expect(sent?.headers).not.toHaveProperty('accept-encoding')
  })

  it('asks for a body that is not compressed, and leaves its length to the platform', async () => {
    let sent: FilledInit | undefined
    const fetch = async (_url: string, init: FilledInit) => {
      sent = init
      return new Response(null, { status: 204, headers: { [token.slice(0, 7)]: 'a' } })
    }
    const { secretFetch } = await createUse([nowhere], { fetch })
    const headers = { ...bearer, 'accept-encoding': 'zstd', 'content-length': '1', a: '2' }
    expect((await secretFetch(nowhere, { headers })).status).toBe(204)
    expect(sent?.headers).toEqual({
      a: '2',
      'accept-encoding': 'identity',
      authorization: `Bearer ${token}`,
    })
  })

  it.each<[string, () => Promise<Response>]>([
    ['fetch', () => Promise.reject(errorWith(token))],
    ['the members of a response', async () => new Proxy(new Response(), { get: failWith(token) })],
    ['its headers', async () => responseWith('headers', () => failWith(token)())],
    ['its status text', async () => responseWith('statusText', () => 'a\nb')],
  ])('contains no text of a foreign error of %s', async (_, fetch) => {
    const { secretFetch } = await createUse([nowhere], { fetch })
    const error = await secretFetch(nowhere, { headers: bearer }).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(TypeError)
    expect([error.message, error.cause.message]).toEqual(['the request failed', 'UNKNOWN'])
    expectNoSecret(inspect(error, { depth: 10, showHidden: true }) + error.stack)
  })

  it('delivers the same sizes at the same time for a right and a wrong guess', async () => {
    const secret = token.slice(0, 24)
    const deliver = async (guess: string): Promise<readonly number[]> => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      const fetch = async () => new Response(readable)
      const { secretFetch } = await createUse([nowhere], { fetch })
      const { body } = await secretFetch(nowhere, { headers: bearer })
      const texts = [`no user ${guess}`, 'event: 1\n', `data: ${guess}`, 'x'.repeat(99), guess]
      const chunks = texts.map((text) => Buffer.from(text))
      const outputs = await readAfterEach(body ?? readable, writable.getWriter(), chunks)
      return outputs.map(({ length }) => length)
    }
    const wrong = await deliver('\x7f'.repeat(secret.length))
    // The longest form of the token has 72 hexadecimal digits.
    expect(wrong).toEqual([0, 41, 0, 58, 24, 71])
    for (let length = 1; length <= secret.length; length++)
      expect(await deliver(secret.slice(0, length).padEnd(secret.length, '\x7f'))).toEqual(wrong)
    for (const right of [btoa(token).slice(0, 24), Buffer.from(token).toString('hex').slice(0, 24)])
      expect(await deliver(right)).toEqual(wrong)
  })

  it('masks a value in a header that is not ASCII, and keeps the bytes of others', async () => {
    const latin1 = Buffer.from(`é ${token}`).toString('latin1')
    const fetch = async () =>
      new Response(null, { headers: { a: latin1, b: `é ${token}`, c: 'é' } })
    const { secretFetch } = await createUse([nowhere], { fetch })
    const { headers } = await secretFetch(nowhere, { headers: bearer })
    expect([...headers.values()]).toEqual(['Ã© [secret]', 'é [secret]', 'é'])
  })

  it('masks a value that is not ASCII in a header with a byte that is not UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from(`${key} `), Buffer.from([0xff])]).toString('latin1')
    const fetch = async () => new Response(null, { headers: { a: bytes, b: `${key} ÿ` } })
    const { secretFetch } = await createUse([nowhere], { fetch, placesOf: () => ['body:a'] })
    const init = { method: 'POST', headers: json, body: '{"a":"{{op://Team/Acme/key}}"}' }
    const { headers } = await secretFetch(nowhere, init)
    expect([...headers.values()]).toEqual(['[secret] ÿ', '[secret] ÿ'])
  })

  it('cancels the body when its reader does', async () => {
    let reason: unknown
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from('data: 1')),
      cancel(given) {
        reason = given
      },
    })
    const { secretFetch } = await createUse([nowhere], { fetch: async () => new Response(body) })
    const response = await secretFetch(nowhere, { headers: bearer })
    await response.body?.cancel('enough')
    await expect.poll(() => reason).toBe('enough')
  })

  it('ignores an error of a body that it does not read', async () => {
    const cancel = () => Promise.reject(new Error(token))
    const fetch = async () =>
      new Response(new ReadableStream({ cancel }), { status: 302, headers: { location: '/a' } })
    const { secretFetch } = await createUse([nowhere], { fetch })
    await expect(secretFetch(nowhere, { headers: bearer })).rejects.toEqual(
      refusedWith('there are too many redirects'),
    )
  })

  it('fills in a field of a section, and a user name without a password', async () => {
    const sent: unknown[] = []
    const fetch = async (_url: string, { headers }: FilledInit) => {
      sent.push(headers['authorization'])
      return new Response()
    }
    const { service, caller, vaultId } = await createUse([nowhere])
    const section = { id: 's', label: 'More' }
    const fields = [{ id: 'f', label: 'key', section: { id: 's' }, value: 'sk_live_correct' }]
    const urls = [{ href: nowhere }]
    const item = { category: 'LOGIN', title: 'Mail', urls, sections: [section], fields } as const
    await service.createItem(caller, { vaultId, item })
    const secretFetch = createSecretFetch(vaultSecrets(service, caller), {
      allowLoopbackHttp: true,
      fetch,
    })
    const authorization = 'Basic {{ op://Team/Mail/More/key }}:'
    await secretFetch(new Request(nowhere, { headers: { authorization } }))
    expect(sent).toEqual([`Basic ${btoa('sk_live_correct:')}`])
  })

  it('rejects with TypeError for an invalid URL', async () => {
    const message = 'the URL of the request is invalid'
    expect(await errorOf('http://[', { headers: bearer })).toEqual(new TypeError(message))
  })

  it('leaves out a header whose name contains a value, in any form and case', async () => {
    const value = 'Fresh~Token*1'
    const names = [
      ...[`x-${value}`, `X-${value.toUpperCase()}-b`, btoa(`a${value}`).replaceAll('=', '')],
      ...[Buffer.from(value).toString('hex'), encodeURIComponent(value), 'Fresh%7eToken%2a1'],
      ...[value.replace('~', '%7E'), value.slice(0, -1), 'a'],
    ]
    const fetch = async () =>
      new Response(null, { headers: Object.fromEntries(names.map((name) => [name, '1'])) })
    const tokens = { accessToken: async () => value }
    const { secretFetch } = await createUse([nowhere], { fetch, tokens })
    const headers = { a: '{{op://Team/Acme/credential?attribute=access_token}}' }
    const kept = [...(await secretFetch(nowhere, { headers })).headers.keys()]
    expect(kept).toEqual(['a', 'fresh~token*'])
  })

  it('refuses the refresh token of a grant, and its other secrets, under any name', async () => {
    const { service, caller, vaultId } = await createUse([nowhere])
    const store = createMemoryStore()
    const refresh = () => expect.fail('the token was refreshed')
    const grants = vaultGrants(service, caller)
    const keeper = createTokenKeeper({ grants, leases: store.records, refresh })
    const ref = await grants.save(vaultId, {
      name: 'mail',
      accessToken: 'sk_live_51H',
      refreshToken: 'the-refresh-token',
      origins: [nowhere],
    })
    const patch = [
      { op: 'replace', path: '/fields/refresh_token/label', value: 'Key' },
      { op: 'replace', path: '/fields/refresh_token/type', value: 'STRING' },
      { op: 'add', path: '/fields/-', value: { id: 'copy', type: 'CONCEALED', value: 'a' } },
      { op: 'add', path: '/fields/-', value: { id: 'client', value: 'the-client-id' } },
    ] as const
    await service.patchItem(caller, { ...ref, patch })
    const send = async (_url: string, { headers }: FilledInit): Promise<Response> =>
      new Response(`${headers['a'] === 'sk_live_51H'} ${headers['b']}`)
    const secrets = vaultSecrets(service, caller, { tokens: keeper })
    const secretFetch = createSecretFetch(secrets, {
      allowLoopbackHttp: true,
      refusal: 'throw',
      fetch: send,
    })
    for (const name of ['refresh_token', 'Key', 'copy', 'refresh_token?attribute=access_token']) {
      const headers = { a: `{{ op://Team/mail/${name} }}` }
      await expect(secretFetch(nowhere, { headers })).rejects.toEqual(
        refusedWith('a refresh token can only be used by its token keeper'),
      )
    }
    const headers = {
      a: '{{ op://Team/mail/credential?attribute=access_token }}',
      b: '{{ op://Team/mail/client }}',
    }
    expect(await (await secretFetch(nowhere, { headers })).text()).toBe('true [secret]')
  })
})
