import dns from 'node:dns'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer, type Server } from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { SecretUseError } from 'cofferkit'
import { createNodeListener, createPublicFetch } from 'cofferkit/node'
import { createSecretFetch, createSecretRelay, vaultSecrets } from 'cofferkit/use'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createUse, token } from '../../use/support/echo-server.js'
import { useToken } from '../../use/support/relay.js'
import { createCertificates } from '../support/certificates.js'

const certificates = createCertificates()
const allowHosts = ['127.0.0.1']
let tls: { readonly cert: string; readonly key: string }
let ca: readonly string[] = []

beforeAll(() => {
  const authority = certificates.create('authority', 'authority-key')
  const { cert, key } = certificates.create('server', 'server-key', authority)
  tls = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
  ca = [readFileSync(authority.cert, 'utf8')]
})
afterAll(() => certificates.remove())

/** Starts an API with TLS until the end of the test, and returns its origin. */
async function startApi(listener: RequestListener): Promise<string> {
  return start(createTlsServer(tls, listener))
}

async function start(server: Server | ReturnType<typeof createServer>): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Answers all look-ups of names with these addresses, as the name server of an attacker does. */
function answerLookups(...addresses: readonly string[]): void {
  const { lookup } = dns
  const answer = (_name: string, _options: object, callback: (...values: unknown[]) => void) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  Object.assign(dns, { lookup: answer })
  syncBuiltinESMExports()
  onTestFinished(() => {
    Object.assign(dns, { lookup })
    syncBuiltinESMExports()
  })
}

const refusal = new SecretUseError('the host is not public')

