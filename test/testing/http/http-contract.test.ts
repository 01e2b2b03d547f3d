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

  describe('with platform', () => {
    const runCase = (name: string, change: (url: string) => string, platform: object) => {
      const found = httpContract.find((contractCase) => contractCase.name === name)
      if (found === undefined) throw new Error('no such case')
      const mounting: Parameters<typeof runOnMount>[1] = (handler) =>
        createNodeListener((request) => handler({ ...request, url: change(request.url) }))
      return runOnMount(found.run, mounting, { platform })
    }
    const unusual = 'never resolves an unusual target to another resource'
    const normalizesTargets = true

    it('accepts a platform that normalizes targets, and nothing else', async () => {
      const normalize = (url: string): string => new URL(url, 'http://vault').pathname
      await runCase(unusual, normalize, { normalizesTargets })
      await expect(runCase(unusual, normalize, {})).rejects.toThrow('returns 200')
      const decode = (url: string): string => normalize(url.replace('%2f', '/'))
      await expect(runCase(unusual, decode, { normalizesTargets })).rejects.toThrow(
        /items%\S+ returns 200/,
      )
    })

    it('sends a body that is too long completely to a platform that buffers bodies', async () => {
      const name = 'returns 413 for a body over the limit, declared or counted'
      const found = httpContract.find((contractCase) => contractCase.name === name)
      let longest = 0
      const mounting: Parameters<typeof runOnMount>[1] = (handler) => {
        const listener = createNodeListener(handler)
        return (req, res) => {
          const chunks: Buffer[] = []
          req.on('data', (chunk: Buffer) => chunks.push(chunk))
          req.on('end', () => {
            const body = Buffer.concat(chunks)
            longest = Math.max(longest, body.length)
            listener(Object.assign(req, { body }), res)
          })
        }
      }
      await runOnMount(async (mount) => found?.run(mount), mounting, {
        platform: { buffersBodies: true },
      })
      expect(longest).toBe(1_048_577)
    })
  })
})
