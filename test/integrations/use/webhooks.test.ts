import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { sign as signForGitHub, verify as verifyForGitHub } from '@octokit/webhooks-methods'
import { isValidSlackRequest } from '@slack/bolt'
import { createCaller, createVaultService } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import {
  createSecretFetch,
  type ReceivedWebhook,
  type SignRequest,
  vaultSecrets,
  verifySignature,
} from 'cofferkit/use'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { describe, expect, it, onTestFinished } from 'vitest'

const secrets = { now: 'whsec_Y29ycmVjdCBob3JzZSBiYXR0ZXJ5', before: 'whsec_c3RhcGxlIGNvcnJlY3Q=' }
const payloads = ['{"type":"a"}', '', '☕ \u{1f434}\r\n\u2028', 'x'.repeat(1e6), '{"a":".:=,"}']
const seconds = Math.floor(Date.now() / 1000)

/** A vault with an item that has both secrets. */
async function createVault(origin?: string) {
  const service = createVaultService({ store: createMemoryStore() })
  const owner = createCaller('owner', '*')
  const { id: vaultId } = await service.createVault(owner, { name: 'Acme' })
  const fields = Object.entries(secrets).map(([id, value]) => ({
    ...({ id, type: 'CONCEALED', value } as const),
  }))
  const urls = origin === undefined ? [] : [{ href: origin }]
  await service.createItem(owner, {
    vaultId,
    item: { category: 'API_CREDENTIAL', title: 'Hook', urls, fields },
  })
  return vaultSecrets(service, owner)
}

/** The webhook that a library signs, and whether it accepts one with the newer secret. */
interface Library {
  sign(secret: string, payload: string, seconds: number): Promise<ReceivedWebhook>
  accepts(webhook: ReceivedWebhook): Promise<boolean>
}

const accepts = async (call: () => unknown): Promise<boolean> => {
  try {
    return (await call()) !== false
  } catch {
    return false
  }
}

const libraries: Readonly<Record<string, Library>> = {
  stripe: {
    sign: async (secret, payload, timestamp) => ({
      ...{ scheme: 'stripe', payload },
      signature: Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp }),
    }),
    accepts: ({ payload, signature }) =>
      accepts(() =>
        Stripe.webhooks.signature?.verifyHeader(
          String(payload),
          String(signature),
          secrets.now,
          300,
        ),
      ),
  },
  '@slack/bolt': {
    // It has no function that signs.
    sign: async (secret, payload, timestamp) => ({
      ...{ scheme: 'slack', payload, timestamp: String(timestamp) },
      signature: `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${payload}`).digest('hex')}`,
    }),
    accepts: async (webhook) =>
      webhook.scheme === 'slack' &&
      isValidSlackRequest({
        signingSecret: secrets.now,
        body: String(webhook.payload),
        headers: {
          'x-slack-signature': String(webhook.signature),
          'x-slack-request-timestamp': Number(webhook.timestamp),
        },
      }),
  },
  '@octokit/webhooks-methods': {
    sign: async (secret, payload) => ({
      ...{ scheme: 'github', payload, signature: await signForGitHub(secret, payload) },
    }),
    accepts: ({ payload, signature }) =>
      accepts(() => verifyForGitHub(secrets.now, String(payload), String(signature))),
  },
  standardwebhooks: {
    sign: async (secret, payload, timestamp) => ({
      ...{ scheme: 'standard-webhooks', payload, id: 'msg_7', timestamp: String(timestamp) },
      signature: new Webhook(secret).sign('msg_7', new Date(timestamp * 1000), payload),
    }),
    accepts: async (webhook) =>
      accepts(() => {
        if (webhook.scheme !== 'standard-webhooks') return false
        const headers = {
          'webhook-id': String(webhook.id),
          'webhook-timestamp': String(webhook.timestamp),
          'webhook-signature': String(webhook.signature),
        }
        return new Webhook(secrets.now).verify(String(webhook.payload), headers, {
          jsonParse: false,
        })
      }),
  },
}

describe.each(Object.entries(libraries))('verifySignature and %s', (name, library) => {
  // These two verify no empty payload.
  const isEmptyRefused = ['stripe', '@octokit/webhooks-methods'].includes(name)
  const signed = payloads.filter((payload) => payload !== '' || !isEmptyRefused)

  it('agree on what the library has signed', async () => {
    const vault = await createVault()
    for (const payload of signed)
      for (const secret of Object.values(secrets)) {
        const webhook = await library.sign(secret, payload, seconds)
        const isGenuine = await verifySignature(vault, 'op://Acme/Hook/now', webhook)
        expect([isGenuine, await library.accepts(webhook)]).toEqual(
          secret === secrets.now ? [true, true] : [false, false],
        )
        const both = ['op://Acme/Hook/now', 'op://Acme/Hook/before']
        expect(await verifySignature(vault, both, webhook)).toBe(true)
      }
  })

  it('agree on what was changed, or is too old', async () => {
    const vault = await createVault()
    const webhook = await library.sign(secrets.now, '{"a":1}', seconds)
    const signature = String(webhook.signature)
    const changes: readonly Partial<Pick<ReceivedWebhook, 'payload' | 'signature'>>[] = [
      { payload: '{"a":2}' },
      { payload: '{"a":1} ' },
      { signature: '' },
      { signature: signature.slice(0, -1) },
      { signature: `${signature}00` },
      { signature: signature.replace(/.(?=.{9}$)/, (one) => (one === '0' ? '1' : '0')) },
      { signature: signature.replace(/v1|v0|sha256/, 'v9') },
      { signature: 'x'.repeat(100_000) },
    ]
    const changed = changes.map((change): ReceivedWebhook => ({ ...webhook, ...change }))
    if (webhook.scheme !== 'github')
      changed.push(await library.sign(secrets.now, '{"a":1}', seconds - 600))
    for (const one of changed) {
      const isGenuine = await verifySignature(vault, 'op://Acme/Hook/now', one)
      expect([one.signature, isGenuine, await library.accepts(one)]).toEqual([
        ...[one.signature, false, false],
      ])
    }
  })
})

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
  slack: async (request, { now: secret = '' }) => {
    const time = String(Math.floor(Date.now() / 1000))
    const base = `v0:${time}:${await request.clone().text()}`
    const signature = `v0=${createHmac('sha256', secret).update(base).digest('hex')}`
    return withHeaders(request, {
      'x-slack-request-timestamp': time,
      'x-slack-signature': signature,
    })
  },
}

const receivers: Readonly<Record<string, (headers: IncomingHttpHeaders, body: string) => unknown>> =
  {
    standard: (headers, body) =>
      new Webhook(secrets.now).verify(body, headers as Record<string, string>),
    stripe: (headers, body) =>
      Stripe.webhooks.constructEvent(body, String(headers['stripe-signature']), secrets.now),
    slack: (headers, body) =>
      isValidSlackRequest({
        ...{ signingSecret: secrets.now, body },
        headers: {
          'x-slack-signature': String(headers['x-slack-signature']),
          'x-slack-request-timestamp': Number(headers['x-slack-request-timestamp']),
        },
      }),
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
