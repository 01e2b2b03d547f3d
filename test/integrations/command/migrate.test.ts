import { sqliteMigrations } from 'cofferkit/sqlite'
import { describe, expect, it } from 'vitest'
import { runCommand, withFolder } from '../support/command/run-command.js'

describe('migrate', () => {
  it('prints the statements of each database', () =>
    withFolder(async (folder) => {
      const sqlite = await runCommand({ folder }, 'migrate', '--print')
      expect(sqlite.code).toBe(0)
      expect(sqlite.stdout.match(/;$/gm)).toHaveLength(
        sqliteMigrations().flatMap(({ statements }) => statements).length,
      )
      const url = 'postgres://a:s3cret@none.invalid/b'
      const postgres = await runCommand({ folder }, 'migrate', '--print', '--store', url)
      expect(postgres.stdout).toMatch(/^CREATE TABLE/i)
      const mysql = await runCommand({ folder }, 'migrate', '--print', '--store', 'mysql://a@b/c')
      expect(mysql.stdout).toContain('ENGINE = InnoDB')
      expect((await runCommand({ folder }, 'migrate', '--print', '--store', 'memory')).code).toBe(2)
    }))
})
