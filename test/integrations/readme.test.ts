import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createKeyFile } from '../../src/storage/encrypted.js'
import { findBlocks } from '../support/source/pages.js'
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
