/**
 * Writes the script of the page, `src/page/generated.ts`, the table of `docs/exports.md`, and the
 * pictures in `docs/images`.
 */

import { readFileSync, writeFileSync } from 'node:fs'
import { pictureFiles, pictures } from '../site/pictures.ts'
import { withExportsTable } from './exports-page.js'
import { generatedPage } from './page.js'

const root = new URL('../../', import.meta.url)
writeFileSync(new URL('src/page/generated.ts', root), await generatedPage())
const exportsPage = new URL('docs/exports.md', root)
writeFileSync(exportsPage, withExportsTable(readFileSync(exportsPage, 'utf8')))
for (const [name, picture] of Object.entries(pictures))
  for (const [file, svg] of pictureFiles(name, picture))
    writeFileSync(new URL(`docs/images/${file}`, root), svg)
