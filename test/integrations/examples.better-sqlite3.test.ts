import { describe, expect, it } from 'vitest'
import { runText } from './support/source/program.js'

describe('examples with better-sqlite3 in place of node:sqlite', () => {
  it.each([
    ['sql-store.ts', /^\d+ cases passed\n$/],
    [
      'encrypted.ts',
      /\nwithout the key: the encryption keys of vault \w+ are wrapped with the KEK .*\n$/,
    ],
  ])('%s runs', async (file, output) => {
    const { code, stdout, stderr } = await runText(`
      import { registerHooks } from 'node:module'
      const driver = new URL('./support/stores/sqlite-driver.ts', import.meta.url).href
      registerHooks({
        resolve: (specifier, context, next) =>
          next(specifier === 'node:sqlite' ? driver : specifier, context),
      })
      await import('../../examples/${file}')
    `)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(output)
  })
})
