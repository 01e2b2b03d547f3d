/** A process that watches changes until it is killed. It reports each on its standard output. */

import { writeSync } from 'node:fs'
import { createCaller } from 'cofferkit'
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
for await (const change of watchChanges({ ...options, log, items: store.records, caller }))
  writeSync(1, `${JSON.stringify(change)}\n`)
