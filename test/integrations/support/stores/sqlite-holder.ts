/**
 * A process that locks the database at the path of the first argument, prints `locked`, and
 * releases it after the number of milliseconds of the second argument.
 */

import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'

const [path = '', milliseconds = ''] = process.argv.slice(2)
const database = new DatabaseSync(path)
database.exec('begin immediate')
process.stdout.write('locked\n')
await pause(Number(milliseconds))
database.exec('commit')
database.close()
