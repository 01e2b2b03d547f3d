import { describe, expect, it } from 'vitest'
import { createDatabasePath } from '../../../support/stores/sqlite.js'
import { runText } from '../../support/source/program.js'

describe('openSqliteStore without node:sqlite', () => {
  it('rejects with an error that names the option', async () => {
    // As in Node with --no-experimental-sqlite.
    const { stdout, stderr } = await runText(`
      import { registerHooks } from 'node:module'
      registerHooks({
        resolve(specifier, context, next) {
          if (specifier === 'node:sqlite') throw new Error('No such built-in module')
          return next(specifier, context)
        },
      })
      const { openSqliteStore } = await import('cofferkit/sqlite')
      const path: string = ${JSON.stringify(createDatabasePath())}
      await openSqliteStore(path).catch((error) => console.log(error.code, error.message))
    `)
    const message = 'this runtime has no node:sqlite: pass the option driver'
    expect(stdout, stderr).toBe(`STORAGE_FAILED ${message}\n`)
  })
})
