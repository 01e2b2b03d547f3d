/** A test vault whose id was chosen. */

import {
  createTestVault,
  type Seed,
  type TestVault,
  type TestVaultOptions,
} from '../../../src/testing.js'
import { loginDraft } from '../drafts.js'

/** The id of the vault. */
const chosenVaultId = 'chosen'.padEnd(26, 'v')

/**
 * Creates a test vault that can be created again under its id after it was deleted: an id that the
 * vault has made cannot be chosen.
 */
export async function createChosenVault(options: TestVaultOptions = {}): Promise<TestVault> {
  const { vault: _, ...login } = loginDraft('')
  const files = [
    { name: 'hello.txt', sectionId: 'more', content: 'hello' },
    { name: 'large.bin', sectionId: 'more', content: '\x07'.repeat(1025) },
  ]
  const seed: Seed = {
    vaults: [{ id: chosenVaultId, name: 'Test', items: [{ ...login, files }] }],
  }
  const world = await createTestVault({ ...options, seed })
  const item = await world.findItem('Example')
  const [smallFile, largeFile] = item.files
  return Object.assign(world, { item, smallFile, largeFile }) as TestVault
}
