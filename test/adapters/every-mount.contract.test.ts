import { describe, it } from 'vitest'
import { bodyCases } from '../../src/testing/http/body-cases.js'
import { wireCases } from '../../src/testing/http/wire-cases.js'
import { type HttpTarget, httpContract } from '../../src/testing.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { type AppOptions, type FrameworkUnderTest, mounts } from '../support/http/mounts.js'
import { withServer } from '../support/http/serve.js'
import { runAll } from '../support/run-all.js'

const frameworks = mounts.filter(({ parser }) => parser !== 'none')

/** Cases about what the framework itself handles. The others depend only on the handler. */
const frameworkCases = [...wireCases, ...bodyCases]

/** Runs every case in one kind of app, and the cases about frameworks in the others. */
function testEverything(mount: FrameworkUnderTest): void {
  it.each(httpContract)('at the root: $name', ({ run }) => onMount(run, mount, {}))
  it.each(frameworkCases)('under a prefix: $name', ({ run }) =>
    onMount(run, mount, { prefix: '/secrets/api' }),
  )
  it.each(frameworkCases)('behind a parser, at the root: $name', ({ run }) =>
    onMount(run, mount, { parser: true }),
  )
  it.each(frameworkCases)('behind a parser, under a prefix: $name', ({ run }) =>
    onMount(run, mount, { parser: true, prefix: '/secrets' }),
  )
}

/** Runs the cases about frameworks in two kinds of app. */
function testEssentials(mount: FrameworkUnderTest): void {
  it.each(frameworkCases)('at the root: $name', ({ run }) => onMount(run, mount, {}))
  it.each(frameworkCases)('behind a parser, under a prefix: $name', ({ run }) =>
    onMount(run, mount, { parser: true, prefix: '/secrets' }),
  )
}

describe.each(frameworks)('the vault in $name', runAll ? testEverything : testEssentials)

async function onMount(
  run: (mount: HttpTarget) => Promise<void>,
  { serve, parser }: FrameworkUnderTest,
  options: AppOptions,
): Promise<void> {
  const buffersBodies = options.parser === true && parser === 'in front'
  const vault = await createTestVault()
  await withServer(await serve(vault.handler, options), (origin) =>
    run({ origin: origin + (options.prefix ?? ''), vault, platform: { buffersBodies } }),
  )
}
