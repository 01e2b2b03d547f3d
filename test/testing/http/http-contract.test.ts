import { describe, expect, it } from 'vitest'
import { createNodeListener } from '../../../src/adapters/node.js'
import { httpContract } from '../../../src/testing.js'
import { brokenMounts } from '../../support/http/broken-mounts.js'
import { runOnMount } from '../../support/http/serve.js'

const variants = brokenMounts.flatMap(({ caseName, ...variant }) =>
  httpContract
    .filter(({ name }) => name === caseName)
    .map((contractCase) => ({ ...variant, ...contractCase })),
)

describe('httpContract', () => {
  it('has a broken mount for every case', () => {
    const detected = new Set(brokenMounts.map(({ caseName }) => caseName))
    expect(httpContract.map(({ name }) => name).filter((name) => !detected.has(name))).toEqual([])
    expect(variants).toHaveLength(brokenMounts.length)
  })

  it.each(variants)(
    'detects the mount that breaks it: $name',
    async ({ run, message, subject }) => {
      const mount = runOnMount(run, (handler) => createNodeListener(subject(handler)))
      await expect(mount).rejects.toThrow(message)
    },
  )
})
