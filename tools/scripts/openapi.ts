/** Writes the OpenAPI documents into `dist`. It is the end of `npm run build`. */

import { writeFileSync } from 'node:fs'
import { openApiNames, openApiText } from '../openapi/documents.js'

for (const name of openApiNames)
  writeFileSync(new URL(`../../dist/${name}`, import.meta.url), openApiText(name))
