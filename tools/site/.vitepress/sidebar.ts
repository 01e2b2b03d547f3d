/** The sidebars: of the guides, of the reference, and of each module of the API. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DefaultTheme } from 'vitepress'
import { groups, referenceTitle } from '../groups.ts'
import { pagePath, root } from './pages.ts'

type Item = DefaultTheme.SidebarItem

export function guideSidebar(): Item[] {
  const [start, ...others] = groups.filter(({ title }) => title !== referenceTitle).map(groupItem)
  return [{ ...start, items: [pageItem('index'), ...(start?.items ?? [])] }, ...others]
}

export function referenceSidebar(): Item[] {
  return groups.filter(({ title }) => title === referenceTitle).map(groupItem)
}

function groupItem({ title, pages }: (typeof groups)[number]): Item {
  return { text: title, items: pages.map(pageItem) }
}

/** The text of a link is the title of the page. */
function pageItem(name: string): Item {
  const path = `docs/${name}.md`
  const [, title = name] = /^# (.+)$/m.exec(readFileSync(join(root, path), 'utf8')) ?? []
  return { text: title.replaceAll('`', ''), link: `/${pagePath(path)}` }
}

/**
 * The sidebar of a module has what the module exports, functions first, and the list of modules.
 * TypeDoc has written one tree of all of them.
 */
export function apiSidebars(): Record<string, Item[]> {
  const tree = readFileSync(join(root, 'tools/site/api/typedoc-sidebar.json'), 'utf8')
  const modules = listModules(JSON.parse(tree))
  const list = { text: 'Modules', items: modules.map(({ text, link }) => ({ text, link })) }
  const sidebars = modules.map(({ link, text, items }) => {
    const kinds = items.map((kind, index) => ({ ...kind, collapsed: index > 0 }))
    return [link, [{ text, link, items: kinds }, list]]
  })
  return { ...Object.fromEntries(sidebars), '/api/': [list] }
}

interface Module {
  readonly text: string
  readonly link: string
  /** The kinds of exports: functions, classes and so on. */
  readonly items: readonly Item[]
}

/** A module is a node with a link and with nodes below it, some of which can be modules. */
function listModules(items: readonly Item[]): readonly Module[] {
  return items.flatMap(({ link, items: children = [] }) => {
    if (link === undefined || children.length === 0) return []
    const text = link.replace(/^\/api\/|\/$/g, '')
    return [
      { text, link, items: children.filter((child) => !child.link) },
      ...listModules(children),
    ]
  })
}
