import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createTestVault } from '../../../src/testing.js'
import { findBlocks } from '../../support/source/pages.js'
import { hasCurl } from '../support/source/shell.js'

describe.skipIf(!hasCurl())('docs/http-api.md', () => {
  it('has commands that create a login', async () => {
    const vault = await createTestVault({}, { extensions: true })
    const { origin, close } = await vault.listen()
    try {
      const command = findBlocks('docs/http-api.md').filter(({ kind }) => kind === 'sh')[1]?.text
      const env = {
        ...process.env,
        OP_CONNECT_HOST: origin,
        OP_CONNECT_TOKEN: vault.tokens.full,
      }
      const { stdout } = await promisify(execFile)('sh', ['-c', command ?? ''], { env })
      expect(JSON.parse(stdout)).toMatchObject({ category: 'LOGIN', title: 'Wi-Fi', version: 1 })
    } finally {
      await close()
    }
  })
})
