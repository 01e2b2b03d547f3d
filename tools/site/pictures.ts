/** The pictures of the pages, which `npm run generate` writes into `docs/images`. */

import { architecture } from './pictures/architecture.ts'
import { type Picture, type Shape, type Theme, toSvg } from './pictures/draw.ts'
import { keyLife } from './pictures/key-life.ts'
import { tenantKeys } from './pictures/tenant-keys.ts'

/** All pictures, by the beginning of the names of their files. */
export const pictures: Readonly<Record<string, Picture>> = {
  architecture,
  'key-life': keyLife,
  'tenant-keys': tenantKeys,
}

const shapes: readonly Shape[] = ['wide', 'tall']
const themes: readonly Theme[] = ['light', 'dark']

/** Returns the names and the contents of the four files of a picture. */
export function pictureFiles(name: string, picture: Picture): ReadonlyMap<string, string> {
  return new Map(
    shapes.flatMap((shape) =>
      themes.map((theme) => [`${name}-${shape}-${theme}.svg`, toSvg(picture, shape, theme)]),
    ),
  )
}

/**
 * Returns the HTML that shows a picture on a page: tall on a phone, and in the theme of the reader.
 * @param folder - The folder of the images, as the page links to it.
 */
export function pictureHtml(name: string, { description }: Picture, folder: string): string {
  const dark = '(prefers-color-scheme: dark)'
  const phone = '(max-width: 600px)'
  const source = (media: string, file: string): string =>
    `  <source media="${media}" srcset="${folder}/${name}-${file}.svg">`
  return [
    '<picture>',
    source(`${phone} and ${dark}`, 'tall-dark'),
    source(phone, 'tall-light'),
    source(dark, 'wide-dark'),
    `  <img alt="${description}" src="${folder}/${name}-wide-light.svg">`,
    '</picture>',
  ].join('\n')
}
