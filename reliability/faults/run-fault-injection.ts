/** Lets every call to the store go wrong in every way, in every operation, and judges what became of it. */

import { judge, type Observation } from './check-outcome.js'
import { type FaultKind, faultKinds } from './fault-kinds.js'
import { type FaultPlan, faultyCalls } from './faulty-calls.js'
import { createStage, type StageOptions } from './fixture.js'
import { type StagedCall, stagedCalls } from './operations.js'
import { outcomeOf, type Reference, referenceOf } from './reference.js'
import { leftBehind, visibleState } from './visible-state.js'

/** How the faults are laid. */
export interface FaultOptions extends StageOptions {
  /** How many calls of one operation go wrong: 1, or 2 for every pair. */
  readonly depth: 1 | 2
  readonly operations?: readonly StagedCall[]
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
export async function* proveFaults(options: FaultOptions): AsyncGenerator<FaultFindings> {
  for (const call of options.operations ?? stagedCalls) {
    const reference = await referenceOf(call, options)
    const violations: string[] = []
    let cases = 0
    for (const plan of plansFor(reference, options.depth)) {
      cases++
      const observation = await observed(call, plan, options)
      const complaints = judge(reference, observation)
      violations.push(
        ...complaints.map((words) => `${call.name}, ${named(plan, reference)}: ${words}`),
      )
    }
    yield { operation: call.name, calls: reference.calls.length, cases, violations }
  }
}

/** One run on a fresh stage. */
async function observed(
  call: StagedCall,
  plan: FaultPlan,
  options: StageOptions,
): Promise<Observation> {
  const stage = await createStage(options)
  const { store, settled } = faultyCalls(stage.inner, plan, stage.earlier, faultKinds)
  const outcome = await outcomeOf(call, stage.service(store, 9), stage)
  await settled()
  const state = await visibleState(stage, call)
  const second = await outcomeOf(call, stage.service(stage.inner, 10), stage)
  const secondState = await visibleState(stage, call)
  const left = await leftBehind(stage)
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
