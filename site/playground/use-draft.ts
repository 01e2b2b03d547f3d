/** The texts that are edited, and the example that they come from. */

import { useEffect, useState } from 'preact/hooks'
import { type Example, examples } from './examples.js'
import { recordRandomBytes } from './replayed-bytes.js'
import type { RunInput } from './run-patch.js'

/** The input of a run, with a source of randomness that can begin again. */
export interface Draft extends Omit<RunInput, 'randomBytes'> {
  readonly example: Example
  readonly startReplay: ReturnType<typeof recordRandomBytes>
  /** False until the user has changed something. */
  readonly isUsed: boolean
}

/** The draft and its changes. */
export interface DraftState {
  readonly draft: Draft
  change(changes: Partial<Draft>): void
  choose(example: Example): void
}

/** Returns the draft, which begins with the example that the fragment of the URL names. */
export function useDraft(): DraftState {
  const [draft, setDraft] = useState(() => draftOf(exampleOfUrl(), false))
  useEffect(() => {
    const update = (): void => setDraft(draftOf(exampleOfUrl(), true))
    addEventListener('hashchange', update)
    return () => removeEventListener('hashchange', update)
  }, [])
  return {
    draft,
    change: (changes) => setDraft((last) => ({ ...last, ...changes, isUsed: true })),
    choose(example) {
      history.replaceState(null, '', `#${example.id}`)
      setDraft(draftOf(example, true))
    },
  }
}

function draftOf(example: Example, isUsed: boolean): Draft {
  const { item, patch, isStrict = false } = example
  const now = new Date()
  const times = { item: now, patch: now }
  const startReplay = recordRandomBytes()
  return { example, texts: { item, patch }, times, isStrict, startReplay, isUsed }
}

function exampleOfUrl(): Example {
  return examples.find(({ id }) => `#${id}` === location.hash) ?? examples[0]
}
