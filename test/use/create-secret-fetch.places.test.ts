import { createServer } from 'node:http'
import { inspect } from 'node:util'
import { createSecretFetch, type FilledInit, type SecretFetchOptions } from 'cofferkit/use'
import { describe, expect, it } from 'vitest'
import { listPages, readPage } from '../support/source/pages.js'
import { createUse, key, login, startServer, token } from './support/echo-server.js'
import { sourceOf } from './support/source-of.js'

const origin = 'https://api.test'
const bearer = { authorization: 'Bearer {{ op://Team/Acme/token }}' }
const json = { 'content-type': 'application/json' }

/** Creates a secret fetch, and returns what it has sent. */
async function setUp(options: SecretFetchOptions = {}) {
  const sent: { url: string; init: FilledInit; body: Buffer<ArrayBuffer> }[] = []
  const fetch = async (url: string, init: FilledInit) => {
    const body = Buffer.from(await new Response(init.body ?? null).arrayBuffer())
    sent.push({ url, init, body })
    return new Response(`${url} ${body}`)
  }
  return { ...(await createUse([origin], { fetch, ...options })), sent }
}

/** Creates a secret fetch over one value. */
function fetchWith(value: string, options: SecretFetchOptions = {}) {
  const sent: string[] = []
  const fetch = async (url: string, { body }: FilledInit) => {
    sent.push(`${url} ${await new Response(body ?? null).text()}`)
    return new Response(url)
  }
  const secrets = sourceOf(async () => ({ value, origins: [origin] }))
  const secretFetch = createSecretFetch(secrets, {
    ...{ fetch, refusal: 'throw', allowShortValues: true, placesOf: () => ['path', 'form:key'] },
    ...options,
  })
  return { secretFetch, sent }
}

