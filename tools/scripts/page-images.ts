/**
 * Writes the pictures of the page in `docs/images`, taken in Chromium. Run with
 * `node --import ./tools/scripts/register-sources.ts tools/scripts/page-images.ts`.
 */

import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createMemoryActivityLog } from 'cofferkit/activity'
import { createNodeListener } from 'cofferkit/node'
import { createPage } from 'cofferkit/page'
import { createTestVault } from 'cofferkit/testing'
import { chromium } from 'playwright-core'
import { encodePalettePng, type Pixels } from './palette-png.js'

const folder = process.argv[2] ?? fileURLToPath(new URL('../../docs/images/', import.meta.url))
const activity = createMemoryActivityLog()
const history = { maxVersions: 10 }
const vault = await createTestVault({ activity, history }, { extensions: true })
const { service, caller, vaultId, item, tokens } = vault
const itemId = item.id

await service.updateVault(caller, { vaultId, name: 'Web team', description: 'Staging and live' })
await service.createVault(caller, { name: 'Office', description: 'Wi-Fi, doors, printers' })
await service.createVault(caller, { name: 'Personal' })
await service.patchItem(caller, {
  vaultId,
  itemId,
  patch: [
    { op: 'replace', path: '/title', value: 'Deploy account' },
    { op: 'replace', path: '/favorite', value: true },
    { op: 'replace', path: '/sections/0/label', value: 'Recovery' },
  ],
})
for (const [category, title] of [
  ['API_CREDENTIAL', 'Mail service'],
  ['DATABASE', 'Orders database'],
  ['SERVER', 'Build server'],
  ['SECURE_NOTE', 'What to do when the site is down'],
  ['LOGIN', 'Domain registrar'],
] as const)
  await service.createItem(caller, { vaultId, item: { category, title } })

const page = createPage(vault.handler, { readOnly: false, title: 'Example Inc.' })
const server = createServer(createNodeListener(page))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking']
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args })

for (const colorScheme of ['light', 'dark'] as const)
  for (const [name, width, height] of [
    ['wide', 1280, 800],
    ['tablet', 768, 900],
    ['phone', 360, 740],
  ] as const) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height } })
    const tab = await context.newPage()
    const shoot = async (part: string): Promise<void> => {
      await tab.waitForTimeout(300)
      const pixels = await decode(await tab.screenshot())
      writeFileSync(`${folder}/page-${part}${name}-${colorScheme}.png`, encodePalettePng(pixels))
    }
    const all = process.argv[2] !== undefined
    await tab.goto(`${origin}/ui`)
    await tab.getByLabel('Access token').waitFor()
    if (all) await shoot('sign-in-')
    await tab.getByLabel('Access token').fill(tokens.full)
    await tab.keyboard.press('Enter')
    await tab.getByRole('link', { name: /Web team/ }).click()
    await tab.getByRole('link', { name: /Deploy account/ }).waitFor()
    if (all) await shoot('items-')
    await tab.getByRole('link', { name: /Deploy account/ }).click()
    await tab.getByRole('heading', { name: 'History' }).waitFor()
    if (all || name !== 'tablet') await shoot('')
    if (all) {
      await tab.getByRole('link', { name: 'Edit', exact: true }).click()
      await tab.getByLabel('Title').fill(`Deploy account of ${name} ${colorScheme}`)
      await shoot('edit-')
      await tab.keyboard.press('Enter')
      await tab.getByText('Saved.').waitFor()
      await tab.waitForTimeout(4500)
      await shoot('saved-')
      await tab.getByRole('link', { name: 'Patch' }).click()
      await shoot('patch-')
      await tab.getByRole('link', { name: 'Activity' }).click()
      await tab.getByText('denied').or(tab.getByText('ok')).first().waitFor()
      await shoot('activity-')
    }
    await context.close()
  }

await browser.close()
server.close()
server.closeAllConnections()

/** Decodes a PNG in the browser. */
async function decode(png: Uint8Array): Promise<Pixels> {
  const tab = await browser.newPage()
  const url = `data:image/png;base64,${Buffer.from(png).toString('base64')}`
  const { width, height, data } = await tab.evaluate(async (source) => {
    const image = new Image()
    image.src = source
    await image.decode()
    const { naturalWidth: width, naturalHeight: height } = image
    const context = new OffscreenCanvas(width, height).getContext('2d')
    context?.drawImage(image, 0, 0)
    const blob = new Blob([context?.getImageData(0, 0, width, height).data ?? ''])
    const reader = new FileReader()
    await new Promise((resolve) => {
      reader.onload = resolve
      reader.readAsDataURL(blob)
    })
    return { width, height, data: String(reader.result).split(',')[1] ?? '' }
  }, url)
  await tab.close()
  return { width, height, rgba: Buffer.from(data, 'base64') }
}
