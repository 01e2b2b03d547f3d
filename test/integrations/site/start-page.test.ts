import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { freePort } from '../../../tools/reliability/support/server-process.js'
import { findBlocks } from '../../support/source/pages.js'
import { startProgramIn } from '../support/source/program.js'

const blocks = findBlocks('docs/index.md')
const textOf = (kind: string): string => blocks.findLast((block) => block.kind === kind)?.text ?? ''

describe('the first request of docs/index.md', () => {
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
