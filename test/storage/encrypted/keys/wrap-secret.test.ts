import { tracingChannel } from 'node:diagnostics_channel'
import { describe, expect, it, onTestFinished } from 'vitest'
import { vaultRings } from '../../../../src/storage/encrypted/keys/key-ring.js'
import { unwrapSecret, wrapSecret } from '../../../../src/storage/encrypted/keys/wrap-secret.js'
import { createLocalKeyProvider, type KeyProvider } from '../../../../src/storage/encrypted.js'

const provider = createLocalKeyProvider({ key: new Uint8Array(32).fill(7) })
const secret = new Uint8Array(32).fill(200)

/** Everything that is published until the test ends, with a copy of each message. */
function recordMessages(): [string, object][] {
  const messages: [string, object][] = []
  const record = (phase: string) => (message: object) => {
    messages.push([phase, { ...message }])
  }
  const phases = ['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const
  const subscribers = Object.fromEntries(phases.map((phase) => [phase, record(phase)]))
  const channel = tracingChannel('cofferkit.key')
  channel.subscribe(subscribers as unknown as Parameters<typeof channel.subscribe>[0])
  onTestFinished(
    () =>
      void channel.unsubscribe(subscribers as unknown as Parameters<typeof channel.subscribe>[0]),
  )
  return messages
}

describe('the channel cofferkit.key', () => {
  it('publishes the calls of a key provider without the keys', async () => {
    const messages = recordMessages()
    const wrapped = await wrapSecret(provider, vaultRings, 'scope', secret)
    expect(await unwrapSecret(provider, 'scope', wrapped)).toEqual(secret)
    const ended = messages.filter(([phase]) => phase === 'asyncEnd').map(([, message]) => message)
    expect(ended).toEqual(['wrap', 'unwrap'].map((call) => ({ call, result: undefined })))
  })

  it('publishes the redacted error of a call that fails', async () => {
    const messages = recordMessages()
    const failing: KeyProvider = {
      ...provider,
      wrap: () => Promise.reject(new Error('s3cret')),
    }
    await expect(wrapSecret(failing, vaultRings, 'scope', secret)).rejects.toThrow(
      'the key provider failed',
    )
    const [, message] = messages.find(([phase]) => phase === 'error') ?? []
    expect(message).toMatchObject({ call: 'wrap', error: { code: 'STORAGE_UNAVAILABLE' } })
  })
})
