import { join } from 'node:path'
import { entryPoints } from './tools/scripts/entry-points.ts'

const site = join(import.meta.dirname, 'tools/site')

/** @type {import('typedoc').TypeDocOptions} */
export default {
  name: 'TypeScript API',
  entryPoints: entryPoints().map(({ source }) => source),
  readme: 'none',
  // The Markdown pages of the API, of which VitePress makes a part of the site.
  out: join(site, 'api'),
  docsRoot: site,
  plugin: ['typedoc-plugin-markdown', 'typedoc-vitepress-theme'].map((name) =>
    join(site, 'node_modules', name, 'dist/index.js'),
  ),
  skipErrorChecking: true,
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
    ...[
      'attributes',
      'fieldPurposes',
      'fieldTypes',
      'itemCategories',
      'changeActions',
      'algorithms',
      'reconnectReasons',
      'resourceTypes',
      'secretUseReasons',
    ],
    '__global.Express.Request',
  ],
  // `Closable` describes it. TypeDoc finds no comment on a member whose name is computed by a type.
  intentionallyNotDocumented: [
    ...['cofferkit.VaultService', 'cofferkit/encrypted.EncryptedStore', 'cofferkit/etcd.EtcdStore'],
    ...['cofferkit/oauth.TokenKeeper', 'cofferkit/seal.Sealer', 'cofferkit/sqlite.SqliteStore'],
    ...['TestVault', 'TestWorld', 'ListeningVault'].map((name) => `cofferkit/testing.${name}`),
  ].map((name) => `${name}.[asyncDispose]`),
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
  sortEntryPoints: false,
  sort: ['alphabetical'],
  indexFormat: 'table',
  parametersFormat: 'table',
  groupOrder: ['Functions', 'Variables', 'Classes', 'Interfaces', 'Type Aliases', '*'],
}
