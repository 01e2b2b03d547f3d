/** Looks for a program that breaks a promise. */

import fc from 'fast-check'
import { BrokenPromise } from './model.js'
import { anyActs, anySetup, type Program, runOn, withGround } from './program.js'
import type { Ground } from './world.js'

/** How long and where to look. */
export interface SearchOptions {
  readonly engine: string
  readonly maxRuns: number
  readonly seconds: number
  readonly seed: number
  /** True if a program that breaks a promise is not shortened, which can take minutes. */
  readonly isFirstEnough?: boolean
}

/** The result of a search. */
export interface Finding {
  readonly programs: number
  readonly seconds: number
  /** The program, shortened as far as asked; undefined if no promise was broken. */
  readonly broken?: { readonly program: Program; readonly reason: string }
}

/** Runs random programs until one breaks a promise. */
export function search(options: SearchOptions): Promise<Finding> {
  return withGround(options.engine, (ground) => searchOn(ground, options))
}

async function searchOn(
  ground: Ground,
  { maxRuns, seconds, seed, isFirstEnough = false }: Omit<SearchOptions, 'engine'>,
): Promise<Finding> {
  const start = performance.now()
  let programs = 0
  let foundAfter: { programs: number; seconds: number } | undefined
  const property = fc.asyncProperty(anySetup, anyActs, async (setup, acts) => {
    if (foundAfter === undefined) programs++
    try {
      await runOn(ground, { setup, acts })
    } catch (error) {
      foundAfter ??= { programs, seconds: secondsSince(start) }
      throw error
    }
  })
  const details = await fc.check(property, {
    seed,
    numRuns: maxRuns,
    interruptAfterTimeLimit: seconds * 1000,
    endOnFailure: isFirstEnough,
  })
  const [setup, acts] = details.counterexample ?? []
  if (setup === undefined || acts === undefined) return { programs, seconds: secondsSince(start) }
  const error: unknown = details.errorInstance
  const reason = error instanceof BrokenPromise ? error.message : String(Object(error).stack)
  return {
    programs,
    seconds: secondsSince(start),
    ...foundAfter,
    broken: { program: { setup, acts }, reason },
  }
}

/** Returns a program as a test. */
export function formatTest(engine: string, { setup, acts }: Program, reason: string): string {
  const lines = acts.map((act) => `      ${format(act)},`)
  return [
    `// ${reason}`,
    `it('keeps its promises', () =>`,
    `  runProgram('${engine}', {`,
    `    setup: ${format(setup)},`,
    `    acts: [`,
    ...lines,
    `    ],`,
    `  }))`,
  ].join('\n')
}

function format(value: object): string {
  return JSON.stringify(value)
    .replaceAll(/"(\w+)":/g, ' $1: ')
    .replaceAll('"', "'")
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1000
}