describe('createSecretFetch with references in places that are not enabled', () => {
  it.each(listPages().filter((page) => /^(?:README\.md$|docs\/[\w-]+\.md$)/.test(page)))(
    'sends %s as it is',
    async (page) => {
      const text = readPage(page)
      const body = JSON.stringify({ messages: [{ content: text }] })
      for (const placesOf of [undefined, () => ['body:key', 'query:key', 'path', 'form:key']]) {
        const { secretFetch, sent } = await setUp({ ...(placesOf && { placesOf }) })
        const form = new FormData()
        form.set('text', text)
        const url = `${origin}/?text=${encodeURIComponent(text.slice(0, 4096))}`
        await secretFetch(url, { method: 'POST', headers: { ...bearer, ...json }, body })
        await secretFetch(origin, { method: 'POST', headers: bearer, body: text })
        await secretFetch(origin, { method: 'POST', headers: bearer, body: form })
        expect(sent.map(({ init }) => init.headers['authorization'])).toEqual(
          Array(3).fill(`Bearer ${token}`),
        )
        expect(sent[0]?.url).toBe(new URL(url).href)
        expect(`${sent[0]?.body}`).toBe(body)
        expect(`${sent[1]?.body}`).toBe(text)
        expect(`${sent[2]?.body}`).toContain(text.replace(/\r?\n/g, '\r\n'))
      }
    },
  )

  it.each([
    ['a reference', '{{ op://Team/Acme/token }}'],
    ['one that does not exist', '{{ op://none/none/none }}'],
    ['one that is invalid', '{{ op://Team }}'],
    ['one that is not closed', '{{ op://Team/Acme/token'],
  ])('sends %s as text in the path, the query, names and the body', async (_, text) => {
    const { secretFetch, sent } = await setUp({ placesOf: () => ['body:key'] })
    const url = `${origin}/${encodeURIComponent(text)}?${new URLSearchParams({ a: text, [text]: '1' })}`
    const body = JSON.stringify({ a: text, [text]: [text] })
    await secretFetch(url, { method: 'POST', headers: { ...bearer, ...json }, body })
    await secretFetch(`${url}#${text}`, {
      ...{ method: 'POST', headers: bearer, body: new URLSearchParams({ a: text, [text]: text }) },
    })
    expect(sent[0]?.url).toBe(url)
    expect(`${sent[0]?.body}`).toBe(body)
    expect(`${sent[1]?.body}`).toBe(`${new URLSearchParams({ a: text, [text]: text })}`)
  })

  it('fills in only the references of a text that are enabled for its place', async () => {
    const { secretFetch, sent } = await setUp({
      placesOf: (reference) => (reference.endsWith('/key') ? ['body:a', 'query:a'] : []),
    })
    const text =
      '{{op://Team/Acme/key}} {{op://Team/Acme/token}} {{op://Team}} {{op://Team/Acme/key'
    const body = JSON.stringify({ a: text, b: text })
    const url = `${origin}/?${new URLSearchParams({ a: text, b: text })}`
    await secretFetch(url, { method: 'POST', headers: json, body })
    const filled = text.replace('{{op://Team/Acme/key}}', key)
    expect(JSON.parse(`${sent[0]?.body}`)).toEqual({ a: filled, b: text })
    const query = new URL(String(sent[0]?.url)).searchParams
    expect([query.get('a'), query.get('b')]).toEqual([filled, text])
  })

  it('accepts members of the same name where nothing is filled in', async () => {
    const body = '{"a":"{{op://Team/Acme/key}}","a":[{"a":"\\"{"}]}'
    const { secretFetch, sent } = await setUp({ placesOf: () => ['body:b'] })
    await secretFetch(origin, { method: 'POST', headers: { ...bearer, ...json }, body })
    expect(`${sent[0]?.body}`).toBe(body)
  })

  it('asks placesOf once for each reference', async () => {
    const seen: string[] = []
    const { secretFetch } = await setUp({ placesOf: (reference) => [`${seen.push(reference)}`] })
    const body = JSON.stringify(Array(3).fill('{{op://Team/Acme/key}} {{op://Team/Acme/token}}'))
    await secretFetch(origin, { method: 'POST', headers: { ...bearer, ...json }, body })
    expect(seen).toEqual(['op://Team/Acme/key', 'op://Team/Acme/token'])
  })

  it.each(['text/plain', 'application/json', 'multipart/form-data; boundary=x', ''])(
    'passes on a stream of the type %j as it comes',
    async (type) => {
      let isFirstReceived = (): void => {}
      const received = new Promise<void>((resolve) => {
        isFirstReceived = resolve
      })
      const server = await startServer(async (request, response) => {
        const chunks: string[] = []
        for await (const chunk of request) {
          chunks.push(`${chunk}`)
          isFirstReceived()
        }
        response.end(`${request.headers['content-length']} ${chunks.join('|')}`)
      })
      const { secretFetch } = await createUse([server])
      const chunks = ['{"a":"{{ op://Team', '/Acme/token', '"}']
      const body = new ReadableStream({
        async pull(controller) {
          const chunk = chunks.shift()
          if (chunks.length === 1) await received
          if (chunk === undefined) controller.close()
          else controller.enqueue(Buffer.from(chunk))
        },
      })
      const init = { method: 'POST', body, duplex: 'half' as const }
      const headers = { ...bearer, ...(type !== '' && { 'content-type': type }) }
      const response = await secretFetch(server, { ...init, headers })
      expect((await response.text()).replaceAll('|', '')).toBe(
        'undefined {"a":"{{ op://Team/Acme/token"}',
      )
    },
  )

  it('reads no more than a mebibyte ahead of a stream', async () => {
    let chunks = 0
    const fetch = async (_url: string, { body }: FilledInit) => {
      expect(chunks).toBeLessThan(10)
      return new Response(body ?? null)
    }
    const { secretFetch } = await createUse([origin], { fetch })
    const body = new ReadableStream({
      pull(controller) {
        if (++chunks > 20) controller.close()
        else controller.enqueue(new Uint8Array(262_144))
      },
    })
    const init = { method: 'POST', body, duplex: 'half' as const, headers: bearer }
    const request = new Request(origin, init)
    expect((await (await secretFetch(request)).arrayBuffer()).byteLength).toBe(20 * 262_144)
  })

  it('ignores a stream that cannot be cancelled', async () => {
    const fetch = async (_url: string, { body }: FilledInit) => {
      const stream = body instanceof ReadableStream ? body : expect.fail('it is no stream')
      await stream.cancel().catch(() => {})
      return new Response('ok')
    }
    const { secretFetch } = await createUse([origin], { fetch })
    const cancel = () => Promise.reject(new Error(token))
    const init = { method: 'POST', body: new ReadableStream({ cancel }), duplex: 'half' as const }
    const headers = { ...bearer, 'content-type': 'text/plain' }
    expect(await (await secretFetch(origin, { ...init, headers })).text()).toBe('ok')
  })

  it('sends the length of a body that is not a stream', async () => {
    const server = await startServer((request, response) =>
      response.end(`${request.headers['content-length']}`),
    )
    const { secretFetch } = await createUse([server])
    for (const body of ['four', Buffer.from('four')]) {
      const request = new Request(server, { method: 'POST', headers: bearer, body })
      expect(await (await secretFetch(request)).text()).toBe('4')
    }
    const form = new FormData()
    form.set('file', new Blob(['x'.repeat(200_000)]))
    for (const body of [form, new Blob(['x'.repeat(200_000)]), 'x'.repeat(200_000)]) {
      const response = await secretFetch(server, { method: 'POST', headers: bearer, body })
      expect(Number(await response.text())).toBeGreaterThanOrEqual(200_000)
    }
    const empty = new Request(server, { method: 'POST', headers: bearer, body: '' })
    expect(await (await secretFetch(empty)).text()).toBe('0')
  })

  it.each([
    ['application/json', '{"_method":', '"DELETE"}'],
    ['application/x-www-form-urlencoded', 'a=1&_met', 'hod=DELETE'],
    ['', '_method=', 'DELETE'],
  ])('breaks off a stream of the type %j that names another method', async (type, ...chunks) => {
    const ends: unknown[] = []
    const server = createServer(async (request, response) => {
      const read = async () => {
        for await (const _ of request);
        ends.push('complete')
        response.end()
      }
      await read().catch(() => ends.push('aborted'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = Object(server.address())
    const url = `http://127.0.0.1:${port}`
    const { secretFetch } = await createUse([url])
    const body = new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setImmediate(resolve))
        const chunk = chunks.shift()
        if (chunk === undefined) controller.close()
        else controller.enqueue(Buffer.from(chunk))
      },
    })
    const headers = { ...bearer, ...(type !== '' && { 'content-type': type }) }
    const init = { method: 'POST', headers, body, duplex: 'half' as const }
    const call = secretFetch(url, init)
    await expect(call).rejects.toMatchObject({ code: 'SECRET_USE_REFUSED', reason: 'METHOD' })
    await expect.poll(() => ends).toEqual(['aborted'])
    server.closeAllConnections()
    server.close()
  })
})

