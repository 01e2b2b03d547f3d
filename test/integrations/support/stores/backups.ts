/** Stores with the backup commands of docs/backup.md, and writers that do not pause for them. */

import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { createCaller, type VaultService, type VaultStore } from '../../../../src/index.js'
import { readPage } from '../../../support/source/pages.js'
import { commandText } from '../command/run-command.js'

/** A caller with every permission. */
export const operator = createCaller({ id: 'operator', vaults: '*' })

/** Returns the text of the shell blocks in a section of docs/backup.md, in order. */
export function commandsOf(heading: string): readonly string[] {
  const [, section = ''] = readPage('docs/backup.md').split(new RegExp(`^##+ ${heading}\n`, 'm'))
  const [own = ''] = section.split(/^##+ /m)
  return [...own.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)
}

/** The exit code and the output of commands. */
export interface ShellResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Returns a function that runs commands in a folder, where `npx cofferkit` runs the sources. */
export function createBackupShell(
  folder: string,
): (commands: string, env?: Readonly<Record<string, string>>) => Promise<ShellResult> {
  const programs = join(folder, 'bin')
  mkdirSync(programs)
  writeFileSync(join(programs, 'npx'), `#!/bin/sh\nshift\nexec ${commandText()} "$@"\n`)
  chmodSync(join(programs, 'npx'), 0o755)
  // The drivers of databases are packages of the project in the folder.
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  const path = programs + delimiter + process.env['PATH']
  return (commands, env = {}) =>
    new Promise((settle) => {
      const options = { cwd: folder, env: { ...process.env, ...env, PATH: path } }
      execFile('sh', ['-e', '-c', commands], options, (error, stdout, stderr) =>
        settle({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
      )
    })
}

/** An item and its file, both acknowledged by the service. */
export interface AcknowledgedItem {
  readonly vaultId: string
  readonly itemId: string
  readonly title: string
  readonly value: string
  readonly fileId: string
  readonly content: Buffer
}

/** Items that are being created until `stop` is called. */
export interface ItemWriters {
  readonly acknowledged: readonly AcknowledgedItem[]
  /** Resolves when this many items are acknowledged. */
  reached(count: number): Promise<void>
  stop(): Promise<void>
}

/** Lets two writers create items with files of 10 or 700,000 bytes in a new vault. */
export async function startItemWriters(service: VaultService): Promise<ItemWriters> {
  const { id: vaultId } = await service.createVault(operator, { name: 'Team' })
  const acknowledged: AcknowledgedItem[] = []
  let isStopped = false
  const write = async (): Promise<void> => {
    while (!isStopped) {
      const [title, value] = [randomUUID(), randomUUID()]
      const fields = [{ id: 'password', type: 'CONCEALED', value }] as const
      const item = { category: 'LOGIN', title, fields } as const
      const { id: itemId } = await service.createItem(operator, { vaultId, item })
      const content = randomBytes(acknowledged.length % 5 === 0 ? 700_000 : 10)
      const file = { vaultId, itemId, name: 'file', content }
      const { id: fileId } = await service.attachFile(operator, file)
      acknowledged.push({ vaultId, itemId, title, value, fileId, content })
      // A store in this process would not let anything else run.
      await new Promise((next) => setTimeout(next, 5))
    }
  }
  const written = Promise.all([write(), write()])
  written.catch(() => {})
  return {
    acknowledged,
    async reached(count) {
      while (acknowledged.length < count)
        await Promise.race([new Promise((next) => setTimeout(next, 10)), written])
    },
    async stop() {
      isStopped = true
      await written
    },
  }
}

/** Returns the value and the content of an acknowledged item as the service returns them now. */
export async function readBack(
  service: VaultService,
  { vaultId, itemId, fileId }: AcknowledgedItem,
): Promise<{ readonly value: string | undefined; readonly content: Buffer }> {
  const { fields } = await service.getItem(operator, { vaultId, itemId })
  const { content } = await service.readFileContent(operator, { vaultId, itemId, fileId })
  const bytes = await new Response(content as BodyInit).arrayBuffer()
  return { value: fields[0]?.value, content: Buffer.from(bytes) }
}

/** A store that is open. */
export interface OpenedStore {
  /** The value of `--store` for it. */
  readonly location: string
  readonly store: VaultStore
  close(): Promise<unknown>
}
