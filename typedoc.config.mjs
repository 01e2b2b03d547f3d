import { entryPoints } from './scripts/entry-points.ts'

/** @type {import('typedoc').TypeDocOptions} */
export default {
  name: 'cofferkit',
  entryPoints: entryPoints().map(({ source }) => source),
  projectDocuments: ['docs/*.md'],
  out: 'docs/api',
  skipErrorChecking: true,
  customCss: 'docs/typedoc.css',
  includeVersion: true,
  validation: {
    notExported: true,
    invalidLink: true,
    invalidPath: true,
    rewrittenLink: true,
    notDocumented: true,
  },
  requiredToBeDocumented: [
    'Module',
    'Class',
    'Function',
    'Interface',
    'Method',
    'TypeAlias',
    'Variable',
  ],
  intentionallyNotExported: [
    ...['attributes', 'fieldPurposes', 'fieldTypes', 'itemCategories', 'vaultEventTypes'],
    ...['ManagedAttribute', 'VaultErrorBase', 'WithoutCaller'],
    '__global.Express.Request',
  ],
  externalSymbolLinkMappings: {
    '@types/node': {
      '*': '#',
    },
  },
  treatWarningsAsErrors: true,
  excludePrivate: true,
  excludeProtected: true,
  excludeInternal: true,
  disableGit: true,
  disableSources: true,
  navigation: {
    includeCategories: false,
    includeGroups: false,
    includeFolders: false,
  },
  sortEntryPoints: false,
  sort: ['kind', 'documents-first', 'source-order'],
  groupOrder: ['Documents', 'Modules', '*'],
  searchInDocuments: true,
  searchInComments: true,
  highlightLanguages: ['bash', 'javascript', 'json', 'typescript', 'sql', 'yaml'],
}
