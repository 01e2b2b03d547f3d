/** Installs the packed package in an empty folder, and uses it in each Node that is supported. */

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { installNodes } from './nodes.js'
import { root, runCommand } from './run-command.js'
import { withConsumer } from './tarball.js'

await withConsumer(async (consumer) => {
  cpSync(join(root, 'test/package'), consumer, { recursive: true })
  for (const { program } of await installNodes()) {
    for (const script of ['esm.mjs', 'cjs.cjs'])
      await runCommand(program, [script], { cwd: consumer })
  }
})
