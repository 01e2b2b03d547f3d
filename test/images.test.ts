import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Kind, palettes } from '../tools/site/pictures/draw.js'
import { pictureFiles, pictureHtml, pictures } from '../tools/site/pictures.js'
import { listPages, readPage } from './support/source/pages.js'

const images = 'docs/images'
const read = (file: string): string => readFileSync(`${images}/${file}`, 'utf8')

describe.each(Object.entries(pictures))('picture %s', (name, picture) => {
  const files = [...pictureFiles(name, picture)]

  it('is stored as `npm run generate` writes it', () => {
    expect(files).toHaveLength(4)
    expect(files.map(([file]) => [file, read(file)])).toEqual(files)
  })

  it.each(files)('%s has a title and a description', (_file, svg) => {
    expect(svg).toContain(`<title id="title">${picture.title}</title>`)
    expect(svg).toContain(`<desc id="description">${picture.description}</desc>`)
  })

  it('has the same words in every file', () => {
    const [first, ...others] = files.map(([, svg]) => wordsIn(svg))
    expect(first?.length).toBeGreaterThan(20)
    for (const words of others) expect(words).toEqual(first)
  })

  it('is the same in light and dark but for its style', () => {
    const drawing = (shape: string, theme: string): string =>
      read(`${name}-${shape}-${theme}.svg`).replace(/<style>[\s\S]*<\/style>/, '')
    for (const shape of ['wide', 'tall'])
      expect(drawing(shape, 'dark')).toBe(drawing(shape, 'light'))
  })

  it('is shown in all four forms, with its description, wherever it is shown', () => {
    const showing = listPages().filter((page) => readPage(page).includes(`/${name}-`))
    expect(showing).toContain('docs/how-it-works.md')
    for (const page of showing) {
      const folder = page.startsWith('docs/') ? './images' : images
      const shown = readPage(page).split(pictureHtml(name, picture, folder))
      expect(shown, page).toHaveLength(2)
      expect(shown.join(''), page).not.toContain(`/${name}-`)
    }
  })
})

describe('docs/images', () => {
  it('has no drawing besides these pictures', () => {
    const written = Object.entries(pictures).flatMap(([name, picture]) => [
      ...pictureFiles(name, picture).keys(),
    ])
    const stored = readdirSync(images).filter((file) => file.endsWith('.svg'))
    expect(stored.sort()).toEqual(written.sort())
  })
})

describe('palettes', () => {
  it.each(Object.entries(palettes))('%s has enough contrast', (_theme, colors) => {
    const kinds = Object.keys(colors.fill) as Kind[]
    for (const background of [colors.page, ...Object.values(colors.fill)])
      for (const color of [colors.text, colors.soft])
        expect(contrastOf(color, background), `${color} on ${background}`).toBeGreaterThan(4.5)
    for (const kind of kinds)
      expect(contrastOf(colors.line[kind], colors.page), kind).toBeGreaterThan(3)
  })
})

/** Returns the words of a picture in the order of the alphabet, since each shape has its own. */
function wordsIn(svg: string): readonly string[] {
  const texts = [...svg.matchAll(/<text[^>]*>(.*)<\/text>/g)]
  const words = texts.map(([, text = '']) => text.replace(/<[^>]+>/g, ''))
  return words.join(' ').split(/\s+/).sort()
}

/** Returns the contrast of two colors, by WCAG 2. */
function contrastOf(first: string, second: string): number {
  const [lower = 0, higher = 0] = [luminanceOf(first), luminanceOf(second)].sort((a, b) => a - b)
  return (higher + 0.05) / (lower + 0.05)
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(color.slice(start, start + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
