/** Installs the packed package in an empty folder, checks its files and types, uses it in each supported Node, and runs the contracts on it. */

import { copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { consumerProjects } from './consumer-projects.js'
import { linkPackage } from './integrations.js'
import { installNodes } from './nodes.js'
import { root, runCommand } from './run-command.js'
import { copyTemplate, templatePrograms } from './store-template.js'
import { withConsumer } from './tarball.js'

const httpApiPage = join(root, 'docs/http-api.md')

/** Programs that each Node runs: those of `test/package`, and the sample of `docs/http-api.md`. */
const scripts = ['load.mjs', 'bundle.mjs', 'jest.mjs', 'esm.mjs', 'command.mjs', 'openapi.mjs']

await withConsumer(async (consumer) => {
  cpSync(join(root, 'test/package'), consumer, { recursive: true })
  await runCommand(process.execPath, ['files.mjs'], { cwd: consumer })
  for (const extension of ['.cts', '.mts'])
    copyFileSync(join(consumer, 'subpaths.ts'), join(consumer, `subpaths${extension}`))
  for (const name of ['logins', 'matchers'])
    copyFileSync(join(consumer, `${name}.ts`), join(consumer, `${name}.mts`))
  for (const { name, args, links = [] } of consumerProjects) {
    for (const link of links) linkPackage(consumer, link)
    await runCommand(process.execPath, [...args], { cwd: consumer })
    console.log(`types: no errors in ${name}`)
  }
  const template = join(consumer, 'store-template')
  copyTemplate(template)
  for (const name of ['typecheck', 'build', 'vitest', 'node'] as const) {
    const [program, ...args] = templatePrograms[name]
    await runCommand(program, args, { cwd: template })
  }
  const [, sample = ''] = /```ts run\n([\s\S]*?)```/.exec(readFileSync(httpApiPage, 'utf8')) ?? []
  writeFileSync(join(consumer, 'openapi.mjs'), sample)
  for (const name of ['esbuild', 'jest', 'jest-environment-jsdom']) linkPackage(consumer, name)
  for (const { program } of await installNodes())
    for (const script of scripts) await runCommand(program, [script], { cwd: consumer })
  await runCommand('vitest', ['run', '--config', 'test/package/vitest.config.ts'], {
    env: { PACKAGE_FOLDER: join(consumer, 'node_modules/cofferkit') },
  })
})
