/** Encodes pictures with few colors as small PNG files. */

import { crc32, deflateSync } from 'node:zlib'

const maxColors = 128

/** The pixels of a picture: four bytes each, row by row. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly rgba: Uint8Array
}

/** Returns a PNG with a palette of the most frequent colors. Opacity is ignored. */
export function encodePalettePng({ width, height, rgba }: Pixels): Uint8Array {
  const counts = new Map<number, number>()
  const colors = new Uint32Array(width * height)
  for (let pixel = 0; pixel < colors.length; pixel++) {
    const [red = 0, green = 0, blue = 0] = rgba.subarray(pixel * 4, pixel * 4 + 3)
    const color = (red << 16) | (green << 8) | blue
    colors[pixel] = color
    counts.set(color, (counts.get(color) ?? 0) + 1)
  }
  const frequent = [...counts].sort(([, left], [, right]) => right - left)
  const palette = frequent.slice(0, maxColors).map(([color]) => color)
  const indexes = new Map([...counts.keys()].map((color) => [color, nearest(palette, color)]))
  const rows = new Uint8Array((width + 1) * height) // each row begins with its filter, 0
  for (let pixel = 0; pixel < colors.length; pixel++)
    rows[pixel + Math.floor(pixel / width) + 1] = indexes.get(colors[pixel] ?? 0) ?? 0
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8) // 8 bits, palette
  const bytes = palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255])
  return Buffer.concat([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk('IHDR', header),
    chunk('PLTE', Uint8Array.from(bytes)),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', new Uint8Array()),
  ])
}

function nearest(palette: readonly number[], color: number): number {
  const distances = palette.map((other) =>
    [16, 8, 0].reduce(
      (sum, shift) => sum + (((color >> shift) & 255) - ((other >> shift) & 255)) ** 2,
      0,
    ),
  )
  return distances.indexOf(Math.min(...distances))
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type), data])
  const frame = Buffer.alloc(body.length + 8)
  frame.writeUInt32BE(data.length, 0)
  frame.set(body, 4)
  frame.writeUInt32BE(crc32(body), body.length + 4)
  return frame
}
