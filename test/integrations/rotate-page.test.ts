import { describe, expect, it } from 'vitest'
import { findBlocks, readPage } from '../support/source/pages.js'
import { databaseReference } from './support/command/database-seed.js'
import { withStore } from './support/command/with-store.js'
import { createBackupShell } from './support/stores/backups.js'

const blocks = findBlocks('docs/rotate.md')
const commands = blocks.filter(({ kind }) => kind === 'sh').map(({ text }) => text)

describe('docs/rotate.md', { timeout: 120_000 }, () => {
  it('has commands that replace the key file, check the store and rotate the data keys', () =>
    withStore(async (run, folder) => {
      await run('keygen', 'vault.key')
      await run('reencrypt', '--from-plaintext', '--encrypt', 'vault.key')
      const shell = createBackupShell(folder)
      expect(commands).toHaveLength(3)
      const [replace = '', check = '', rotate = ''] = commands
      expect(await shell(replace)).toMatchObject({ code: 0 })
      expect(await shell(check)).toMatchObject({ code: 0 })
      const rotated = await shell(rotate)
      expect(rotated).toMatchObject({ code: 0, stdout: /^Encrypted [1-9]\d* records/m })
      const { stdout } = await run('read', databaseReference, '--encrypt', 'new.key')
      expect(stdout).toBe('s3cret\n')
      expect((await run('read', databaseReference, '--encrypt', 'vault.key')).code).toBe(2)
    }))

  it.each(['backup', 'rotate'])('and docs/%s.md have at most 1,200 words', (page) => {
    expect(readPage(`docs/${page}.md`).split(/\s+/).length).toBeLessThanOrEqual(1200)
  })
})
