/** Starts the process of a contender: a variant of a build, or the baseline. */

import { type BenchProcess, startProcess } from '../child-process.js'
import type { Variant } from '../variants.js'
import type { ContenderRequests } from './contender-process.js'

const contenderProcess = new URL('./contender-process.ts', import.meta.url)

/** Starts the process with these flags of Node. */
export function startContender(
  variant: Variant | 'baseline',
  flags: readonly string[],
): BenchProcess<ContenderRequests> {
  const args =
    variant === 'baseline'
      ? [moduleUrl('baseline')]
      : [moduleUrl('cofferkit'), variant.url, `${variant.cachedItems}`]
  return startProcess(contenderProcess, args, flags)
}

function moduleUrl(name: string): string {
  return new URL(`./${name}.ts`, import.meta.url).href
}
