/**
 * Writes the documentation site into `docs/api`, or into the folder in the first argument, and
 * checks every link in it. `npm run docs` runs it.
 */

import { join, relative } from 'node:path'
import { checkLinks } from '../site/check-links.js'
import { root, runCommand } from './run-command.js'

const folder = process.argv[2] ?? join(root, 'docs/api')

await runCommand('typedoc', ['--out', folder])
const { files, links, broken } = checkLinks(folder)
console.log(`${relative(root, folder)}: ${files} pages, ${links} links`)
for (const link of broken) console.error(`broken link: ${link}`)
if (broken.length > 0) process.exitCode = 1
