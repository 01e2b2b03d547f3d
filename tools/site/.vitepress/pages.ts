/** Where the pages of the repository are on the site. */

import { join, posix } from 'node:path'
import { groups, referenceTitle, repositoryPages } from '../groups.ts'

export const root = join(import.meta.dirname, '../../..')
export const repository = 'https://github.com/cofferkit/cofferkit/blob/main'

const references = groups.find(({ title }) => title === referenceTitle)?.pages ?? []

/**
 * Returns the path of a page on the site, such as `guide/use.md` for `docs/use.md`, or `undefined` if
 * the file is not on the site.
 */
export function pagePath(path: string): string | undefined {
  if (path === 'CHANGELOG.md') return 'changelog.md'
  if (path === 'tools/site/home.md') return 'index.md'
  const { dir, name, ext } = posix.parse(path)
  if (dir.startsWith('tools/site/api')) return path.slice('tools/site/'.length)
  if (dir !== 'docs' || ext !== '.md' || repositoryPages.includes(name)) return undefined
  return posix.join(references.includes(name) ? 'reference' : 'guide', `${name}.md`)
}
