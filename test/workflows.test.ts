import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const read = (name: string) => parse(readFileSync(`.github/workflows/${name}.yml`, 'utf8'))

describe('workflows', () => {
  it('publish the documentation only after the package, and not of a prerelease', () => {
    expect(Object.keys(read('pages').on)).toEqual(['workflow_call', 'workflow_dispatch'])
    const { publish, pages } = read('release').jobs
    expect(pages).toMatchObject({ needs: 'publish', uses: './.github/workflows/pages.yml' })
    expect(pages.if).toBe("!contains(github.ref_name, '-')")
    const commands = publish.steps.map(({ run }: { run?: string }) => run)
    expect(commands.findIndex((run: string) => run?.includes('.ci/run'))).toBeLessThan(
      commands.findIndex((run: string) => run?.startsWith('npm publish')),
    )
  })
})
