import { describe, expect, it } from 'vitest'
import {
  contractClient,
  expectAccepted,
  expectRejected,
  fieldIn,
} from './support/contract-client.js'

const field = (attributes: object): object => ({ id: 'f', type: 'STRING', ...attributes })
const withField = (attributes: object): object => ({ fields: [field(attributes)] })
const withHref = (href: string): object => ({ urls: [{ href }] })

describe('decisions on the rules of items', () => {
  it('rules-1 a field without a type is a STRING', async () => {
    const client = await contractClient()
    const items = await expectAccepted(client, { fields: [{ id: 'f', value: 'x' }] })
    expect(items).toMatchObject([{ fields: [{ id: 'f', type: 'STRING', value: 'x' }] }])
  })

  it('rules-2 duplicate ids of fields or sections and duplicate purposes are 400', async () => {
    const client = await contractClient()
    const twice = 'must not be the id of another'
    const fields = [field({}), field({ value: 'x' })]
    await expectRejected(client, `fields/1/id ${twice} field`, { fields })
    const sections = [{ id: 's' }, { id: 's', label: 'x' }]
    await expectRejected(client, `sections/1/id ${twice} section`, { sections })
    for (const purpose of ['USERNAME', 'PASSWORD', 'NOTES']) {
      const message = 'fields/1/purpose must not be the purpose of another field'
      const same = [field({ purpose }), field({ id: 'g', purpose })]
      await expectRejected(client, message, { fields: same })
    }
    const empty = [field({ purpose: '' }), field({ id: 'g', purpose: '' }), field({ id: 'h' })]
    await expectAccepted(client, { fields: empty, sections: [{ id: 'a' }, { id: 'b' }] })
  })

  it("rules-3 a field's section that is not among the sections is 400", async () => {
    const client = await contractClient()
    const inSection = withField({ section: { id: 's' } })
    await expectAccepted(client, { ...inSection, sections: [{ id: 's' }] })
    const message = 'fields/0/section/id must be the id of a section of the item'
    await expectRejected(client, message, inSection, { ...inSection, sections: [{ id: 'S' }] })
  })

  it('rules-4 a section without an id gets one', async () => {
    const client = await contractClient()
    const [item] = await expectAccepted(client, { sections: [{ label: 'A' }, { label: 'B' }] })
    const id = expect.stringMatching(/^[0189][a-z2-7]{25}$/)
    expect(item).toMatchObject({
      sections: [
        { id, label: 'A' },
        { id, label: 'B' },
      ],
    })
  })

  it('rules-5 order is kept, and the ids of fields and sections are unchanged', async () => {
    const client = await contractClient()
    const ids = ['z', 'a', 'Ä /~0', '10', '9', '__proto__', '']
    const parts = {
      fields: ids.map((id) => field({ id })),
      sections: ids.map((id) => ({ id, label: id })),
      tags: ids,
      urls: ['https://z.example', 'https://a.example'].map((href) => ({ href })),
    }
    for (const item of await expectAccepted(client, parts)) expect(item).toMatchObject(parts)
  })

  it('rules-6 a missing label of a purpose is set to username, password or notesPlain', async () => {
    const client = await contractClient()
    const labels = { USERNAME: 'username', PASSWORD: 'password', NOTES: 'notesPlain' }
    for (const [purpose, label] of Object.entries(labels)) {
      const labelled = [withField({ purpose }), withField({ purpose, label: 'Mine' })]
      const items = await expectAccepted(client, ...labelled)
      expect(items.map((item) => fieldIn(item, 'f')?.['label'])).toEqual([label, 'Mine'])
    }
    const [item] = await expectAccepted(client, withField({ purpose: '' }))
    expect(fieldIn(item, 'f')).not.toHaveProperty('label')
  })

  it('rules-7 href is a URL or IRI without blanks, control characters and delimiters', async () => {
    const client = await contractClient()
    const accepted = [
      'https://user@a.example:8443/p%20q?r=s&t#u',
      'https://müller.example/straße?ä=ö#ü',
      'http://[::1]/',
      'mailto:wendy@a.example',
      'otpauth://totp/a?secret=A',
      'android-app://com.example',
    ]
    const items = await expectAccepted(client, ...accepted.map(withHref))
    expect(items.map(({ urls }) => urls)).toEqual(accepted.map((href) => [{ href }]))
    const within = [...' \t\n\r\u0001\u001f\u007f\\<>"{}|^`'].map(
      (sign) => `https://a.example/${sign}x`,
    )
    const others = [' https://a.example', 'https://a.example ', 'c:/x', 'c:x', 'a.example', '']
    const message = /^urls\/0\/href must /
    await expectRejected(client, message, ...[...within, ...others].map(withHref))
  })

  it('rules-8 javascript: and data: are 400', async () => {
    const client = await contractClient()
    const hrefs = ['javascript:alert(1)', 'JavaScript:void', 'data:text/html,x', 'DATA:,x']
    await expectRejected(client, /^urls\/0\/href must/, ...hrefs.map(withHref))
    await expectAccepted(client, withHref('https://a.example/javascript:data:'))
  })

  it('rules-9 at most one URL is primary', async () => {
    const client = await contractClient()
    const urls = (...primary: unknown[]): object => ({
      urls: primary.map((value) => ({ href: 'https://a.example', primary: value })),
    })
    await expectAccepted(
      client,
      urls(true, false, undefined),
      urls(false, false),
      urls(false, true),
    )
    const message = 'urls/2/primary must be true for one URL only'
    await expectRejected(client, message, urls(true, false, true))
  })

  it('rules-10 a DATE is a real day as YYYY-MM-DD or whole seconds, stored as it was sent', async () => {
    const client = await contractClient()
    const date = (value: string): object => withField({ type: 'DATE', value })
    const days = ['2020-02-29', '2000-02-29', '1969-12-31', '0', '-1', '1582934400']
    const items = await expectAccepted(client, ...days.map(date))
    expect(items.map((item) => fieldIn(item, 'f')?.['value'])).toEqual(days)
    const others = ['2021-02-29', '1900-02-29', '2020-13-01', '2020-2-9', '29.02.2020', '1.5']
    others.push('2020-02-29T00:00:00Z', ' 2020-02-29', '20200229x', 'today')
    await expectRejected(client, /^fields\/0\/value must be a day/, ...others.map(date))
  })

  it('rules-11 a MONTH_YEAR is YYYYMM, YYYY/MM or YYYY-MM, stored as it was sent', async () => {
    const client = await contractClient()
    const month = (value: string): object => withField({ type: 'MONTH_YEAR', value })
    const months = ['202612', '2026/12', '2026-12', '202601']
    const items = await expectAccepted(client, ...months.map(month))
    expect(items.map((item) => fieldIn(item, 'f')?.['value'])).toEqual(months)
    const others = ['202613', '2026-00', '2026-1', '12/2026', '2026-12-01', '2026.12', '26-12']
    await expectRejected(client, /^fields\/0\/value must be a month/, ...others.map(month))
  })

  it('rules-12 an empty value of a date is 400, and an absent one is accepted', async () => {
    const client = await contractClient()
    for (const type of ['DATE', 'MONTH_YEAR']) {
      await expectAccepted(client, withField({ type }))
      await expectRejected(client, /^fields\/0\/value must be a/, withField({ type, value: '' }))
    }
  })

  it('rules-13 null is 400, except for a value that is generated', async () => {
    const client = await contractClient()
    for (const name of ['title', 'favorite', 'tags', 'urls', 'sections', 'fields'])
      await expectRejected(client, new RegExp(`^${name} must be`), { [name]: null })
    for (const name of ['type', 'label', 'purpose', 'section', 'generate', 'recipe'])
      await expectRejected(client, new RegExp(`^fields/0/${name}`), withField({ [name]: null }))
    await expectRejected(client, /^fields\/0\/value/, withField({ value: null }))
    await expectAccepted(client, withField({ value: null, generate: true }))
  })

  it('rules-14 U+0000 and lone surrogates are 400 in every string', async () => {
    const client = await contractClient()
    const items = (text: string): object[] => [
      { title: text },
      { tags: [text] },
      { urls: [{ href: `https://a.example/${text}` }] },
      { urls: [{ href: 'https://a.example', label: text }] },
      { sections: [{ id: text }] },
      { sections: [{ id: 's', label: text }] },
      ...['id', 'label', 'value'].map((name) => withField({ [name]: text })),
      withField({ generate: true, recipe: { excludeCharacters: text } }),
    ]
    await expectAccepted(client, ...items('\u{1f511}'))
    for (const text of ['a\0b', 'a\ud83d', '\udd11b', '\udd11\ud83d'])
      await expectRejected(client, /must/, ...items(text))
  })

  it('rules-15 CUSTOM and DOCUMENT can be created', async () => {
    const { create } = await contractClient()
    for (const category of ['CUSTOM', 'DOCUMENT'])
      expect((await create({ category })).json).toMatchObject({ category })
  })
})
