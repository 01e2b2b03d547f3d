/** Packs the package as it would be published, and installs it in an empty folder as a stranger would. */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The folder of the project. */
export const root = join(import.meta.dirname, '..')

/** Resolves as `work` does, which is handed the folder; it is gone afterwards. */
export async function inConsumer(work) {
  const consumer = mkdtempSync(join(tmpdir(), 'cofferkit-consumer-'))
  try {
    run('npm', ['pack', '--silent', '--pack-destination', consumer], root)
    const tarball = readdirSync(consumer).find((name) => name.endsWith('.tgz'))
    writeFileSync(join(consumer, 'package.json'), '{ "private": true }\n')
    npmInstall(consumer, [`./${tarball}`])
    return await work(consumer)
  } finally {
    rmSync(consumer, { recursive: true, force: true })
  }
}

/** Installs packages, or what the package.json of the folder names. @throws Error if that fails. */
export function npmInstall(folder, packages = []) {
  const quiet = ['--silent', '--no-audit', '--no-fund', '--no-package-lock', '--prefer-offline']
  run('npm', ['install', ...quiet, ...packages], folder)
}

/** Runs a program to its end. @throws Error if it ends with anything but 0. */
export function run(command, args, cwd) {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] })
}
