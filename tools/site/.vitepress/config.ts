/** The documentation site: `docs/`, the changelog, and the API that TypeDoc writes into `tools/site/api`. */

import { join, relative } from 'node:path'
import { defineConfig } from 'vitepress'
import { repositoryPages } from '../groups.ts'
import { extendMarkdown, slugify } from './markdown.ts'
import { pagePath, root } from './pages.ts'
import { apiSidebars, guideSidebar, referenceSidebar } from './sidebar.ts'

const site = join(root, 'tools/site')
const description =
  'Keep your customers’ API keys, OAuth tokens and logins in your own database: encrypted, one key for each customer, every access recorded.'

export default defineConfig({
  title: 'cofferkit',
  description,
  lang: 'en',
  // https://cofferkit.github.io/cofferkit/
  base: '/cofferkit/',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/cofferkit/logo.svg' }]],

  // Pages are read where they are in the repository. `pagePath` says where they are on the site.
  srcDir: root,
  srcExclude: [
    '{.*,dist,examples,reports,src,test}/**',
    'tools/!(site)/**',
    '!(CHANGELOG).md',
    ...repositoryPages.map((name) => `docs/${name}{.md,/**}`),
  ],
  rewrites: (path) => pagePath(path) ?? path,
  outDir: join(site, 'dist'),
  cacheDir: join(site, 'node_modules/.vitepress'),
  vite: {
    publicDir: join(site, 'public'),
    // For the index of the search.
    build: { chunkSizeWarningLimit: 3_000 },
    plugins: [
      {
        // Pages import Vue when they are rendered, and none of the folders above them has it.
        name: 'external-vue',
        enforce: 'pre',
        resolveId: (id, _importer, { ssr }) =>
          ssr && /^vue(?:\/|$)/.test(id) ? { id, external: true } : undefined,
      },
    ],
  },

  // tools/site/check-links.ts checks the links of the built site, including those to headings.
  ignoreDeadLinks: true,
  metaChunk: true,

  markdown: {
    config: extendMarkdown,
    anchor: { slugify },
    // Braces are text, as on GitHub: `/v1/vaults/{vaultId}`.
    attrs: { disable: true },
  },

  transformPageData(page) {
    // The pages of the API are not in the repository, and have no order in which to read them.
    if (page.relativePath.startsWith('api/'))
      Object.assign(page.frontmatter, { editLink: false, prev: false, next: false })
  },
  transformHead: ({ pageData, title }) => [
    ['meta', { name: 'description', content: pageData.description || description }],
    ['meta', { property: 'og:type', content: 'website' }],
    ['meta', { property: 'og:title', content: title }],
    ['meta', { property: 'og:description', content: pageData.description || description }],
  ],

  themeConfig: {
    logo: '/logo.svg',
    nav: [
      { text: 'Guide', link: '/guide/', activeMatch: '^/guide/' },
      { text: 'Reference', link: '/reference/command', activeMatch: '^/reference/' },
      { text: 'API', link: '/api/', activeMatch: '^/api/' },
      { text: 'Changelog', link: '/changelog' },
    ],
    socialLinks: [
      { icon: 'github', link: 'https://github.com/cofferkit/cofferkit', ariaLabel: 'GitHub' },
      { icon: 'npm', link: 'https://www.npmjs.com/package/cofferkit', ariaLabel: 'npm' },
    ],
    sidebar: {
      '/guide/': guideSidebar(),
      '/reference/': referenceSidebar(),
      ...apiSidebars(),
    },
    outline: { level: [2, 3] },
    editLink: {
      pattern: 'https://github.com/cofferkit/cofferkit/edit/main/:path',
      text: 'Edit this page on GitHub',
    },
    search: {
      provider: 'local',
      options: {
        detailedView: true,
        // Pages of the API are found by their names only, so that guides come first.
        _render: (source, env, markdown) => {
          const html = markdown.render(source, env)
          const isApi = relative(root, env.path).startsWith('tools/site/api/')
          return isApi ? html.slice(0, html.indexOf('</h1>') + '</h1> '.length) : html
        },
        miniSearch: {
          searchOptions: {
            // Guides come before the rest, among them the page on what most readers want, and the
            // beginning of a page before its other parts. This runs in the browser, so it uses
            // nothing from outside.
            boostDocument: (id, _term, section) =>
              (id.includes('/guide/') ? 3 : 1) *
              (id.includes('/guide/customer-keys.') ? 1.5 : 1) *
              (String(section?.['titles']) === '' ? 2 : 1),
          },
        },
      },
    },
  },
})
