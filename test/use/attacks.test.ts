import type { ServerResponse } from 'node:http'
import { ReadableStream as NodeStream } from 'node:stream/web'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { createSecretFetch, vaultSecrets } from 'cofferkit/use'
import { afterAll, describe, expect, it } from 'vitest'
import { echoForms, isLeaked } from './support/echo-forms.js'
import { createUse, token } from './support/echo-server.js'
import { readAfterEach } from './support/pass-through.js'
import { api, startRelay, useToken } from './support/relay.js'

/** Sends the secret back, which is in a text in a form. */
type Attack = (response: ServerResponse, text: string) => void

/** Writes pieces of a body, which arrive one after the other. */
async function writePieces(response: ServerResponse, pieces: readonly Uint8Array[]): Promise<void> {
  for (const piece of pieces) {
    response.write(piece)
    await new Promise((resolve) => setImmediate(resolve))
  }
  response.end()
}

const cut = (text: string, length: number): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(text.length / length) }, (_, index) =>
    Buffer.from(text.slice(index * length, (index + 1) * length)),
  )

const attacks: Readonly<Record<string, Attack>> = {
  'a body': (response, text) => response.end(text),
  'the body of an error': (response, text) => response.writeHead(500).end(text),
  'a body in pieces of one byte': (response, text) => void writePieces(response, cut(text, 1)),
  'a body in pieces of seven bytes': (response, text) => void writePieces(response, cut(text, 7)),
  'a compressed body': (response, text) =>
    response.setHeader('content-encoding', 'gzip').end(gzipSync(text)),
  'an event stream': (response, text) => {
    response.setHeader('content-type', 'text/event-stream')
    void writePieces(response, cut(`event: a\ndata: ${text}\n\ndata: ${text}\n\n`, 40))
  },
  'a header': (response, text) => response.setHeader('x-echo', text).end(),
  'the status text': (response, text) => response.writeHead(200, text).end(),
  'a cookie': (response, text) => response.setHeader('set-cookie', `a=${text}`).end(),
  'a redirect to itself': (response, text) =>
    response.writeHead(302, { location: `/next?key=${text}` }).end(text),
  'a redirect that is not followed': (response, text) =>
    response.writeHead(300, { location: `https://a.example/${text}` }).end(),
  'a redirect to another origin': (response, text) =>
    response.writeHead(307, { location: 'https://evil.example/' }).end(text),
  'a body that breaks off': (response, text) => {
    response.setHeader('content-length', 100_000).write(text)
    setImmediate(() => response.destroy())
  },
  'an invalid response': ({ socket }, text) =>
    void socket?.end(`HTTP/1.1 200 OK\r\n${text}\r\nx\u0000: ${text}\r\n\r\n`),
  'an unknown encoding': (response, text) =>
    response.setHeader('content-encoding', 'zstd').end(text),
}

