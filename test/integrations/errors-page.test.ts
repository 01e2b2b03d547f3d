import { describe, expect, it } from 'vitest'
import { errorStatuses } from '../../src/errors.js'
import { readPage } from '../support/source/pages.js'
import { runText } from './support/source/program.js'

const sections = readPage('docs/errors.md')
  .split(/^### /m)
  .slice(1)
  .map((section) => {
    const [, code = ''] = /^(\w+)\n/.exec(section) ?? []
    const [, program, printed = ''] =
      /^```ts run\n([\s\S]*?)^```\n\n```json\n([\s\S]*?)^```$/m.exec(section) ?? []
    return { code, section, program, printed }
  })

describe('docs/errors.md', () => {
  it('has a section for each code, in the order of the table', () => {
    expect(sections.map(({ code }) => code)).toEqual(Object.keys(errorStatuses))
    for (const code of Object.keys(errorStatuses))
      expect(readPage('docs/errors.md')).toContain(`| [\`${code}\`](#${code.toLowerCase()}) |`)
  })

  it.each(sections)(
    'has a cause, a remedy and an example of $code that prints its answer',
    async ({ code, section, program = '', printed }) => {
      expect(section).toMatch(/^\*\*Cause\.\*\* .+\n\n\*\*What to do\.\*\* .+\n\n```ts run$/m)
      const { stdout, stderr } = await runText(program)
      expect(stderr).toBe('')
      const answer = JSON.parse(stdout)
      expect(answer).toEqual(JSON.parse(printed))
      const { status } = answer.response ?? answer
      expect(status).toBe(errorStatuses[code as keyof typeof errorStatuses])
      expect(answer.code ?? code).toBe(code)
    },
  )

  it('has an example of INVALID_INPUT that only a strict service rejects', async () => {
    const { program = '' } = sections.find(({ code }) => code === 'INVALID_INPUT') ?? {}
    const { stdout } = await runText(
      program.replace('createTestVault()', 'createTestVault({ strict: false })'),
    )
    expect(JSON.parse(stdout)).toMatchObject({ category: 'LOGIN', version: 1 })
    expect(JSON.parse(stdout)).not.toHaveProperty('title')
  })
})
