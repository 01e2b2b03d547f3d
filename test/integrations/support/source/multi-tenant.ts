/** Does what docs/multi-tenant.md says, as its reader would. */

import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { createKeyFile } from '../../../../src/storage/encrypted.js'
import { compareAnswer, startShell } from '../../../../tools/scripts/guide-shell.js'
import { packageFolder } from '../../../../tools/scripts/integrations.js'
import { type GuideStep, readGuide } from '../../../../tools/scripts/read-guide.js'
import { readPage } from '../../../support/source/pages.js'
import { startProgramIn } from './program.js'

export const tenantsPage = 'docs/multi-tenant.md'

/** The folder that the page tells its reader to copy. */
export const exampleFolder = 'examples/multi-tenant'

const steps = readGuide(tenantsPage)
const start = steps.findIndex(({ text }) => text === 'node server.ts\n')

/** Does what the page says before `node server.ts`, with the packages of this project. */
export async function prepareTenants(folder: string): Promise<void> {
  for (const step of steps.slice(0, start)) {
    expect(step).toMatchObject({ kind: 'shell' })
    if (step.text.startsWith('git clone')) copyExample(step.text, folder)
    else if (step.text === 'npx cofferkit keygen vault.key\n')
      await createKeyFile(join(folder, 'vault.key'))
    else expect(step.text).toMatch(/^export DATABASE_URL=\S+\n$/)
  }
}

function copyExample(text: string, folder: string): void {
  expect(text).toContain(`cp -r cofferkit/${exampleFolder} `)
  cpSync(exampleFolder, folder, { recursive: true })
  const { dependencies, devDependencies } = JSON.parse(readPage(join(folder, 'package.json')))
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    if (name === 'cofferkit') continue
    const path = join(folder, 'node_modules', name)
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(packageFolder(name), path)
  }
}

/** Follows the page after `node server.ts`. Returns the number of answers that were compared. */
export async function followTenants(folder: string, port: number): Promise<number> {
  const shell = startShell(folder, String(port))
  let answers = 0
  try {
    for (const step of steps.slice(start + 1)) await doStep(step)
  } finally {
    shell.close()
  }
  return answers

  async function doStep(step: GuideStep): Promise<void> {
    if (step.kind === 'file') return
    if (step.text === 'node --test\n') {
      const env = { DATABASE_URL: '' }
      const { ended } = startProgramIn(folder, join(folder, 'permissions.test.ts'), env)
      expect(await ended).toMatchObject({ code: 0, stderr: '' })
      return
    }
    const output = await shell.run(step.text)
    if (step.answer === undefined) return
    compareAnswer(tenantsPage, step.answer, output)
    answers++
  }
}
