import { describe, expect, it } from 'vitest'
import { invalidTokenError } from '../../src/base/fixed-errors.js'
import { createCallerOfExistingVaults } from '../../src/command/serve/existing-vaults.js'
import { bearerAuth, createHttpHandler } from '../../src/http.js'
import { createVaultService } from '../../src/index.js'
import { shapes } from '../support/http/client-shapes.js'
import {
  createReplayVault,
  type ReplayedRequest,
  type ReplayResponse,
  withReplay,
} from '../support/http/replay.js'
import { ansibleRequests } from './ansible-requests.js'
import { externalSecretsRequests } from './external-secrets-requests.js'
import { goRequests } from './go-requests.js'
import { goWritingRequests } from './go-writing-requests.js'
import { handWrittenRequests } from './hand-written-requests.js'
import { javaRequests } from './java-requests.js'
import { n8nRequests } from './n8n-requests.js'
import { operatorRequests } from './operator-requests.js'
import { pythonRequests } from './python-requests.js'
import { readingRequests } from './reading-requests.js'
import { simRequests } from './sim-requests.js'
import { terraformRequests } from './terraform-requests.js'
import { vaultPluginRequests } from './vault-plugin-requests.js'

const known = await createReplayVault()
const requests: readonly ReplayedRequest[] = [
  ...goRequests(known),
  ...goWritingRequests(known),
  ...operatorRequests(known),
  ...pythonRequests(known),
  ...ansibleRequests(known),
  ...terraformRequests(known),
  ...vaultPluginRequests(known),
  ...externalSecretsRequests(known),
  ...javaRequests(known),
  ...readingRequests(known),
  ...n8nRequests(known),
  ...simRequests(known),
  ...handWrittenRequests(known),
]

describe('connectDialect with recorded client requests', () => {
  it.each(requests)('returns the expected response: $client: $does', async (request) => {
    const { vault } = await createReplayVault()
    await withReplay(vault, async (send) => {
      const response = await send(request)
      const { status, shape, body } = request.expects
      expect({ status: response.status, text: response.text }).toMatchObject({ status })
      expect(isRecent(response.headers.get('1password-connect-version'))).toBe(true)
      const parsed = parseAs(response, shape)
      if (shape === 'error') expect(parsed).toMatchObject({ status })
      if (body !== undefined) expect(parsed).toMatchObject(body as object)
    })
  })

  const withOwnToken = requests.filter(({ headers }) => !('authorization' in headers))
  it.each(withOwnToken)('does so with the caller of serve: $client: $does', async (request) => {
    const { vault } = await createReplayVault()
    const { service, store, tokens } = vault
    const caller = createCallerOfExistingVaults('cofferkit', createVaultService({ store }))
    const authenticate = bearerAuth((token) => {
      if (token !== tokens.full) throw invalidTokenError()
      return caller
    })
    const handler = createHttpHandler(service, { authenticate })
    await withReplay({ ...vault, handler }, async (send) => {
      const { status, text } = await send(request)
      const { status: expected, body } = request.expects
      // As from Connect, an unknown vault is out of scope. No client treats the two differently.
      const isUnknownVault = /^vault .* not found$/.test(Object(body).message)
      expect({ status, text }).toMatchObject({ status: isUnknownVault ? 403 : expected })
    })
  })

  it('has at least 40 requests with unique names', () => {
    expect(requests.length).toBeGreaterThanOrEqual(40)
    const names = requests.map(({ client, does }) => `${client}: ${does}`)
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('connectDialect with the polling of the Terraform provider', () => {
  it('returns the new version after a change and 404 after a deletion', async () => {
    const { vault, items } = await createReplayVault()
    await withReplay(vault, async (send) => {
      const step = async (does: string, item: string, body?: object): Promise<ReplayResponse> => {
        const rows = terraformRequests({ ...known, item })
        const row = rows.find((request) => request.does.startsWith(does)) as ReplayedRequest
        return send(body === undefined ? row : { ...row, body })
      }
      const created = JSON.parse((await step('creates a login', '')).text)
      expect(created).toMatchObject({ version: 1 })
      const path = `${items}/${created.id}`
      expect(JSON.parse((await step('polls', path)).text)).toEqual(created)
      const updated = await step('updates an item, and', path, { ...created, title: 'Renamed' })
      const { version } = JSON.parse(updated.text)
      expect(JSON.parse((await step('polls', path)).text)).toMatchObject({
        title: 'Renamed',
        version: version + 1,
      })
      expect((await step('deletes', path)).status).toBe(204)
      const { status, text } = await step('polls', path)
      expect([status, JSON.parse(text).message]).toEqual([404, `item ${created.id} not found`])
    })
  })
})

/** The response parsed with the schema of the client. @throws if the client would reject it. */
function parseAs(
  { headers, text }: ReplayResponse,
  shape: ReplayedRequest['expects']['shape'],
): unknown {
  if (shape === 'nothing') return { text, length: headers.get('content-length') }
  if (shape === 'bytes') return { text, length: Number(headers.get('content-length')) }
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  shapes[shape].parse(JSON.parse(text))
  return JSON.parse(text)
}

/** Compares the version like the clients: true for 1.3.0 or later. */
function isRecent(version = ''): boolean {
  const [major = 0, minor = 0, patch] = version.split('.').map(Number)
  return Number.isInteger(patch) && (major > 1 || (major === 1 && minor >= 3))
}
