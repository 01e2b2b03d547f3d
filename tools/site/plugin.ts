/**
 * A plugin of TypeDoc that makes one site of the pages in `docs/` and the reference: titles instead
 * of file names, one navigation of both, and links that work offline.
 */

import { basename, relative } from 'node:path'
import {
  type Application,
  Converter,
  DefaultTheme,
  DocumentReflection,
  IndexEvent,
  KindRouter,
  type NavigationElement,
  PageEvent,
  type ProjectReflection,
  type Reflection,
} from 'typedoc'
import { accessibleHtml } from './accessible-html.ts'
import { docs, groups, referenceTitle } from './groups.ts'
import { navigationHtml } from './navigation-html.ts'

const root = `${docs}/..`
const repository = 'https://github.com/cofferkit/cofferkit/blob/main'

const allModules = { text: 'All modules', path: 'modules.html' }

/** The link above the navigation. The navigation itself has `allModules`. */
const linkToModules = /(<nav class="tsd-navigation">)<a\b[^>]*>[^<]*<\/a>/

/** The place of the navigation, which TypeDoc's script fills. */
const emptyNavigation = '<li>Loading...</li>'

/**
 * Shows the navigation below the page where no script opens the menu of narrow windows. Its layer
 * comes before TypeDoc's: if both have an `!important` rule, the earlier layer wins.
 */
const withoutScript = `<noscript><style>@layer without-script {
.container-main { flex-direction: column !important }
.col-sidebar { position: static !important; visibility: visible !important; transform: none !important; width: auto !important }
}</style></noscript>`

/** The plugin. It defines the theme and the router `site`. */
export function sitePlugin({ renderer, converter }: Application): void {
  let startPage: ProjectReflection | undefined
  renderer.defineRouter('site', SiteRouter)
  renderer.defineTheme('site', SiteTheme)
  converter.on(Converter.EVENT_CREATE_DOCUMENT, (_context, page) => {
    page.name = titleOf(page)
  })
  converter.on(Converter.EVENT_END, ({ project }) => {
    startPage = project
    for (const page of project.documents ?? []) rewriteLinks(page.content, project, '../')
    rewriteLinks(project.readme ?? [], project, '')
  })
  renderer.on(PageEvent.BEGIN, ({ model }) => {
    // TypeDoc knows the anchors of headings only, and warns of links to others.
    if (!(model instanceof DocumentReflection)) return
    const slugger = renderer.router?.getSlugger(model)
    for (const [, id = ''] of textOf(model).matchAll(/<a id="([\w-]+)">/g)) slugger?.slug(id)
  })
  renderer.on(PageEvent.END, (page) => {
    const { theme } = renderer
    const navigation = theme instanceof SiteTheme ? theme.getNavigation(page.project) : []
    page.contents = accessibleHtml(page.contents ?? '')
      .replace(linkToModules, '$1')
      .replace('<link rel="stylesheet"', `${withoutScript}$&`)
      .replace(emptyNavigation, navigationHtml(navigation, page.url))
  })
  renderer.on(IndexEvent.PREPARE_INDEX, (event) => {
    for (let index = event.searchResults.length - 1; index >= 0; index--) {
      // A nameless type has no element that a search could lead to.
      if (event.searchResults[index]?.name === '__type') event.removeResult(index)
    }
    if (startPage !== undefined) addToSearch(event, startPage)
  })
}

/** Adds the start page, which TypeDoc leaves out because it is the readme of the project. */
function addToSearch({ searchResults, searchFields }: IndexEvent, project: ProjectReflection) {
  const text = (project.readme ?? []).map((part) => part.text).join('')
  searchFields[searchResults.length] = { document: text }
  // The search needs a name and a URL, which a project has, too.
  searchResults.push(project as Reflection as DocumentReflection)
}

/** The part of a MarkdownIt parser that is changed. */
interface MarkdownParser {
  readonly renderer: { readonly rules: Record<string, RenderRule> }
  readonly utils: { escapeHtml(text: string): string }
}

type RenderRule = (tokens: readonly { readonly content: string }[], index: number) => string

/**
 * Renders a table in a box of its own that scrolls, and marks where names in code can break.
 * The option `markdownItLoader`.
 */
export function adaptMarkdown({ renderer: { rules }, utils }: MarkdownParser): void {
  rules['table_open'] = () => '<div class="site-table"><table>'
  rules['table_close'] = () => '</table></div>'
  rules['code_inline'] = (tokens, index) => {
    const text = utils.escapeHtml(tokens[index]?.content ?? '')
    return `<code>${text.replace(/(?<=[a-z\d])(?=[A-Z])|(?<=\w_)(?=\w)/g, '<wbr>')}</code>`
  }
}

type Content = DocumentReflection['content']

/** Names the file of a page after its source: `documents/scaling.html`. */
class SiteRouter extends KindRouter {
  protected override getIdealBaseName(target: Reflection): string {
    if (!target.isDocument()) return super.getIdealBaseName(target)
    return `documents/${basename(sourceOf(target), '.md')}`
  }
}

/** Groups the navigation. */
class SiteTheme extends DefaultTheme {
  override buildNavigation(project: ProjectReflection): NavigationElement[] {
    const pages = new Map(
      (project.documents ?? []).map((page) => [
        relative(docs, sourceOf(page)),
        { text: page.name, path: this.router.getFullUrl(page) },
      ]),
    )
    const modules = super
      .buildNavigation(project)
      .filter(({ path }) => path?.startsWith('modules/'))
    return groups.map(({ title, pages: names }, index) => ({
      text: title,
      children: [
        ...(index === 0 ? [{ text: 'Overview', path: 'index.html' }] : []),
        ...names.flatMap((name) => pages.get(`${name}.md`) ?? []),
        ...(title === referenceTitle ? [allModules, ...modules.map(withOverview)] : []),
      ],
    }))
  }
}

/**
 * Returns the entry of a module as a folder that begins with the page of the module: an entry that
 * opens and is a link at the same time cannot be used with a keyboard.
 */
function withOverview({ text, path, children = [] }: NavigationElement): NavigationElement {
  return {
    text,
    children: [{ text: 'Overview', ...(path !== undefined && { path }) }, ...children],
  }
}

/** Returns the text of the first heading. */
function titleOf(page: DocumentReflection): string {
  return /^# (.+)$/m.exec(textOf(page))?.[1]?.replaceAll('`', '') ?? page.name
}

function textOf({ content }: DocumentReflection): string {
  return content.map((part) => part.text).join('')
}

function sourceOf(page: Reflection): string {
  return page.project.files.getReflectionPath(page) ?? page.name
}

/**
 * Files outside of `docs/` are not copied into the site: links to them lead to the repository. Links
 * to the source of the start page lead to `index.html`.
 */
function rewriteLinks(content: Content, { files }: ProjectReflection, base: string): void {
  for (const [index, part] of content.entries()) {
    if (part.kind !== 'relative-link' || part.target === undefined) continue
    const path = relative(root, files.resolvePath(part.target) ?? '')
    const fragment = part.targetAnchor === undefined ? '' : `#${part.targetAnchor}`
    if (path === 'docs/index.md')
      content[index] = { kind: 'text', text: `${base}index.html${fragment}` }
    else if (!path.startsWith('docs/'))
      content[index] = { kind: 'text', text: `${repository}/${path}${fragment}` }
  }
}
