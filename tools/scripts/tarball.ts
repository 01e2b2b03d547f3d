/** Packs the package as it would be published, and installs it in an empty folder. */

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from './run-command.js'

/** Calls `work` with the folder, and resolves with its result. The folder is removed afterwards. */
export async function withConsumer<Result>(
  work: (consumer: string) => Promise<Result>,
): Promise<Result> {
  const consumer = mkdtempSync(join(tmpdir(), 'cofferkit-consumer-'))
  try {
    await runCommand('npm', ['pack', '--silent', '--pack-destination', consumer])
    const tarball = readdirSync(consumer).find((name) => name.endsWith('.tgz'))
    writeFileSync(join(consumer, 'package.json'), '{ "private": true }\n')
    await npmInstall(consumer, [`./${tarball}`])
    return await work(consumer)
  } finally {
    rmSync(consumer, { recursive: true, force: true })
  }
}

/** Installs these packages, or those of the folder's `package.json`. @throws Error if that fails. */
export async function npmInstall(folder: string, packages: readonly string[] = []): Promise<void> {
  const quiet = ['--silent', '--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline']
  await runCommand('npm', ['install', ...quiet, ...packages], { cwd: folder })
}
