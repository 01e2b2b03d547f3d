/**
 * Writes the documentation site into `tools/site/dist`, or into the folder in the first argument,
 * and checks every link in it. `npm run docs` runs it. The packages of `tools/site` are installed
 * if they are missing.
 */

import { join, relative, resolve } from 'node:path'
import { checkLinks } from '../site/check-links.js'
import { installPackages } from './install-packages.js'
import { root, runCommand } from './run-command.js'

const site = join(root, 'tools/site')
const folder = resolve(process.argv[2] ?? join(site, 'dist'))

await installPackages('tools/site')
await runCommand(process.execPath, ['node_modules/typescript-7/bin/tsc', '-p', 'tools/site'])
await runCommand('typedoc', [])
await runCommand(process.execPath, [
  join(site, 'node_modules/vitepress/bin/vitepress.js'),
  ...['build', site, '--outDir', folder],
])
const { files, links, broken } = checkLinks(folder, '/cofferkit/')
const seconds = Math.round(performance.now() / 1_000)
console.log(`${relative(root, folder)}: ${files} pages, ${links} links, ${seconds} s`)
for (const link of broken) console.error(`broken link: ${link}`)
if (broken.length > 0) process.exitCode = 1
