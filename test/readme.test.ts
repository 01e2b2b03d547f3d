import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { exportsOfEntries } from './support/source/compiler.js'
import { findBlocks, readPage } from './support/source/pages.js'
import { runText } from './support/source/program.js'

const readme = readPage('README.md')
const first = findBlocks('README.md')[0]

describe('first code block of README.md', { timeout: 30_000 }, () => {
  it('has at most 15 lines and equals examples/quick-start.ts', () => {
    expect(first?.text.trimEnd().split('\n').length).toBeLessThanOrEqual(15)
    expect(first?.text).toBe(readFileSync('examples/quick-start.ts', 'utf8'))
  })

  it('runs and prints the requested item', async () => {
    const { code, stdout, stderr } = await runText(first?.text ?? '')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^200 \{.*category: 'LOGIN',.*version: 1,.*lastEditedBy: 'wendy',/s)
    expect(stdout).toMatch(/id: 'password',\s+type: 'STRING',\s+value: '[\w!@.*-]{32}'/)
  })
})

describe('README.md', { timeout: 60_000 }, () => {
  it('has title, installation, sample, three promises and subpaths in 30 lines', () => {
    const lines = readme.split('\n').slice(0, 30).join('\n')
    const parts = [
      '# cofferkit',
      'npm install cofferkit',
      '```ts',
      '**No lost update.**',
      '**Nothing secret in an error.**',
      '**Any framework, any login.**',
      '| subpath |',
    ]
    const found = parts.map((text) => lines.indexOf(text))
    expect(found).not.toContain(-1)
    expect(found).toEqual(found.toSorted((left, right) => left - right))
  })

  it('has the demo and the test command, each in its own block', () => {
    const commands = findBlocks('README.md').filter(({ kind }) => kind === 'sh')
    expect(commands.map(({ text }) => text)).toEqual([
      'npm ci && npm run demo\n',
      'npm ci && npm test\n',
    ])
  })

  it('lists exactly the subpaths of the package', () => {
    const rows = [...readme.matchAll(/^\| `(cofferkit[\w/]*)` \|/gm)]
    expect(rows.map(([, subpath]) => subpath)).toEqual(subpathsOfPackage())
  })
})

describe('docs/exports.md', { timeout: 60_000 }, () => {
  it('lists exactly the exports of every subpath, including types', () => {
    const rows = [...readPage('docs/exports.md').matchAll(/^\| `(cofferkit[\w/]*)` \| (.*) \|$/gm)]
    const listed = rows.map(([, subpath = '', cell = '']) => [
      subpath,
      [...cell.matchAll(/`(\w+)`/g)]
        .map(([, name = '']) => name)
        .filter((name) => !isForeign(name))
        .sort(),
    ])
    const exported = [...exportsOfEntries()].map(([name, names]) => [name, names.toSorted()])
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(exported))
    expect(listed.map(([subpath]) => subpath)).toEqual(subpathsOfPackage())
  })
})

/** Platform types that a row mentions. */
function isForeign(name: string): boolean {
  return ['Request', 'Response'].includes(name)
}

function subpathsOfPackage(): string[] {
  const { name, exports } = JSON.parse(readFileSync('package.json', 'utf8'))
  return Object.keys(exports)
    .filter((subpath) => subpath !== './package.json')
    .map((subpath) => name + subpath.slice(1))
}
