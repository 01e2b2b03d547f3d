/** The files and the commands of a guide, in the order in which a reader comes to them. */

import { readFileSync } from 'node:fs'

/** One thing that a reader does. */
export type GuideStep =
  /** Saves a block as the file that the page names. */
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  /** Runs the lines of a block. `answer` is the block below it, if there is one. */
  | { readonly kind: 'shell'; readonly text: string; readonly answer?: GuideAnswer }

/** The output that a guide shows. */
export interface GuideAnswer {
  readonly isJson: boolean
  readonly text: string
}

const block = /^(?:\*\*([^*\n]+)\*\*\n\n)?```(\w+)(.*)\n([\s\S]*?)^```$/gm

/**
 * Reads a guide. A reader of one framework chooses its tab in every code group, and skips the
 * sections about another one, such as `### The login in Next.js`.
 * @throws Error if a block is neither a file, nor a command, nor the output of the command above it.
 */
export function readGuide(path: string, framework?: string): readonly GuideStep[] {
  const steps: GuideStep[] = []
  const text = readFileSync(path, 'utf8').replace(
    /^### .* in (\S+)\n[\s\S]*?(?=^##)/gm,
    (section, name) => (framework === undefined || name === framework ? section : ''),
  )
  for (const [, title, language = '', info = '', code = ''] of text.matchAll(block)) {
    const tab = readTab(info, code)
    if (framework !== undefined && tab?.labels.includes(framework) === false) continue
    const name = title ?? tab?.file
    const last = steps.at(-1)
    if (name !== undefined) steps.push({ kind: 'file', name, text: code })
    else if (language === 'sh') steps.push({ kind: 'shell', text: code })
    else if (last?.kind === 'shell' && last.answer === undefined)
      steps[steps.length - 1] = { ...last, answer: { isJson: language === 'json', text: code } }
    else throw new Error(`${path} has a block without a name: ${code.slice(0, 40)}`)
  }
  return steps
}

/** A tab of a code group, which begins with ```` ```ts [Express, Hono] ````. */
export interface GuideTab {
  /** Those who choose this tab, such as `Express` and `Hono`. */
  readonly labels: readonly string[]
  /** The file that a reader saves it as: the comment in its first line. */
  readonly file: string | undefined
}

/**
 * Reads the tab of a block. GitHub shows no label of a tab, so its first line repeats the label as a
 * comment: `// server.ts (Express)` for a file, or `# Express` for commands.
 * @returns undefined if the block has no label, so that it is no tab.
 */
export function readTab(info: string, code: string): GuideTab | undefined {
  const [, label] = /\[(.+)\]/.exec(info) ?? []
  if (label === undefined) return undefined
  const [, file] = /^(?:\/\/|#) (\S+) \((.+)\)\n/.exec(code) ?? []
  return { labels: label.split(', '), file }
}
