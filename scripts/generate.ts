/** Writes the generated files `docs/http-api.md` and `docs/openapi.json`. */

import { writeFileSync } from 'node:fs'
import { httpApiPage } from './http-api.js'
import { openApiText } from './openapi.js'

const docs = new URL('../docs/', import.meta.url)
writeFileSync(new URL('http-api.md', docs), httpApiPage())
writeFileSync(new URL('openapi.json', docs), openApiText())
