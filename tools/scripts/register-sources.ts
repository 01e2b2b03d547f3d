/**
 * Resolves `cofferkit` and its subpaths to their sources, so that a program runs without a build. Load it with Node's
 * `--import`.
 */

import { registerHooks } from 'node:module'
import { entryPoints } from './entry-points.ts'

const sources = new Map(entryPoints().map(({ specifier, source }) => [specifier, source]))

registerHooks({
  resolve(specifier, context, next) {
    const source = sources.get(specifier)
    if (source !== undefined) return next(new URL(`../../${source}`, import.meta.url).href, context)
    const parent = context.parentURL ?? ''
    const isSource = !parent.includes('/node_modules/') && !/\.[cm]?js(?:\?|$)/.test(parent)
    const isOwn = specifier.startsWith('.') && isSource
    return next(isOwn ? specifier.replace(/\.js$/, '.ts') : specifier, context)
  },
})
