/** Checks that every link of a built site leads to a file of it, and to an element of that file. */

import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { inflateSync } from 'node:zlib'

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
 * Checks the HTML files in `folder`, and the links that its scripts add: navigation and search.
 * @throws Error if the folder has no HTML file.
 */
export function checkLinks(folder: string): LinkReport {
  const pages = readFiles(folder, '**/*.html')
  if (pages.size === 0) throw new Error(`${folder} has no HTML file`)
  const drawings = readFiles(folder, 'assets/*.svg')
  const targets = new Map(
    [...pages, ...drawings].map(([file, html]) => [file, attributes(html, ['id', 'name'])]),
  )
  const links = [
    ...[...pages].flatMap(([file, html]) =>
      attributes(html, ['href', 'src']).map((link) => ({ file, link })),
    ),
    ...scriptLinks(folder),
  ]
  const broken = links.filter(({ file, link }) => {
    if (/^(?:https?|mailto|data):/i.test(link)) return false
    if (/^(?:[a-z]+:|\/)/i.test(link)) return true
    const [path = '', fragment = ''] = decodeLink(link).split('#')
    const target = path === '' ? file : posix.join(posix.dirname(file), path)
    const onDisk = join(folder, target)
    if (target.startsWith('../') || !existsSync(onDisk) || !statSync(onDisk).isFile()) return true
    return fragment !== '' && !targets.get(target)?.includes(fragment)
  })
  return {
    files: pages.size,
    links: links.length,
    broken: broken.map(({ file, link }) => `${file}: ${link}`),
  }
}

function readFiles(folder: string, pattern: string): ReadonlyMap<string, string> {
  const files = globSync(pattern, { cwd: folder }).map((file) => file.replaceAll('\\', '/'))
  return new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
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

/** Returns the link without escapes, or unchanged if they are invalid. */
function decodeLink(link: string): string {
  try {
    return decodeURI(link)
  } catch {
    return link
  }
}

function decodeEntities(text: string): string {
  const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }
  return text.replace(/&(?:#(\d+)|(\w+));/g, (whole, code, name) =>
    code === undefined ? (named[name] ?? whole) : String.fromCodePoint(Number(code)),
  )
}

/** Returns the links in the compressed data of the navigation and of the search. */
function scriptLinks(folder: string): readonly { readonly file: string; readonly link: string }[] {
  return ['navigation.js', 'search.js'].flatMap((name) => {
    const script = join(folder, 'assets', name)
    if (!existsSync(script)) return []
    const [, data = ''] = /"([^"]*)"/.exec(readFileSync(script, 'utf8')) ?? []
    const json = inflateSync(Buffer.from(data, 'base64')).toString()
    return [...json.matchAll(/"(?:path|url)":("[^"]*")/g)].map(([, link = '""']) => ({
      // The links are relative to the folder of the site.
      file: name,
      link: JSON.parse(link),
    }))
  })
}
