/**
 * Runs the tests of PostgreSQL against a real server: the one that DATABASE_URL names, else one of its own on loopback,
 * if PostgreSQL's programs are installed. Ends with 1 if there is neither, or a test fails.
 */

import { spawn } from 'node:child_process'
import { postgresFolder } from '../reliability/support/postgres-binaries.js'
import { startPostgres } from '../reliability/support/postgres-server.js'

const named = process.env['DATABASE_URL']

if (named !== undefined) process.exitCode = await runTests(named)
else if (postgresFolder() !== undefined) process.exitCode = await onOwnServer(runTests)
else {
  console.error("Neither DATABASE_URL nor PostgreSQL's programs are there (Debian: postgresql).")
  process.exitCode = 1
}

async function onOwnServer(work: (url: string) => Promise<number>): Promise<number> {
  const server = await startPostgres()
  try {
    return await work(server.url)
  } finally {
    await server.stop()
  }
}

/** The exit code of the tests whose names have PostgreSQL in them; more can be named as parameters. */
function runTests(url: string): Promise<number> {
  const parameters = ['node_modules/vitest/vitest.mjs', 'run', 'postgres', ...process.argv.slice(2)]
  const tests = spawn(process.execPath, parameters, {
    stdio: 'inherit',
    env: { ...process.env, DATABASE_URL: url },
  })
  return new Promise((resolve, reject) => {
    tests.on('error', reject).on('close', (code) => resolve(code ?? 1))
  })
}
