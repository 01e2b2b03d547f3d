/** Installs the packed package in an empty folder, checks its files and types, and uses it in each supported Node. */

import { copyFileSync, cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { consumerProjects } from './consumer-projects.js'
import { installNodes } from './nodes.js'
import { root, runCommand } from './run-command.js'
import { copyTemplate, templatePrograms } from './store-template.js'
import { withConsumer } from './tarball.js'

await withConsumer(async (consumer) => {
  cpSync(join(root, 'test/package'), consumer, { recursive: true })
  await runCommand(process.execPath, ['files.mjs'], { cwd: consumer })
  for (const extension of ['.cts', '.mts'])
    copyFileSync(join(consumer, 'subpaths.ts'), join(consumer, `subpaths${extension}`))
  for (const name of ['logins', 'peers'])
    copyFileSync(join(consumer, `${name}.ts`), join(consumer, `${name}.mts`))
  for (const { name, args, links = [] } of consumerProjects) {
    for (const link of links)
      symlinkSync(join(root, 'node_modules', link), join(consumer, 'node_modules', link))
    await runCommand(process.execPath, [...args], { cwd: consumer })
    console.log(`types: no errors in ${name}`)
  }
  const template = join(consumer, 'store-template')
  copyTemplate(template)
  for (const name of ['typecheck', 'build', 'vitest', 'node'] as const) {
    const [program, ...args] = templatePrograms[name]
    await runCommand(program, args, { cwd: template })
  }
  for (const { program } of await installNodes()) {
    for (const script of ['esm.mjs', 'cjs.cjs', 'command.mjs'])
      await runCommand(program, [script], { cwd: consumer })
  }
})
