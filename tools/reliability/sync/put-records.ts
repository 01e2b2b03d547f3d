/** The traced process: puts records, and prints each acknowledgement. */

import { writeSync } from 'node:fs'
import { createSqliteStore } from 'cofferkit/sqlite'
import { loadDriver } from '../support/sqlite-drivers.js'
import { acknowledgementOf, bodyOf, type PutOptions } from './put-options.js'

await putRecords(JSON.parse(process.argv[2] ?? ''))

async function putRecords(options: PutOptions): Promise<void> {
  const { path, driver, synchronous, records: count, concurrency } = options
  const database = new (loadDriver(driver))(path)
  const { records } = createSqliteStore(database)
  if (synchronous === 'normal') database.exec('pragma synchronous = normal')
  let next = 0
  const putNext = async (): Promise<void> => {
    while (next < count) {
      const record = next++
      const body = new TextEncoder().encode(bodyOf(record))
      const isPut = await records.put({ collection: 'c', id: `r${record}` }, { body }, 0)
      if (isPut) writeSync(1, `${acknowledgementOf(record)}\n`)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, putNext))
  database.close()
}
