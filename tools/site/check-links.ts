/** Checks that every link of a built site leads to a file of it, and to an element of that file. */

import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Result of a check. */
export interface LinkReport {
  /** The number of HTML files. */
  readonly files: number
  /** The number of links, including those to other sites, which are not followed. */
  readonly links: number
  /** Each link that leads nowhere, as `<file>: <link>`. */
  readonly broken: readonly string[]
}

/**
 * Checks the HTML files in `folder`, which is published below the path `base`, such as `/cofferkit/`.
 * @throws Error if the folder has no HTML file.
 */
export function checkLinks(folder: string, base: string): LinkReport {
  const files = globSync('**/*.html', { cwd: folder }).map((file) => file.replaceAll('\\', '/'))
  if (files.length === 0) throw new Error(`${folder} has no HTML file`)
  const pages = new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
  const targets = new Map(
    [...pages].map(([file, html]) => [file, new Set(attributes(html, ['id', 'name']))]),
  )
  const links = [...pages].flatMap(([file, html]) =>
    attributes(html, ['href', 'src']).map((link) => ({ file, link })),
  )
  const broken = links.filter(({ file, link }) => {
    const url = URL.parse(link, `http://site.invalid${base}${file}`)
    if (url === null || !/^(?:https?|mailto|data):$/.test(url.protocol)) return true
    if (url.host !== 'site.invalid') return false
    if (!url.pathname.startsWith(base)) return true
    const path = decode(url.pathname.slice(base.length)).replace(/(?:^|(?<=\/))$/, 'index.html')
    const fragment = decode(url.hash.slice(1))
    if (!existsSync(join(folder, path)) || !statSync(join(folder, path)).isFile()) return true
    return fragment !== '' && !targets.get(path)?.has(fragment)
  })
  return {
    files: pages.size,
    links: links.length,
    broken: broken.map(({ file, link }) => `${file}: ${link}`),
  }
}

/** A tag, with its attributes. */
const tagPattern = /<[a-z][^\s>]*((?:[^>"']|"[^"]*"|'[^']*')*)>/gi

/** An attribute, with its value in one of the three forms of HTML. */
const attributePattern = /([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g

/** Returns the values of the attributes with these names. */
function attributes(html: string, names: readonly string[]): readonly string[] {
  const text = html.replace(/<!--.*?-->|(<(script|style)\b[^>]*>).*?<\/\2>/gs, '$1')
  return [...text.matchAll(tagPattern)].flatMap(([, list = '']) =>
    [...list.matchAll(attributePattern)].flatMap(
      ([, name = '', doubleQuoted, singleQuoted, unquoted]) => {
        const value = doubleQuoted ?? singleQuoted ?? unquoted
        return value !== undefined && names.includes(name.toLowerCase())
          ? decodeEntities(value)
          : []
      },
    ),
  )
}

/** Returns the text without escapes, or unchanged if they are invalid. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function decodeEntities(text: string): string {
  const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }
  return text.replace(/&(?:#(\d+)|(\w+));/g, (whole, code, name) =>
    code === undefined ? (named[name] ?? whole) : String.fromCodePoint(Number(code)),
  )
}