describe('createPublicFetch', () => {
  it('sends a request, and returns the response', async () => {
    const origin = await startApi(async (request, response) => {
      const { method, url, headers } = request
      let body = ''
      for await (const chunk of request) body += chunk
      response.writeHead(201, 'Made', [
        ...['set-cookie', 'a=1', 'set-cookie', 'b=2', 'x-a', '1', 'x-a', '2'],
      ])
      response.end(JSON.stringify({ method, url, body, type: headers['content-type'] }))
    })
    const send = createPublicFetch({ allowHosts, ca })
    const response = await send(new URL(`${origin}/a?b=1`), { method: 'POST', body: 'abc' })
    expect([response.status, response.statusText, response.redirected]).toEqual([
      201,
      'Made',
      false,
    ])
    expect(response.headers.get('x-a')).toBe('1, 2')
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(await response.json()).toEqual({
      method: 'POST',
      url: '/a?b=1',
      body: 'abc',
      type: 'text/plain;charset=UTF-8',
    })
  })

  it('follows no redirect, and gives HEAD and 204 no body', async () => {
    const origin = await startApi(({ url }, response) => {
      const status = url === '/302' ? 302 : 204
      response.writeHead(status, { location: 'https://evil.example/' }).end()
    })
    const send = createPublicFetch({ allowHosts, ca })
    const redirect = await send(`${origin}/302`)
    expect([redirect.status, redirect.headers.get('location')]).toEqual([
      302,
      'https://evil.example/',
    ])
    expect((await send(`${origin}/302`, { method: 'HEAD' })).body).toBeNull()
    expect((await send(origin)).body).toBeNull()
  })

  it.each([
    ['gzip', gzipSync, 'hello'],
    ['br', brotliCompressSync, 'hello'],
    ['deflate', deflateSync, undefined],
  ] as const)(
    'decodes gzip and br, and leaves the rest as it is: %s',
    async (name, encode, text) => {
      const origin = await startApi((_, response) => {
        response.setHeader('content-encoding', name)
        response.end(encode('hello'))
      })
      const response = await createPublicFetch({ allowHosts, ca })(origin)
      const bytes = Buffer.from(await response.arrayBuffer())
      expect(response.headers.get('content-encoding')).toBe(name)
      expect(bytes).toEqual(text === undefined ? encode('hello') : Buffer.from(text))
    },
  )

  it('fails where the body breaks off, also in a compressed one', async () => {
    const origin = await startApi(({ url }, response) => {
      if (url === '/gzip') response.setHeader('content-encoding', 'gzip')
      const bytes = gzipSync(Buffer.alloc(100_000, 'a'))
      response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
    })
    const send = createPublicFetch({ allowHosts, ca })
    for (const path of ['/', '/gzip']) {
      const response = await send(origin + path)
      await expect(response.text()).rejects.toThrow()
    }
  })

  it('closes the connection when the call is aborted, or the body is cancelled', async () => {
    const closed: Promise<unknown>[] = []
    const origin = await startApi((_, response) => {
      closed.push(once(response, 'close'))
      response.write('begun')
    })
    const send = createPublicFetch({ allowHosts, ca })
    const controller = new AbortController()
    const aborted = await send(origin, { signal: controller.signal })
    controller.abort()
    await expect(aborted.text()).rejects.toThrow()
    await (await send(origin)).body?.cancel()
    await Promise.all(closed)
    expect(closed).toHaveLength(2)
    const { signal } = controller
    await expect(send(origin, { signal })).rejects.toThrow(/abort/)
  })

  it('rejects a response that a Response cannot be', async () => {
    const server = createTlsServer(tls)
    server.on('connection', () => {})
    server.on('secureConnection', (socket) => {
      socket.end('HTTP/1.1 700 Odd\r\ncontent-length: 0\r\n\r\n')
    })
    const origin = await start(server)
    await expect(createPublicFetch({ allowHosts, ca })(origin)).rejects.toThrow(RangeError)
  })

  it('rejects a certificate of an authority that is not trusted', async () => {
    const origin = await startApi((_, response) => response.end())
    await expect(createPublicFetch({ allowHosts })(origin)).rejects.toMatchObject({
      code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    })
  })

  it.each([
    ...['https://127.0.0.1/', 'https://2130706433/', 'https://[::1]/', 'https://localhost/'],
    ...['https://[::ffff:127.0.0.1]/', 'https://10.0.0.1/', 'https://169.254.169.254/'],
    ...['https://metadata.google.internal/', 'https://0.0.0.0/', 'https://[64:ff9b::a00:1]/'],
  ])('does not connect to %s', async (url) => {
    await expect(createPublicFetch()(url)).rejects.toThrow(refusal)
  })

  it('does not send by http', async () => {
    await expect(createPublicFetch({ allowHosts })('http://127.0.0.1/')).rejects.toThrow(
      new SecretUseError('requests are sent by https only'),
    )
  })

  it.each([
    ...[['127.0.0.1'], ['10.0.0.1'], ['::1'], ['fd00::1'], ['fe80::1%eth0'], ['::ffff:10.0.0.1']],
    ...[['93.184.215.14', '127.0.0.1'], ['169.254.169.254', '2606:4700::1111'], []],
  ])('does not connect to a name with the addresses %s %s', async (...addresses) => {
    const origin = await startApi(() => expect.fail('the request was sent'))
    answerLookups(...addresses)
    const { port } = new URL(origin)
    await expect(createPublicFetch({ ca })(`https://api.example.com:${port}/`)).rejects.toThrow(
      refusal,
    )
  })

  it('connects to a name that allowHosts has, whatever its address is', async () => {
    const origin = await startApi((_, response) => response.end())
    answerLookups('127.0.0.1')
    const { port } = new URL(origin)
    const send = createPublicFetch({ ca, allowHosts: ['API.example.com'] })
    // The certificate is one of 127.0.0.1, so the connection was made.
    await expect(send(`https://api.example.com:${port}/`)).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    })
  })

  it('reports a name that does not exist', async () => {
    await expect(createPublicFetch()('https://nowhere.invalid/')).rejects.toMatchObject({
      syscall: 'getaddrinfo',
    })
  })

  it('refuses the name and the redirect of a customer in a relay, with 403', async () => {
    let port = ''
    const origin = await startApi(({ url }, response) => {
      if (url === '/redirect')
        response.writeHead(302, { location: `https://127.0.0.2:${port}/` }).end()
      else response.end(token)
    })
    port = new URL(origin).port
    const named = `https://api.example.com:${port}`
    const { service, caller } = await createUse([origin, named, `https://127.0.0.2:${port}`])
    const relay = createSecretRelay(
      (own, fetch) => createSecretFetch(vaultSecrets(service, own), { fetch }),
      {
        authenticate: () => caller,
        allowHosts,
        fetch: createPublicFetch({ allowHosts, ca }),
      },
    )
    const relayOrigin = (await start(createServer(createNodeListener(relay)))).replace('s:', ':')
    answerLookups('127.0.0.1')
    const send = async (target: string) => {
      const response = await fetch(`${relayOrigin}/relay/${target}`, { headers: useToken })
      return [response.status, await response.text()]
    }
    expect(await send(`https/127.0.0.1:${port}/`)).toEqual([200, '[secret]'])
    const { message } = refusal
    const error = { code: 'SECRET_USE_REFUSED', message }
    const body = JSON.stringify({ status: 403, message, error })
    expect(await send(`https/api.example.com:${port}/`)).toEqual([403, body])
    expect(await send(`https/127.0.0.1:${port}/redirect`)).toEqual([403, body])
  })
})
