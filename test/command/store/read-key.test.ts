import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readKey } from '../../../src/command/store/read-key.js'
import { withFolder } from '../../integrations/support/command/run-command.js'

const remedy = 'Run: npx cofferkit keygen'

describe.skipIf(process.platform === 'win32')('readKey', () => {
  it('says how to mend the mode of a file that others can read', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'a.key'), 'a'.repeat(64), { mode: 0o644 })
      await expect(readKey(folder, 'a.key', remedy)).rejects.toThrow(/\nRun: chmod 600 a\.key;/)
    }))

  it('does not say it of a file with wrong content, whatever its name is', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'model.key'), 'no key', { mode: 0o600 })
      const reading = readKey(folder, 'model.key', remedy)
      await expect(reading).rejects.toThrow(
        /model\.key must contain 32 bytes or 64 hexadecimal digits$/,
      )
    }))

  it('passes the remedy on when there is no file', () =>
    withFolder(async (folder) => {
      await expect(readKey(folder, 'a.key', remedy)).rejects.toThrow(
        /^the key file a\.key does not exist\nRun: npx cofferkit keygen$/,
      )
    }))
})
