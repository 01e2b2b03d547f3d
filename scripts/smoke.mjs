/** Packs the package, installs the tarball in an empty folder and uses it under plain Node, old and new. */

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { nodes } from './nodes.mjs'
import { inConsumer, root, run } from './tarball.mjs'

await inConsumer((consumer) => {
  cpSync(join(root, 'test/package'), consumer, { recursive: true })
  for (const { program } of nodes()) {
    for (const script of ['esm.mjs', 'cjs.cjs']) run(program, [script], consumer)
  }
})
