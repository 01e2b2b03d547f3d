/** Writes the generated files: `docs/http-api.md`, `docs/openapi.json` and the page's script. */

import { writeFileSync } from 'node:fs'
import { httpApiPage } from './http-api.js'
import { openApiText } from './openapi.js'
import { generatedPage } from './page.js'

const root = new URL('../../', import.meta.url)
writeFileSync(new URL('docs/http-api.md', root), httpApiPage())
writeFileSync(new URL('docs/openapi.json', root), openApiText())
writeFileSync(new URL('src/page/generated.ts', root), await generatedPage())
