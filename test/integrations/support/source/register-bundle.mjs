/** Resolves `cofferkit` and its subpaths to the bundle of bundle.ts, and `./x.js` in TypeScript to `./x.ts`. */

import { registerHooks } from 'node:module'

const bundle = new URL('../../../../reports/bundle/', import.meta.url)

registerHooks({
  resolve(specifier, context, next) {
    if (/^cofferkit(?:$|\/(?!package\.json$))/.test(specifier)) {
      const name = specifier.slice('cofferkit/'.length) || 'index'
      const file = name.endsWith('.json') ? name : `${name}.js`
      return next(new URL(file, bundle).href, context)
    }
    const parent = context.parentURL ?? ''
    const isSource = !parent.includes('/node_modules/') && !/\.[cm]?js(?:\?|$)/.test(parent)
    const isOwn = specifier.startsWith('.') && isSource
    return next(isOwn ? specifier.replace(/\.js$/, '.ts') : specifier, context)
  },
})
