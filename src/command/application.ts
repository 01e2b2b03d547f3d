/** The command line of cofferkit: its commands and the texts of its errors. */

import {
  type Application,
  ArgumentScannerError,
  buildApplication,
  buildRouteMap,
  formatMessageForArgumentScannerError,
  run,
  text_en,
} from '@stricli/core'
import { activityCommand } from './activity.js'
import { CommandError, describeError, exitCodeOf } from './command-error.js'
import { type CommandLine, packageVersion } from './command-line.js'
import { complete, completionCommand } from './completion.js'
import { copyCommand } from './copy.js'
import { doctorCommand } from './doctor.js'
import { exportCommand } from './export.js'
import { gcCommand } from './gc.js'
import { importCommand } from './import.js'
import { initCommand } from './init.js'
import { injectCommand } from './inject.js'
import { keygenCommand } from './keygen.js'
import { migrateCommand } from './migrate.js'
import { readCommand } from './read.js'
import { reencryptCommand } from './reencrypt.js'
import { relayCommand } from './relay.js'
import { rotateCommand } from './rotate.js'
import { runCommand } from './run.js'
import { seedCommand } from './seed.js'
import { serveCommand } from './serve.js'
import { tokenCommand } from './token.js'

/**
 * Runs a command to its end, and sets the exit code of `process`: 0 for success, 1 for a bug, 2 for an
 * expected failure.
 * @param words - The words of the command line, without Node and the program.
 */
export async function runCommandLine(
  words: readonly string[],
  process: CommandLine['process'],
): Promise<void> {
  const application = createApplication(words)
  const [first, ...rest] = words
  if (first === '__complete') await complete({ process }, application, rest)
  else await run(application, words, { process })
  // Wrong arguments and unknown commands have negative codes below -3.
  const code = Number(process.exitCode ?? 0)
  if (code < 0) process.exitCode = code <= -4 ? 2 : 1
}

/**
 * Creates the application. Every command is a part of it when the process starts, so a command
 * imports the heavy parts of the library only when it runs.
 * @param words - The words of the command line, for the texts of its errors.
 */
function createApplication(words: readonly string[]): Application<CommandLine> {
  return buildApplication(
    buildRouteMap({
      routes: {
        serve: serveCommand,
        relay: relayCommand,
        init: initCommand,
        seed: seedCommand,
        token: tokenCommand,
        keygen: keygenCommand,
        read: readCommand,
        inject: injectCommand,
        run: runCommand,
        export: exportCommand,
        import: importCommand,
        copy: copyCommand,
        doctor: doctorCommand,
        migrate: migrateCommand,
        rotate: rotateCommand,
        reencrypt: reencryptCommand,
        gc: gcCommand,
        activity: activityCommand,
        completion: completionCommand,
      },
      docs: {
        brief: 'A 1Password Connect-compatible secrets vault: a local server and its maintenance',
      },
    }),
    {
      name: 'cofferkit',
      versionInfo: { currentVersion: packageVersion() },
      scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
      documentation: {
        caseStyle: 'convert-camel-to-kebab',
        disableAnsiColor: true,
        onlyRequiredInUsageLine: true,
      },
      determineExitCode: exitCodeOf,
      localization: {
        text: {
          ...text_en,
          exceptionWhileParsingArguments: (error) => describeArgumentError(error, words),
          exceptionWhileLoadingCommandFunction: describeError,
          exceptionWhileLoadingCommandContext: describeError,
          exceptionWhileRunningCommand: describeError,
          commandErrorResult: describeError,
          noCommandRegisteredForInput: ({ input, corrections }) =>
            `error: unknown command ${input}${suggest(corrections)}`,
        },
      },
    },
  )
}

/** Describes wrong arguments. Values are not repeated, because one may be a token or a password. */
function describeArgumentError(error: unknown, words: readonly string[]): string {
  if (!(error instanceof ArgumentScannerError)) return describeError(error)
  const [command = ''] = words
  const afterCommand = `put -- before the command: cofferkit ${command} -- ...`
  const describeFlag = (flag: string, corrections: readonly string[]): string =>
    isFlagOfCommand(flag, words)
      ? afterCommand
      : `unknown flag ${flag}${suggest(corrections.map((name) => `--${toKebabCase(name)}`))}`
  const message = formatMessageForArgumentScannerError(error, {
    FlagNotFoundError: ({ input, corrections }) => describeFlag(`--${nameOf(input)}`, corrections),
    AliasNotFoundError: ({ input }) => describeFlag(`-${nameOf(input)}`, []),
    ArgumentParseError: ({ externalFlagNameOrPlaceholder: name, exception }) =>
      exception instanceof CommandError ? exception.message : `${name} has an invalid value`,
    EnumValidationError: ({ externalFlagName, values }) =>
      `--${externalFlagName} must be one of ${values.join(', ')}`,
    UnexpectedPositionalError: ({ expectedCount }) =>
      `too many arguments: ${expectedCount === 0 ? 'none is' : `at most ${expectedCount} are`} expected`,
  })
  return `error: ${message}\nRun cofferkit ${command} --help.`
}

/** The flags of `run` and `serve` whose value is the next word. */
const flagsWithValue =
  /^--(?:store|schema|encrypt|config|port|host|tokens?|dialect|seed|activity|history|metrics-token|trusted-proxy|rate-limit|max-connections|shutdown-delay)$/

/** Returns true if a flag belongs to the command that `run` or `serve` runs, but `--` is missing. */
function isFlagOfCommand(flag: string, [name = '', ...words]: readonly string[]): boolean {
  if (!['run', 'serve'].includes(name)) return false
  const end = words.indexOf('--')
  const own = end < 0 ? words : words.slice(0, end)
  const first = own.findIndex(
    (word, index) => !word.startsWith('-') && !flagsWithValue.test(own[index - 1] ?? ''),
  )
  return first >= 0 && own.slice(first).some((word) => word.startsWith(flag))
}

function toKebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** A flag can be written with its value, as in `--name=value`. */
function nameOf(input: string): string {
  return (input.split('=')[0] ?? '').replace(/^-+/, '').slice(0, 60)
}

function suggest(corrections: readonly string[]): string {
  return corrections.length === 0 ? '' : `, did you mean ${corrections.join(' or ')}?`
}
