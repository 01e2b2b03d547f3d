/** Makes each store call of each operation go wrong in each way, and checks the outcomes. */

import { checkOutcome, type Observation } from './check-outcome.js'
import { type FaultKind, faultKinds } from './fault-kinds.js'
import { createFaultyStore, type FaultPlan } from './faulty-store.js'
import { createFixture, type FixtureOptions } from './fixture.js'
import { type OperationCall, operationCalls } from './operation-calls.js'
import { type Reference, runOperation, runReference } from './reference-run.js'
import { findLeftovers, visibleState } from './visible-state.js'

/** Options of `runFaultInjection`. */
export interface FaultOptions extends FixtureOptions {
  /** Number of calls of one operation that go wrong: 1, or 2 for every pair. */
  readonly depth: 1 | 2
  /** All operations if absent. */
  readonly operations?: readonly OperationCall[]
}

/** The findings for one operation. */
export interface FaultFindings {
  readonly operation: string
  readonly calls: number
  readonly cases: number
  /** Each with its case. */
  readonly violations: readonly string[]
}

/** Yields the findings, operation by operation. */
export async function* runFaultInjection(options: FaultOptions): AsyncGenerator<FaultFindings> {
  for (const call of options.operations ?? operationCalls) {
    const reference = await runReference(call, options)
    const violations: string[] = []
    let cases = 0
    for (const plan of createPlans(reference, options.depth)) {
      cases++
      const observation = await runCase(call, plan, options)
      const prefix = `${call.name}, ${formatPlan(plan, reference)}`
      violations.push(
        ...checkOutcome(reference, observation).map((violation) => `${prefix}: ${violation}`),
      )
    }
    yield { operation: call.name, calls: reference.calls.length, cases, violations }
  }
}

/** Runs one case on a new fixture. */
async function runCase(
  call: OperationCall,
  plan: FaultPlan,
  options: FixtureOptions,
): Promise<Observation> {
  const fixture = await createFixture(options)
  const { store, settle } = createFaultyStore(fixture.inner, plan, fixture.earlier, faultKinds)
  const outcome = await runOperation(call, fixture.service(store, 9), fixture)
  await settle()
  const state = await visibleState(fixture, call)
  const second = await runOperation(call, fixture.service(fixture.inner, 10), fixture)
  const secondState = await visibleState(fixture, call)
  const leftovers = await findLeftovers(fixture)
  return { kinds: [...plan.values()], outcome, state, second, secondState, leftovers }
}

/**
 * Combines each call with each kind that applies to it. For pairs, the second call is every later
 * one with every kind, also a call that the reference does not make.
 */
function createPlans({ calls }: Reference, depth: 1 | 2): FaultPlan[] {
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

function formatPlan(plan: FaultPlan, { calls }: Reference): string {
  return [...plan]
    .map(([index, kind]) => `call ${index} (${calls[index]?.method ?? 'additional'}) ${kind}`)
    .join(' and ')
}
