/** The pages that people read, and what stands on them. */

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A block of code between fences. */
export interface Block {
  /** Such as `README.md:7`. */
  readonly place: string
  /** What stands behind the opening fence, such as `ts run`. */
  readonly kind: string
  readonly text: string
}

/** Every page of the project that is written by hand or generated, by its path from the top. */
export function pages(): readonly string[] {
  const inFolder = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return path === 'docs/api' ? [] : inFolder(path)
      return path.endsWith('.md') ? [path] : []
    })
  const atTop = readdirSync('.').filter((name) => name.endsWith('.md'))
  return [...atTop, ...inFolder('docs'), ...inFolder('examples')]
}

/** The page's text. */
export function textOf(page: string): string {
  return readFileSync(page, 'utf8')
}

/** The page's blocks of code, in their order. */
export function blocksOf(page: string): readonly Block[] {
  const text = textOf(page)
  return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(
    ({ index, 1: kind = '', 2: block = '' }) => ({
      place: `${page}:${text.slice(0, index).split('\n').length}`,
      kind,
      text: block,
    }),
  )
}

/** Where the page's links lead: to pages of the project, by path and fragment. Links to elsewhere are left out. */
export function linksOf(
  page: string,
): readonly { readonly path: string; readonly fragment: string }[] {
  return [...proseIn(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    if (/^[a-z]+:/.test(target)) return []
    const [path = '', fragment = ''] = target.split('#')
    return [{ path: path === '' ? page : join(dirname(page), path), fragment }]
  })
}

/** The fragments by which the page's headings can be linked to. */
export function fragmentsOf(page: string): readonly string[] {
  return [...proseIn(textOf(page)).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** The paths of the project that the page names as code, such as `src/store.ts`; from the top, or from `src`. */
export function pathsOf(page: string): readonly string[] {
  const ours =
    /^(?:(?:bench|docs|examples|reliability|scripts|src|test)\/.+|.+\/.+\.(?:ts|mjs|cjs))$/
  const named = [...proseIn(textOf(page)).matchAll(/`([\w./@-]+)`/g)].map(([, name = '']) => name)
  return named.filter((name) => ours.test(name))
}

/**
 * The rows that a reader does not see as a row: of what begins like a table and is none, because the line under its
 * first one does not rule it off; and those that have more or fewer cells than the first one.
 */
export function brokenRowsIn(text: string): readonly string[] {
  const tables = proseIn(text).matchAll(/(?:^ *\|.*(?:\n|$))+/gm)
  return [...tables].flatMap(([table]) => {
    const [header = '', rule = '', ...rows] = table.trimEnd().split('\n')
    if (!/^[ |:-]*-[ |:-]*$/.test(rule)) return [header]
    return [rule, ...rows].filter((row) => cellsOf(row) !== cellsOf(header))
  })
}

function cellsOf(row: string): number {
  return row.split(/(?<!\\)\|/).length
}

/** The text without its blocks of code. */
function proseIn(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '')
}
