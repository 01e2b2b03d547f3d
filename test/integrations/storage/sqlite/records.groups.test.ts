import { describe, expect, it } from 'vitest'
import { createSqliteStore } from '../../../../src/storage/sqlite.js'
import { createDatabasePath, openNodeDatabase } from '../../../support/stores/sqlite.js'
import { startProgram } from '../../support/source/program.js'

describe('openSqliteStore in several processes', () => {
  it('creates the file once and loses no update', async () => {
    const path = createDatabasePath()
    const program = 'test/integrations/support/stores/sqlite-counter.ts'
    const counters = Array.from({ length: 4 }, () => startProgram(program, path, '50'))
    const ended = await Promise.all(counters.map((counter) => counter.ended))
    expect(ended.map(({ code, stderr }) => `${code} ${code === 0 ? '' : stderr}`)).toEqual(
      Array(4).fill('0 '),
    )
    const stored = await createSqliteStore(openNodeDatabase(path)).records.get({
      collection: 'c',
      id: 'count',
    })
    expect(stored?.version).toBe(200)
    expect(new TextDecoder().decode(stored?.body)).toBe('200')
  }, 30_000)
})
