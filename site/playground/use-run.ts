/** Runs the service for each change of the texts. */

import { useEffect, useState } from 'preact/hooks'
import { type Outcome, runPatch } from './run-patch.js'
import type { Draft } from './use-draft.js'

/** An outcome that is shown. */
export interface ShownOutcome extends Outcome {
  /** True if `result` is of an earlier run, because the last one has none. */
  readonly isOutdated: boolean
  /** An error that the library does not describe; undefined if the last run had none. */
  readonly failure: string | undefined
}

/** Returns the outcome of the current texts as soon as it is known, and the last one until then. */
export function useRun(draft: Draft): ShownOutcome {
  const [shown, setShown] = useState<ShownOutcome>({
    problem: undefined,
    result: undefined,
    isOutdated: false,
    failure: undefined,
  })
  const { texts, times, isStrict, startReplay } = draft
  useEffect(() => {
    let isCurrent = true
    const run = async (): Promise<void> => {
      let outcome: Outcome = { problem: undefined, result: undefined }
      let failure: string | undefined
      try {
        outcome = await runPatch({ texts, times, isStrict, randomBytes: startReplay() })
      } catch (error) {
        failure = String(error)
      }
      if (!isCurrent) return
      const { problem, result } = outcome
      const isOutdated = result === undefined
      setShown((last) => ({ problem, result: result ?? last.result, isOutdated, failure }))
    }
    run()
    return () => {
      isCurrent = false
    }
  }, [texts, times, isStrict, startReplay])
  return shown
}
