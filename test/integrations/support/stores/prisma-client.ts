/** Generated clients of Prisma. */

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { packageFolder } from '../../../../tools/scripts/integrations.js'

/** A generated client. */
export interface GeneratedPrisma {
  /** The module that exports `PrismaClient`. */
  readonly path: string
  /** Deletes the client. */
  remove(): void
}

/**
 * Generates a client for PostgreSQL. Without the variable, Prisma downloads a program that this does
 * not need.
 */
export function generatePrisma(models = ''): GeneratedPrisma {
  // Node strips no types in node_modules, and only files of the project find its packages.
  const reports = resolve('test/integrations/reports')
  mkdirSync(reports, { recursive: true })
  const folder = mkdtempSync(join(reports, 'prisma-'))
  const schema = join(folder, 'schema.prisma')
  writeFileSync(
    schema,
    `generator client {\n  provider = "prisma-client"\n  output = "./client"\n}\ndatasource db {\n  provider = "postgresql"\n}\n${models}`,
  )
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true', CHECKPOINT_DISABLE: '1' }
  const program = join(packageFolder('prisma'), 'build/index.js')
  execFileSync(process.execPath, [program, 'generate', '--schema', schema], { env })
  return {
    path: join(folder, 'client', 'client.ts'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
