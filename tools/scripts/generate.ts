/** Writes the script of the page, `src/page/generated.ts`. */

import { writeFileSync } from 'node:fs'
import { generatedPage } from './page.js'

const root = new URL('../../', import.meta.url)
writeFileSync(new URL('src/page/generated.ts', root), await generatedPage())
