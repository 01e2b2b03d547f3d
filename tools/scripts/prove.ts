/**
 * Runs one of the programs in `reliability/`, in this process.
 *
 * `npm run prove -- <name> [options]`, such as `npm run prove -- crash --short`. The options are
 * described at the top of each program. Without a name, or with an unknown one, the names are
 * listed. The exit code is that of the program; it is 1 if no program was found.
 */

import { readdirSync } from 'node:fs'

const folder = new URL('../reliability/', import.meta.url)
const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => entry.name.slice(0, -'.ts'.length))
  .sort()

// The program finds its own options where it would if it had been started directly.
const [name = ''] = process.argv.splice(2, 1)
if (names.includes(name)) {
  await import(new URL(`${name}.ts`, folder).href)
} else {
  if (name !== '') console.error(`There is no reliability/${name}.ts.\n`)
  console.error(`Usage: npm run prove -- <name> [options]\n\nNames: ${names.join(', ')}`)
  process.exitCode = 1
}
