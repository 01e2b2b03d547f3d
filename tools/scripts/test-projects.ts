/** Runs the tests of the example projects of users with the packed package. */

import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { linkPackage, packageFolder } from './integrations.js'
import { root, runCommand } from './run-command.js'
import { withConsumer } from './tarball.js'

/** Projects of `examples`, and the arguments with which Node runs their tests. */
const projects: Readonly<Record<string, readonly string[]>> = {
  'testing-node': ['--test'],
  'testing-jest': [join(packageFolder('jest'), 'bin/jest.js'), '--ci'],
  'testing-vitest': [join(packageFolder('vitest'), 'vitest.mjs'), 'run'],
}

const packages = ['@1password/connect', 'fast-check', 'jest', 'vitest']

await withConsumer(async (consumer) => {
  for (const name of packages) linkPackage(consumer, name)
  for (const [name, args] of Object.entries(projects)) {
    const cwd = join(consumer, name)
    cpSync(join(root, 'examples', name), cwd, { recursive: true })
    await runCommand(process.execPath, args, { cwd, env: { NO_COLOR: '1' } })
    console.log(`examples/${name}: passed`)
  }
  const cwd = join(consumer, 'connect-in-ci')
  cpSync(join(root, 'examples/connect-in-ci'), cwd, { recursive: true })
  symlinkSync(join(consumer, 'node_modules'), join(cwd, 'node_modules'))
  await runWorkflow(cwd)
  console.log('examples/connect-in-ci: passed')
})

/** Runs the commands of the workflow, except those that install packages. */
async function runWorkflow(cwd: string): Promise<void> {
  const workflow = parse(readFileSync(join(cwd, '.github/workflows/test.yml'), 'utf8'))
  for (const { run } of workflow.jobs.test.steps)
    if (run !== undefined && !/^npm (?:ci|install)/.test(run))
      await runCommand('bash', ['-eo', 'pipefail', '-c', run], { cwd })
}
