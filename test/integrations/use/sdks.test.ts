import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { ReconnectRequiredError } from 'cofferkit'
import { createSecretFetch, isRefusal, type SecretSource } from 'cofferkit/use'
import got, { HTTPError } from 'got'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { packageFolder } from '../../../tools/scripts/integrations.js'
import { readPage } from '../../support/source/pages.js'
import { relayToken, startRelay } from '../../use/support/relay.js'
import { type Answer, type Received, type Sdk, sdks } from '../support/use/sdks.js'

const value = 'sk_live_51HqLyjWDarjtT1zdp7dc'
const key = '{{ op://Acme/Api/key }}'

let respond: (request: Received) => Answer
const api = createServer(async (request, response) => {
  const { method = '', url: path = '', headers } = request
  const answer = respond({ method, path, headers, body: await text(request) })
  if (!isStream(answer)) {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
    return
  }
  response.setHeader('content-type', 'text/event-stream')
  for (const event of answer) {
    const { type } = event.startsWith('{') ? JSON.parse(event) : {}
    response.write(`${type === undefined ? '' : `event: ${type}\n`}data: ${event}\n\n`)
  }
  response.end()
})
let apiOrigin = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
  apiOrigin = `http://127.0.0.1:${(api.address() as AddressInfo).port}`
})

afterAll(() => {
  api.closeAllConnections()
  api.close()
})

function isStream(answer: Answer): answer is readonly string[] {
  return Array.isArray(answer) && answer.every((event) => typeof event === 'string')
}

/** Returns a secret fetch that finds the key for an origin, or fails with an error. */
function createFetch(sdk: Sdk, origin: string, error?: Error) {
  const origins = [origin]
  const values = { accessKeyId: 'AKIACORRECTHORSE', secretAccessKey: value }
  const source: SecretSource = ({ all }, _target, next) =>
    next(async () => {
      if (error !== undefined) throw error
      return all ? { values, origins } : { value, origins }
    })
  return createSecretFetch(source, {
    ...sdk.options,
    fetch: (url, init) => fetch(url.replace(sdk.origin, apiOrigin), init),
  })
}

/** Returns where a request has the key. */
function placesOf({ headers, path, body }: Received): readonly string[] {
  const names = Object.keys(headers).filter((name) => String(headers[name]).includes(value))
  return [
    ...names.map((name) => `header:${name}`),
    ...(path.includes(value) ? ['path'] : []),
    ...(body.includes(value) ? ['body'] : []),
  ]
}

/** The form in which the caller of an SDK sees a refusal. */
interface SeenRefusal {
  /** How often the SDK has called its `fetch`. */
  readonly tries: number
  readonly seconds: number
  /** True if `isRefusal` recognizes the error; else the error shows the message alone. */
  readonly isRecognized: boolean
}

/** Runs an SDK whose request is refused, and returns what its caller sees. */
async function refuse(sdk: Sdk, message: string, error?: Error): Promise<SeenRefusal> {
  const secretFetch = createFetch(sdk, 'https://other.example', error)
  let tries = 0
  const counted: typeof fetch = (...call) => {
    tries++
    return secretFetch(...call)
  }
  const start = performance.now()
  const seen: unknown = await sdk.run(counted, key).then(
    (result) => expect.unreachable(`it resolves with ${inspect(result)}`),
    (reason: unknown) => reason,
  )
  const seconds = (performance.now() - start) / 1000
  const isRecognized = isRefusal(seen)
  if (!isRecognized) expect(inspect(seen, { depth: 5 })).toContain(message)
  return { tries, seconds, isRecognized }
}

function versionOf(name: string): string {
  return JSON.parse(readFileSync(`${packageFolder(name)}/package.json`, 'utf8')).version
}

const rows: string[] = []
const times: string[] = []

describe('createSecretFetch with the SDK', () => {
  it.each(sdks)('$name, which neither leaks the key nor repeats a refusal', async (sdk) => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(() => void vi.restoreAllMocks())
    const received: Received[] = []
    respond = (request) => {
      received.push(request)
      return sdk.respond(request, `the key is ${value}`)
    }
    const result = inspect(await sdk.run(createFetch(sdk, sdk.origin), key), { depth: 9 })
    expect(result).toContain('the key is [secret]')
    expect(result).not.toContain(value)
    expect(received.length).toBeGreaterThan(0)
    for (const request of received) expect(placesOf(request)).toEqual(sdk.places)
    const isSigned = String(received[0]?.headers['authorization']).startsWith('AWS4-HMAC-SHA256 ')
    expect(isSigned).toBe(sdk.places.length === 0)

    received.length = 0
    const refusals = [
      await refuse(sdk, 'the item has no URL of this origin'),
      await refuse(
        sdk,
        'grant a/b',
        new ReconnectRequiredError('grant a/b: refused', { grant: 'a/b', reason: 'refused' }),
      ),
    ]
    expect(received).toEqual([])
    expect(refusals.map(({ tries }) => tries)).toEqual([1, 1])
    const seen = refusals.every(({ isRecognized }) => isRecognized) ? '`isRefusal`' : 'the message'
    const { name, code, trick = '' } = sdk
    rows.push(`| \`${name}\` ${versionOf(name)} | \`${code}\` | ${trick} | ${seen} |`)
    times.push(`${name}: ${refusals.map(({ seconds }) => seconds.toFixed(3)).join(' and ')} s`)
  })

  it('got, which cannot, but works through a relay', async () => {
    const { origin } = await startRelay((request, response) => {
      response.end(`the key is ${request.headers.authorization}`)
    })
    const client = got.extend({
      prefixUrl: `${origin}/relay/https/api.example.com`,
      headers: { 'x-cofferkit-authorization': `Bearer ${relayToken}` },
    })
    const headers = { authorization: 'Bearer {{ op://Team/Acme/token }}' }
    expect(await client.get('a', { headers }).text()).toBe('the key is Bearer [secret]')
    const refused: unknown = await client.get('a').catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(HTTPError)
    expect(isRefusal(refused)).toBe(true)
    rows.push(
      `| \`got\` ${versionOf('got')} | no option for \`fetch\` | Send its requests through [a relay](relay.md), which works | \`isRefusal\` |`,
    )
  })

  it('are the rows of docs/agent-tools.md', () => {
    const tricks = sdks.filter(({ trick }) => trick !== undefined).length
    const counts = `${sdks.length - tricks} work unmodified, ${tricks} with a trick, 1 cannot`
    process.stdout.write(`${counts}. Until a refusal is seen, 1 try and:\n${times.join('\n')}\n`)
    const head = [
      '| Package | What you write | Note | What recognizes a refusal |',
      '| --- | --- | --- | --- |',
    ]
    const table = [...head, ...rows].join('\n')
    const [, block] =
      /<!-- sdks -->\n([\s\S]*?)\n<!-- \/sdks -->/.exec(readPage('docs/agent-tools.md')) ?? []
    expect(block).toBe(table)
  })
})