describe('createSecretFetch with a reference in several places', () => {
  it('fills it in everywhere, and asks allow for each place', async () => {
    const places: string[] = []
    const { secretFetch, sent } = await setUp({
      allow: ({ place }) => places.push(place) > 0,
      placesOf: () => ['query:key'],
    })
    const headers = { ...bearer, apikey: '{{op://Team/Acme/token}}-{{ op://Team/Acme/token }}' }
    await secretFetch(`${origin}/?key={{op://Team/Acme/token}}`, { headers })
    expect(sent[0]?.init.headers).toMatchObject({
      apikey: `${token}-${token}`,
      authorization: `Bearer ${token}`,
    })
    expect(new URL(String(sent[0]?.url)).searchParams.get('key')).toBe(token)
    expect(places).toEqual(['header:apikey', 'header:authorization', 'query:key'])
  })
})

describe('createSecretFetch with Basic credentials', () => {
  it.each([
    ['{{ op://Team/Acme/token }}:', `${token}:`],
    ['{{ op://Team/Acme/token }}:X', `${token}:X`],
    ['wendy:{{ op://Team/Acme/token }}', `wendy:${token}`],
    ['wéndy:{{ op://Team/Acme/key }}', `wéndy:${key}`],
    ['{{ op://Team/Acme/login }}', login],
  ])('fills in the pair %s that a client has encoded, or not', async (pair, filled) => {
    const { secretFetch, sent } = await setUp()
    const encoded = Buffer.from(pair).toString('base64')
    const texts = [`Basic ${encoded}`, `basic  ${encoded.replaceAll('=', '')}`]
    if (/^[ -~]*$/.test(pair)) texts.push(`Basic ${pair}`)
    for (const authorization of texts) {
      await secretFetch(origin, { headers: { authorization } })
      const [, sentPair = ''] = String(sent.pop()?.init.headers['authorization']).split(' ')
      expect(Buffer.from(sentPair, 'base64').toString()).toBe(filled)
    }
  })

  it('masks the pair, the password and the value', async () => {
    const fetch = async (_url: string, { headers }: FilledInit) =>
      new Response(`${headers['authorization']} ${token}`)
    const { secretFetch } = await createUse([origin], { fetch })
    const authorization = `Basic ${btoa('{{op://Team/Acme/token}}:')}`
    const response = await secretFetch(origin, { headers: { authorization } })
    expect(await response.text()).toMatch(/^Basic \[secret\]=* \[secret\]$/)
  })

  it.each([
    'Basic d2VuZHk6YQ==',
    'Basic ///w',
    'Basic {{',
    'Basic',
    `Basic ${btoa('\xff{{op://')}`,
  ])('sends %s as it is', async (authorization) => {
    const { secretFetch, sent } = await setUp()
    await secretFetch(origin, { headers: { authorization, a: bearer.authorization } })
    expect(sent[0]?.init.headers['authorization']).toBe(authorization)
  })

  it('refuses a short password of a value, but not one that the request has', async () => {
    const { secretFetch } = await setUp()
    const send = (pair: string) =>
      secretFetch(origin, { headers: { authorization: `Basic ${btoa(pair)}` } })
    await expect(send('{{op://Team/Acme/pin}}')).rejects.toMatchObject({ reason: 'TOO_SHORT' })
    await expect(send('{{op://Team/Acme/token}}:x')).resolves.toMatchObject({ status: 200 })
  })
})

