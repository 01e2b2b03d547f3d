/** Bundles a script and a style sheet for a page whose policy allows them by their hashes. */

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { build, type Metafile, type Plugin, transform } from 'esbuild'

const root = new URL('..', import.meta.url)

/** The script and the style of a page. */
export interface BrowserBundle {
  readonly script: string
  readonly style: string
  /** The names of the packages whose code is in the script, in order. */
  readonly packages: readonly string[]
}

/** The sources of a page. */
export interface BrowserSources {
  readonly entry: URL
  /** A later one wins over an earlier one. */
  readonly styleSheets: readonly URL[]
  readonly plugins?: Plugin[]
}

/** Returns the script and the style, minified. The script is not a module. */
export async function bundleForBrowser(sources: BrowserSources): Promise<BrowserBundle> {
  const { entry, styleSheets, plugins = [] } = sources
  const { outputFiles, metafile } = await build({
    entryPoints: [entry.pathname],
    absWorkingDir: root.pathname,
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'utf8',
    legalComments: 'none',
    metafile: true,
    plugins,
  })
  const css = await transform(styleSheets.map((url) => readFileSync(url, 'utf8')).join('\n'), {
    loader: 'css',
    minify: true,
    charset: 'utf8',
  })
  return {
    script: outputFiles[0]?.text.trim() ?? '',
    style: css.code.trim(),
    packages: packagesOf(metafile),
  }
}

function packagesOf({ outputs }: Metafile): readonly string[] {
  const names = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) =>
      bytesInOutput > 0 ? (/.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []) : [],
    ),
  )
  return [...new Set(names)].sort()
}

/** Returns the bytes of a text, compressed by gzip. */
export function gzippedSize(text: string): number {
  return gzipSync(text, { level: 9 }).length
}

/** Returns the source expression of an inline script or style in a Content-Security-Policy. */
export function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

/**
 * Returns the license of an installed package, which each copy of its code must contain.
 * @throws Error if the package has no file with its license.
 */
export function licenseOf(name: string): string {
  const folder = new URL(`node_modules/${name}/`, root)
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(?:\.\w+)?$/i.test(entry))
  if (file === undefined) throw new Error(`${name} has no file with its license`)
  return readFileSync(new URL(file, folder), 'utf8').trim()
}
