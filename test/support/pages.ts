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
  const prose = textOf(page).replace(/^```[\s\S]*?^```$/gm, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    if (/^[a-z]+:/.test(target)) return []
    const [path = '', fragment = ''] = target.split('#')
    return [{ path: path === '' ? page : join(dirname(page), path), fragment }]
  })
}

/** The fragments by which the page's headings can be linked to. */
export function fragmentsOf(page: string): readonly string[] {
  const prose = textOf(page).replace(/^```[\s\S]*?^```$/gm, '')
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
