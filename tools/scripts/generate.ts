/** Writes the script of the page, `src/page/generated.ts`, and the pictures in `docs/images`. */

import { writeFileSync } from 'node:fs'
import { pictureFiles, pictures } from '../site/pictures.ts'
import { generatedPage } from './page.js'

const root = new URL('../../', import.meta.url)
writeFileSync(new URL('src/page/generated.ts', root), await generatedPage())
for (const [name, picture] of Object.entries(pictures))
  for (const [file, svg] of pictureFiles(name, picture))
    writeFileSync(new URL(`docs/images/${file}`, root), svg)
