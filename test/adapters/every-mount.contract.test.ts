import { describe, it } from 'vitest'
import { type HttpTarget, httpContract } from '../../src/testing.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { type AppOptions, type FrameworkUnderTest, mounts } from '../support/http/mounts.js'
import { listening } from '../support/http/serve.js'

/** What a parser in front answers itself: it replaces bytes that are not UTF-8 and drops a BOM, and reads a body to its end before it refuses it. */
const answeredByTheParser = [
  'returns 400 for bodies that are not JSON in UTF-8',
  'returns 413 for a body over the limit, declared or counted',
]
const behindTheParser = httpContract.filter(({ name }) => !answeredByTheParser.includes(name))

async function onMount(
  run: (mount: HttpTarget) => Promise<void>,
  { serve }: FrameworkUnderTest,
  options: AppOptions,
): Promise<void> {
  const vault = await createTestVault()
  await listening(await serve(vault.handler, options), (origin) =>
    run({ origin: origin + (options.prefix ?? ''), vault }),
  )
}

const frameworks = mounts.filter(({ parser }) => parser !== 'none')

describe.each(frameworks)('the vault in $name', (mount) => {
  it.each(httpContract)('at the root: $name', ({ run }) => onMount(run, mount, {}))
  it.each(httpContract)('under a prefix: $name', ({ run }) =>
    onMount(run, mount, { prefix: '/secrets/api' }),
  )
})

describe.each(frameworks)('the vault in $name, in an app that parses JSON', (mount) => {
  const cases = mount.parser === 'beside' ? httpContract : behindTheParser
  it.each(cases)('at the root: $name', ({ run }) => onMount(run, mount, { parser: true }))
  it.each(cases)('under a prefix: $name', ({ run }) =>
    onMount(run, mount, { parser: true, prefix: '/secrets' }),
  )
})
