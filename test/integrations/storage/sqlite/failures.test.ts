import { describe, expect, it } from 'vitest'
import { createSqliteStore } from '../../../../src/storage/sqlite.js'
import { utf8 } from '../../../support/bytes.js'
import { allDrivers, createDatabasePath } from '../../../support/stores/sqlite.js'
import { startProgram } from '../../support/source/program.js'

const key = { collection: 'c', id: 'a' }
const body = utf8('secret')

describe.each(Object.entries(allDrivers))('createSqliteStore on %s', (_, open) => {
  it('waits when the lock is held for less than the busy timeout', async () => {
    const path = createDatabasePath()
    const { records } = createSqliteStore(open(path))
    const holder = startProgram('test/integrations/support/stores/sqlite-holder.ts', path, '200')
    await holder.printed('locked')
    const before = performance.now()
    expect(await records.put(key, { body }, 0)).toBe(true)
    expect(performance.now() - before).toBeGreaterThan(50)
    await holder.ended
  })
})
