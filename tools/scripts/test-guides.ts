/**
 * Follows docs/frameworks.md for each framework with the packed package, in an empty folder: saves
 * its files, starts its server, sends its requests, and compares the answers with those of the page.
 * Runs the program of the quick start, the programs of the guide to credentials and the tests of the
 * guide to testing with the same package. `npm run test:all -- build guides` follows all of them; a
 * name, such as `hono`, is an argument of the script, and `--short` leaves out Next.js.
 */

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '../reliability/support/server-process.js'
import { compareAnswer, startShell } from './guide-shell.js'
import { packageFolder, programPath } from './integrations.js'
import { readGuide } from './read-guide.js'
import { root, runCommand } from './run-command.js'
import { type RunningServer, startServer } from './runtimes/server.js'
import { withConsumer } from './tarball.js'

/** The frameworks, as the tabs of docs/frameworks.md name them. */
const frameworks: Readonly<Record<string, string>> = {
  express: 'Express',
  fastify: 'Fastify',
  hono: 'Hono',
  nextjs: 'Next.js',
}
const all = ['quick-start', 'credentials', 'testing', ...Object.keys(frameworks)]
const { values, positionals } = parseArgs({
  options: { short: { type: 'boolean', default: false } },
  allowPositionals: true,
})
// Building a project with Next.js takes longer than everything else.
const ofRun = values.short ? all.filter((name) => name !== 'nextjs') : all
const guides = positionals.length > 0 ? positionals : ofRun

Object.assign(process.env, { NEXT_TELEMETRY_DISABLED: '1', NO_COLOR: '1' })

await withConsumer(async (consumer) => {
  for (const guide of guides) {
    const start = performance.now()
    if (guide === 'quick-start') await runStory(consumer)
    else if (guide === 'credentials') await runPrograms('docs/credentials.md', consumer)
    else if (guide === 'testing') await runTests('docs/testing.md', consumer)
    else await follow(guide, consumer)
    console.log(`${guide}: good, ${Math.round(performance.now() - start)} ms`)
  }
})

/** Creates the key and runs the program of the quick start. A test compares its output. */
async function runStory(consumer: string): Promise<void> {
  const text = readFileSync(join(root, 'docs/quick-start.md'), 'utf8')
  const [, story] = /^```ts\n([\s\S]*?)^```$/m.exec(text) ?? []
  if (story === undefined) throw new Error('docs/quick-start.md has no program')
  writeFileSync(join(consumer, 'story.mts'), story)
  await runCommand('npx', ['cofferkit', 'keygen', 'vault.key'], { cwd: consumer })
  await runCommand(process.execPath, ['story.mts'], { cwd: consumer })
}

/** Runs the blocks of a page that are programs, each as a file of its own. */
async function runPrograms(page: string, consumer: string): Promise<void> {
  const text = readFileSync(join(root, page), 'utf8')
  const programs = [...text.matchAll(/^```ts run\n([\s\S]*?)^```$/gm)]
  if (programs.length === 0) throw new Error(`${page} shows too little`)
  for (const [index, [, program = '']] of programs.entries()) {
    const file = join(consumer, `program-${index}.mts`)
    writeFileSync(file, program)
    await runCommand(process.execPath, [file], { cwd: consumer })
  }
}

/** Saves the files of a page, and runs those that are tests. */
async function runTests(page: string, consumer: string): Promise<void> {
  const files = [
    ...readFileSync(join(root, page), 'utf8').matchAll(
      /^\*\*([\w.]+)\*\*\n\n```ts\n([\s\S]*?)^```$/gm,
    ),
  ]
  const cwd = join(consumer, 'tests')
  for (const [, name = '', text = ''] of files) saveFile(join(cwd, name), text)
  saveFile(join(cwd, 'package.json'), '{ "type": "module" }')
  if (!files.some(([, name]) => name?.endsWith('.test.ts')))
    throw new Error(`${page} shows too little`)
  await runCommand(process.execPath, ['--test'], { cwd })
}