describe('createSecretFetch with a reference in the path', () => {
  const encoded = encodeURIComponent('{{ op://Team/Acme/token }}')

  it.each([
    ['/bot{{ op://Team/Acme/token }}/sendMessage', '/bot123456:AA-_~/sendMessage', '123456:AA-_~'],
    [`/bot${encoded}/a`, '/bot12:a@b%20c%3Fd%23e%25/a', '12:a@b c?d#e%'],
    ['/%7b%7bop://Team/Acme/token%7d%7D', '/%C3%A9', 'é'],
    [`/${encoded}/${encoded}`, '/.../...', '...'],
  ])('fills in one segment of %s: %s', async (path, filled, value) => {
    const { secretFetch, sent } = fetchWith(value)
    const response = await secretFetch(`${origin}${path}?a={{op://a/b/c}}#b`)
    expect(sent).toEqual([`${origin}${filled}?a={{op://a/b/c}}#b `])
    expect(response.url).toBe(`${new URL(`${origin}${path}`).href}?a={{op://a/b/c}}`)
  })

  it.each(['', '.', '..', 'a/b', 'a\\b', 'a\nb', 'a\x7f', 'a\ud800'])(
    'refuses the value %j',
    async (value) => {
      const { secretFetch, sent } = fetchWith(value)
      const error = await secretFetch(`${origin}/${encoded}`).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({
        reason: 'CHARACTERS',
        message: `the value is not one segment of a path: op://Team/Acme/token in path, for ${origin}`,
      })
      expect(sent).toEqual([])
    },
  )

  it('masks the segment in the response, and names it in no error', async () => {
    const value = '123456:AA/+$,;=&'.replace('/', '@')
    const { secretFetch } = fetchWith(value)
    const response = await secretFetch(`${origin}/bot${encoded}/a`)
    expect(await response.text()).toBe(`${origin}/bot[secret]/a`)
    const fail = async (url: string) => {
      throw Object.assign(new Error(url), { code: url })
    }
    const { secretFetch: failing } = fetchWith(value, { fetch: fail })
    const error = await failing(`${origin}/bot${encoded}/a`).catch((thrown: unknown) => thrown)
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/123456|AA/)
  })

  it('follows no redirect', async () => {
    const fetch = async () => new Response(null, { status: 302, headers: { location: '/a' } })
    const { secretFetch } = fetchWith('sk_live_correct', { fetch })
    await expect(secretFetch(`${origin}/${encoded}`)).rejects.toMatchObject({
      reason: 'REDIRECT_BODY',
    })
  })

  it('is text where path is not enabled, or the braces are not of a reference', async () => {
    const { secretFetch, sent } = fetchWith('sk_live_correct')
    const path = '/%7B%7Bop://a%7D%7D/%7B%7B%ff%7D%7D/%7B%7Bop://a/b/c'
    await secretFetch(`${origin}${path}`, { headers: bearer })
    expect(sent).toEqual([`${origin}${path} `])
  })
})

