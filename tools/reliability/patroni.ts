/**
 * Shows that PostgreSQL under Patroni loses nothing that was acknowledged when the primary dies.
 * Three servers replicate synchronously. The primary's postmaster and its Patroni are killed with
 * SIGKILL under twelve writers again and again. After each fail-over the vault is read from the new
 * primary and compared with the journal of what was written. Unacknowledged writes may be present
 * or not. Each kill must begin a new timeline on another member. The service must answer again
 * within 60 s; Patroni's `ttl` is 10 s. The negative control, asynchronous replication to replicas
 * that lag, must be caught. Needs Debian's packages postgresql, patroni and etcd-server.
 *
 * `npm run prove -- patroni [--short] [--driver postgres.js] [--cycles 50] [--seed 1]`
 */

import { parseArgs } from 'node:util'
import { listFailures } from './crash/crash-outcome.js'
import { missingPackages } from './patroni/cluster.js'
import { runFailOvers } from './patroni/run-fail-overs.js'
import { createSeededRandom } from './support/seeded-random.js'
import { print, printTable } from './support/table.js'

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    driver: { type: 'string', default: 'pg' },
    cycles: { type: 'string' },
    seed: { type: 'string' },
  },
})
const cycles = Number(values.cycles ?? (values.short ? 3 : 50))
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const driver = values.driver === 'postgres.js' ? values.driver : 'pg'
const missing = missingPackages()

if (missing.length > 0) {
  print(`not run: apt-get install ${missing.join(' ')}`)
  process.exitCode = 1
} else {
  const random = createSeededRandom(seed)
  const result = await runFailOvers({ isSynchronous: true, driver, cycles, random })
  const control = await runFailOvers({ isSynchronous: false, driver, cycles: 1, random })
  printTable([result.row, control.row])
  const failures = [...result.failures, ...listFailures({ ...result.outcome, orphans: 0 })]
  if (control.outcome.lost.length === 0) failures.push('the negative control was not caught')
  for (const failure of failures) print(failure)
  if (failures.length > 0) {
    print(`again: npm run prove -- patroni --driver ${driver} --cycles ${cycles} --seed ${seed}`)
    process.exitCode = 1
  }
}
