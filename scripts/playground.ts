/** Writes the playground of the docs: one HTML file with its script and its style. */

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'
import { icon } from '../src/page/icon.js'
import { type BrowserBundle, bundleForBrowser, hashOf, licenseOf } from './browser-bundle.js'

const source = new URL('../site/playground/', import.meta.url)
const pageStyle = new URL('../src/page/browser/style/', import.meta.url)

/**
 * Leaves zod's compiler out. It calls `new Function` for every schema, which the policy of the page
 * forbids and reports; zod then returns the schema unchanged, as this does.
 */
const withoutCompiler: Plugin = {
  name: 'without-compiler',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]core[\\/]compile\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const names = [...text.matchAll(/^export \w+ (\w+)/gm)].map(([, name]) => name)
      const lines = names.map((name) =>
        name === 'compile'
          ? 'export const compile = (schema) => schema'
          : `export const ${name} = undefined`,
      )
      return { contents: lines.join('\n') }
    })
  },
}

/** Writes `playground.html` into a folder that exists. */
export async function writePlayground(folder: string): Promise<void> {
  await writeFile(join(folder, 'playground.html'), await playgroundHtml())
}

/** Returns the text of `playground.html`. */
export async function playgroundHtml(): Promise<string> {
  return htmlOf(await bundlePlayground())
}

/** Returns the script and the style of the playground, minified. */
export function bundlePlayground(): Promise<BrowserBundle> {
  return bundleForBrowser({
    entry: new URL('main.tsx', source),
    styleSheets: [
      new URL('base.css', pageStyle),
      new URL('controls.css', pageStyle),
      new URL('style.css', source),
    ],
    plugins: [withoutCompiler],
  })
}

function htmlOf({ script, style, packages }: BrowserBundle): string {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  const licenses = packages.map((name) => `${name}:\n\n${licenseOf(name)}\n`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Playground | cofferkit</title>
<meta name="description" content="Patch items and generate values with cofferkit in the browser">
<link rel="icon" href="data:image/svg+xml,${icon}">
<style>${style}</style>
</head>
<body>
<div id="playground"><noscript>The playground needs JavaScript.</noscript></div>
<script>${script}</script>
</body>
</html>
<!--
The script contains these packages:

${licenses.join('\n')}
-->
`
}
