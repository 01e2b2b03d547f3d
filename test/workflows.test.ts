import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
}

interface Job {
  readonly needs?: string | readonly string[]
  readonly if?: string
  readonly uses?: string
  readonly permissions?: Readonly<Record<string, string>>
  readonly outputs?: Readonly<Record<string, string>>
  readonly steps?: readonly Step[]
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions: unknown
  readonly jobs: Readonly<Record<string, Job>>
}

const folder = '.github/workflows'
const read = (name: string): Workflow => parse(readFileSync(`${folder}/${name}.yml`, 'utf8'))
const names = readdirSync(folder).map((file) => file.replace(/\.yml$/, ''))

const jobsOf = (name: string) =>
  Object.entries(read(name).jobs).map(([id, job]) => ({ id: `${name}: ${id}`, job }))
const jobs = names.flatMap(jobsOf)
const steps = jobs.flatMap(({ job }) => job.steps ?? [])
const nameOfAction = (uses = '') => uses.split('@')[0]
const expression = (text: string) => `$\{{ ${text} }}`
const commandsOf = (job: Job | undefined) => (job?.steps ?? []).flatMap(({ run }) => run ?? [])

describe('workflows', () => {
  it('publish the documentation only after the package, and not of a prerelease', () => {
    expect(Object.keys(read('pages').on)).toEqual(['workflow_call', 'workflow_dispatch'])
    const { pages } = read('release').jobs
    expect(pages).toMatchObject({ needs: 'publish', uses: './.github/workflows/pages.yml' })
    expect(pages?.if).toBe("!contains(github.ref_name, '-')")
  })

  it('publish the package only after everything that CI runs', () => {
    const { publish, test } = read('release').jobs
    expect(publish?.needs).toEqual(['test', 'build'])
    expect(commandsOf(test).some((command) => command.includes('.ci/run --all'))).toBe(true)
  })

  it('run every test and program each night and before a release', () => {
    for (const name of ['nightly', 'release'])
      expect(commandsOf(read(name).jobs['test'])[0]).toMatch(/ \.ci\/run --all$/)
    const programs = readdirSync('tools/reliability').filter((name) => name.endsWith('.ts'))
    const text = readFileSync('.ci/run', 'utf8')
    for (const program of programs) expect(text).toContain(program.slice(0, -'.ts'.length))
  })

  it('verify each pull request, and what is merged', () => {
    const { on, jobs } = read('verify')
    expect(Object.keys(on)).toEqual(['pull_request', 'push'])
    expect(commandsOf(jobs['verify'])).toEqual(['npm ci', 'npm run verify'])
  })

  it('pin every action to a commit, and name its version', () => {
    const examples = ['examples/connect-in-ci/.github/workflows/test.yml']
    const lines = [...names.map((name) => `${folder}/${name}.yml`), ...examples]
      .flatMap((path) => readFileSync(path, 'utf8').split('\n'))
      .filter((line) => /^ *(?:- )?uses: (?!\.\/)/.test(line))
    expect(lines.length).toBeGreaterThan(0)
    const pinned = /uses: actions\/[a-z-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/
    expect(lines.filter((line) => !pinned.test(line))).toEqual([])
    const versions = new Map(lines.map((line) => [nameOfAction(line.trim()), line.split('@')[1]]))
    expect(new Set(lines.map((line) => line.split('@')[1])).size).toBe(versions.size)
  })

  it('give no permission but to read the sources to a job that runs a dependency', () => {
    for (const name of names) expect(read(name).permissions, name).toEqual({})
    const installing = jobs.filter(({ job }) =>
      commandsOf(job).some((command) =>
        /npm (?:ci|install|run|test|exec)|npx|\.ci\/run/.test(command),
      ),
    )
    expect(installing.map(({ id }) => id).sort()).toEqual([
      'nightly: test',
      'pages: build',
      'release: build',
      'release: test',
      'verify: verify',
    ])
    for (const { id, job } of installing) expect(job.permissions, id).toEqual({ contents: 'read' })
  })

  it('run nothing but the deployment in a job that npm or the site trusts', () => {
    const trusted = jobs.filter(({ job }) => job.steps && job.permissions?.['id-token'])
    expect(trusted.map(({ id }) => id).sort()).toEqual(['pages: deploy', 'release: publish'])
    const { deploy } = read('pages').jobs
    expect(deploy?.steps?.map(({ uses }) => nameOfAction(uses))).toEqual(['actions/deploy-pages'])
    const { publish } = read('release').jobs
    expect(publish?.permissions).toEqual({ 'id-token': 'write' })
    expect(publish?.steps?.map(({ uses, run }) => nameOfAction(uses) || run)).toEqual([
      'actions/setup-node',
      'actions/download-artifact',
      'echo "$SHA256  package.tgz" | sha256sum --check --strict',
      'npm publish ./package.tgz --provenance --access public --ignore-scripts --tag "$TAG"',
    ])
  })

  it('publish only the file whose SHA-256 the build has reported', () => {
    const { build, publish } = read('release').jobs
    expect(build?.outputs).toEqual({ sha256: expression('steps.pack.outputs.sha256') })
    const check = publish?.steps?.find(({ run }) => run?.includes('sha256sum'))
    expect(check?.env).toEqual({ SHA256: expression('needs.build.outputs.sha256') })
  })

  it('restore no cache, and use the Node of the lock file', () => {
    const { node } = JSON.parse(readFileSync('package.json', 'utf8')).devDependencies
    const setups = steps.filter(({ uses }) => nameOfAction(uses) === 'actions/setup-node')
    expect(setups.length).toBeGreaterThan(0)
    for (const setup of setups)
      expect(setup.with).toEqual({ 'node-version': node, 'package-manager-cache': false })
    expect(steps.filter(({ uses }) => nameOfAction(uses) === 'actions/cache')).toEqual([])
  })

  it('put nothing that a name of a tag can contain into a command', () => {
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([])
  })
})
