/** Lets every call to the store go wrong in every way, in every operation, and judges what became of it. */

import { checkOutcome, type Observation } from './check-outcome.js'
import { type FaultKind, faultKinds } from './fault-kinds.js'
import { type FaultPlan, createFaultyCallStore } from './faulty-store.js'
import { createFixture, type FixtureOptions } from './fixture.js'
import { type OperationCall, operationCalls } from './operation-calls.js'
import { outcomeOf, type Reference, runReference } from './reference-run.js'
import { findLeftovers, visibleState } from './visible-state.js'

/** How the faults are laid. */
export interface FaultOptions extends FixtureOptions {
  /** How many calls of one operation go wrong: 1, or 2 for every pair. */
  readonly depth: 1 | 2
  readonly operations?: readonly OperationCall[]
}

/** What was seen of one operation. */
export interface FaultFindings {
  readonly operation: string
  readonly calls: number
  readonly cases: number
  /** One for each thing that is not allowed, with the case in which it was seen. */
  readonly violations: readonly string[]
}

/** The findings, operation by operation. */
export async function* runFaultInjection(options: FaultOptions): AsyncGenerator<FaultFindings> {
  for (const call of options.operations ?? operationCalls) {
    const reference = await runReference(call, options)
    const violations: string[] = []
    let cases = 0
    for (const plan of plansFor(reference, options.depth)) {
      cases++
      const observation = await observed(call, plan, options)
      const failures = checkOutcome(reference, observation)
      violations.push(
        ...failures.map((words) => `${call.name}, ${named(plan, reference)}: ${words}`),
      )
    }
    yield { operation: call.name, calls: reference.calls.length, cases, violations }
  }
}

/** One run on a fresh fixture. */
async function observed(
  call: OperationCall,
  plan: FaultPlan,
  options: FixtureOptions,
): Promise<Observation> {
  const fixture = await createFixture(options)
  const { store, settled } = createFaultyCallStore(fixture.inner, plan, fixture.earlier, faultKinds)
  const outcome = await outcomeOf(call, fixture.service(store, 9), fixture)
  await settled()
  const state = await visibleState(fixture, call)
  const second = await outcomeOf(call, fixture.service(fixture.inner, 10), fixture)
  const secondState = await visibleState(fixture, call)
  const left = await findLeftovers(fixture)
  return { kinds: [...plan.values()], outcome, state, second, secondState, left }
}

/** Every call with every kind that applies to it; in pairs also every later call, known or not, with every kind. */
function plansFor({ calls }: Reference, depth: 1 | 2): FaultPlan[] {
  const single = calls.flatMap(({ kinds }, index) =>
    kinds.map((kind): readonly [number, FaultKind] => [index, kind]),
  )
  if (depth === 1) return single.map((fault) => new Map([fault]))
  return single.flatMap((first) =>
    calls
      .map((_, index) => index + 1)
      .filter((index) => index > first[0])
      .flatMap((index) => faultKinds.map((kind) => new Map([first, [index, kind]]))),
  )
}

function named(plan: FaultPlan, { calls }: Reference): string {
  return [...plan]
    .map(([index, kind]) => `call ${index} (${calls[index]?.method ?? 'one more'}) ${kind}`)
    .join(' and ')
}
