import { describe, expect, it } from 'vitest'
import { createNodeListener } from '../../../src/adapters/node.js'
import { httpContract } from '../../../src/testing.js'
import { brokenMounts } from '../../support/http/broken-mounts.js'
import { onMount } from '../../support/http/serve.js'

const twins = brokenMounts.flatMap(({ caught, ...twin }) =>
  httpContract
    .filter(({ name }) => name === caught)
    .map((contractCase) => ({ ...twin, ...contractCase })),
)

describe('httpContract', () => {
  it('has a broken mount for every case', () => {
    const caught = new Set(brokenMounts.map((twin) => twin.caught))
    expect(httpContract.map(({ name }) => name).filter((name) => !caught.has(name))).toEqual([])
    expect(twins).toHaveLength(brokenMounts.length)
  })

  it.each(twins)('sees the mount that breaks it: $name', async ({ run, seen, subject }) => {
    await expect(onMount(run, (handler) => createNodeListener(subject(handler)))).rejects.toThrow(
      seen,
    )
  })
})
