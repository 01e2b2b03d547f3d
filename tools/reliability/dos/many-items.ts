/** Measures the largest responses of `getItems`: most bytes, most fields, most one-time codes. */

import {
  createCaller,
  createVaultService,
  type Dialect,
  type FieldDraft,
  type Limits,
} from 'cofferkit'
import { connectDialect } from 'cofferkit/connect'
import { createHttpHandler } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'
import { type Cost, measureCost } from './measure-cost.js'

/** The cost of one call. */
export interface ManyItemsCost extends Cost {
  readonly name: string
  readonly status: number
}

const caller = createCaller({ id: 'attacker', vaults: '*' })
const vaultId = 'v'.repeat(26)
const code = 'otpauth://totp/a?secret=AAAA'
const long = 'x'.repeat(65_000)

/** Measures calls that are within the limits, or just beyond them. */
export async function measureManyItems(): Promise<readonly ManyItemsCost[]> {
  return [
    await measure('8 items of 2 MB', 8, fields(31, long)),
    await measure('100 items of 2 MB', 100, fields(31, long)),
    await measure('100 items of 1,000 small fields', 100, fields(1000, 'x')),
    await measure('100 items of 100 codes', 100, fields(100, code, 'OTP'), connectDialect),
  ]
}

/** Measures the negative control: 100 items of 2 MB without a limit. */
export function measureUnlimited(): Promise<ManyItemsCost> {
  const limits = { getItemsBytes: Number.MAX_SAFE_INTEGER }
  return measure('100 items of 2 MB, unlimited', 100, fields(31, long), undefined, limits)
}

async function measure(
  title: string,
  count: number,
  draft: readonly FieldDraft[],
  dialect?: Dialect,
  limits: Partial<Limits> = {},
): Promise<ManyItemsCost> {
  const store = createMemoryStore()
  const service = createVaultService({ store, limits, ...(dialect && { dialect }) })
  const handler = createHttpHandler(service, { authenticate: () => caller, extensions: true })
  await service.createVault(caller, { vaultId, name: 'Many' })
  const itemIds: string[] = []
  for (let index = 0; index < count; index++) {
    const item = { category: 'LOGIN', vault: { id: vaultId }, fields: draft } as const
    itemIds.push((await service.createItem(caller, { vaultId, item })).id)
  }
  const url = `/v1/vaults/${vaultId}/get-items`
  let status = 0
  const cost = await measureCost(async () => {
    const body = { parsed: { itemIds } }
    status = (await handler({ method: 'POST', url, header: () => undefined, body })).status
  })
  return { ...cost, name: `getItems: ${title}`, status }
}

function fields(count: number, value: string, type: unknown = 'STRING'): readonly FieldDraft[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `${index}`,
    type: type as 'STRING',
    value,
  }))
}
