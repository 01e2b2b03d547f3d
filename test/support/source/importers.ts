/** Which test files depend on a module of `test`. */

import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Returns the test files outside of `test/integrations` and `test/package` that import `module`, themselves or through others. */
export function findImporters(module: string): string[] {
  const importsOf = new Map<string, boolean>()
  const imports = (file: string): boolean => {
    const known = importsOf.get(file)
    if (known !== undefined) return known
    importsOf.set(file, file === module)
    const found = file === module || importedFiles(file).some(imports)
    importsOf.set(file, found)
    return found
  }
  const files = globSync('test/**/*.test.ts', { exclude: ['test/{integrations,package}'] })
  return files.map((file) => file.replaceAll('\\', '/')).filter(imports)
}

/** Returns the modules of `test` that a file imports. */
function importedFiles(file: string): string[] {
  const specifiers = readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+)\.js'/g)
  return [...specifiers]
    .map(([, path = '']) => `${join(dirname(file), path)}.ts`.replaceAll('\\', '/'))
    .filter((path) => path.startsWith('test/') && existsSync(path))
}
