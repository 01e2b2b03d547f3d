import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createKeyFile } from '../../src/storage/encrypted.js'
import { findBlocks, readPage } from '../support/source/pages.js'
import { startProgramIn } from './support/source/program.js'

const blocks = findBlocks('README.md')
const story = blocks.find(({ kind }) => kind === 'ts')
const output = blocks.find(({ kind }) => kind === 'text')

describe('story of README.md', () => {
  it('equals examples/quick-start.ts', () => {
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

describe('llms.txt', () => {
  it('links only to files of the repository that exist', () => {
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
