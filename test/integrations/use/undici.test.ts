import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createSecretFetch, type FilledInit, type SecretSource } from 'cofferkit/use'
import * as undici from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'

const value = 'sk_live_correct_horse'
const headers = { authorization: 'Bearer {{ op://Team/Acme/token }}' }

describe('createSecretFetch with undici', () => {
  it('sends with its fetch, and reads its requests', async () => {
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      response.end(`${request.method} ${request.headers.authorization} ${body}`)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const agent = new undici.Agent({ keepAliveTimeout: 1 })
    // The types of its responses are those of another version.
    const fetch = async (url: string, init: FilledInit) =>
      (await undici.fetch(url, { ...init, dispatcher: agent })) as unknown as Response
    const source: SecretSource = (_reference, _target, next) =>
      next(async () => ({ value, origins: [origin] }))
    const secretFetch = createSecretFetch(source, { allowLoopbackHttp: true, fetch })
    const init = { method: 'PUT', headers, body: 'text' }
    const request: unknown = new undici.Request(origin, init)
    for (const response of [
      await secretFetch(origin, init),
      await secretFetch(request as Request),
      await secretFetch(new Request(origin, init)),
    ]) {
      expect(await response.text()).toBe('PUT Bearer [secret] text')
      expect(response.url).toBe(`${origin}/`)
    }
    await agent.close()
  })
})
