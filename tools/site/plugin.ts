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
import { docs, groups, referenceTitle, repositoryPages } from './groups.ts'

const root = `${docs}/..`
const repository = 'https://github.com/cofferkit/cofferkit/blob/main'

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
    const grouped = new Set(groups.flatMap(({ pages: names }) => names.map((name) => `${name}.md`)))
    const missing = [...pages.keys()].filter((name) => !grouped.has(name))
    if (missing.length > 0)
      throw new Error(`not in a group of tools/site/groups.ts: ${missing.join(', ')}`)
    const modules = super
      .buildNavigation(project)
      .filter(({ path }) => path?.startsWith('modules/'))
    return groups.map(({ title, pages: names }, index) => ({
      text: title,
      children: [
        ...(index === 0 ? [{ text: 'Overview', path: 'index.html' }] : []),
        ...names.flatMap((name) => pages.get(`${name}.md`) ?? []),
        ...(title === referenceTitle ? modules : []),
      ],
    }))
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
    else if (
      !path.startsWith('docs/') ||
      repositoryPages.some((name) => path.startsWith(`docs/${name}`))
    )
      content[index] = { kind: 'text', text: `${repository}/${path}${fragment}` }
  }
}
