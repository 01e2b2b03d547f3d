import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DecryptionError } from '../../../../src/errors.js'
import { wrapProviderErrors } from '../../../../src/storage/encrypted/providers/key-provider.js'
import {
  createTransitKeyProvider,
  type KeyContext,
  type KeyProvider,
  type TransitOptions,
} from '../../../../src/storage/encrypted.js'
import { type LocalTransit, startLocalTransit } from '../../../support/auth/kms-transit.js'

const token = 'hvs.CAESIJsecretsecret'
const context: KeyContext = { purpose: 'cofferkit key ring', scope: 'v1' }
const material = new TextEncoder().encode('plaintext-data-key-'.repeat(4).slice(0, 32))
const address = 'https://vault.example'

async function node(): Promise<LocalTransit> {
  const engine = await startLocalTransit('k', token)
  onTestFinished(() => engine.close())
  return engine
}

/** Starts a server that logs its requests. */
async function listener(
  respond: (response: ServerResponse) => void,
): Promise<{ readonly address: string; readonly received: string[] }> {
  const received: string[] = []
  const server = createServer((request: IncomingMessage, response) => {
    request.setEncoding('utf8')
    const chunks: string[] = [`${request.method} ${request.url} ${inspect(request.rawHeaders)}`]
    request.on('data', (chunk: string) => chunks.push(chunk))
    request.on('end', () => {
      received.push(chunks.join(' '))
      respond(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

function providerAt(options: Partial<TransitOptions> & { readonly address: string }): KeyProvider {
  return createTransitKeyProvider({ keyId: 'k', token: () => token, ...options })
}

/**
 * Returns the code of the error that `wrap` rejects with, after checking that the error contains
 * nothing of the request or the response.
 */
async function codeOf(provider: KeyProvider): Promise<unknown> {
  const direct: unknown = await provider.wrap(material, context).catch((thrown: unknown) => thrown)
  const wrapped: unknown = await wrapProviderErrors('to wrap', () =>
    provider.wrap(material, context),
  ).catch((thrown: unknown) => thrown)
  expect(direct).toBeInstanceOf(Error)
  expect(wrapped).toMatchObject({ status: 503, message: 'the key provider failed to wrap' })
  for (const error of [direct, wrapped]) {
    const text = inspect(error, { depth: 9, showHidden: true })
    for (const secret of [token, 'secretsecret', 'plaintext', btoa('plaintext-data-key-'), 'evil'])
      expect(text).not.toContain(secret)
  }
  return (direct as { code?: unknown }).code
}

describe('createTransitKeyProvider', () => {
  it.each([
    '',
    '.',
    '..',
    '../../auth/token/revoke-self',
    'a/b',
    'a b',
    'a%2fb',
    'a?b',
    'a#b',
    'ä',
  ])('throws a TypeError for %o as a key, a former key and a segment of the mount path', (name) => {
    const options = { address, token: () => token }
    expect(() => createTransitKeyProvider({ ...options, keyId: name })).toThrow(
      /^options\.keyId must /,
    )
    expect(() =>
      createTransitKeyProvider({ ...options, keyId: 'k', formerKeyIds: ['l', name] }),
    ).toThrow(/^options\.formerKeyIds\[1\] must /)
    for (const mount of [`transit/${name}/`, `/${name}`, `${name}//a`, `a/../${name}`])
      expect(() => createTransitKeyProvider({ ...options, keyId: 'k', mount })).toThrow(
        /^options\.mount must /,
      )
  })

  it.each([
    '',
    'vault.example',
    'ftp://vault.example',
    'https://',
    'https://vault.example/v1',
    'https://vault.example/?',
    'https://vault.example/#',
    'https://vault.example?namespace=a',
    'https://user@vault.example',
    'https://user:secret@vault.example',
  ])('throws a TypeError for the address %o, which is not an origin', (bad) => {
    expect(() => providerAt({ address: bad })).toThrow(TypeError)
    expect(() => providerAt({ address: bad })).toThrow(
      /^options\.address must be an origin, such as/,
    )
    expect(() => providerAt({ address, standbys: [bad] })).toThrow(
      /^options\.standbys\[0\] must be an origin/,
    )
  })

  it.each([
    'http://vault.example',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'http://128.0.0.1',
    'http://0.0.0.0',
    'http://[::2]',
  ])(
    'throws a RangeError for the address %o, over which the token would be sent in plaintext',
    (bad) => {
      expect(() => providerAt({ address: bad })).toThrow(RangeError)
      expect(() => providerAt({ address: bad })).toThrow(
        'options.address must be https:, except on the same',
      )
      expect(() => providerAt({ address, standbys: [bad] })).toThrow(
        'options.standbys[0] must be https:',
      )
    },
  )

  it.each([
    'http://localhost:8200',
    'http://127.0.0.1:8200/',
    'http://127.8.9.10',
    'http://[::1]:8200',
    'HTTPS://Vault.Example:443',
  ])('accepts the address %o', async (good) => {
    const urls: string[] = []
    const provider = providerAt({
      address: good,
      mount: 'team-1/transit.v2',
      fetch: async (url) => {
        urls.push(url)
        return Response.json({ data: { ciphertext: 'vault:v1:AA==' } })
      },
    })
    await provider.wrap(material, context)
    expect(urls).toEqual([`${new URL(good).origin}/v1/team-1/transit.v2/encrypt/k`])
  })
})

describe('unwrap of createTransitKeyProvider', () => {
  it.each(['../../auth/token/revoke-self', '..', 'other', 'k?', 'K', ''])(
    'sends no request for the unknown key %o',
    async (kekId) => {
      const server = await listener((response) => response.end('{}'))
      const provider = providerAt({ address: server.address, formerKeyIds: ['l'] })
      const unwrapping = provider.unwrap(kekId, new Uint8Array(3), context)
      await expect(unwrapping).rejects.toThrow(DecryptionError)
      expect(server.received).toEqual([])
    },
  )
})

describe('postToTransit with redirects', () => {
  it.each([307, 308])(
    'follows %i to another node of the cluster, with its own path',
    async (status) => {
      const [standby, active] = [await node(), await node()]
      standby.redirect(`${active.address}/v1/sys/seal?a=b#c`, status)
      const provider = providerAt({ address: standby.address, standbys: [active.address] })
      const wrapped = await provider.wrap(material, context)
      expect(await provider.unwrap('k', wrapped, context)).toEqual(material)
      const both = ['POST /v1/transit/encrypt/k', 'POST /v1/transit/decrypt/k']
      expect(standby.requests).toEqual(both)
      expect(active.requests).toEqual(both)
    },
  )

  it('follows a redirect back to the first node', async () => {
    const [first, second] = [await node(), await node()]
    let isFirst = true
    const provider = providerAt({
      address: first.address,
      standbys: [second.address],
      fetch: (url, init) => {
        if (isFirst) first.redirect(second.address)
        else first.setStatus(undefined)
        isFirst = false
        return fetch(url, init)
      },
    })
    second.redirect(`${first.address}/v1/transit/encrypt/k`)
    expect(new TextDecoder().decode(await provider.wrap(material, context))).toMatch(/^vault:v1:/)
  })

  it('sends nothing to a host that is not configured', async () => {
    const [engine, named] = [await node(), await node()]
    const evil = await listener((response) => response.end('{"data":{"ciphertext":"evil"}}'))
    const port = new URL(evil.address).port
    for (const status of [301, 302, 303, 307, 308]) {
      for (const location of [
        evil.address,
        `${evil.address}/v1/transit/encrypt/k`,
        `//127.0.0.1:${port}/`,
        `http://${new URL(engine.address).host}@127.0.0.1:${port}/`,
        `http://localhost:${port}/`,
        'data:application/json,{"data":{"ciphertext":"evil"}}',
        '/v1/transit/encrypt/k?evil',
        'http://',
        undefined,
      ]) {
        engine.redirect(location, status)
        const provider = providerAt({ address: engine.address, standbys: [named.address] })
        expect(await codeOf(provider)).toBe(status < 307 ? `HTTP_${status}` : 'REDIRECTED')
      }
    }
    expect(evil.received).toEqual([])
    expect(named.requests).toEqual([])
  })

  it('rejects after three redirects', async () => {
    const [one, other] = [await node(), await node()]
    one.redirect(other.address)
    other.redirect(one.address)
    const provider = providerAt({ address: one.address, standbys: [other.address] })
    await expect(provider.wrap(material, context)).rejects.toMatchObject({ code: 'REDIRECTED' })
    expect([one.requests.length, other.requests.length]).toEqual([2, 2])
  })
})

describe('postToTransit', () => {
  it.each<[string, number, string, string]>([
    ['that is too long', 200, `{"data":{"ciphertext":"evil${'x'.repeat(40_000)}"}}`, 'TOO_LARGE'],
    ['that is too long, with an error status', 500, 'evil '.repeat(9000), 'TOO_LARGE'],
    ['that is no JSON', 200, '{"evil', 'UNEXPECTED'],
    ['that is empty', 200, '', 'UNEXPECTED'],
    ['without data', 200, '{"errors":["evil"]}', 'UNEXPECTED'],
    ['with another type', 200, '{"data":{"ciphertext":["evil"]}}', 'UNEXPECTED'],
    ['that is accepted, but not 200', 202, '{"data":{"ciphertext":"vault:v1:"}}', 'HTTP_202'],
    ['with an error status', 403, '{"errors":["evil"]}', 'HTTP_403'],
  ])('rejects a response %s without quoting it', async (_, status, body, code) => {
    const server = await listener((response) => response.writeHead(status).end(body))
    expect(await codeOf(providerAt({ address: server.address }))).toBe(code)
  })

  it('cancels a response that does not end', async () => {
    const server = await listener((response) => {
      const write = (): void => {
        while (!response.destroyed && response.write('x'.repeat(4096)));
      }
      response.on('drain', write)
      write()
    })
    expect(await codeOf(providerAt({ address: server.address }))).toBe('TOO_LARGE')
  })

  it('rejects with only the code when the connection fails', async () => {
    const cut = await listener((response) => response.destroy())
    expect(await codeOf(providerAt({ address: cut.address }))).toBe('UND_ERR_SOCKET')
    const failing = (): Promise<Response> => Promise.reject(new Error(`evil ${token}`))
    expect(await codeOf(providerAt({ address, fetch: failing }))).toBe('Error')
  })
})

describe('the token of createTransitKeyProvider', () => {
  it.each([
    `${token}\r\nX-Evil: 1`,
    `${token}\n`,
    `${token} `,
    '',
    `${token}é`,
    token.repeat(500),
    undefined,
  ])('rejects the token %o without sending or quoting it', async (bad) => {
    const server = await listener((response) => response.end('{}'))
    const provider = providerAt({ address: server.address, token: () => bad as string })
    expect(await codeOf(provider)).toBe('INVALID_TOKEN')
    expect(server.received).toEqual([])
  })
})
