/**
 * Packs the package, installs the tarball in an empty folder, checks its files and types, and uses
 * it on every Node.
 */

import { copyFileSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import { consumerProjects } from './consumer-projects.ts'
import { nodes } from './nodes.mjs'
import { inConsumer, root, run } from './tarball.mjs'

await inConsumer((consumer) => {
  cpSync(join(root, 'test/package'), consumer, { recursive: true })
  run(process.execPath, ['files.mjs'], consumer)
  for (const extension of ['.cts', '.mts'])
    copyFileSync(join(consumer, 'subpaths.ts'), join(consumer, `subpaths${extension}`))
  for (const { name, args } of consumerProjects) {
    run(process.execPath, args, consumer)
    console.log(`types: no errors in ${name}`)
  }
  for (const { program } of nodes()) {
    for (const script of ['esm.mjs', 'cjs.cjs']) run(program, [script], consumer)
  }
})
