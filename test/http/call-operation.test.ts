import { describe, expect, it } from 'vitest'
import { connectDialect } from '../../src/dialects/connect.js'
import type { TestVault } from '../../src/testing.js'
import { streamOf, utf8 } from '../support/bytes.js'
import { noteDraft } from '../support/drafts.js'
import { createHttpHandler, createTestVault } from '../support/http/checked-handlers.js'
import { createRequest } from '../support/http/requests.js'

const code = 'otpauth://totp/a?secret=AAAAAAAA'

describe('callOperation', () => {
  it('yields to the event loop between many large items', async () => {
    const vault = await createTestVault()
    const itemIds = await notes(vault, 12, [
      { id: 'a', type: 'STRING', value: 'x'.repeat(60_000) },
      { id: 'b', type: 'STRING', value: 'y'.repeat(60_000) },
    ])
    const [items, turns] = await turnsWhile(() => getItems(vault, itemIds))
    expect(items).toEqual(await vault.service.getItems(vault.caller, { vaultId, itemIds }))
    // Reading the items yields as often again.
    expect(turns).toBeGreaterThanOrEqual(10)
  })

  it('yields to the event loop between items with one-time codes', async () => {
    const vault = await createTestVault({ dialect: connectDialect })
    const fields = Array.from({ length: 100 }, (_, id) => ({
      id: `${id}`,
      type: 'OTP' as never,
      value: code,
    }))
    const itemIds = await notes(vault, 12, fields)
    const [items, turns] = await turnsWhile(() => getItems(vault, itemIds))
    expect(items).toHaveLength(12)
    expect(JSON.stringify(items).match(/"totp":/g)).toHaveLength(1200)
    expect(turns).toBeGreaterThanOrEqual(3)
  })
})

const vaultId = 'v'.repeat(26)

async function notes(
  { service, caller }: TestVault,
  count: number,
  fields: NonNullable<ReturnType<typeof noteDraft>['fields']>,
): Promise<string[]> {
  await service.createVault(caller, { name: 'Many', vaultId })
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    const item = noteDraft(vaultId, { title: `${index}`, fields })
    ids.push((await service.createItem(caller, { vaultId, item })).id)
  }
  return ids
}

async function getItems(vault: TestVault, itemIds: readonly string[]): Promise<unknown> {
  const handler = createHttpHandler(vault.service, {
    authenticate: () => vault.caller,
    extensions: true,
  })
  const body = streamOf([utf8(JSON.stringify({ itemIds }))])
  const path = `/v1/vaults/${vaultId}/get-items`
  const response = await handler(createRequest(vault, 'POST', path, { body }))
  return JSON.parse(String(response.body))
}

/** Returns the result of `work`, and the number of turns of the event loop until then. */
async function turnsWhile<Result>(work: () => Promise<Result>): Promise<[Result, number]> {
  let turns = 0
  let isOver = false
  const count = (): void => {
    if (isOver) return
    turns++
    setImmediate(count)
  }
  setImmediate(count)
  const result = await work()
  isOver = true
  return [result, turns]
}
