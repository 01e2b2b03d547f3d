/** The responses and states of an operation when no call fails. */

import { isVaultError, type VaultService } from 'cofferkit'
import { faultKinds } from './fault-kinds.js'
import { createFaultyStore, type MadeCall } from './faulty-store.js'
import { createFixture, type Fixture, type FixtureOptions } from './fixture.js'
import type { OperationCall } from './operation-calls.js'
import { replaceNewIds, type VisibleState, visibleState } from './visible-state.js'

/** The end of an operation. */
export interface Outcome {
  /** The result as JSON, or the code of the error. Ids that were created on the way are `#`. */
  readonly text: string
  /** The thrown error; undefined if the operation succeeded. */
  readonly error: unknown
}

/** The correct behavior of an operation. */
export interface Reference {
  /** The calls that it makes to the store. */
  readonly calls: readonly MadeCall[]
  /** The visible state before the operation, and after one, two and three runs. */
  readonly before: VisibleState
  readonly after: VisibleState
  readonly twice: VisibleState
  readonly thrice: VisibleState
  readonly result: string
  /** The result of the second run. */
  readonly secondResult: string
  /** The result if the item's last change has not been made. */
  readonly earlierResult: string
}

/** Runs an operation on a correct store. */
export async function runReference(
  call: OperationCall,
  options: FixtureOptions,
): Promise<Reference> {
  const fixture = await createFixture(options)
  const before = await visibleState(fixture, call)
  const { store, calls } = createFaultyStore(fixture.inner, new Map(), fixture.earlier, faultKinds)
  const first = await runOperation(call, fixture.service(store, 9), fixture)
  const after = await visibleState(fixture, call)
  const second = await runOperation(call, fixture.service(fixture.inner, 10), fixture)
  const twice = await visibleState(fixture, call)
  await runOperation(call, fixture.service(fixture.inner, 11), fixture)
  const thrice = await visibleState(fixture, call)
  const past = await createFixture(options, { includeLastChange: false })
  const earlier = await runOperation(call, past.service(past.inner, 9), past)
  return {
    calls,
    before,
    after,
    twice,
    thrice,
    result: first.text,
    secondResult: second.text,
    earlierResult: earlier.text,
  }
}

/** Runs the operation to its end. Does not throw. */
export async function runOperation(
  call: OperationCall,
  service: VaultService,
  fixture: Fixture,
): Promise<Outcome> {
  try {
    const result = (await call.run(service, fixture)) ?? 'done'
    return { text: replaceNewIds(fixture, JSON.stringify(result)), error: undefined }
  } catch (error) {
    return { text: isVaultError(error) ? error.code : String(error), error }
  }
}
