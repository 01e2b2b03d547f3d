import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connectDialect } from 'cofferkit/connect'
import { createTestVault, parseSeed } from 'cofferkit/testing'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { findBlocks } from '../support/source/pages.js'

const folder = 'examples/connect-in-ci'
const text = readFileSync(`${folder}/.github/workflows/test.yml`, 'utf8')
const workflow = parse(text, { strict: true, uniqueKeys: true })

/** `npm run test:all -- build projects` runs the projects, and the commands of the workflow. */
describe('examples/connect-in-ci', () => {
  it('has a workflow whose steps have one action or valid shell commands', () => {
    expect(Object.keys(workflow)).toEqual(['name', 'on', 'permissions', 'jobs'])
    for (const step of workflow.jobs.test.steps) {
      expect([typeof step.uses, typeof step.run].sort()).toEqual(['string', 'undefined'])
      if (step.run !== undefined) execFileSync('bash', ['-n', '-c', step.run])
    }
  })

  it('has a workflow that is shown in docs/connect-in-ci.md', () => {
    const shown = findBlocks('docs/connect-in-ci.md').filter(({ kind }) => kind === 'yaml')
    expect(shown.map((block) => block.text)).toEqual([text])
  })

  it('has the command that is shown in docs/connect-in-ci.md', () => {
    const { scripts } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
    const shown = findBlocks('docs/connect-in-ci.md').filter(({ kind }) => kind === 'sh')
    expect(shown.map((block) => block.text)).toEqual([
      `npm install --save-dev cofferkit\nnpx ${scripts['test:ci']}\n`,
    ])
  })

  it('has a seed that a service with the connect dialect accepts', async () => {
    const seed = parseSeed(JSON.parse(readFileSync(`${folder}/seed.json`, 'utf8')))
    const { vaults } = await createTestVault({ seed, dialect: connectDialect })
    expect(vaults[0]?.items[0]?.title).toBe('Orders')
  })
})
