/** Writes docs/http-api.md. */

import { writeFileSync } from 'node:fs'
import { httpApiPage } from './http-api.js'

writeFileSync(new URL('../docs/http-api.md', import.meta.url), httpApiPage())