/** Follows docs/frameworks.md with a framework. */
async function follow(guide: string, consumer: string): Promise<void> {
  const framework = frameworks[guide]
  if (framework === undefined) throw new Error(`there is no guide ${guide}`)
  const page = `docs/frameworks.md in ${framework}`
  const isNext = guide === 'nextjs'
  const steps = readGuide(join(root, 'docs/frameworks.md'), framework)
  const cwd = join(consumer, guide)
  mkdirSync(cwd)
  // Next.js rejects links out of its root, which a reader does not have.
  if (isNext)
    writeFileSync(join(cwd, 'next.config.mjs'), `export default { turbopack: { root: '/' } }\n`)
  const port = String(await freePort())
  const shell = startShell(cwd, port)
  const servers: RunningServer[] = []
  let answers = 0
  try {
    for (const step of steps) {
      if (step.kind === 'file') saveFile(join(cwd, step.name), step.text)
      else if (/^npm install /m.test(step.text)) await install(linesOf(step.text), cwd)
      else if (/^node \w+\.ts$|^npx next /m.test(step.text))
        servers.push(await serve(linesOf(step.text), cwd, port))
      else {
        const output = await shell.run(step.text)
        if (step.answer !== undefined) compareAnswer(page, step.answer, output)
        answers += step.answer === undefined ? 0 : 1
      }
    }
    // Other machines cannot connect to the server.
    const other = await fetch(`http://127.0.0.2:${port}`).catch(() => undefined)
    if (other !== undefined) throw new Error(`${page} listens on more than localhost`)
    await checkForms(page, `http://localhost:${port}`)
    if (isNext) await checkMetrics(`http://localhost:${port}`)
  } finally {
    shell.close()
    for (const server of servers) await server.stop()
  }
  if (servers.length !== 1 || answers < 2) throw new Error(`${page} shows too little`)
  await runCommand(process.execPath, [join(root, 'node_modules/typescript/lib/tsc.js')], { cwd })
  if (isNext) await runCommand('next', ['build'], { cwd })
}

/** Checks that a form of another site cannot log in. */
async function checkForms(page: string, origin: string): Promise<void> {
  const body = JSON.stringify({ email: 'wendy@example.com', password: 'correct horse' })
  for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
    const headers = { 'content-type': type }
    const { status } = await fetch(`${origin}/login`, { method: 'POST', headers, body })
    if (status < 400 || status >= 500)
      throw new Error(`${page} answers a login as ${type} ${status}`)
  }
}

/** Checks what the guide of Next.js does itself: one handler for all requests. */
async function checkMetrics(origin: string): Promise<void> {
  const metrics = await (await fetch(`${origin}/secrets/metrics`)).text()
  if (!/^cofferkit_requests_total\{.*createItem.*\} 1$/m.test(metrics))
    throw new Error(`the metrics do not count the requests of the guide: ${metrics}`)
}

/** Returns the lines of a block that are no comment. */
function linesOf(text: string): readonly string[] {
  return text
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('#'))
}

/** Runs the commands of npm, except that packages are linked from this project. */
async function install(lines: readonly string[], cwd: string): Promise<void> {
  for (const line of lines) {
    // The folder is there.
    if (/^mkdir [\w-]+ && cd [\w-]+$/.test(line)) continue
    if (!line.startsWith('npm install '))
      await runCommand('bash', ['-c', `{ ${line}; } > npm.log`], { cwd })
    else for (const name of line.split(' ').slice(2)) link(name, cwd)
  }
}

/**
 * Links the project's copy of a package, so that nothing is downloaded. Each guide has only those
 * that it installs; `cofferkit` is installed in the folder above.
 */
function link(name: string, cwd: string): void {
  if (name.startsWith('--') || name === 'cofferkit') return
  const path = join(cwd, 'node_modules', name)
  const own = packageFolder(name)
  if (!existsSync(own)) throw new Error(`${name} is not installed in this project`)
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(own, path)
}

function saveFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Starts the server of a guide. Its address can be that of any host of this machine. */
function serve([line = '']: readonly string[], cwd: string, port: string): Promise<RunningServer> {
  const [program = '', ...args] = line.replace(/^npx /, '').split(' ')
  const path = program === 'node' ? process.execPath : programPath(program)
  const env = { ...process.env, PORT: port }
  const pattern = new RegExp(`(http://(?:localhost|127\\.0\\.0\\.1):${port})`)
  return startServer(path, args, { cwd, env, pattern })
}
