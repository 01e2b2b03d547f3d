/** Shows a stored item, and what a patch has changed. */

import { type ComparedLine, compareJson } from './line-changes.js'
import type { PatchResult } from './run-patch.js'

/** The signs in front of the lines. */
const signs = { same: ' ', added: '+', removed: '-' }

const comparisons = new WeakMap<PatchResult, readonly ComparedLine[]>()

/** Compares the items once, however often they are shown. */
function comparedLines(result: PatchResult): readonly ComparedLine[] {
  const lines = comparisons.get(result) ?? compareJson(result.before, result.after)
  comparisons.set(result, lines)
  return lines
}

/** The stored item, with the lines that were added and removed. */
export function ResultView({ result }: { readonly result: PatchResult }) {
  return (
    <pre class="stored">
      {comparedLines(result).map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other identity.
        <Line key={index} {...line} />
      ))}
    </pre>
  )
}

function Line({ kind, text }: ComparedLine) {
  const content = `${signs[kind]} ${text}\n`
  if (kind === 'added') return <ins>{content}</ins>
  return kind === 'removed' ? <del>{content}</del> : <span>{content}</span>
}

/** Returns the result in one sentence. */
export function resultText(result: PatchResult): string {
  const { before, after } = result
  if (before.version === after.version)
    return `Nothing changed: the item is at version ${after.version}.`
  const lines = comparedLines(result)
  const count = (kind: ComparedLine['kind']): number =>
    lines.filter((line) => line.kind === kind).length
  const added = count('added')
  const plural = added === 1 ? 'line' : 'lines'
  return `Stored as version ${after.version}: ${added} ${plural} added, ${count('removed')} removed.`
}
