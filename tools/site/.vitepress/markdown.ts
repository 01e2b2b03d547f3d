/** Rules of Markdown with which pages read on the site as they do on GitHub. */

import { join, relative } from 'node:path/posix'
import type { MarkdownRenderer } from 'vitepress'
import { pagePath, repository, root } from './pages.ts'

type Token = ReturnType<MarkdownRenderer['parse']>[number]

/** The page, as VitePress describes it. A path is that on the site, a real path that in the repository. */
interface PageEnv {
  readonly path: string
  readonly realPath?: string
  readonly frontmatter?: Record<string, unknown>
}

/** Makes the anchor of a heading as GitHub does. */
export function slugify(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

export function extendMarkdown(markdown: MarkdownRenderer): void {
  // A file name such as `seed.md` is no link.
  markdown.linkify.set({ fuzzyLink: false })
  markdown.core.ruler.push('site', ({ tokens, env, Token }) => {
    describePage(tokens, env)
    mergeThrows(tokens)
    showFileNames(tokens, Token)
    for (const token of tokens.flatMap(({ children }) => children ?? [])) rewriteLink(token, env)
  })
  // Vue must not take `{{ op://… }}` for its own syntax. In code blocks, it does not.
  const { rules } = markdown.renderer
  for (const kind of ['text', 'code_inline'] as const) {
    const render = rules[kind]
    rules[kind] = (...args) => render?.(...args).replaceAll('{{', '&#123;&#123;') ?? ''
  }
}

/** The description of a page is the first paragraph below its title. */
function describePage(tokens: readonly Token[], { frontmatter = {} }: PageEnv): void {
  const title = tokens.findIndex(({ type }) => type === 'heading_close')
  const start = tokens.findIndex(
    ({ type, level }, index) => index > title && type === 'paragraph_open' && level === 0,
  )
  frontmatter['description'] ??= tokens[start + 1]?.children
    ?.map(({ type, content }) => (type === 'softbreak' ? ' ' : content))
    .join('')
}

/** TypeDoc gives each error of a function its own heading. One is enough. */
function mergeThrows(tokens: Token[]): void {
  const headings = tokens.flatMap(({ type }, index) => (type === 'heading_open' ? [index] : []))
  const isThrows = (index = -1) => tokens[index + 1]?.content === 'Throws'
  const repeated = headings.filter(
    (index, position) => isThrows(index) && isThrows(headings[position - 1]),
  )
  for (const index of repeated.reverse()) tokens.splice(index, 3)
}

/** A bold line above a code block is the name of its file. It becomes the title of the block. */
function showFileNames(tokens: Token[], TokenOf: new (...args: TokenArgs) => Token): void {
  for (let index = tokens.length - 4; index >= 0; index--) {
    const [paragraph, line, , fence] = tokens.slice(index)
    const [, name] = /^\*\*([^*]+)\*\*$/.exec(line?.content ?? '') ?? []
    if (paragraph?.type !== 'paragraph_open' || fence?.type !== 'fence' || !name) continue
    fence.info += ` [${name.replaceAll('`', '')}]`
    const open = new TokenOf('container_code-group_open', 'div', 1)
    const close = new TokenOf('container_code-group_close', 'div', -1)
    tokens.splice(index, 4, open, fence, close)
  }
}

type TokenArgs = [type: string, tag: string, nesting: -1 | 0 | 1]

/**
 * Links to files of the repository lead to their page on the site, or else to GitHub. Comments in the
 * code link to pages by their URL on GitHub.
 */
function rewriteLink(token: Token, { path, realPath = path }: PageEnv): void {
  const href = token.attrGet('href')
  if (token.type !== 'link_open' || href === null || href.startsWith('#')) return
  const from = relative(root, realPath)
  if (from.startsWith('tools/site/') && !href.startsWith(repository)) return
  if (/^[a-z]+:/.test(href) && !href.startsWith(`${repository}/`)) return
  const [target = '', fragment] = href.split('#')
  const file = target.startsWith(repository)
    ? target.slice(repository.length + 1)
    : join(from, '..', target)
  const page = pagePath(file)
  const url = page === undefined ? `${repository}/${file}` : `/${page}`
  token.attrSet('href', fragment === undefined ? url : `${url}#${fragment}`)
}
