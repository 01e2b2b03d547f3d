/** The declarations that the package publishes, as the compiler writes them from the sources. */

import { join } from 'node:path'
import ts from 'typescript'
import { entryPoints } from '../../../../tools/scripts/entry-points.js'
import { createHost, projectOptions } from './compiler.js'

/** Something that an entry point exports. */
interface PublishedExport {
  /** Such as `cofferkit/http:createHttpHandler`. */
  readonly place: string
  readonly symbol: ts.Symbol
}

/** The declarations of all entry points. */
export interface Declarations {
  readonly checker: ts.TypeChecker
  readonly exported: readonly PublishedExport[]
  /** Returns true for a node of a file of the package. */
  isHere(node: ts.Node): boolean
  /** Returns true for what a file of the package declares. */
  isOurs(symbol: ts.Symbol): boolean
}

const root = process.cwd()

/** Where the declarations would be, if they were written. */
const folder = join(root, 'reports/declarations')

/** Returns the declarations of all entry points. */
export function emitDeclarations(): Declarations {
  const entries = entryPoints()
  const options = { ...projectOptions(), emitDeclarationOnly: true, noEmit: false, outDir: folder }
  const sources = ts.createProgram({
    rootNames: entries.map(({ source }) => join(root, source)),
    options: { ...options, rootDir: join(root, 'src') },
    host: createHost(options),
  })
  const texts = new Map<string, string>()
  sources.emit(undefined, (path, text) => texts.set(path, text))
  const pathOf = (source: string) =>
    join(folder, source.replace(/^src\//, '').replace(/\.ts$/, '.d.ts'))
  const host = createHost(projectOptions(), texts)
  host.directoryExists = (path) => path.startsWith(folder) || ts.sys.directoryExists(path)
  const program = ts.createProgram({
    rootNames: entries.map(({ source }) => pathOf(source)),
    options: projectOptions(),
    host,
  })
  const checker = program.getTypeChecker()
  const exported = entries.flatMap(({ specifier, source }) => {
    const file = program.getSourceFile(pathOf(source))
    const symbol = file && checker.getSymbolAtLocation(file)
    if (symbol === undefined) throw new Error(`${specifier} has no declarations`)
    return checker.getExportsOfModule(symbol).map((one) => ({
      place: `${specifier}:${one.name}`,
      symbol: resolveAlias(checker, one),
    }))
  })
  const isHere = (node: ts.Node): boolean => node.getSourceFile().fileName.startsWith(folder)
  const isOurs = ({ declarations = [] }: ts.Symbol): boolean => declarations.some(isHere)
  return { checker, exported, isHere, isOurs }
}

/** Returns the symbol that an `import` or `export` names. */
export function resolveAlias(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}
