/** The documentation pages, their code blocks, links and tables. */

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readTab } from '../../../tools/scripts/read-guide.js'

/** A fenced code block. */
export interface Block {
  /** The position, such as `README.md:7`. */
  readonly place: string
  /** The text after the opening fence, such as `ts run`. */
  readonly kind: string
  readonly text: string
  /**
   * The name of the file that a reader saves the block as: the line in bold above it, or the first
   * comment of a tab.
   */
  readonly file: string | undefined
  /** Those who choose this tab of a code group, such as `Express`. Empty outside of groups. */
  readonly tabs: readonly string[]
}

/** Returns the paths of all pages of the repository, from the root of the project. */
export function listPages(): readonly string[] {
  const inFolder = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return inFolder(path)
      return path.endsWith('.md') ? [path] : []
    })
  const atTop = readdirSync('.').filter((name) => name.endsWith('.md'))
  return [...atTop, ...inFolder('docs'), ...inFolder('examples')]
}

/** Returns the text of a page. */
export function readPage(page: string): string {
  return readFileSync(page, 'utf8')
}

/** Returns the code blocks of a page in order. */
export function findBlocks(page: string): readonly Block[] {
  const text = readPage(page)
  const blocks = /^(?:\*\*([^*\n]+)\*\*\n\n)?```(.*)\n([\s\S]*?)^```$/gm
  return [...text.matchAll(blocks)].map(({ index, 1: title, 2: info = '', 3: block = '' }) => {
    const tab = readTab(info, block)
    return {
      place: `${page}:${text.slice(0, index).split('\n').length + (title === undefined ? 0 : 2)}`,
      kind: info.replace(/ \[.+\]/, ''),
      text: block,
      file: title ?? tab?.file,
      tabs: tab?.labels ?? [],
    }
  })
}

/**
 * Returns the targets of the links to other pages, as path and fragment; external links are left
 * out.
 */
export function findLinks(
  page: string,
): readonly { readonly path: string; readonly fragment: string }[] {
  return [...proseIn(readPage(page)).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    if (/^[a-z]+:/.test(target)) return []
    const [path = '', fragment = ''] = target.split('#')
    return [{ path: path === '' ? page : join(dirname(page), path), fragment }]
  })
}

/** Returns the fragments of the page's headings, and of its anchors, such as `<a id="getitem">`. */
export function fragmentsOf(page: string): readonly string[] {
  const text = proseIn(readPage(page))
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return [...headings, ...[...text.matchAll(/<a id="([\w-]+)">/g)].map(([, id = '']) => id)]
}

/** Returns the text without code blocks. */
function proseIn(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '')
}
