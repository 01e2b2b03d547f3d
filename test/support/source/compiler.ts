/** Asks the TypeScript compiler about the sources, and about text that is in no file. */

import { join } from 'node:path'
import ts from 'typescript'
import { entryPoints } from '../../../scripts/entry-points.js'

/** The names that each entry of the package exports, by the entry's name; types too. */
export function exportsOfEntries(): ReadonlyMap<string, readonly string[]> {
  const entries = entryPoints()
  const program = ts.createProgram({
    rootNames: entries.map(({ source }) => source),
    options: projectOptions(),
  })
  const checker = program.getTypeChecker()
  return new Map(
    entries.map(({ specifier, source }) => {
      const file = program.getSourceFile(source)
      const symbol = file && checker.getSymbolAtLocation(file)
      const names = symbol ? checker.getExportsOfModule(symbol).map(({ name }) => name) : []
      return [specifier, names]
    }),
  )
}

/** The types of a Node project that knows no browser. */
export const withoutDom: ts.CompilerOptions = { lib: ['lib.es2023.d.ts'], types: ['node'] }

/** What the compiler finds wrong with these modules, and not with the sources; each is told by its name and line. */
export function faultsIn(
  modules: ReadonlyMap<string, string>,
  others: ts.CompilerOptions = {},
): readonly string[] {
  const options = { ...projectOptions(), noUnusedLocals: false, skipLibCheck: true, ...others }
  const texts = new Map([...modules].map(([name, text]) => [join(process.cwd(), name), text]))
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile } = host
  host.fileExists = (path) => texts.has(path) || fileExists(path)
  host.readFile = (path) => texts.get(path) ?? readFile(path)
  const program = ts.createProgram({ rootNames: [...texts.keys()], options, host })
  return ts.getPreEmitDiagnostics(program).flatMap(({ file, start = 0, messageText }) => {
    if (file !== undefined && !texts.has(file.fileName)) return []
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1
    return [`${file?.fileName}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`]
  })
}

/** The compiler options of tsconfig.json. */
export function projectOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  return ts.parseJsonConfigFileContent(config, ts.sys, process.cwd()).options
}
