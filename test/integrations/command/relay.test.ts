import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { hashToken } from 'cofferkit/tokens'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCertificates } from '../support/certificates.js'
import {
  runCommand,
  startListening,
  startScreen,
  withFolder,
} from '../support/command/run-command.js'

const key = 's3cret-value-of-the-key'
const token = 'token-of-the-worker-of-the-relay'
const toSignature = (body: string) => createHmac('sha256', key).update(body).digest('hex')
const certificates = createCertificates()
let env: Readonly<Record<string, string>>
let api: ReturnType<typeof createServer>
let origin = ''

beforeAll(async () => {
  const authority = certificates.create('authority', 'authority-key')
  const { cert, key: privateKey } = certificates.create('server', 'server-key', authority)
  env = { NODE_EXTRA_CA_CERTS: authority.cert }
  const tls = { cert: readFileSync(cert, 'utf8'), key: readFileSync(privateKey, 'utf8') }
  api = createServer(tls, async (request, response) => {
    const { url, headers } = request
    const body = await text(request)
    if (url === '/signed') {
      const isSigned = headers['x-signature'] === toSignature(body)
      response.end(`${isSigned} ${JSON.stringify(headers)} ${key}`)
    } else if (url === '/granted') {
      response.statusCode = headers.authorization === 'Bearer access-token-2' ? 200 : 401
      response.end(`${request.method} ${headers.authorization}`)
    } else response.end(`${url} ${headers.authorization === `Bearer ${key}`} ${key}`)
  })
  await once(api.listen(0, '127.0.0.1'), 'listening')
  origin = `https://127.0.0.1:${(api.address() as AddressInfo).port}`
})
afterAll(async () => {
  api.closeAllConnections()
  await new Promise((resolve) => api.close(resolve))
  certificates.remove()
})

interface RelayState {
  readonly url: string
  readonly token: string
  readonly callers: readonly string[]
}

/** Fills a SQLite store, and writes a configuration with these members of `relay`. */
async function prepare(folder: string, relay: string): Promise<void> {
  const fields = [{ id: 'key', type: 'CONCEALED', value: key }]
  const item = { title: 'Acme', category: 'API_CREDENTIAL', urls: [{ href: origin }], fields }
  const grant = { credential: 'access-token-1', refresh_token: 'refresh-token-1', status: 'ok' }
  const grantFields = Object.entries(grant).map(([id, value]) => ({
    ...{ id, value, type: id === 'status' ? 'STRING' : 'CONCEALED' },
  }))
  const items = [item, { ...item, title: 'Mail', fields: grantFields }]
  writeFileSync(join(folder, 'seed.json'), JSON.stringify({ vaults: [{ name: 'Team', items }] }))
  expect(await runCommand({ folder }, 'seed', 'seed.json')).toMatchObject({ code: 0 })
  writeFileSync(
    join(folder, 'relay.config.mjs'),
    `import { openSqliteStore } from 'cofferkit/sqlite'
export default async () => ({ store: await openSqliteStore('cofferkit.db'), relay: ${relay} })
`,
  )
}

/** Fills a store, and starts the relay with the members of `relay` and a token of the worker. */
async function startRelay(folder: string, relay: string) {
  const tokens = [{ id: 'worker', sha256: await hashToken(token), vaults: '*' }]
  await prepare(folder, `{ tokens: ${JSON.stringify(tokens)}, ${relay} }`)
  const config = ['--config', 'relay.config.mjs']
  return startListening<RelayState>({ folder, env }, 'relay', ...config)
}

const send = (url: string, target: string, ownToken: string | undefined): Promise<Response> =>
  fetch(`${url}/${target}`, {
    headers: {
      'x-cofferkit-authorization': `Bearer ${ownToken}`,
      authorization: 'Bearer {{ op://Team/Acme/key }}',
    },
  })

