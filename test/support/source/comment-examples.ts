/** The examples in the comments of the sources. */

import { globSync, readFileSync } from 'node:fs'
import type { Block } from './pages.js'

/** The code of an `@example`. */
export interface CommentExample extends Pick<Block, 'place' | 'text'> {
  /** What the comment describes; undefined for modules and members. */
  readonly of: string | undefined
}

/** Returns every `@example` in `src`, in the order of the files. */
export function listCommentExamples(): readonly CommentExample[] {
  return globSync('src/**/*.ts')
    .sort()
    .flatMap((path) => {
      const source = readFileSync(path, 'utf8')
      const comments = source.matchAll(/^ *\/\*\*\n(?: *\*(?!\/).*\n)+ *\*\/\n(.*)/gm)
      return [...comments].flatMap(({ 0: comment, 1: next = '', index: start }) => {
        const [, of] = /^export (?:async )?(?:function|const|type|interface) (\w+)/.exec(next) ?? []
        return [...comment.matchAll(/^ *\* @example.*\n((?: *\*(?!\/| @).*\n)+)/gm)].map(
          ({ 1: lines = '', index }) => {
            const text = lines.replace(/^ *\* ?/gm, '')
            const [, code = text] = /^```ts\n([\s\S]*?)^```$/m.exec(text) ?? []
            const line = source.slice(0, start + index).split('\n').length
            return { place: `${path}:${line}`, text: code, of }
          },
        )
      })
    })
}
