/** The first part of the playground: an item, a patch, and the result. */

import { useRef } from 'preact/hooks'
import { Editor } from './editor.js'
import { examples } from './examples.js'
import { lineAndColumn } from './json-places.js'
import { OutcomeBox, Part } from './part.js'
import { ProblemBox, problemText } from './problem-box.js'
import { recordRandomBytes } from './replayed-bytes.js'
import { ResultView, resultText } from './result-view.js'
import type { EditorName, Problem, ProblemCause } from './run-patch.js'
import { useAnnouncement } from './use-announcement.js'
import { useDraft } from './use-draft.js'
import { type ShownOutcome, useRun } from './use-run.js'

/** The item, the patch, and the result. */
export function PatchPart() {
  const { draft, change, choose } = useDraft()
  const { example, texts, times, isStrict } = draft
  const outcome = useRun(draft)
  const { problem, result, isOutdated, failure } = outcome
  const announcement = useAnnouncement(summaryOf(outcome), draft.isUsed)
  const fields = {
    item: useRef<HTMLTextAreaElement>(null),
    patch: useRef<HTMLTextAreaElement>(null),
  }
  const isExample = texts.item === example.item && texts.patch === example.patch

  const show = ({ editor, place }: NonNullable<ProblemCause['source']>): void => {
    const field = fields[editor].current
    field?.focus()
    field?.setSelectionRange(place.start, place.end)
  }
  const editor = (name: EditorName, label: string) => (
    <Editor
      {...{ id: name, label, text: texts[name], field: fields[name] }}
      isInvalid={problem?.editor === name}
      describedBy="problem"
      markedLines={linesOf(problem, name, texts[name])}
      onText={(text) => {
        const now = new Date()
        change({ texts: { ...texts, [name]: text }, times: { ...times, [name]: now, patch: now } })
      }}
    />
  )
  return (
    <Part id="patch" heading="Patch an item" announcement={announcement}>
      <ul class="examples" aria-label="Examples">
        {examples.map((one) => (
          <li key={one.id}>
            <button
              type="button"
              aria-pressed={isExample && one === example}
              onClick={() => choose(one)}
            >
              {one.name}
            </button>
          </li>
        ))}
      </ul>
      <p class="note">
        {isExample ? example.note : 'Your own text. Choose an example to begin again.'}
      </p>
      <div class="columns">
        <div class="stack">
          {editor('item', 'Item')}
          {editor('patch', 'Patch')}
          <label class="check">
            <input
              type="checkbox"
              checked={isStrict}
              onChange={({ currentTarget }) => change({ isStrict: currentTarget.checked })}
            />
            Strict: reject what would silently do nothing
          </label>
        </div>
        <div class="stack">
          <div class="head">
            <h3>Result</h3>
            <button
              type="button"
              class="quiet"
              onClick={() => change({ startReplay: recordRandomBytes() })}
            >
              Run again
            </button>
          </div>
          {problem && <ProblemBox id="problem" onShow={show} {...{ problem, texts }} />}
          {failure !== undefined && <p class="problem">{failureText(failure)}</p>}
          {result && (
            <OutcomeBox isOutdated={isOutdated}>
              <p class={problem || isOutdated ? 'hint' : 'good'}>{captionOf(outcome)}</p>
              <ResultView result={result} />
            </OutcomeBox>
          )}
        </div>
      </div>
    </Part>
  )
}

/** Returns the text above the stored item. */
function captionOf({ problem, result, isOutdated }: ShownOutcome): string {
  if (result === undefined) return ''
  if (isOutdated) return 'The last result:'
  return problem ? 'The stored item is unchanged:' : resultText(result)
}

function failureText(failure: string): string {
  return `Unexpected error: ${failure}`
}

/** Returns the text for screen readers. */
function summaryOf({ problem, result, failure }: ShownOutcome): string {
  if (failure !== undefined) return failureText(failure)
  if (problem) return problemText(problem)
  return result ? resultText(result) : ''
}

/** Returns the lines of a text that have a cause of the problem. */
function linesOf(
  problem: Problem | undefined,
  editor: EditorName,
  text: string,
): ReadonlySet<number> {
  const lines = new Set<number>()
  for (const { source } of problem?.causes ?? []) {
    if (source?.editor !== editor) continue
    const [first] = lineAndColumn(text, source.place.start)
    const [last] = lineAndColumn(text, source.place.end)
    for (let line = first; line <= last; line++) lines.add(line)
  }
  return lines
}
