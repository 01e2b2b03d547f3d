import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, it } from 'vitest'
import { echoForms, isLeaked } from '../use/support/echo-forms.js'
import { bundleFlags } from './support/source/bundle.js'

const key = 'sk_live/51H+qLyjWDar"jt<T1>&zdp7dc=='
const reference = '{{ op://Customer/Acme/key }}'
const root = join(import.meta.dirname, '../..')

/** A request of the model to the tool. `API` and `EVIL` are the origins of two servers. */
const attempts: readonly Readonly<Record<string, unknown>>[] = [
  { url: 'API/headers' },
  ...Object.keys(echoForms).map((form) => ({ url: `API/form/${encodeURIComponent(form)}` })),
  { url: 'API/header' },
  { url: 'API/status' },
  { url: 'API/cookie' },
  { url: 'API/cut-off' },
  { url: 'API/slow' },
  { url: 'API/redirect?EVIL' },
  { url: 'API/redirect?EVIL', redirect: 'manual' },
  { url: 'API/redirect?API/headers' },
  { url: 'EVIL' },
  { url: 'API/headers', headers: { authorization: reference, range: 'bytes=0-9' } },
  { url: 'API/headers', headers: { authorization: reference, host: 'evil.example' } },
  { url: 'API/headers', headers: { authorization: `${reference}${reference}` } },
  { url: 'API/headers', headers: { 'x-a': reference } },
  { url: 'API/headers', headers: { authorization: reference, 'accept-encoding': 'zstd' } },
  { url: `API/${reference}`, headers: {} },
  { url: `API/?a=${reference}`, headers: {} },
  { url: `http://${reference}@EVIL`, headers: {} },
  { url: 'API/headers', headers: {}, method: 'POST', body: reference },
  { url: 'API/headers', headers: { authorization: 'Basic {{ op://Customer/Acme/key }}' } },
  { url: 'API/headers', headers: { authorization: '{{ op://Customer/Acme/key?attribute=type }}' } },
  { url: 'API/headers', headers: { authorization: '{{ op://Customer/Acme/none }}' } },
  { url: 'API/headers', headers: { authorization: '{{ op://Customer/Acme/key' } },
  { url: 'data:text/plain,a' },
  { url: 'no URL' },
]

/** Starts a server and returns its origin, what it has received, and a function that stops it. */
async function startApi() {
  const received: string[] = []
  const server = createServer(async ({ url = '', headers }, response) => {
    const sent = String(headers.authorization)
    const value = sent.replace(/^Bearer /, '')
    received.push(sent)
    const [, path = '', rest = ''] = /^\/([\w-]*)[/?]?(.*)$/.exec(url) ?? []
    if (path === 'form') response.end(echoForms[decodeURIComponent(rest)]?.(value))
    else if (path === 'header') response.setHeader('x-echo', encodeURI(value)).end(value)
    else if (path === 'status') response.writeHead(200, value).end()
    else if (path === 'cookie') response.setHeader('set-cookie', `a=${value}`).end()
    else if (path === 'redirect') response.writeHead(302, { location: rest }).end()
    else if (path === 'cut-off') {
      response.setHeader('content-length', 1000).write(value)
      setImmediate(() => response.destroy())
    } else if (path === 'slow') {
      for (const byte of Buffer.from(`a ${value} b`)) {
        response.write(Uint8Array.of(byte))
        await new Promise((resolve) => setImmediate(resolve))
      }
      response.end()
    } else response.end(JSON.stringify(headers))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin, received, stop: () => server.close() }
}

describe('examples/mcp-server.ts', () => {
  it('calls the API with the key, and gives it to no model that tries to get it', async () => {
    const [api, evil] = [await startApi(), await startApi()]
    const client = new Client({ name: 'model', version: '1.0.0' })
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [...bundleFlags, join(root, 'examples/mcp-server.ts')],
      env: { ACME_ORIGIN: api.origin, ACME_KEY: key },
    })
    await client.connect(transport)
    const insert = (text: string): string =>
      text
        .replaceAll('API', api.origin)
        .replace('@EVIL', '@127.0.0.1')
        .replaceAll('EVIL', evil.origin)
    const results: unknown[] = [await client.listTools()]
    for (const { url, headers = { authorization: `Bearer ${reference}` }, ...rest } of attempts) {
      const call = { ...rest, headers, url: insert(String(url)) }
      results.push(await client.callTool({ name: 'call_api', arguments: call }))
    }
    await client.close()
    for (const { stop } of [api, evil]) stop()

    expect(api.received).toContain(`Bearer ${key}`)
    expect(evil.received).toEqual([])
    const seen = results.map((result) => JSON.stringify(result))
    for (const text of seen)
      for (const form of Object.keys(echoForms)) expect(isLeaked(text, key, form)).toBe(false)
    const count = (word: string): number => seen.filter((text) => text.includes(word)).length
    expect(count('[secret]')).toBeGreaterThan(15)
    expect(count('SECRET_USE_REFUSED')).toBeGreaterThan(8)
  })
})
