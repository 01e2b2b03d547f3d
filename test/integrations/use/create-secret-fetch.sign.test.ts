import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createCaller, createVaultService } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { createSecretFetch, type SignRequest, vaultSecrets } from 'cofferkit/use'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { describe, expect, it, onTestFinished } from 'vitest'

const secrets = { now: 'whsec_Y29ycmVjdCBob3JzZSBiYXR0ZXJ5', before: 'whsec_c3RhcGxlIGNvcnJlY3Q=' }

/** A vault with an item that has both secrets. */
async function createVault(origin: string) {
  const service = createVaultService({ store: createMemoryStore() })
  const owner = createCaller({ id: 'owner', vaults: '*' })
  const { id: vaultId } = await service.createVault(owner, { name: 'Acme' })
  const fields = Object.entries(secrets).map(([id, value]) => ({
    ...({ id, type: 'CONCEALED', value } as const),
  }))
  await service.createItem(owner, {
    vaultId,
    item: { category: 'API_CREDENTIAL', title: 'Hook', urls: [{ href: origin }], fields },
  })
  return vaultSecrets(service, owner)
}

const accepts = async (call: () => unknown): Promise<boolean> => {
  try {
    return (await call()) !== false
  } catch {
    return false
  }
}

/** A receiver that answers 204 to a webhook that `accept` accepts, and 400 to any other. */
async function startReceiver(accept: (headers: IncomingHttpHeaders, body: string) => unknown) {
  const received: IncomingHttpHeaders[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    received.push(request.headers)
    const isAccepted = await accepts(() => accept(request.headers, body))
    response.writeHead(isAccepted ? 204 : 400).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

const withHeaders = (request: Request, headers: Readonly<Record<string, string>>): Request =>
  new Request(request, { headers: { ...Object.fromEntries(request.headers), ...headers } })

const signers: Readonly<Record<string, SignRequest>> = {
  standard: async (request, { now = '' }) => {
    const [id, time] = ['msg_8', new Date()]
    const signature = new Webhook(now).sign(id, time, await request.clone().text())
    return withHeaders(request, {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(time.getTime() / 1000)),
      'webhook-signature': signature,
    })
  },
  stripe: async (request, { now: secret = '' }) => {
    const payload = await request.clone().text()
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret })
    return withHeaders(request, { 'stripe-signature': signature })
  },
}

const receivers: Readonly<Record<string, (headers: IncomingHttpHeaders, body: string) => unknown>> =
  {
    standard: (headers, body) =>
      new Webhook(secrets.now).verify(body, headers as Record<string, string>),
    stripe: (headers, body) =>
      Stripe.webhooks.constructEvent(body, String(headers['stripe-signature']), secrets.now),
  }

describe('createSecretFetch with sign', () => {
  it.each(Object.entries(receivers))(
    'sends a webhook that the verifier of %s accepts',
    async (scheme, accept) => {
      const { origin, received } = await startReceiver(accept)
      const options = { sign: signers, allowLoopbackHttp: true }
      const secretFetch = createSecretFetch(await createVault(origin), options)
      const body = JSON.stringify({ id: 'evt_1', object: 'event', name: 'Wendy ☕' })
      const send = (headers: Readonly<Record<string, string>>) =>
        secretFetch(`${origin}/hooks`, { method: 'POST', headers, body })
      const signed = await send({ 'x-cofferkit-sign': `${scheme} op://Acme/Hook` })
      expect(signed.status).toBe(204)
      // The same webhook with the text of a value that is no signature is not accepted.
      expect((await send({ 'x-unsigned': '{{ op://Acme/Hook/before }}' })).status).toBe(400)
      const [headers] = received
      expect(headers).not.toHaveProperty('x-cofferkit-sign')
      for (const value of Object.values(secrets))
        expect(JSON.stringify(headers)).not.toContain(value)
    },
  )
})
