/** What an operation answers and leaves when nothing goes wrong. */

import { isVaultError, type VaultService } from 'cofferkit'
import { faultKinds } from './fault-kinds.js'
import { faultyCalls, type MadeCall } from './faulty-calls.js'
import { createStage, type Stage, type StageOptions } from './fixture.js'
import type { StagedCall } from './operations.js'
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
export async function referenceOf(call: StagedCall, options: StageOptions): Promise<Reference> {
  const stage = await createStage(options)
  const before = await visibleState(stage, call)
  const { store, calls } = faultyCalls(stage.inner, new Map(), stage.earlier, faultKinds)
  const { text: answer } = await outcomeOf(call, stage.service(store, 9), stage)
  const after = await visibleState(stage, call)
  const second = await outcomeOf(call, stage.service(stage.inner, 10), stage)
  const twice = await visibleState(stage, call)
  await outcomeOf(call, stage.service(stage.inner, 11), stage)
  const thrice = await visibleState(stage, call)
  const past = await createStage(options, true)
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
  call: StagedCall,
  service: VaultService,
  stage: Stage,
): Promise<Outcome> {
  try {
    const answer = (await call.run(service, stage)) ?? 'done'
    return { text: withoutNewIds(stage, JSON.stringify(answer)), error: undefined }
  } catch (error) {
    return { text: isVaultError(error) ? error.code : String(error), error }
  }
}
