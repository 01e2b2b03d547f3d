/**
 * Resolves `cofferkit` and its subpaths to the sources, so that programs run without a build. Load
 * it with Node's `--import`. The subpaths are those of tsconfig.json.
 */

import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const config: unknown = JSON.parse(
  readFileSync(new URL('../tsconfig.json', import.meta.url), 'utf8'),
)
const { paths } = (config as { compilerOptions: { paths: Record<string, string[]> } })
  .compilerOptions

registerHooks({
  resolve(specifier, context, next) {
    const source = paths[specifier]?.[0]
    if (source !== undefined) return next(new URL(`../${source}`, import.meta.url).href, context)
    const parent = context.parentURL ?? ''
    const isSource = !parent.includes('/node_modules/') && !/\.[cm]?js$/.test(parent)
    const isOwn = specifier.startsWith('.') && isSource
    return next(isOwn ? specifier.replace(/\.js$/, '.ts') : specifier, context)
  },
})
