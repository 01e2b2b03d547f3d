/** Workers with a D1 database, in workerd. */

import { createRequire } from 'node:module'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { D1Database } from '../../../../examples/d1-store.js'

/** A running worker. */
export interface D1Worker {
  dispatchFetch(url: string, init?: object): Promise<Response>
  getD1Database(name: string): Promise<D1Database>
  dispose(): Promise<void>
}

// The types of the package need others that it does not install.
const { Miniflare }: { Miniflare: new (options: object) => D1Worker } = createRequire(
  import.meta.url,
)('miniflare')

/** Bundles a worker of this repository, and starts it with the database `DB`. */
export async function startD1Worker(path: string, bindings: object = {}): Promise<D1Worker> {
  const root = join(import.meta.dirname, '../../../..')
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [path],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'import'],
    external: ['node:*'],
    target: 'es2022',
    write: false,
  })
  return new Miniflare({
    modules: true,
    script: outputFiles[0]?.text,
    compatibilityDate: '2025-01-01',
    d1Databases: ['DB'],
    bindings,
  })
}
