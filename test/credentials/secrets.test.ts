import { randomInt } from 'node:crypto'
import { type Caller, createVaultService } from 'cofferkit'
import { createMemoryActivityLog } from 'cofferkit/activity'
import { type Credentials, createCredentialHandler, createCredentials } from 'cofferkit/credentials'
import { createFetchHandler } from 'cofferkit/fetch'
import { createMemoryStore } from 'cofferkit/memory'
import { createFaultyStore } from 'cofferkit/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { runAll } from '../support/run-all.js'

const caller: Caller = { id: 'wendy', can: () => true }
const vaultId = 'v'.repeat(26)

/** Five of these characters in a row occur in no message, stack or id. */
const characters = 'BCDFGHJKLMNPQRSTVWXZ'

function randomSecret(): string {
  const length = randomInt(5, 64)
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join('')
}

/** Everything that can be read of a value or an error, also of its causes. */
function textOf(value: unknown): string {
  if (!(value instanceof Error)) return JSON.stringify(value) ?? ''
  const own = Object.getOwnPropertyNames(value).map((name) => String(Reflect.get(value, name)))
  return [...own, String(value), JSON.stringify(value), textOf(value.cause)].join('\n')
}

describe('createCredentials', () => {
  it('puts no five characters of a secret into a view, an error, a response or a log line', async () => {
    const lines: unknown[] = []
    const spy = vi.spyOn(console, 'error').mockImplementation((...line) => void lines.push(line))
    onTestFinished(() => spy.mockRestore())
    for (let round = 0; round < (runAll ? 200 : 15); round++) {
      const secret = randomSecret()
      const found: unknown[] = []
      const collect = async (result: Promise<unknown>): Promise<void> => {
        found.push(await result.catch((error: unknown) => error))
      }
      const error = Object.assign(new Error(`failed for ${secret}`), { request: secret })
      let isBroken = false
      const store = createFaultyStore(
        createMemoryStore(),
        () => (isBroken ? 'fail-before' : undefined),
        error,
      )
      const activity = createMemoryActivityLog({ maxEntries: 1000 })
      const service = createVaultService({ store, activity, strict: round % 2 === 0 })
      await service.createVault(caller, { vaultId, name: 'Acme' })
      const fields = { key: {}, second: { optional: true } }
      const fail = (): never => {
        throw error
      }
      const credentials: Credentials = createCredentials(service, {
        ok: { fields, verify: async () => true },
        wrong: { fields, verify: async () => false },
        down: { fields, verify: fail, origins: ['https://api.example.com'] },
        bad: { fields, origins: fail },
        lost: { fields, origins: ({ key = '' }) => [key] },
      })
      const handler = createCredentialHandler(credentials, {
        authenticate: () => caller,
        vaultOf: () => vaultId,
      })
      const handle = createFetchHandler(handler)
      const own = credentials.of(caller, vaultId)
      const given = [
        ...[{ key: secret }, { key: secret, second: secret }, { key: ` ${secret}` }],
        ...[{ key: `…${secret}` }, { [secret]: secret, key: secret }, { second: secret }],
        ...[{ key: [secret] }, secret, [secret], { key: { [secret]: secret } }],
      ]
      for (const name of [...credentials.names, secret]) {
        for (const values of given) {
          await collect(own.save(name, values as Record<string, string>))
          const init = {
            method: 'PUT',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(values),
          }
          const url = `https://app.example.com/credentials/${name}`
          const response = await handle(new Request(url, init))
          found.push([...response.headers], await response.text())
        }
        await collect(own.verify(name))
        await collect(own.describe(name))
        await collect(own.reveal(name, secret))
      }
      await collect(own.list())
      isBroken = true
      await collect(own.save('ok', { key: secret }))
      await collect(own.list())
      await handle(new Request('https://app.example.com/credentials'))
      isBroken = false
      found.push(await service.listActivity(caller, { limit: 1000 }))
      const texts = [...found, ...lines].map(textOf).join('\n')
      for (let start = 0; start + 5 <= secret.length; start++)
        expect(texts).not.toContain(secret.slice(start, start + 5))
      lines.length = 0
      expect(await own.reveal('ok', 'key')).toBe(secret)
    }
    expect(spy).toHaveBeenCalled()
  })
})