describe('relay', () => {
  it('passes requests on with the tokens and hosts of --config, and records them', () =>
    withFolder(async (folder) => {
      const { state, stop } = await startRelay(
        folder,
        `
          allowHosts: ['127.0.0.1'],
          allow: ({ url }) => url.pathname !== '/forbidden',
          basePath: '/out',
        `,
      )
      expect(state).toMatchObject({ event: 'listening', callers: ['worker'] })
      expect(state.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/out$/)
      const target = origin.replace('://', '/')
      const response = await send(state.url, `${target}/v1?a=1`, token)
      expect([response.status, await response.text()]).toEqual([200, '/v1?a=1 true [secret]'])
      expect((await send(state.url, `${target}/forbidden`, token)).status).toBe(403)
      expect((await send(state.url, 'https/127.0.0.2/', token)).status).toBe(403)
      expect((await send(state.url, target, 'another')).status).toBe(401)
      const stopped = await stop('SIGINT')
      expect(stopped).toMatchObject({ code: 0, stderr: '' })
      expect(stopped.stdout).toContain('"method":"GET","path":"*","status":200')
      expect(stopped.stdout).toMatch(/"event":"stopped"\}\n$/)
      const logged = await runCommand({ folder }, 'activity', '--operation', 'useField')
      expect(logged.stdout).toMatch(
        new RegExp(
          `SUCCESS useField caller=worker .* use="GET ${origin}" place=header:authorization`,
        ),
      )
      expect(logged.stdout).toContain('DENY')
      for (const text of [stopped.stdout, logged.stdout])
        for (const value of [key, token]) expect(text).not.toContain(value)
    }))

  it('logs an API whose certificate it does not trust in one line', () =>
    withFolder(async (folder) => {
      await prepare(folder, "{ allowHosts: ['127.0.0.1'] }")
      const config = ['--config', 'relay.config.mjs', '--token', token]
      const { state, stop } = await startListening<RelayState>({ folder }, 'relay', ...config)
      const response = await send(state.url, origin.replace('://', '/'), token)
      expect(response.headers.get('x-cofferkit-error')).toBe('API_UNAVAILABLE')
      const { stderr } = await stop('SIGINT')
      const [line = '', ...others] = stderr.trim().split('\n')
      expect(others.filter((other) => !other.includes('"event":"request"'))).toEqual([])
      expect(JSON.parse(line)).toMatchObject({
        level: 'error',
        message: expect.stringMatching(/^the request to the API failed: [A-Z_]+$/),
      })
    }))

  it('signs with the functions of --config, and refreshes a token that the API rejects', () =>
    withFolder(async (folder) => {
      const { state, stop } = await startRelay(
        folder,
        `
          allowHosts: ['127.0.0.1'],
          sign: {
            hmac: async (request, { key }) => {
              const { createHmac } = await import('node:crypto')
              const mac = createHmac('sha256', key).update(await request.clone().text())
              const headers = new Headers(request.headers)
              headers.set('x-signature', mac.digest('hex'))
              return new Request(request, { headers })
            },
          },
          refresh: async (refreshToken) => {
            if (refreshToken !== 'refresh-token-1') throw new Error('another refresh token')
            return { accessToken: 'access-token-2' }
          },
          retryRejected: ['GET'],
        `,
      )
      const own = { 'x-cofferkit-authorization': `Bearer ${token}` }
      const target = `${state.url}/${origin.replace('://', '/')}`
      const signed = await fetch(`${target}/signed`, {
        ...{ method: 'POST', body: '{"amount":7}' },
        headers: { ...own, 'x-cofferkit-sign': 'hmac op://Team/Acme' },
      })
      const [isSigned, received = '', masked] = (await signed.text()).split(' ')
      expect([signed.status, isSigned, masked]).toEqual([200, 'true', '[secret]'])
      expect(received).not.toMatch(/x-cofferkit|authorization/)
      const reference = '{{ op://Team/Mail/credential?attribute=access_token }}'
      const call = async (method: string): Promise<readonly [number, string]> => {
        const headers = { ...own, authorization: `Bearer ${reference}` }
        const response = await fetch(`${target}/granted`, { method, headers })
        return [response.status, await response.text()]
      }
      expect(await call('POST')).toEqual([401, 'POST Bearer [secret]'])
      expect(await call('GET')).toEqual([200, 'GET Bearer [secret]'])
      expect(await call('POST')).toEqual([200, 'POST Bearer [secret]'])
      expect(await stop('SIGINT')).toMatchObject({ code: 0, stderr: '' })
      const logged = await runCommand({ folder }, 'activity')
      expect(logged.stdout).toContain('place=sign:hmac')
      expect(logged.stdout).toMatch(/SUCCESS refreshGrant caller=relay /)
    }))

  it('has one token without a configuration, and refuses this machine', () =>
    withFolder(async (folder) => {
      await prepare(folder, '{}')
      const { state, stop } = await startListening<RelayState>({ folder, env }, 'relay')
      const response = await send(state.url, origin.replace('://', '/'), state.token)
      expect([response.status, response.headers.get('x-cofferkit-error')]).toEqual([
        403,
        'SECRET_USE_REFUSED',
      ])
      expect(await stop()).toMatchObject({ code: 0, stderr: '' })
    }))

  it('prints how to use it', () =>
    withFolder(async (folder) => {
      await prepare(folder, '{}')
      const parameters = ['relay', '--port', '0', '--token', token]
      const output = await startScreen({ folder }, parameters, async () => {})
      expect(output).toContain('curl -H "x-cofferkit-authorization: Bearer $RELAY_TOKEN"')
      expect(output).not.toContain(token)
      expect(output).toMatch(/Stopped\.\n$/)
      const generated = await startScreen({ folder }, parameters.slice(0, 3), async () => {})
      expect(generated).toMatch(/^ {2}export RELAY_TOKEN=[\w-]{43}$/m)
    }))

  it.each([
    ['{ fetch }', 'relay of the configuration: options.fetch is that of the command'],
    ['{ allowHost: [] }', 'relay of the configuration: options.allowHost is unknown, did you mean'],
    ['{ allow: 5 }', 'relay of the configuration: options.allow must be a function'],
    ['{ sign: 5 }', 'relay of the configuration: options.sign must be an object'],
    ['{ sign: { aws: 5 } }', 'relay of the configuration: options.sign.aws must be a function'],
    ['{ refresh: 5 }', 'relay of the configuration: options.refresh must be a function'],
    [
      "{ retryRejected: ['GET'] }",
      'relay of the configuration: options.retryRejected needs options.refresh',
    ],
    [
      "{ refresh: async () => false, retryRejected: ['get'] }",
      'relay of the configuration: options.retryRejected[0] must be a method in upper case',
    ],
    ['{ timeoutMs: 0 }', 'relay of the configuration: options.timeoutMs must be a number of 1'],
    ['{ tokens: 5 }', 'relay of the configuration: options.tokens must be a list of tokens'],
    ['7', 'relay of the configuration must be an object'],
  ])('rejects a configuration with %s', (relay, message) =>
    withFolder(async (folder) => {
      await prepare(folder, relay)
      const { code, stderr } = await runCommand({ folder }, 'relay', '--config', 'relay.config.mjs')
      expect(code).toBe(2)
      expect(stderr).toContain(message)
    }),
  )

  it('rejects --token beside the tokens of the configuration, and a store that is missing', () =>
    withFolder(async (folder) => {
      await prepare(folder, '{ tokens: [] }')
      const config = ['--config', 'relay.config.mjs', '--token', token]
      const { code, stderr } = await runCommand({ folder }, 'relay', ...config)
      expect([code, stderr]).toEqual([
        2,
        'error: --token cannot be used with a configuration that has the tokens of the relay\n',
      ])
      const missing = await runCommand({ folder }, 'relay', '--store', 'sqlite:missing.db')
      expect(missing.code).toBe(2)
    }))
})
