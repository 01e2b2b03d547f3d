import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createKeyFile } from '../../src/storage/encrypted.js'
import { findBlocks, readPage } from '../support/source/pages.js'
import { startProgramIn } from './support/source/program.js'

const readme = readPage('README.md')
const blocks = findBlocks('README.md')
const story = blocks.find(({ kind }) => kind === 'ts')
const output = blocks.find(({ kind }) => kind === 'text')

describe('story of README.md', () => {
  it('has at most 20 lines and equals examples/quick-start.ts', () => {
    expect(story?.text.trimEnd().split('\n').length).toBeLessThanOrEqual(20)
    expect(story?.text).toBe(readFileSync('examples/quick-start.ts', 'utf8'))
  })

  it('prints the output below it, again when it is run again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cofferkit-readme-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    await createKeyFile(join(folder, 'vault.key'))
    for (const _ of [1, 2]) {
      const { code, stdout } = await startProgramIn(folder, 'examples/quick-start.ts', {}).ended
      expect({ code, stdout }).toEqual({ code: 0, stdout: output?.text })
    }
  })
})

describe('README.md', () => {
  it('says what it is, how to install it, and begins its story within 40 lines', () => {
    const lines = readme.split('\n').slice(0, 40).join('\n')
    const parts = [
      "# cofferkit\n\nKeep your customers' API keys, tokens and logins in the database you already have",
      'compatible with 1Password Connect',
      'Version 0.1, not audited. No telemetry',
      'npm install cofferkit\nnpx cofferkit keygen vault.key',
      '```ts',
    ]
    const found = parts.map((text) => lines.indexOf(text))
    expect(found).not.toContain(-1)
    expect(found).toEqual(found.toSorted((left, right) => left - right))
  })

  it('has at most 900 words', () => {
    expect(readme.trim().split(/\s+/).length).toBeLessThanOrEqual(900)
  })

  it('says what the description, llms.txt and the start page of the site say', () => {
    const [sentence = ''] = /^Keep your customers' .*?\./m.exec(readme) ?? []
    const { description } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(description).toContain(sentence)
    expect(readPage('llms.txt')).toContain(sentence)
    expect(readPage('docs/index.md')).toContain(sentence)
  })

  it('has the demo and the test command for a clone, each in its own block', () => {
    const clone = readme.slice(readme.indexOf('## Try it from a clone'))
    const commands = [...clone.matchAll(/```sh\n(.*?)```/gs)].map(([, text]) => text)
    expect(commands).toEqual([
      'git clone https://github.com/cofferkit/cofferkit.git && cd cofferkit\n',
      'npm ci && npm run demo\n',
      'npm ci && npm test\n',
    ])
  })
})

describe('llms.txt', () => {
  it('links only to files of the repository that exist, and to every entry point of a store', () => {
    const text = readFileSync('llms.txt', 'utf8')
    const { repository } = JSON.parse(readFileSync('package.json', 'utf8'))
    // The package contains the file, but not what it links to.
    const folder = `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/main/`
    const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
    expect(links.length).toBeGreaterThan(20)
    const broken = links.filter(
      (link) => !link.startsWith(folder) || !existsSync(link.slice(folder.length)),
    )
    expect(broken).toEqual([])
    for (const name of ['memory', 'sqlite', 'postgres', 'mysql', 'libsql', 'etcd', 's3'])
      expect(text).toMatch(new RegExp(`[/\`]${name}\``))
  })
})

describe('docs/exports.md', () => {
  it('lists exactly the functions, constants and classes of every subpath', async () => {
    const rows = [...readPage('docs/exports.md').matchAll(/^\| `(cofferkit[\w/]*)` \| (.*) \|$/gm)]
    const listed = rows.map(([, subpath = '', cell = '']) => [
      subpath,
      [...cell.matchAll(/`(\w+)`/g)]
        .map(([, name = '']) => name)
        .filter((name) => !isForeign(name))
        .sort(),
    ])
    const exported: [string, string[]][] = []
    for (const subpath of subpathsOfPackage())
      exported.push([subpath, Object.keys(await import(subpath)).sort()])
    expect(listed).toEqual(exported)
  })
})

/** Platform types that a row mentions. */
function isForeign(name: string): boolean {
  return ['Request', 'Response'].includes(name)
}

function subpathsOfPackage(): string[] {
  const { name, exports } = JSON.parse(readFileSync('package.json', 'utf8'))
  return Object.keys(exports)
    .filter((subpath) => !subpath.endsWith('.json'))
    .map((subpath) => name + subpath.slice(1))
}