/** Its type has `from`, which that of the platform does not. */
const toStream = (chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> =>
  NodeStream.from(chunks) as ReadableStream<Uint8Array>

/** Returns everything that a caller can see of a call. */
async function see(call: Promise<Response>): Promise<string> {
  const hidden = { depth: 10, showHidden: true }
  try {
    const response = await call
    const { status, statusText, headers, url } = response
    const head = [status, statusText, url, JSON.stringify([...headers])].join('\n')
    const body = await response
      .text()
      .catch((error: unknown) => inspect(error, hidden) + (error as Error).stack)
    return `${head}\n${body}`
  } catch (error) {
    return inspect(error, hidden) + (error as Error).stack
  }
}

/** Starts an API that attacks, and returns the two roads to it, and what it has received. */
async function startAttack(attack: (response: ServerResponse) => void) {
  const received: unknown[] = []
  const relay = await startRelay(({ headers, url }, response) => {
    received.push(`${headers.authorization} ${url}`)
    attack(response)
  })
  const { secretFetch } = await createUse([api], {
    refusal: 'response',
    fetch: (url, init) => fetch(url.replace(api, relay.apiOrigin), init),
  })
  const { authorization } = useToken
  return {
    received,
    roads: {
      createSecretFetch: () => secretFetch(`${api}/`, { headers: { authorization } }),
      createSecretRelay: () => relay.request('/'),
    },
  }
}

const counts = { attacks: 0, leaks: { createSecretFetch: 0, createSecretRelay: 0 } }
const roadNames = ['createSecretFetch', 'createSecretRelay'] as const

describe('an API that sends the secret back', () => {
  it.each(Object.entries(attacks))('in %s leaks nothing of it', async (_, attack) => {
    let text = ''
    const { received, roads } = await startAttack((response) => attack(response, text))
    for (const [form, encode] of Object.entries(echoForms)) {
      text = encode(token)
      counts.attacks++
      expect(isLeaked(text, token, form)).toBe(true)
      for (const road of roadNames) {
        if (isLeaked(await see(roads[road]()), token, form)) counts.leaks[road]++
        expect(received.splice(0), form).toEqual([`Bearer ${token} /`])
      }
    }
    expect(counts.leaks).toEqual({ createSecretFetch: 0, createSecretRelay: 0 })
  })

  it('in a header whose name is the secret leaks nothing of it', async () => {
    const name = Buffer.from(token).toString('hex')
    const { roads } = await startAttack((response) => response.setHeader(`x-${name}`, '1').end())
    counts.attacks++
    for (const road of roadNames) {
      const seen = await see(roads[road]())
      expect(seen).toContain('200')
      if (seen.includes(name.slice(0, 16))) counts.leaks[road]++
    }
    expect(counts.leaks).toEqual({ createSecretFetch: 0, createSecretRelay: 0 })
  })

  it('shows by no size and no delay which beginning of it is right', async () => {
    const secret = token.slice(0, 24)
    /** Returns the bytes that arrive after each piece of a body. */
    const deliver = async (
      road: (typeof roadNames)[number],
      guess: string,
    ): Promise<readonly number[]> => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      const send = async (): Promise<Response> => new Response(readable)
      const { handler, service, caller } = await startRelay(() => {}, { fetch: send })
      const headers = new Headers(useToken)
      let body: ReadableStream<Uint8Array> | null
      if (road === 'createSecretFetch') {
        const secretFetch = createSecretFetch(vaultSecrets(service, caller), { fetch: send })
        body = (await secretFetch(api, { headers: { authorization: useToken.authorization } })).body
      } else {
        const response = await handler({
          ...{ method: 'GET', url: '/relay/https/api.example.com/', body: null },
          header: (name) => headers.get(name) ?? undefined,
          headers: () => headers,
        })
        body = toStream(response.body as AsyncIterable<Uint8Array>)
      }
      const texts = [`no user ${guess}`, 'event: 1\n', `data: ${guess}`, 'x'.repeat(99), guess]
      const pieces = texts.map((piece) => Buffer.from(piece))
      const outputs = await readAfterEach(body ?? readable, writable.getWriter(), pieces)
      return outputs.map(({ length }) => length)
    }
    for (const road of roadNames) {
      const wrong = await deliver(road, '\x7f'.repeat(secret.length))
      for (let length = 1; length <= secret.length; length++) {
        if (road === 'createSecretFetch') counts.attacks++
        const right = await deliver(road, secret.slice(0, length).padEnd(secret.length, '\x7f'))
        if (String(right) !== String(wrong)) counts.leaks[road]++
      }
    }
    expect(counts.leaks).toEqual({ createSecretFetch: 0, createSecretRelay: 0 })
  })

  afterAll(() => {
    const leaks = roadNames.map((road) => `${counts.leaks[road]} leaks through ${road}`)
    process.stdout.write(`   Attacks  ${counts.attacks}: ${leaks.join(', ')}\n`)
  })
})
