import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startShell } from '../../tools/scripts/guide-shell.js'
import { readGuide } from '../../tools/scripts/read-guide.js'
import { findBlocks } from '../support/source/pages.js'
import { commandText } from './support/command/run-command.js'
import { bundleFlags } from './support/source/bundle.js'

const page = 'docs/quick-start.md'
const steps = readGuide(page)
const program = findBlocks(page).find(({ file }) => file === 'story.mts')

/** Other ways to install, and `init`, which init.test.ts runs. */
const skipped = /^(?:pnpm init|yarn init|npx cofferkit init)/

describe(page, () => {
  it('has the program of examples/quick-start.ts', () => {
    expect(program?.text).toBe(readFileSync('examples/quick-start.ts', 'utf8'))
  })

  it('shows what its commands print, twice for the program', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cofferkit-start-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const shell = startShell(folder, '')
    onTestFinished(() => shell.close())
    await shell.run(`npm() { :; }
npx() { shift; ${commandText()} "$@" 2>&1; }
node() { '${process.execPath}' ${bundleFlags.map((flag) => `'${flag}'`).join(' ')} "$@"; }`)
    let answers = 0
    for (const step of steps) {
      if (step.kind === 'file') writeFileSync(join(folder, step.name), step.text)
      if (step.kind === 'file' || skipped.test(step.text)) continue
      const isProgram = step.text === 'node story.mts\n'
      for (let times = isProgram ? 2 : 1; times > 0; times--) {
        const printed = await shell.run(step.text)
        if (step.answer === undefined) continue
        expect(withoutIds(printed)).toBe(withoutIds(step.answer.text))
        answers++
      }
    }
    expect(answers).toBe(4)
    expect(readFileSync(join(folder, 'vault.db')).includes('sk_live')).toBe(false)
  })
})

const withoutIds = (text: string): string => text.replaceAll(/[0189][a-z2-7]{25}/g, 'ID')
