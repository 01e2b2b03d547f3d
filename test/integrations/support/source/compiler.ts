/**
 * Type checks of modules that exist only as text, and the exports of the package, by the compiler.
 */

import { join } from 'node:path'
import ts from 'typescript'
import { openApiDocuments, openApiText } from '../../../../tools/openapi/documents.js'
import { entryPoints } from '../../../../tools/scripts/entry-points.js'

/** Returns the names that each entry of the package exports, types included, by entry. */
export function exportsOfEntries(): ReadonlyMap<string, readonly string[]> {
  const options = projectOptions()
  const entries = entryPoints()
  const program = ts.createProgram({
    rootNames: entries.map(({ source }) => source),
    options,
    host: createHost(options),
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

/** The modules are in this folder, so that they find its packages. */
const folder = join(process.cwd(), 'test/integrations')

/** Compiler options of a Node project without the types of browsers. */
export const withoutDom: ts.CompilerOptions = { lib: ['lib.es2023.d.ts'], types: ['node'] }

/**
 * Type-checks modules against the sources. Returns their errors as `<path>:<line> <message>`;
 * errors in the sources are left out.
 * @param modules The text of each module, by path from `test/integrations`.
 */
export function compileErrors(
  modules: ReadonlyMap<string, string>,
  others: ts.CompilerOptions = {},
): readonly string[] {
  const options = { ...projectOptions(), noUnusedLocals: false, skipLibCheck: true, ...others }
  const texts = new Map([...modules].map(([name, text]) => [join(folder, name), text]))
  const host = createHost(options, new Map([...texts, ...openApiModules()]))
  const program = ts.createProgram({ rootNames: [...texts.keys()], options, host })
  // Only the modules are checked: a check of all sources takes several seconds.
  const ofModules = [...texts.keys()].flatMap((path) => {
    const file = program.getSourceFile(path)
    if (file === undefined) throw new Error(`${path} is not part of the program`)
    return [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
      ...program.getDeclarationDiagnostics(file),
    ]
  })
  const errors = [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...ofModules,
  ]
  return errors.map(({ file, start = 0, messageText }) => {
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1
    return `${file?.fileName}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
}

/** The OpenAPI documents, which only a build has, where `paths` of tsconfig.json looks for them. */
function openApiModules(): readonly (readonly [path: string, text: string])[] {
  const names = Object.keys(openApiDocuments) as (keyof typeof openApiDocuments)[]
  return names.map((name) => [
    join(process.cwd(), `src/${name}.ts`),
    `export default ${openApiText(name)}`,
  ])
}

/**
 * Parsed files by language version and path. Files of the project do not change while tests run.
 */
const parsed = new Map<string, ts.SourceFile | undefined>()

/** A host that parses every file once per process; `texts` are files that exist only here. */
export function createHost(
  options: ts.CompilerOptions,
  texts: ReadonlyMap<string, string> = new Map(),
): ts.CompilerHost {
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (path) => texts.has(path) || fileExists(path)
  host.readFile = (path) => texts.get(path) ?? readFile(path)
  host.getSourceFile = (path, version, ...rest) => {
    if (texts.has(path)) return getSourceFile.call(host, path, version, ...rest)
    const key = JSON.stringify([path, version])
    if (!parsed.has(key)) parsed.set(key, getSourceFile.call(host, path, version, ...rest))
    return parsed.get(key)
  }
  return host
}

/** The compiler options of tsconfig.json. */
export function projectOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  return ts.parseJsonConfigFileContent(config, ts.sys, process.cwd()).options
}
