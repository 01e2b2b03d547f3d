import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import OpenAI, { APIError } from 'openai'
import { describe, expect, it } from 'vitest'
import { echoForms, isLeaked } from '../../use/support/echo-forms.js'
import { token } from '../../use/support/echo-server.js'
import { relayToken, startRelay } from '../../use/support/relay.js'

const run = promisify(execFile)
const own = `x-cofferkit-authorization: Bearer ${relayToken}`
const reference = 'Bearer {{ op://Team/Acme/token }}'

/** Sends everything that it has received back. */
async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url, headers, rawHeaders } = request
  const body = await text(request)
  const isFilled = headers.authorization === `Bearer ${token}`
  response.setHeader('set-cookie', `session=${token}`)
  response.end(JSON.stringify({ method, url, isFilled, body, rawHeaders }))
}

function expectNoLeak(output: string): void {
  for (const form of Object.keys(echoForms)) expect(isLeaked(output, token, form)).toBe(false)
  expect(output).not.toContain(relayToken)
}

describe('createSecretRelay with curl', () => {
  it('sends a POST, and prints the response without the value', async () => {
    const { origin } = await startRelay(echo)
    const target = `${origin}/relay/https://api.example.com/v1/charges?x=1`
    const form = ['-d', 'amount=5']
    const { stdout } = await run('curl', [
      ...['-sSi', '--path-as-is', '-H', own, '-H', `Authorization: ${reference}`, ...form, target],
    ])
    expect(stdout).toContain('"method":"POST","url":"/v1/charges?x=1","isFilled":true')
    expect(stdout).toContain('"body":"amount=5"')
    expect(stdout).not.toMatch(/set-cookie/i)
    expectNoLeak(stdout)
  })

  it('sends no target with dot segments, and follows no redirect to another host', async () => {
    const { origin } = await startRelay((_, response) => {
      response.writeHead(302, { location: 'https://evil.example/' }).end()
    })
    const send = async (path: string): Promise<string> => {
      const authorization = `Authorization: ${reference}`
      const shown = ['-w', '%{http_code} %{num_redirects}', '-o', '/dev/null']
      const sent = ['-sSL', '--path-as-is', '-H', own, '-H', authorization]
      const { stdout } = await run('curl', [...sent, ...shown, `${origin}/relay/${path}`])
      return stdout
    }
    expect(await send('https/api.example.com/a/../b')).toBe('400 0')
    expect(await send('https/api.example.com/')).toBe('403 0')
  })

  it('streams events, and aborts the call when curl ends', async () => {
    let closed: Promise<unknown> | undefined
    const { origin } = await startRelay((_, response) => {
      closed = new Promise((resolve) => response.once('close', resolve))
      response.write(`data: ${token}\n\n`)
    })
    const curl = spawn('curl', [
      ...['-sSN', '-H', own, '-H', `Authorization: ${reference}`],
      `${origin}/relay/https/api.example.com/`,
    ])
    const [chunk] = await once(curl.stdout, 'data')
    expect(String(chunk)).toBe('data: [secret]\n\n')
    curl.kill()
    await closed
  })
})

