import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findBlocks } from '../support/source/pages.js'
import { withFolder } from './support/command/run-command.js'
import { startProgramIn } from './support/source/program.js'
import { createBackupShell } from './support/stores/backups.js'

const textOf = (kind: string): string =>
  findBlocks('docs/encryption.md').find((block) => block.kind === kind)?.text ?? ''

it('docs/encryption.md creates a key and encrypts a store, with the output in its comments', () =>
  withFolder(async (folder) => {
    expect(await createBackupShell(folder)(textOf('sh'))).toMatchObject({ code: 0 })
    const path = join(folder, 'vault.mts')
    writeFileSync(path, textOf('ts'))
    const { code, stdout } = await startProgramIn(folder, path, {}).ended
    const comments = [...textOf('ts').matchAll(/^console\.log\(.*\) \/\/ (.*)$/gm)]
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: comments.map(([, output]) => `${output}\n`).join(''),
    })
    expect(comments).toHaveLength(2)
  }))
