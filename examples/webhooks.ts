/** Delivers changes as webhooks, signed by Standard Webhooks, to a receiver that verifies them. */

import type { RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCaller, createVaultService } from 'cofferkit'
import { createStoredActivityLog } from 'cofferkit/activity'
import { type Change, watchChanges } from 'cofferkit/changes'
import { createMemoryStore } from 'cofferkit/memory'
import { Webhook } from 'standardwebhooks'
import { listen } from './demo/listen.js'

/** Resolves when the receiver has accepted the change. A receiver ignores an id that it has seen. */
async function deliver(change: Change, url: string, webhook: Webhook): Promise<void> {
  const body = JSON.stringify({ type: change.type, timestamp: change.at, data: change })
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 60_000)) {
    const now = new Date()
    const headers = {
      'content-type': 'application/json',
      'webhook-id': change.id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': webhook.sign(change.id, now, body),
    }
    const signal = AbortSignal.timeout(15_000)
    const request = fetch(url, { method: 'POST', headers, body, signal })
    if (await request.then(({ ok }) => ok).catch(() => false)) return
    await sleep(waitMs)
  }
}

const secret = `whsec_${Buffer.from('a secret of 24 bytes or more').toString('base64')}`
let attempts = 0
const receive: RequestListener = async (request, response) => {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([k, v]) => [k, `${v}`]))
  const { type } = new Webhook(secret).verify(await text(request), headers) as { type: string }
  const isAccepted = attempts++ > 0 // The first attempt fails.
  console.log(`${type}: ${isAccepted ? 'accepted' : 'rejected'}`)
  response.writeHead(isAccepted ? 204 : 503).end()
}
const receiver = await listen(receive, 0)

const store = createMemoryStore()
const service = createVaultService({ store, activity: createStoredActivityLog(store) })
const wendy = createCaller('wendy', '*')
const { id: vaultId } = await service.createVault(wendy, { name: 'Home' })
const { id: itemId } = await service.createItem(wendy, { vaultId, item: { category: 'LOGIN' } })

let since: string | undefined // In yours: read from a file or a table.
const caller = createCaller('webhooks', { [vaultId]: 'read' })
const options = { log: store, items: store.records, caller, since, pollMs: 50 }
for await (const change of watchChanges(options)) {
  await deliver(change, receiver.origin, new Webhook(secret))
  since = change.id // In yours: written there.
  if (change.type === 'item.created') await service.deleteItem(wendy, { vaultId, itemId })
  if (change.type === 'item.deleted') break
}
receiver.close()