describe('createSecretFetch with a reference in multipart/form-data', () => {
  const reference = '{{ op://Team/Acme/key }}'

  it('fills in the texts of a FormData, and keeps files as they are', async () => {
    const form = new FormData()
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
    form.set('a', reference)
    form.set('key', `<${reference}>\nÿ`)
    form.set('file', new Blob([bytes, reference]), 'key')
    form.append('key', reference)
    const options = { placesOf: () => ['form:key', 'form:file'] }
    const { secretFetch, sent } = await setUp(options)
    await secretFetch(origin, { method: 'POST', body: form })
    const headers = { 'content-type': String(sent[0]?.init.headers['content-type']) }
    const received = await new Response(sent[0]?.body, { headers }).formData()
    expect(received.get('a')).toBe(reference)
    expect(received.getAll('key')).toEqual([`<${key}>\r\nÿ`, key])
    const file = Object(received.get('file'))
    expect(Buffer.from(await file.arrayBuffer())).toEqual(
      Buffer.concat([bytes, Buffer.from(reference)]),
    )
  })

  const part = (head: string, value = reference): string => `--x\r\n${head}\r\n\r\n${value}\r\n`
  const named = 'Content-Disposition: form-data; name="key"'

  it.each([
    ['a type in UTF-8', part(`${named}\r\nContent-Type: text/plain; charset=utf-8`)],
    ['an empty part before it', `${part(named, '')}${part(named)}`],
  ])('fills in a part with %s', async (_, parts) => {
    const { secretFetch, sent } = fetchWith('sk_live_correct')
    const headers = { 'content-type': 'multipart/form-data; boundary="x"' }
    await secretFetch(origin, { method: 'POST', headers, body: `${parts}--x--\r\n` })
    expect(sent[0]).toBe(`${origin}/ ${parts.replace(reference, 'sk_live_correct')}--x--\r\n`)
  })

  it.each([
    ['another charset', 'x', part(`${named}\r\nContent-Type: text/plain; charset=utf-16`)],
    ['a file name', 'x', part(`${named}; filename="a"`)],
    ['two names', 'x', part(`${named}; name="b"`)],
    ['another header', 'x', part(`${named}\r\nContent-Transfer-Encoding: base64`)],
    ['bytes that are not UTF-8', 'x', part(named, `\xff${reference}`)],
    ['a head that is not UTF-8', 'x', part('Content-Disposition: form-data; name="\xff"')],
    ['no head', 'x', `--x\r\n${reference}\r\n`],
    ['a delimiter that goes on', 'x', part(named).replace('--x', '--xy')],
    ['another boundary', 'y', part(named)],
    ['two boundaries', 'x; boundary=y', part(named)],
  ])('keeps a part with %s', async (_, boundary, parts) => {
    const { secretFetch, sent } = await setUp({ placesOf: () => ['form:key'] })
    const headers = { ...bearer, 'content-type': `multipart/form-data; boundary=${boundary}` }
    const body = Buffer.from(`${parts}--x--\r\n`, 'latin1')
    await secretFetch(origin, { method: 'POST', headers, body })
    expect(sent[0]?.body).toEqual(body)
  })

  it('keeps what is behind the end, or has no end', async () => {
    const { secretFetch, sent } = await setUp({ placesOf: () => ['form:key'] })
    const headers = { ...bearer, 'content-type': 'multipart/form-data; boundary=x' }
    const bodies = [`--x--\r\n${part(named)}--x--\r\n`, part(named)]
    for (const body of bodies) await secretFetch(origin, { method: 'POST', headers, body })
    expect(sent.map(({ body }) => `${body}`)).toEqual(bodies)
  })

  it('refuses a value that ends its part', async () => {
    const { secretFetch } = fetchWith('sk_live_correct\r\n--x--')
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const call = secretFetch(origin, { method: 'POST', headers, body: `${part(named)}--x--\r\n` })
    await expect(call).rejects.toMatchObject({ reason: 'CHARACTERS' })
  })
})
