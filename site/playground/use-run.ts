/** Runs the service for each change of the texts. */

import { useEffect, useState } from 'preact/hooks'
import { type Outcome, runPatch } from './run-patch.js'
import type { Draft } from './use-draft.js'

/** An outcome that is shown. */
export interface ShownOutcome extends Outcome {
  /** True if `result` is of an earlier run, because the last one has none. */
  readonly isOutdated: boolean
}

/** Returns the outcome of the current texts as soon as it is known, and the last one until then. */
export function useRun(draft: Draft): ShownOutcome {
  const [shown, setShown] = useState<ShownOutcome>({
    problem: undefined,
    result: undefined,
    isOutdated: false,
  })
  const { texts, times, isStrict, startReplay } = draft
  useEffect(() => {
    let isCurrent = true
    const run = async (): Promise<void> => {
      const outcome = await runPatch({ texts, times, isStrict, randomBytes: startReplay() })
      if (!isCurrent) return
      const isOutdated = outcome.result === undefined
      setShown(({ result }) => ({ ...outcome, result: outcome.result ?? result, isOutdated }))
    }
    run()
    return () => {
      isCurrent = false
    }
  }, [texts, times, isStrict, startReplay])
  return shown
}
