import { describe, it } from 'vitest'
import { type HttpTarget, httpContract } from '../../src/testing.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { type AppOptions, type FrameworkUnderTest, mounts } from '../support/http/mounts.js'
import { listening } from '../support/http/serve.js'

/**
 * The cases in which a parser before the vault responds itself. It replaces bytes that are not
 * UTF-8, drops a BOM, and reads a body to its end before it rejects it.
 */
const parserCases = [
  'answers 400 to bodies that are no JSON in UTF-8',
  'answers 413 to a body over the limit, announced or counted',
]
const casesBehindParser = httpContract.filter(({ name }) => !parserCases.includes(name))

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

describe.each(frameworks)('httpContract on $name', (mount) => {
  it.each(httpContract)('at the root: $name', ({ run }) => onMount(run, mount, {}))
  it.each(httpContract)('under a prefix: $name', ({ run }) =>
    onMount(run, mount, { prefix: '/secrets/api' }),
  )
})

describe.each(frameworks)('httpContract on $name with a JSON parser', (mount) => {
  const cases = mount.parser === 'beside' ? httpContract : casesBehindParser
  it.each(cases)('at the root: $name', ({ run }) => onMount(run, mount, { parser: true }))
  it.each(cases)('under a prefix: $name', ({ run }) =>
    onMount(run, mount, { parser: true, prefix: '/secrets' }),
  )
})
