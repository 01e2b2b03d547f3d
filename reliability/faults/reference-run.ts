/** What an operation answers and leaves when nothing goes wrong. */

import { isVaultError, type VaultService } from 'cofferkit'
import { faultKinds } from './fault-kinds.js'
import { createFaultyCallStore, type MadeCall } from './faulty-store.js'
import { createFixture, type Fixture, type FixtureOptions } from './fixture.js'
import type { OperationCall } from './operation-calls.js'
import { type VisibleState, visibleState, withoutNewIds } from './visible-state.js'

/** How an operation ended. */
export interface Outcome {
  /** The answer as JSON, or the error's code; ids that were made on the way are `#`. */
  readonly text: string
  /** What was thrown, if anything was. */
  readonly error: unknown
}

/** The operation as it should be. */
export interface Reference {
  /** The calls that it makes to the store. */
  readonly calls: readonly MadeCall[]
  /** What can be seen before it, after it, and after it was run two or three times. */
  readonly before: VisibleState
  readonly after: VisibleState
  readonly twice: VisibleState
  readonly thrice: VisibleState
  readonly answer: string
  /** What it answers when it is run again. */
  readonly secondAnswer: string
  /** What it answers if the item's last change has not been made. */
  readonly earlierAnswer: string
}

/** The reference of an operation. */
export async function runReference(call: OperationCall, options: FixtureOptions): Promise<Reference> {
  const fixture = await createFixture(options)
  const before = await visibleState(fixture, call)
  const { store, calls } = createFaultyCallStore(fixture.inner, new Map(), fixture.earlier, faultKinds)
  const { text: answer } = await outcomeOf(call, fixture.service(store, 9), fixture)
  const after = await visibleState(fixture, call)
  const second = await outcomeOf(call, fixture.service(fixture.inner, 10), fixture)
  const twice = await visibleState(fixture, call)
  await outcomeOf(call, fixture.service(fixture.inner, 11), fixture)
  const thrice = await visibleState(fixture, call)
  const past = await createFixture(options, true)
  const earlier = await outcomeOf(call, past.service(past.inner, 9), past)
  return {
    calls,
    before,
    after,
    twice,
    thrice,
    answer,
    secondAnswer: second.text,
    earlierAnswer: earlier.text,
  }
}

/** How the operation ends. */
export async function outcomeOf(
  call: OperationCall,
  service: VaultService,
  fixture: Fixture,
): Promise<Outcome> {
  try {
    const answer = (await call.run(service, fixture)) ?? 'done'
    return { text: withoutNewIds(fixture, JSON.stringify(answer)), error: undefined }
  } catch (error) {
    return { text: isVaultError(error) ? error.code : String(error), error }
  }
}
