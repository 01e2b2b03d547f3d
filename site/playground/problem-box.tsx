/** Shows why nothing was stored, and where. */

import { lineAndColumn } from './json-places.js'
import type { EditorName, Problem, ProblemCause } from './run-patch.js'

/** The most causes that are listed. */
const maxCauses = 10

interface ProblemBoxProps {
  readonly id: string
  readonly problem: Problem
  readonly texts: Readonly<Record<EditorName, string>>
  onShow(source: NonNullable<ProblemCause['source']>): void
}

/** The answer of the service, and a button for each of its causes that is in a text. */
export function ProblemBox({ id, problem, texts, onShow }: ProblemBoxProps) {
  const { editor, answer, causes } = problem
  const shown = answer?.message ?? ''
  return (
    <div class="problem" id={id}>
      {answer === undefined ? (
        <p>
          <b>The {editor} is not JSON.</b> {causes[0]?.message}
        </p>
      ) : (
        <>
          <p>
            <b>
              {answer.status} {answer.code}
            </b>
          </p>
          <p>{answer.message}</p>
        </>
      )}
      <ul>
        {causes.slice(0, maxCauses).map(({ message, path, source }) => (
          <li key={path + message}>
            {(source === undefined || !shown.includes(path)) && <code>{path}</code>}
            {source === undefined ? (
              ' of the item that the patch would make'
            ) : (
              <button type="button" class="quiet" onClick={() => onShow(source)}>
                Go to line {lineAndColumn(texts[source.editor], source.place.start)[0]} of the{' '}
                {source.editor}
              </button>
            )}
          </li>
        ))}
      </ul>
      {causes.length > maxCauses && <p>And {causes.length - maxCauses} more.</p>}
    </div>
  )
}

/** Returns the problem in one sentence, for screen readers. */
export function problemText({ editor, answer, causes }: Problem): string {
  if (answer === undefined) return `The ${editor} is not JSON. ${causes[0]?.message ?? ''}`
  return `Error ${answer.status}: ${answer.message}`
}
