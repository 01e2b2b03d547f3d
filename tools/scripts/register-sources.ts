/**
 * Resolves `cofferkit` and its subpaths to their sources, so that a program runs without a build. Load it with Node's
 * `--import`. The OpenAPI documents, which have no source, are created when they are imported.
 */

import { createRequire, registerHooks } from 'node:module'
import { entryPoints } from './entry-points.ts'

const require = createRequire(import.meta.url)
const sources = new Map(entryPoints().map(({ specifier, source }) => [specifier, source]))

registerHooks({
  resolve(specifier, context, next) {
    if (/^cofferkit\/openapi.*\.json$/.test(specifier)) {
      const { importAttributes } = context
      const url = specifier.replace('/', ':')
      return { url, format: 'json', importAttributes, shortCircuit: true }
    }
    const source = sources.get(specifier)
    if (source !== undefined) return next(new URL(`../../${source}`, import.meta.url).href, context)
    const parent = context.parentURL ?? ''
    const isSource = !parent.includes('/node_modules/') && !/\.[cm]?js(?:\?|$)/.test(parent)
    const isOwn = specifier.startsWith('.') && isSource
    return next(isOwn ? specifier.replace(/\.js$/, '.ts') : specifier, context)
  },
  load(url, context, next) {
    if (!url.startsWith('cofferkit:')) return next(url, context)
    const { openApiText } = require('../openapi/documents.ts')
    const source = openApiText(url.slice('cofferkit:'.length))
    return { format: 'json', source, shortCircuit: true }
  },
})
