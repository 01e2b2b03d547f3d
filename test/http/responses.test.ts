import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { downloadResponse } from '../../src/http/responses.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'
import { codePoint } from '../support/arbitraries/strings.js'
import { streamOf } from '../support/bytes.js'

const form = /^attachment; filename="([^"\\%]*)"; filename\*=UTF-8''([\w!#$&+\-.^`|~%]*)$/

function dispositionOf(name: string): string {
  return (
    downloadResponse('id', { name, size: 0, content: streamOf([]) }).headers[
      'content-disposition'
    ] ?? ''
  )
}

describe('downloadResponse Content-Disposition', () => {
  it.each([
    ['plain', 'report.pdf', 'report.pdf', 'report.pdf'],
    ['a space', 'a b.txt', 'a b.txt', 'a%20b.txt'],
    ['CR and LF', 'a\r\nset-cookie: x', 'a__set-cookie: x', 'a%0D%0Aset-cookie%3A%20x'],
    ['quotes and a backslash', '"a\\"', '_a__', '%22a%5C%22'],
    ['NUL', 'a\0b', 'a_b', 'a%00b'],
    ['DEL', 'a\x7fb', 'a_b', 'a%7Fb'],
    ['a bidi control', 'exe.\u202etxt', 'exe._txt', 'exe.%E2%80%AEtxt'],
    ['an accent', 'naïve.txt', 'na_ve.txt', 'na%C3%AFve.txt'],
    ['a percent sign', '100%41', '100_41', '100%2541'],
    ['an astral character', '😀.png', '__.png', '%F0%9F%98%80.png'],
    ['characters that RFC 8187 forbids', "it's(1)*.txt", "it's(1)*.txt", 'it%27s%281%29%2A.txt'],
    ['a path', '../../etc/passwd', '../../etc/passwd', '..%2F..%2Fetc%2Fpasswd'],
    ['a lone high surrogate', 'a\ud800', 'a_', 'a%EF%BF%BD'],
    ['a lone low surrogate', '\udc00a', '_a', '%EF%BF%BDa'],
  ])('contains a name with %s', (_what, name, ascii, encoded) => {
    expect(dispositionOf(name)).toBe(`attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`)
  })

  it('has the form of RFC 6266 and 8187 for any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (name) => {
        const [, ascii = '', encoded = ''] = form.exec(dispositionOf(name)) ?? []
        expect(ascii).toMatch(/^[\x20-\x7e]*$/)
        expect(decodeURIComponent(encoded)).toBe(name)
      }),
      { numRuns: propertyRuns() },
    )
  })

  it.each([
    ['as long as a file system allows', 'é'.repeat(255), 'é'.repeat(255)],
    ['longer', 'a'.repeat(9000), 'a'.repeat(255)],
    ['longer, with an extension', `${'a'.repeat(9000)}.PDF`, `${'a'.repeat(251)}.PDF`],
    ['longer, with two extensions', `${'a'.repeat(300)}.tar.gz`, `${'a'.repeat(252)}.gz`],
    ['longer, with no simple extension', `${'a'.repeat(300)}.pdf `, 'a'.repeat(255)],
    ['all extension', `.${'a'.repeat(300)}`, `.${'a'.repeat(254)}`],
    ['of pairs of surrogates', `a${'🗝'.repeat(300)}.txt`, `a${'🗝'.repeat(250)}.txt`],
  ])('truncates a name to 255 whole characters: %s', (_what, name, short) => {
    const [, ascii = '', encoded = ''] = form.exec(dispositionOf(name)) ?? []
    expect(decodeURIComponent(encoded)).toBe(short)
    expect(ascii).toBe(short.replace(/[^ -~]/g, '_'))
    expect(dispositionOf(name).length).toBeLessThan(4096)
  })

  it('never throws for any UTF-16 code units', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff })), (units) => {
        expect(dispositionOf(String.fromCharCode(...units))).toMatch(form)
      }),
      { numRuns: propertyRuns() },
    )
  })
})
