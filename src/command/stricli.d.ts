/**
 * The members of `@stricli/core` that the command uses. The package's own types do not compile with
 * `exactOptionalPropertyTypes`.
 */

/** The process of a command: its streams and its exit code. */
export interface CommandContext {
  readonly process: object
}

interface Flag {
  readonly kind: 'parsed' | 'boolean' | 'enum'
  readonly brief: string
  readonly placeholder?: string
  readonly optional?: boolean
  readonly hidden?: boolean
  readonly default?: string | boolean
  /** Of a flag of kind `parsed`. Can throw an error for an invalid value. */
  readonly parse?: (text: string) => unknown
  /** Of a flag of kind `enum`. */
  readonly values?: readonly string[]
  /** Of a flag of kind `boolean`: false if there is no flag with `no-` before the name. */
  readonly withNegated?: boolean
}

interface Positional {
  readonly brief: string
  readonly placeholder: string
  readonly parse: (text: string) => unknown
  readonly optional?: boolean
}

type CommandFunction<Flags, Positionals extends readonly unknown[], Context> = (
  this: Context,
  flags: Flags,
  ...values: Positionals
) => Promise<void>

/** A command, or a group of commands. */
export interface Command<Context> {
  readonly loader: (this: Context) => unknown
}

/** Creates a command, which is loaded when it is called. */
export function buildCommand<Flags, Positionals extends readonly unknown[], Context>(command: {
  readonly loader: () => Promise<CommandFunction<Flags, Positionals, Context>>
  readonly parameters: {
    readonly flags?: { readonly [Name in keyof Flags]-?: Flag }
    readonly positional?:
      | {
          readonly kind: 'tuple'
          readonly parameters: { readonly [Index in keyof Positionals]-?: Positional }
        }
      | { readonly kind: 'array'; readonly parameter: Positional; readonly minimum?: number }
  }
  readonly docs: {
    readonly brief: string
    readonly fullDescription?: string
    readonly customUsage?: readonly (string | { readonly input: string; readonly brief: string })[]
  }
}): Command<Context>

/** Creates a group of commands. */
export function buildRouteMap<Context>(group: {
  readonly routes: Readonly<Record<string, Command<Context>>>
  readonly docs: {
    readonly brief: string
    readonly fullDescription?: string
    readonly hideRoute?: Readonly<Record<string, boolean>>
  }
}): Command<Context>

/** The texts of errors. */
interface Texts {
  readonly exceptionWhileParsingArguments: (error: unknown) => string
  readonly exceptionWhileLoadingCommandFunction: (error: unknown) => string
  readonly exceptionWhileLoadingCommandContext: (error: unknown) => string
  readonly exceptionWhileRunningCommand: (error: unknown) => string
  readonly commandErrorResult: (error: unknown) => string
  readonly noCommandRegisteredForInput: (unknown: {
    readonly input: string
    readonly corrections: readonly string[]
  }) => string
}

/** The English texts of the package. */
export const text_en: Texts

/** A program with its commands. */
export interface Application<Context> {
  readonly root: Command<Context>
}

/** Creates a program. */
export function buildApplication<Context>(
  root: Command<Context>,
  options: {
    readonly name: string
    readonly versionInfo: { readonly currentVersion: string }
    readonly scanner: {
      readonly caseStyle: 'allow-kebab-for-camel'
      readonly allowArgumentEscapeSequence: boolean
    }
    readonly documentation: {
      readonly caseStyle: 'convert-camel-to-kebab'
      readonly disableAnsiColor: boolean
      readonly onlyRequiredInUsageLine: boolean
    }
    readonly determineExitCode: (error: unknown) => number
    readonly localization: { readonly text: Texts }
  },
): Application<Context>

/** Runs a program, and sets the exit code of its process. */
export function run<Context extends CommandContext>(
  application: Application<Context>,
  parameters: readonly string[],
  context: Context,
): Promise<void>

/** Returns the words that can follow, for the completion of a shell. */
export function proposeCompletions<Context extends CommandContext>(
  application: Application<Context>,
  parameters: readonly string[],
  context: Context,
): Promise<readonly { readonly completion: string; readonly brief: string }[]>

/** An error of wrong arguments. */
export abstract class ArgumentScannerError extends Error {}

interface Unknown {
  readonly input: string
  readonly corrections: readonly string[]
}

/** Returns the text of an error of wrong arguments. */
export function formatMessageForArgumentScannerError(
  error: ArgumentScannerError,
  texts: {
    readonly FlagNotFoundError: (error: Unknown) => string
    readonly AliasNotFoundError: (error: Pick<Unknown, 'input'>) => string
    readonly ArgumentParseError: (error: {
      readonly externalFlagNameOrPlaceholder: string
      readonly exception: unknown
    }) => string
    readonly EnumValidationError: (error: {
      readonly externalFlagName: string
      readonly values: readonly string[]
    }) => string
    readonly UnexpectedPositionalError: (error: { readonly expectedCount: number }) => string
  },
): string
