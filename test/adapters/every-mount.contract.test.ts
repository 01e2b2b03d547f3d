import { describe, it } from 'vitest'
import { bodyCases } from '../../src/testing/http/body-cases.js'
import { wireCases } from '../../src/testing/http/wire-cases.js'
import { type HttpTarget, httpContract } from '../../src/testing.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { type AppOptions, type FrameworkUnderTest, mounts } from '../support/http/mounts.js'
import { withServer } from '../support/http/serve.js'
import { runAll } from '../support/run-all.js'

/**
 * Cases that a body parser in front of the vault decides: it replaces invalid UTF-8, drops a byte
 * order mark, and reads a body to its end before it rejects it.
 */
const decidedByParser = [
  'returns 400 for bodies that are not JSON in UTF-8',
  'returns 413 for a body over the limit, declared or counted',
]

const frameworks = mounts.filter(({ parser }) => parser !== 'none')

/** Cases about what the framework itself handles. The others depend only on the handler. */
const frameworkCases = [...wireCases, ...bodyCases]

/** Runs every case in every kind of app. */
function testEverything(mount: FrameworkUnderTest): void {
  it.each(httpContract)('at the root: $name', ({ run }) => onMount(run, mount, {}))
  it.each(httpContract)('under a prefix: $name', ({ run }) =>
    onMount(run, mount, { prefix: '/secrets/api' }),
  )
  it.each(casesBehindParser(mount, httpContract))(
    'behind a parser, at the root: $name',
    ({ run }) => onMount(run, mount, { parser: true }),
  )
  it.each(casesBehindParser(mount, httpContract))(
    'behind a parser, under a prefix: $name',
    ({ run }) => onMount(run, mount, { parser: true, prefix: '/secrets' }),
  )
}

/** Runs the cases about frameworks in two kinds of app. */
function testEssentials(mount: FrameworkUnderTest): void {
  it.each(frameworkCases)('at the root: $name', ({ run }) => onMount(run, mount, {}))
  it.each(casesBehindParser(mount, frameworkCases))(
    'behind a parser, under a prefix: $name',
    ({ run }) => onMount(run, mount, { parser: true, prefix: '/secrets' }),
  )
}

function casesBehindParser(
  { parser }: FrameworkUnderTest,
  cases: typeof httpContract,
): typeof httpContract {
  if (parser === 'beside') return cases
  return cases.filter(({ name }) => !decidedByParser.includes(name))
}

describe.each(frameworks)('the vault in $name', runAll ? testEverything : testEssentials)

async function onMount(
  run: (mount: HttpTarget) => Promise<void>,
  { serve }: FrameworkUnderTest,
  options: AppOptions,
): Promise<void> {
  const vault = await createTestVault()
  await withServer(await serve(vault.handler, options), (origin) =>
    run({ origin: origin + (options.prefix ?? ''), vault }),
  )
}
