/** The items that are most expensive to read and to change, each up to the limits of an item. */

import type { Caller, Field, VaultService } from 'cofferkit'

/** The names of the items, by what they have much of. */
export const targetNames = [
  'small fields',
  'long fields',
  'control characters',
  'one-time codes',
  'files',
] as const

/** The name of an item. */
export type TargetName = (typeof targetNames)[number]

/** Creates the items in the vault. Resolves with the id of each. */
export async function createTargets(
  service: VaultService,
  caller: Caller,
  vaultId: string,
): Promise<Readonly<Record<TargetName, string>>> {
  const create = async ({ type = 'STRING', value = '' }: Partial<Field>): Promise<string> => {
    const draft = { category: 'SERVER', vault: { id: vaultId } } as const
    const { id: itemId } = await service.createItem(caller, { vaultId, item: draft })
    // In steps, because the size of a body is limited.
    for (let first = 0; first < 1000; first += 250) {
      const patch = Array.from({ length: 250 }, (_, index) => ({
        op: 'add' as const,
        path: `/fields/${first + index}`,
        value: { type, value },
      }))
      await service.patchItem(caller, { vaultId, itemId, patch })
    }
    return itemId
  }
  const code = `otpauth://totp/a?${'issuer=1&'.repeat(53)}secret=AAAA`
  const targets = {
    'small fields': await create({ value: 'x' }),
    'long fields': await create({ value: 'x'.repeat(2000) }),
    'control characters': await create({ value: '\u0001'.repeat(330) }),
    'one-time codes': await create({
      type: service.dialect.name === 'connect' ? 'OTP' : 'TOTP',
      value: code,
    }),
    files: await create({ value: 'x' }),
  }
  const name = '\u0001'.repeat(255)
  for (let count = 0; count < 100; count++)
    await service.attachFile(caller, {
      vaultId,
      itemId: targets.files,
      name,
      content: new Uint8Array(102_400),
    })
  return targets
}
