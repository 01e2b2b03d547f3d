/** A process that watches changes until it is killed. It reports each on its standard output. */

import { writeSync } from 'node:fs'
import { createCaller, isVaultError } from 'cofferkit'
import { type WatchOptions, watchChanges } from 'cofferkit/changes'
import { openStore } from './open-store.js'
import { type ChangesVariant, resumeAtSince } from './variants.js'

/** Options of a consumer, passed as JSON in its first argument. */
export interface ConsumerOptions
  extends Pick<WatchOptions, 'since' | 'pollMs' | 'windowMs' | 'holdMs'> {
  readonly engine: string
  readonly address: string
  readonly variant: ChangesVariant
}

const { engine, address, variant, ...options }: ConsumerOptions = JSON.parse(process.argv[2] ?? '')
const store = await openStore(engine, address)
const log = variant === 'resumes at since' ? resumeAtSince(store, options.since) : store
const caller = createCaller('consumer', '*')
let { since } = options
for (;;) {
  try {
    const changes = watchChanges({ ...options, since, log, items: store.records, caller })
    for await (const change of changes) {
      writeSync(1, `${JSON.stringify(change)}\n`)
      since = change.id
    }
  } catch (error) {
    // SQLite is locked for longer than its timeout when the machine is busy.
    if (!isVaultError(error) || error.status !== 503) throw error
  }
}
