/** The navigation of a page as HTML, for readers without JavaScript. TypeDoc's script replaces it. */

import { posix } from 'node:path'
import type { NavigationElement } from 'typedoc'

/**
 * Returns the groups of the navigation with a link to each page and module. The group of the page
 * itself is open. Links are relative to `url`, the path of the page in the site.
 */
export function navigationHtml(groups: readonly NavigationElement[], url: string): string {
  return groups.map((group) => groupHtml(group, url)).join('')
}

function groupHtml({ text, children = [] }: NavigationElement, url: string): string {
  const links = children.map((child) => ({ text: child.text, path: pathOf(child) }))
  const isOpen = links.some(({ path }) => path === url)
  const items = links.map(({ text: title, path }) => {
    const current = path === url ? ' class="current" aria-current="page"' : ''
    return `<li><a href="${relativeUrl(url, path)}"${current}>${escapeHtml(title)}</a></li>`
  })
  const summary = `<summary class="tsd-accordion-summary">${escapeHtml(text)}</summary>`
  const list = `<ul class="tsd-nested-navigation">${items.join('')}</ul>`
  return `<li><details class="tsd-accordion"${isOpen ? ' open' : ''}>${summary}${list}</details></li>`
}

/** Returns the path of an entry. A module is a folder that begins with its own page. */
function pathOf({ path, children }: NavigationElement): string {
  return path ?? children?.[0]?.path ?? ''
}

function relativeUrl(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to)
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
