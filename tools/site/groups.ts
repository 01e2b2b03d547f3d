/** The groups of the documentation site, and the pages in each. */

/** A group of pages, in the order in which the site lists them. */
export interface PageGroup {
  readonly title: string
  /** Names of files in `docs/`, without `.md`. */
  readonly pages: readonly string[]
}

/** The title of the group that the site shows apart from the guides. */
export const referenceTitle = 'Reference'

/**
 * All groups, in the order of the sidebar. Each page of `docs/` is in one of them, except for the
 * overview, `index.md`, and for the pages that are in the repository only.
 */
export const groups: readonly PageGroup[] = [
  {
    title: 'Start',
    pages: ['quick-start', 'how-it-works', 'comparison'],
  },
  {
    title: 'Customers’ keys',
    pages: [
      ...['customer-keys', 'credentials', 'use', 'masking', 'agent-tools', 'agent', 'relay'],
      ...['signatures', 'oauth', 'multi-tenant', 'permissions', 'tenant-keys', 'activity'],
    ],
  },
  {
    title: 'Your own tables',
    pages: ['seal', 'seal-keys', 'transactions', 'own-table-secrets'],
  },
  {
    title: 'In your app',
    pages: ['frameworks', 'authentication', 'rules', 'page', 'testing'],
  },
  {
    title: 'Items',
    pages: ['patching', 'filters', 'references', 'importing', 'events', 'calls'],
  },
  {
    title: 'Stores',
    pages: ['which-store', 'postgres', 'dba', 'other-databases', 'writing-a-store'],
  },
  {
    title: 'Run it',
    pages: [
      ...[
        'encryption',
        'encryption-keys',
        'kms',
        'rotate',
        'production',
        'backup',
        'upgrading',
        'security',
      ],
    ],
  },
  {
    title: '1Password Connect',
    pages: ['connect-in-ci', 'connect-server'],
  },
  {
    title: referenceTitle,
    pages: [
      ...['command', 'http-api', 'mounting', 'errors', 'limits', 'what-is-stored', 'exports'],
      ...['runtimes', 'performance', 'reliability'],
    ],
  },
]

/** Pages for maintainers, which are in the repository and not on the site. */
export const repositoryPages: readonly string[] = ['contract', 'decisions']
