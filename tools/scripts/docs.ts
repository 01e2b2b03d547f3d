/**
 * Writes the documentation site into `docs/api`, or into the folder in the first argument, and
 * checks every link in it. `npm run docs` runs it. The reference of the HTTP API is created first.
 */

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { checkLinks } from '../site/check-links.js'
import { docs, httpReference } from '../site/groups.js'
import { httpReferencePage } from './http-api.js'
import { root, runCommand } from './run-command.js'

const folder = process.argv[2] ?? join(root, 'docs/api')

const reference = join(docs, `${httpReference}.md`)
mkdirSync(dirname(reference), { recursive: true })
writeFileSync(reference, await httpReferencePage())
await runCommand('typedoc', ['--out', folder])
const { files, links, broken } = checkLinks(folder)
console.log(`${relative(root, folder)}: ${files} pages, ${links} links`)
for (const link of broken) console.error(`broken link: ${link}`)
if (broken.length > 0) process.exitCode = 1
