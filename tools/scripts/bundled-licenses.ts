/** The licenses of packages whose code becomes a part of `dist`. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Plugin } from 'esbuild'

/** Files with the text of licenses, for packages that do not contain it. */
const texts: Readonly<Record<string, string>> = {
  'Apache-2.0': 'node_modules/typescript/LICENSE.txt',
}

/** Writes `dist/licenses.txt`. The build fails if a bundled package has no text of its license. */
export const bundledLicenses: Plugin = {
  name: 'bundled-licenses',
  setup(build) {
    build.onEnd(({ metafile }) => {
      const paths = Object.keys(metafile?.inputs ?? {})
      const folders = paths.flatMap(
        (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [],
      )
      const licenses = [...new Set(folders)].sort().map(licenseOf)
      mkdirSync('dist', { recursive: true })
      writeFileSync('dist/licenses.txt', licenses.join(`\n${'-'.repeat(80)}\n\n`))
    })
  },
}

function licenseOf(folder: string): string {
  const { name, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const file = readdirSync(folder).find((path) => /^licen[cs]e/i.test(path))
  const path = file === undefined ? texts[license] : `${folder}/${file}`
  if (path === undefined) throw new Error(`${name} has no file with its license`)
  return `${name}\n\n${readFileSync(path, 'utf8').trim()}\n`
}
