/** The groups of the documentation site, and the pages in each. */

import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** A group of pages, in the order in which the site lists them. */
export interface PageGroup {
  readonly title: string
  /** Names of files in `docs/`, without `.md`. */
  readonly pages: readonly string[]
}

/** The folder with the pages. */
export const docs = join(import.meta.dirname, '../../docs')

/** The page that the site opens with. It is in no group. */
export const startPage = 'index'

/** The title of the group that also has the modules of the TypeScript API. */
export const referenceTitle = 'Reference'

/**
 * All groups, in the order of the navigation. A page of `docs/` that is in no group, or in two, fails
 * `test/site/groups.test.ts`.
 */
export const groups: readonly PageGroup[] = [
  {
    title: 'Start',
    pages: [
      ...['getting-started-express', 'getting-started-fastify', 'getting-started-hono'],
      ...['getting-started-nextjs', 'mounting', 'authentication', 'testing', 'connect-in-ci'],
      'comparison',
    ],
  },
  {
    title: 'Guides',
    pages: [
      ...['credentials', 'use', 'oauth', 'users-and-vaults', 'multi-tenant', 'rules', 'item-rules'],
      ...[
        'patching',
        'filters',
        'generating',
        'references',
        'activity',
        'events',
        'importing',
        'clients',
        'page',
        'calls',
      ],
    ],
  },
  {
    title: 'Stores',
    pages: [
      ...['which-store', 'postgres', 'etcd', 'encryption', 'scaling', 'what-is-stored'],
      'writing-a-store',
    ],
  },
  {
    title: 'Operate',
    pages: [
      ...['production', 'command', 'security', 'threat-model', 'reliability', 'performance'],
      ...['runtimes', 'upgrading'],
    ],
  },
  {
    title: referenceTitle,
    pages: ['http-api', 'errors', 'exports', 'contract'],
  },
  {
    title: 'Decisions',
    pages: markdownIn('decisions').map((name) => `decisions/${name}`),
  },
]

/** Returns the names of the pages in a folder of `docs/`, without `.md`, in alphabetical order. */
export function markdownIn(folder: string): readonly string[] {
  return readdirSync(join(docs, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length))
    .sort()
}
