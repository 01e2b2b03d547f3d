import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { freePort } from '../../tools/reliability/support/server-process.js'
import { startShell } from '../../tools/scripts/guide-shell.js'
import { findBlocks } from '../support/source/pages.js'
import { commandText } from './support/command/run-command.js'
import { startProgramIn } from './support/source/program.js'

const blocks = findBlocks('docs/quick-start.md')
const textOf = (kind: string): string => blocks.findLast((block) => block.kind === kind)?.text ?? ''

describe('the recording of docs/quick-start.md', () => {
  it('shows what its commands print', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cofferkit-recording-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const shell = startShell(folder, '')
    onTestFinished(() => shell.close())
    await shell.run(`npx() { shift; ${commandText()} "$@" 2>&1; }`)
    const steps = [...textOf('text').matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)]
    expect(steps.length).toBeGreaterThan(5)
    for (const [, command = '', output = ''] of steps) {
      if (command === 'cat seed.json') writeFileSync(join(folder, 'seed.json'), output)
      const printed = await shell.run(`${command} || true`)
      expect(withoutIds(printed)).toBe(withoutIds(output))
    }
  })
})

const withoutIds = (text: string): string => text.replaceAll(/[0189][a-z2-7]{25}/g, 'ID')

describe('the first request of docs/quick-start.md', () => {
  it('is answered by the program above it, with the answer below it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cofferkit-start-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const port = String(await freePort())
    const file = join(folder, 'server.mjs')
    writeFileSync(file, textOf('ts').replace('8080', port))
    const program = startProgramIn(folder, file, {})
    onTestFinished(() => program.kill())
    const [url = ''] = /http:\S+/.exec(textOf('sh')) ?? []
    // The program prints nothing when it listens.
    const response = await vi.waitFor(() => fetch(url.replace('8080', port)), 20_000)
    const [shown] = JSON.parse(textOf('json'))
    const { id: _, ...attributes } = shown
    expect(await response.json()).toMatchObject([attributes])
  })
})
