/**
 * Lets an example run before the package is built: `cofferkit` and its subpaths lead to the sources.
 * Given to Node with `--import`; the table of subpaths is that of tsconfig.json.
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
    const isOwn =
      specifier.startsWith('.') && !/\/(?:node_modules|dist)\//.test(context.parentURL ?? '')
    return next(isOwn ? specifier.replace(/\.js$/, '.ts') : specifier, context)
  },
})
