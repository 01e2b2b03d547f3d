import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createReferenceResolver, type ReferenceResolver } from '../../src/references.js'
import { createTestVault } from '../../src/testing.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'
import { noteDraft } from '../support/drafts.js'
import { invalid } from '../support/service/rejections.js'

describe('createReferenceResolver: inject', () => {
  it('replaces the references in double braces, and nothing else', async () => {
    const { inject } = await createResolver()
    const template = [
      'database:',
      '  username: {{ op://Test/Example/username }}',
      '  password: {{op://test/example/password}}',
      '  pins: {{\top://Test/Example/More/PIN }},{{ op://Test/Example/pin}}',
      '  plain: op://Test/Example/pin',
      '  variable: $PIN \u0024{PIN} \u0024{{ op }}',
      '  other: {{ .Values.pin }} {{ "{{ test" }} { op://Test/Example/pin }\r',
    ].join('\n')
    expect(await inject(template)).toBe(
      template
        .replace('{{ op://Test/Example/username }}', 'wendy')
        .replace('{{op://test/example/password}}', 'correct horse')
        .replace('{{\top://Test/Example/More/PIN }}', '1234')
        .replace('{{ op://Test/Example/pin}}', '1234'),
    )
  })

  it.each(['', 'text', '{{', '}}', '{{ }}', '{ { op://Test/Example/pin } }'])(
    'returns %j unchanged',
    async (template) => {
      expect(await (await createResolver()).inject(template)).toBe(template)
    },
  )

  it('inserts values unchanged, and does not search them for references', async () => {
    const value = '{{ op://Test/Example/pin }} $& $1 $$ "quoted"\n\\n'
    const { inject } = await createResolver(value)
    expect(await inject('<{{ op://Test/Note/notes }}|{{ op://Test/Note/notes }}>')).toBe(
      `<${value}|${value}>`,
    )
  })

  it.each([
    ['a\n{{ op://Test/Example }}', 2, 'must have the form op://vault/item/[section/]field'],
    ['{{ op://Test/Example/pin?attribute=x }}', 1, expect.stringContaining('must have one of')],
    ['{{ op://Test/Example/pin | base64 }}', 1, expect.stringContaining('must be 1 or more')],
    ['\n\n{{ op://Test/Example/pin', 3, 'must close {{ with }} after op://'],
    ['{{ op://Test/Example/pin } }', 1, 'must close {{ with }} after op://'],
    ['{{ op://Test/Example/pin\n}}', 1, 'must close {{ with }} after op://'],
  ])('rejects %j with the number of the line', async (template, line, message) => {
    const { inject } = await createResolver()
    await expect(inject(template)).rejects.toMatchObject({
      ...invalid(),
      issues: [{ path: `template/line ${line}`, message }],
    })
  })

  it('rejects a template with a reference that does not exist', async () => {
    const { inject } = await createResolver()
    const template = '{{ op://Test/Example/pin }} {{ op://Test/Example/no }}'
    await expect(inject(template)).rejects.toMatchObject({
      message: 'op://Test/Example/no: field not found',
    })
  })

  it('accepts 1,000 references, and no more', async () => {
    const { inject } = await createResolver()
    const tag = '{{ op://Test/Example/pin }}'
    expect(await inject(tag.repeat(1000))).toBe('1234'.repeat(1000))
    await expect(inject(tag.repeat(1001))).rejects.toMatchObject(
      invalid('template must have at most 1000 references'),
    )
  })

  it.each([undefined, null, 7, ['{{ op://Test/Example/pin }}']])('rejects %j', async (template) => {
    const { inject } = await createResolver()
    await expect(inject(template as never)).rejects.toMatchObject(
      invalid('template must be a string'),
    )
  })

  it('replaces any number of tags between any texts', async () => {
    const { inject } = await createResolver()
    const text = fc.string({ unit: fc.constantFrom(...'{} \nop:/$') })
    const plain = text.filter((one) => !/op:\/\//.test(one) && !one.endsWith('{'))
    await fc.assert(
      fc.asyncProperty(fc.array(plain, { minLength: 1, maxLength: 5 }), async (texts) => {
        const filled = await inject(texts.join('{{ op://Test/Example/pin }}'))
        expect(filled).toBe(texts.join('1234'))
      }),
      { numRuns: propertyRuns(100) },
    )
  })
})

/** Creates a test vault with a second item, `Note`, and returns a resolver for it. */
async function createResolver(value = 'note'): Promise<ReferenceResolver> {
  const { service, caller, vaultId } = await createTestVault()
  const item = noteDraft(vaultId, { fields: [{ id: 'notes', value }] })
  await service.createItem(caller, { vaultId, item })
  return createReferenceResolver(service, caller)
}
