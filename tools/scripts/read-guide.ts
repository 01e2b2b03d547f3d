/** The files and the commands of a guide, in the order in which a reader comes to them. */

import { readFileSync } from 'node:fs'

/** One thing that a reader does. */
export type GuideStep =
  /** Saves a block under the name in bold above it. */
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  /** Runs the lines of a block. `answer` is the block below it, if there is one. */
  | { readonly kind: 'shell'; readonly text: string; readonly answer?: GuideAnswer }

/** The output that a guide shows. */
export interface GuideAnswer {
  readonly isJson: boolean
  readonly text: string
}

const block = /^(?:\*\*([^*\n]+)\*\*\n\n)?```(\w+).*\n([\s\S]*?)^```$/gm

/**
 * Reads a guide.
 * @throws Error if a block is neither a file, nor a command, nor the output of the command above it.
 */
export function readGuide(path: string): readonly GuideStep[] {
  const steps: GuideStep[] = []
  for (const [, name, language, text = ''] of readFileSync(path, 'utf8').matchAll(block)) {
    const last = steps.at(-1)
    if (name !== undefined) steps.push({ kind: 'file', name, text })
    else if (language === 'sh') steps.push({ kind: 'shell', text })
    else if (last?.kind === 'shell' && last.answer === undefined)
      steps[steps.length - 1] = { ...last, answer: { isJson: language === 'json', text } }
    else throw new Error(`${path} has a block without a name: ${text.slice(0, 40)}`)
  }
  return steps
}
