/** The command `init`: writes a settings page and a worker for customers' keys into a project. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { buildCommand } from '@stricli/core'
import { CommandError } from './command-error.js'
import { type CommandLine, print } from './command-line.js'
import { textFlag } from './flags.js'
import { type Framework, frameworkTemplates } from './init/frameworks.js'
import { formatProject } from './init/project-files.js'
import { configTexts, type Database, databasePackages } from './init/stores.js'
import { decodeUserText } from './read-user-file.js'
import { findConfig } from './store/store-flags.js'

interface InitFlags {
  readonly database?: string
  readonly out: string
}

/** Writes a settings page and a worker for customers' keys into the current project. */
export const initCommand = buildCommand<InitFlags, [framework?: string], CommandLine>({
  func: init,
  parameters: {
    flags: {
      database: textFlag(
        'NAME',
        'sqlite or postgres; postgres if DATABASE_URL names one or package.json has pg',
      ),
      out: {
        kind: 'parsed',
        parse: String,
        default: 'vault',
        placeholder: 'FOLDER',
        brief: 'The folder for the files, none of which must exist',
      },
    },
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'express, fastify, hono or node; by default, the one in package.json',
          placeholder: 'FRAMEWORK',
          parse: String,
          optional: true,
        },
      ],
    },
  },
  docs: {
    brief: "Write a settings page and a worker for your customers' keys into this project",
    fullDescription: [
      'Writes cofferkit.config.mjs, an encrypted store, and a folder with a page on which',
      'customers enter their keys, a worker that uses a key without seeing it, and a test.',
      'Nothing is overwritten and nothing is installed. It prints what to run.',
    ].join('\n'),
  },
})

/** Writes the files, and prints what to run next. */
async function init(this: CommandLine, flags: InitFlags, given?: string): Promise<void> {
  const project = this.process.cwd()
  const installed = readDependencies(project)
  const framework = given ?? findFramework(installed)
  if (!isFramework(framework))
    throw new CommandError('FRAMEWORK must be express, fastify, hono or node')
  const { DATABASE_URL: url = '' } = this.process.env
  const database = flags.database ?? findDatabase(installed, url)
  if (!isDatabase(database)) throw new CommandError('--database must be sqlite or postgres')

  const folder = toSlashes(relative(project, resolve(project, flags.out)))
  if (folder === '' || folder.startsWith('..'))
    throw new CommandError('--out must be a folder in the current project')
  const existing = findConfig(project)
  const config = existing ?? 'cofferkit.config.mjs'
  const hasVitest = installed.includes('vitest')
  const files = formatProject({
    ...{ framework, hasVitest, folder },
    config: toSlashes(relative(join(project, folder), join(project, config))),
  })
  const texts = [
    ...(existing === undefined ? [[config, configTexts[database]] as const] : []),
    ...Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text] as const),
  ]
  const taken = texts.find(([name]) => existsSync(join(project, name)))
  if (taken !== undefined)
    throw new CommandError(`${taken[0]} exists already`, 'Name another folder with --out.')
  for (const [name, text] of texts) writeFile(project, name, text)

  const packages = ['cofferkit', ...frameworkTemplates[framework].packages]
  if (existing === undefined) packages.push(...databasePackages[database])
  const report = { folder, framework, database, config, isNew: existing === undefined }
  print(this, formatWritten(report))
  const commands = formatCommands({
    ...report,
    missing: packages.filter((name) => !installed.includes(name)),
    hasKey: existing !== undefined || existsSync(join(project, 'vault.key')),
    hasUrl: url !== '',
    hasVitest,
  })
  print(this, commands.join('\n'))
}

interface Written {
  readonly folder: string
  readonly framework: Framework
  readonly database: Database
  readonly config: string
  /** False if the project had the configuration before. */
  readonly isNew: boolean
}

/** Returns what was written, and for what. */
function formatWritten({ folder, framework, database, config, isNew }: Written): string {
  const name = { postgres: 'PostgreSQL', sqlite: 'a SQLite file' }[database]
  return `Written for ${framework}: a page on which your customers enter their keys, and a worker
that uses a key without seeing it.

  Store     ${config}, ${isNew ? `with ${name}, encrypted` : 'which existed already'}
  Keys      ${folder}/keys.mjs
  Page      ${folder}/server.mjs and ${folder}/settings.html
  Worker    ${folder}/worker.mjs
  Test      ${folder}/keys.test.mjs, with a stand-in for Stripe in ${folder}/stand-in.mjs
`
}

interface NextSteps extends Written {
  /** The packages that are not in package.json. */
  readonly missing: readonly string[]
  readonly hasKey: boolean
  readonly hasUrl: boolean
  readonly hasVitest: boolean
}

/** Returns what to run next. */
function formatCommands(steps: NextSteps): readonly string[] {
  const { folder, database, isNew, missing, hasKey, hasUrl, hasVitest } = steps
  const test = `${folder}/keys.test.mjs`
  const standIn = `node --import ./${folder}/stand-in.mjs ${folder}`
  const needsUrl = isNew && database === 'postgres' && !hasUrl
  const url = needsUrl ? ['  export DATABASE_URL=postgres://user@localhost/app'] : []
  return [
    'Run the test, which needs no database and no account:\n',
    ...(missing.length > 0 ? [`  npm install ${missing.join(' ')}`] : []),
    hasVitest ? `  npx vitest run ${test}` : `  node --test ${test}`,
    '\nStart the page, and enter sk_test_0123456789abcdWXYZ on it:\n',
    ...(hasKey ? [] : ['  npx cofferkit keygen vault.key']),
    ...url,
    `  ${standIn}/server.mjs`,
    '\nLet the worker use the key, in a second terminal:\n',
    ...url,
    `  ${standIn}/worker.mjs`,
    '\nWithout --import, both call Stripe, so enter a key of Stripe then.',
    `Keep ${database === 'sqlite' ? 'vault.key and vault.db' : 'vault.key'} out of your repository.`,
  ]
}

function writeFile(project: string, name: string, text: string): void {
  const path = join(project, name)
  try {
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, text, { flag: 'wx' })
  } catch (error) {
    throw new CommandError(`${name} cannot be written: ${Object(error).code}`)
  }
}

function toSlashes(path: string): string {
  return path.replaceAll('\\', '/')
}

function isFramework(name: string): name is Framework {
  return Object.hasOwn(frameworkTemplates, name)
}

function isDatabase(name: string): name is Database {
  return Object.hasOwn(configTexts, name)
}

function findFramework(installed: readonly string[]): string {
  return ['express', 'fastify', 'hono'].find((name) => installed.includes(name)) ?? 'node'
}

function findDatabase(installed: readonly string[], url: string): Database {
  return /^postgres(?:ql)?:/.test(url) || installed.includes('pg') ? 'postgres' : 'sqlite'
}

/** Returns the names of the dependencies in package.json; none if the file does not exist. */
function readDependencies(folder: string): readonly string[] {
  try {
    const text = decodeUserText(readFileSync(join(folder, 'package.json')), 'package.json')
    const { dependencies, devDependencies } = JSON.parse(text)
    return Object.keys({ ...dependencies, ...devDependencies })
  } catch {
    return []
  }
}
