/** Writes a first service into the current project. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createToken } from '../../auth/tokens.js'
import { CommandError } from '../command-error.js'
import { type CommandLine, print } from '../command-line.js'
import { type Framework, formatService, frameworkPackages } from './templates.js'

/** Writes the service, and prints what to run next. */
export async function init(
  this: CommandLine,
  { out }: { readonly out: string },
  given?: string,
): Promise<void> {
  const folder = this.process.cwd()
  const dependencies = readDependencies(folder)
  const framework = given ?? findFramework(dependencies)
  if (!isFramework(framework))
    throw new CommandError('FRAMEWORK must be express, fastify, hono or node')
  if (!/\.m?[jt]s$/.test(out)) throw new CommandError('--out must end with .mjs, .js, .mts or .ts')
  const path = resolve(folder, out)
  if (existsSync(path))
    throw new CommandError(`${out} exists already`, 'Name another file with --out.')
  try {
    writeFileSync(path, formatService(framework), { flag: 'wx' })
  } catch (error) {
    throw new CommandError(`${out} cannot be written: ${Object(error).code ?? 'unknown'}`)
  }
  const packages = ['cofferkit', ...frameworkPackages[framework]]
  const missing = packages.filter((name) => !dependencies.includes(name))
  print(this, `${out} was written: a vault for ${framework}. Next:\n`)
  if (missing.length > 0) print(this, `  npm install ${missing.join(' ')}`)
  const { token } = await createToken()
  print(this, `  TOKEN=${token} node ${out}`)
  print(this, `  curl -H "Authorization: Bearer ${token}" http://127.0.0.1:8080/v1/vaults`)
}

function isFramework(name: string): name is Framework {
  return Object.hasOwn(frameworkPackages, name)
}

function findFramework(dependencies: readonly string[]): string {
  return ['express', 'fastify', 'hono'].find((name) => dependencies.includes(name)) ?? 'node'
}

/** Returns the names in `dependencies` of package.json; none if the file does not exist. */
function readDependencies(folder: string): readonly string[] {
  try {
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return Object.keys(Object(dependencies))
  } catch {
    return []
  }
}
