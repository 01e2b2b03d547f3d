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

/** The title of the group that also has the modules of the TypeScript API. */
export const referenceTitle = 'Reference'

/**
 * All groups, in the order of the navigation. `npm run docs` fails if a page of `docs/` is in none.
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
      ...['credentials', 'use', 'agent-tools', 'agent', 'relay', 'oauth', 'own-table-secrets'],
      ...['users-and-vaults', 'multi-tenant', 'rules', 'item-rules'],
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
      ...[
        'which-store',
        'postgres',
        'dba',
        'transactions',
        'etcd',
        'encryption',
        'seal',
        'seal-keys',
        'scaling',
        'what-is-stored',
      ],
      'writing-a-store',
    ],
  },
  {
    title: 'Operate',
    pages: [
      ...[
        'production',
        'backup',
        'rotate',
        'command',
        'security',
        'threat-model',
        'reliability',
        'performance',
      ],
      ...['runtimes', 'upgrading'],
    ],
  },
  {
    title: referenceTitle,
    pages: ['http-api', 'errors', 'exports', 'contract'],
  },
  {
    title: 'Decisions',
    pages: decisionNames().map((name) => `decisions/${name}`),
  },
]

/** Returns the names of the decisions, without `.md`, in their order. */
function decisionNames(): readonly string[] {
  return readdirSync(join(docs, 'decisions'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length))
    .sort()
}
