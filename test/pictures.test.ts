import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const picture = readFileSync('docs/images/architecture.svg', 'utf8')

/** The left, top, right and bottom edge of the rectangle of a class, by its attributes. */
function edgesOf(attributes: string): readonly [number, number, number, number] {
  const read = (name: string): number =>
    Number(new RegExp(`\\b${name}="(\\d+)"`).exec(attributes)?.[1])
  const [x, y] = [read('x'), read('y')]
  return [x, y, x + read('width'), y + read('height')]
}

/** Each box with the first text after it. */
const boxes = [...picture.matchAll(/<rect ([^>]*)\/>\s*<text[^>]*>([^<]*)</g)].map(
  ([, attributes = '', text = '']) => ({ text, edges: edgesOf(attributes) }),
)

describe('docs/images/architecture.svg', () => {
  it('draws everything but callers, database and keys inside the process', () => {
    const { edges: process = [0, 0, 0, 0] } =
      boxes.find(({ text }) => text === 'your Node.js process') ?? {}
    const inside = boxes.filter(
      ({ edges: [left, top, right, bottom] }) =>
        left > process[0] && top > process[1] && right < process[2] && bottom < process[3],
    )
    expect(inside.map(({ text }) => text)).toEqual([
      'login',
      'vault service',
      'encryption',
      'store adapter',
    ])
  })

  it('is not wider than a phone, and has a text alternative in itself and in each page', () => {
    expect(Number(/viewBox="0 0 (\d+)/.exec(picture)?.[1])).toBeLessThanOrEqual(328)
    const description = 'your database, which holds ciphertext only'
    expect(/<desc[^>]*>([^<]*)</.exec(picture)?.[1]).toContain(description)
    for (const page of ['README.md', 'docs/index.md'])
      expect(
        /!\[([^\]]*)\]\([^)]*architecture\.svg\)/.exec(readFileSync(page, 'utf8'))?.[1],
      ).toContain(description)
  })
})
