import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { root } from '../../tools/scripts/run-command.js'

interface Manifest {
  readonly devDependencies: Readonly<Record<string, string>>
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>
}

const readJson = (path: string) => JSON.parse(readFileSync(`${root}/${path}`, 'utf8'))

describe('package-lock.json of test/integrations', () => {
  it('has no other version of a package that tests import from the project', () => {
    const project: Manifest = readJson('package.json')
    const { packages }: Lock = readJson('test/integrations/package-lock.json')
    const others = Object.entries(project.devDependencies).filter(([name, version]) => {
      const nested = packages[`node_modules/${name}`]?.version
      return nested !== undefined && nested !== version
    })
    expect(others).toEqual([])
  })
})
