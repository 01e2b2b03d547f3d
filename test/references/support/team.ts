/** A test vault with names that several things have. */

import { createTestVault, type TestVault } from '../../../src/testing.js'
import { utf8 } from '../../support/bytes.js'
import { noteDraft } from '../../support/drafts.js'

/**
 * Creates a test vault, two vaults named `Twice`, and in the test vault two items named `Double`
 * and an item named `Fields`. Its fields `b`, `c`, `d` and `e` have the label `Same`.
 */
export async function createTeam(): Promise<TestVault> {
  const vault = await createTestVault()
  const { service, caller, vaultId } = vault
  for (const name of ['Twice', 'Twice']) await service.createVault(caller, { name })
  for (const title of ['Double', 'Double'])
    await service.createItem(caller, { vaultId, item: noteDraft(vaultId, { title }) })
  const field = (id: string, label: string, section?: string) => ({
    ...{ id, label, value: id },
    ...(section !== undefined && { section: { id: section } }),
  })
  const item = await service.createItem(caller, {
    vaultId,
    item: noteDraft(vaultId, {
      title: 'Fields',
      sections: [
        { id: 'one', label: 'One' },
        { id: 'two', label: 'Two' },
      ],
      fields: [
        field('a', 'Only'),
        field('b', 'Same', 'one'),
        field('c', 'Same', 'two'),
        field('d', 'Same', 'one'),
        { ...field('field', 'Both'), value: 'field' },
        { id: 'x', value: 'secret', section: { id: 'two' } },
      ],
    }),
  })
  const ref = { vaultId, itemId: item.id }
  const attach = (name: string, content: string, sectionId?: string) =>
    service.attachFile(caller, {
      ...ref,
      name,
      content: utf8(content),
      ...(sectionId !== undefined && { sectionId }),
    })
  await attach('file', 'one', 'one')
  await attach('file', 'two', 'two')
  await attach('Both', 'file')
  return vault
}
