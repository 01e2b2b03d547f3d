import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { type Declarations, emitDeclarations, resolveAlias } from './support/source/declarations.js'

const declarations = emitDeclarations()

/** Members that refuse undefined, because it would widen or prolong an access. */
const withoutUndefined = [
  ...['CallerOptions.expiresAt', 'CallerOptions.use', 'Caller.expiresAt', 'Caller.use'],
  ...['AllowedUse.items', 'AllowedUse.origins', 'AllowedUse.methods', 'AllowedUse.places'],
  ...['HttpHandlerOptions.probes', 'ProbeAccess.heartbeat', 'ProbeAccess.health'],
  ...['ProbeAccess.metrics', 'ProbeAccess.openapi'],
  ...['JwtAuthenticatorOptions.isRevoked', 'SecretFetchOptions.allow'],
]

/** Types that functions take, but that are no options: what a user implements or passes on. */
const passedOn = [
  // Objects that a user implements, and what is passed to them.
  ...['RecordStore', 'RecordInput', 'RecordQuery', 'ListedRecord', 'KeyProvider', 'Dialect'],
  ...['GrantSource', 'HttpRequest', 'Authenticate', 'DraftRef', 'StoreCall'],
  // Results, and parts of them.
  ...['Item', 'ItemUrl', 'Section', 'SectionReference', 'Field', 'FileDetails', 'Vault'],
  ...[
    'HiddenValue',
    'FieldDescription',
    'CredentialView',
    'VaultEvent',
    'VaultErrorBase',
    'DecryptionError',
  ],
  ...['ActivityEntry', 'ActivityPage', 'RecordedUse', 'RecordedCredential'],
  ...['ImportedItem', 'ImportedFile', 'ImportLoss'],
  // The formats of others.
  ...['JwtKey', 'GoogleKmsClient'],
]

describe('options and inputs', () => {
  const found = findExactMembers(declarations)

  it('accept undefined for a member that can be left out, unless it would widen an access', () => {
    const exact = found.filter((name) => !passedOn.includes(name.replace(/\..*/, '')))
    expect(exact).toEqual(withoutUndefined.toSorted())
  })

  it('are told apart from types that are passed on', () => {
    const owners = new Set(found.map((name) => name.replace(/\..*/, '')))
    expect(passedOn.filter((name) => !owners.has(name))).toEqual([])
  })
})

describe('published declarations', () => {
  it('name only types that an entry point exports', () => {
    expect(findHiddenTypes(declarations)).toEqual([])
  })
})

/**
 * Returns the members of parameters that can be left out but do not accept undefined, such as
 * `CallerOptions.expiresAt`. Parameters of a parameter's methods are not parameters, but results.
 */
function findExactMembers({ checker, exported, isHere, isOurs }: Declarations): readonly string[] {
  const found = new Set<string>()
  const seen = { input: new Set<ts.Type>(), result: new Set<ts.Type>() }
  const visit = (type: ts.Type, role: 'input' | 'result'): void => {
    if (seen[role].has(type)) return
    seen[role].add(type)
    if (type.isUnion()) for (const part of type.types) visit(part, role)
    const constraint = checker.getBaseConstraintOfType(type)
    if (constraint !== undefined && constraint !== type) return visit(constraint, role)
    if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return
    const args = checker.getTypeArguments(type as ts.TypeReference) ?? []
    for (const part of [...args, ...(type.aliasTypeArguments ?? [])]) visit(part, role)
    for (const { type: value } of checker.getIndexInfosOfType(type)) visit(value, role)
    const signatures = [...type.getCallSignatures(), ...type.getConstructSignatures()]
    for (const signature of signatures) {
      if (!isFromHere(signature)) continue
      for (const parameter of signature.getParameters())
        visit(checker.getTypeOfSymbol(parameter), role === 'input' ? 'result' : 'input')
      visit(signature.getReturnType(), role)
    }
    for (const member of type.getProperties()) {
      const value = checker.getTypeOfSymbol(member)
      const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0
      const owner = ownerOf(type, member)
      if (owner === undefined || !isNamedHere(type, member)) continue
      if (role === 'input' && isOptional && !acceptsUndefined(checker, value))
        found.add(`${owner}.${member.name}`)
      visit(value, role)
    }
  }
  const isFromHere = ({ declaration }: ts.Signature): boolean =>
    declaration === undefined || isHere(declaration)
  const isNamedHere = (type: ts.Type, member: ts.Symbol): boolean =>
    // A member of a mapped type may have no declaration.
    member.declarations === undefined
      ? type.aliasSymbol !== undefined && isOurs(type.aliasSymbol)
      : isOurs(member)
  for (const { symbol } of exported)
    if (symbol.flags & ts.SymbolFlags.Value) visit(checker.getTypeOfSymbol(symbol), 'result')
  return [...found].sort()
}

/** Returns the name of the declaration around a member, or of the alias of a mapped type. */
function ownerOf(type: ts.Type, { declarations = [] }: ts.Symbol): string | undefined {
  const owner = ts.findAncestor(declarations[0], isNamed)
  return owner?.name?.text ?? type.aliasSymbol?.name
}

function isNamed(
  node: ts.Node,
): node is ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.ClassDeclaration {
  return (
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isClassDeclaration(node)
  )
}

/** Returns true for a type with `undefined`, besides that of a member that is left out. */
function acceptsUndefined(checker: ts.TypeChecker, type: ts.Type): boolean {
  const isAny = (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) !== 0
  const parts = type.isUnion() ? type.types : [type]
  return isAny || parts.includes(checker.getUndefinedType())
}

/** Returns the types that exported declarations name, but that nothing exports: `User: Hidden`. */
function findHiddenTypes({ checker, exported, isOurs }: Declarations): readonly string[] {
  const symbols = new Set(exported.map(({ symbol }) => symbol))
  const found = new Set<string>()
  const visit = (node: ts.Node, place: string): void => {
    const name = nameOf(node)
    const symbol = name && checker.getSymbolAtLocation(name)
    if (symbol !== undefined) {
      const named = resolveAlias(checker, symbol)
      const isKnown = symbols.has(named) || !isOurs(named) || isLocal(named)
      if (!isKnown) found.add(`${place}: ${named.name}`)
    }
    const isPrivate =
      ts.canHaveModifiers(node) &&
      ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)
    if (!isPrivate) ts.forEachChild(node, (child) => visit(child, place))
  }
  for (const { place, symbol } of exported)
    for (const declaration of symbol.declarations ?? []) visit(declaration, place)
  return [...found].sort()
}

/** Returns the name in a reference to a type. A `typeof` of a constant names no type. */
function nameOf(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName
  if (ts.isExpressionWithTypeArguments(node)) return node.expression
  return ts.isImportTypeNode(node) ? node.qualifier : undefined
}

/** Returns true for a type parameter, and for a member of a global namespace such as `Express`. */
function isLocal({ flags, declarations = [] }: ts.Symbol): boolean {
  const isInNamespace = declarations.some(({ parent }) => ts.isModuleBlock(parent))
  return (flags & ts.SymbolFlags.TypeParameter) !== 0 || isInNamespace
}
