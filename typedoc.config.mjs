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
    ],
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
  sortEntryPoints: false,
  sort: ['alphabetical'],
  indexFormat: 'table',
  parametersFormat: 'table',
  groupOrder: ['Functions', 'Variables', 'Classes', 'Interfaces', 'Type Aliases', '*'],
}