describe("createSecretRelay with Python's standard library", () => {
  it.each([
    [
      'urllib.request',
      `import json, os, urllib.request
request = urllib.request.Request(
    os.environ["RELAY"] + "/https/api.example.com/v1/charges?x=1",
    data=json.dumps({"amount": 5}).encode(),
    headers={
        "x-cofferkit-authorization": "Bearer " + os.environ["RELAY_TOKEN"],
        "Authorization": "Bearer {{ op://Team/Acme/token }}",
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
    print(response.status, response.headers, response.read().decode())
`,
    ],
    [
      'http.client',
      `import http.client, os, urllib.parse
relay = urllib.parse.urlsplit(os.environ["RELAY"])
connection = http.client.HTTPConnection(relay.netloc)
connection.request(
    "POST",
    relay.path + "/https/api.example.com/v1/charges?x=1",
    body=iter([b'{"amount": ', b"5}"]),
    headers={
        "x-cofferkit-authorization": "Bearer " + os.environ["RELAY_TOKEN"],
        "Authorization": "Bearer {{ op://Team/Acme/token }}",
        "Content-Type": "application/json",
    },
)
response = connection.getresponse()
print(response.status, response.headers, response.read().decode())
`,
    ],
  ])('sends a POST with %s', async (_, program) => {
    const { origin } = await startRelay(echo)
    const env = { ...process.env, RELAY: `${origin}/relay`, RELAY_TOKEN: relayToken }
    const { stdout } = await run('python3', ['-c', program], { env })
    expect(stdout).toMatch(/^200 /)
    expect(stdout).toContain('"method":"POST","url":"/v1/charges?x=1","isFilled":true')
    expect(stdout).toContain(String.raw`"body":"{\"amount\": 5}"`)
    expectNoLeak(stdout)
  })

  it('raises the status of a refusal, with its code', async () => {
    const { origin } = await startRelay(() => expect.fail('the request was sent'))
    const program = `import os, urllib.error, urllib.request
try:
    urllib.request.urlopen(urllib.request.Request(
        os.environ["RELAY"] + "/https/api.example.com/",
        headers={"x-cofferkit-authorization": "Bearer " + os.environ["RELAY_TOKEN"]},
    ))
except urllib.error.HTTPError as error:
    print(error.code, error.headers["x-cofferkit-error"])
`
    const env = { ...process.env, RELAY: `${origin}/relay`, RELAY_TOKEN: relayToken }
    const { stdout } = await run('python3', ['-c', program], { env })
    expect(stdout).toBe('403 SECRET_USE_REFUSED\n')
  })
})

describe('createSecretRelay with the OpenAI SDK', () => {
  const createClient = (origin: string) =>
    new OpenAI({
      baseURL: `${origin}/relay/https/api.example.com/v1`,
      apiKey: '{{ op://Team/Acme/token }}',
      defaultHeaders: { 'x-cofferkit-authorization': `Bearer ${relayToken}` },
    })
  const call = { model: 'm', messages: [{ role: 'user', content: 'hi' }] } as const

  it('gets a completion', async () => {
    const { origin } = await startRelay(async (request, response) => {
      const isFilled = request.headers.authorization === `Bearer ${token}`
      const message = { role: 'assistant', content: `${request.url} ${isFilled} ${token}` }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ id: 'c', choices: [{ index: 0, message }] }))
    })
    const { choices } = await createClient(origin).chat.completions.create({
      ...call,
      messages: [...call.messages],
    })
    expect(choices[0]?.message.content).toBe('/v1/chat/completions true [secret]')
  })

  it('streams a completion', async () => {
    const { origin } = await startRelay((_, response) => {
      response.setHeader('content-type', 'text/event-stream')
      for (const content of ['a', token, 'b']) {
        const choices = [{ index: 0, delta: { content } }]
        response.write(`data: ${JSON.stringify({ id: 'c', choices })}\n\n`)
      }
      response.end('data: [DONE]\n\n')
    })
    const stream = await createClient(origin).chat.completions.create({
      ...call,
      messages: [...call.messages],
      stream: true,
    })
    const contents: unknown[] = []
    for await (const { choices } of stream) contents.push(choices[0]?.delta.content)
    expect(contents).toEqual(['a', '[secret]', 'b'])
  })

  it('throws a refusal once, without a retry', async () => {
    let refused = 0
    const { origin } = await startRelay(() => expect.fail('the request was sent'), {
      secretFetchFor: () => async () => {
        refused++
        const { ReconnectRequiredError } = await import('cofferkit')
        throw new ReconnectRequiredError('refused', { grant: 'a/b', reason: 'refused' })
      },
    })
    const { chat } = createClient(origin)
    const error: unknown = await chat.completions
      .create({ ...call, messages: [...call.messages] })
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(APIError)
    const { status, headers } = error as APIError
    expect([status, headers?.get('x-cofferkit-error')]).toEqual([403, 'RECONNECT_REQUIRED'])
    expect(refused).toBe(1)
  })
})
