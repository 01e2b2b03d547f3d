/** Replaces operations of a service, which a service itself does not allow. */

import type { CallerOperations, CallOptions, VaultOperations, VaultService } from 'cofferkit'

/** Members of a service that are called instead of its own. */
export type Replacements = Partial<VaultOperations & Pick<VaultService, 'as' | 'now'>>

type Method = (caller: unknown, input: unknown, options?: CallOptions) => Promise<unknown>

interface Request {
  readonly ids: unknown
  login(): unknown
  readInput(): unknown
  readonly onUnreadable?: CallOptions['onUnreadable']
}

/**
 * Returns the service with other members. Over HTTP and by `as`, they are called, too. HTTP does not
 * check the permissions of an operation that is replaced.
 */
export function replaceOperations(service: VaultService, replaced: Replacements): VaultService {
  const members = membersOf(service)
  const execute = members['execute'] as Execute
  Object.assign(members, {
    as: (caller: unknown): CallerOperations => {
      const bound = Object.entries(members).map(([name, method]) => [
        name,
        (input: unknown = {}, options?: CallOptions) => (method as Method)(caller, input, options),
      ])
      return Object.fromEntries(bound)
    },
    async execute(operation: string, request: Request): Promise<unknown> {
      const method = Reflect.get(replaced, operation) as Method | undefined
      if (method === undefined) return execute(operation, request)
      const caller = await request.login()
      const { onUnreadable } = request
      return method(caller, await request.readInput(), onUnreadable && { onUnreadable })
    },
    ...replaced,
  })
  return members as unknown as VaultService
}

/**
 * Returns the service with other inputs of the operations that credentials, token keepers and HTTP
 * execute. `change` is called with the input of each call.
 */
export function replaceInputs(
  service: VaultService,
  change: (input: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
): VaultService {
  const members = membersOf(service)
  const execute = members['execute'] as Execute
  members['execute'] = async (operation: unknown, request: Request) => {
    const input = change(Object(await request.readInput()))
    return execute(operation, { ...request, ids: input, readInput: () => input })
  }
  return members as unknown as VaultService
}

type Execute = (operation: unknown, request: Request) => Promise<unknown>

function membersOf(service: VaultService): Record<string, unknown> {
  const names = Object.getOwnPropertyNames(service)
  return Object.fromEntries(names.map((name) => [name, Reflect.get(service, name)]))
}

/** Returns the operations of a caller with others instead of some of them. */
export function replaceBound(
  bound: CallerOperations,
  replaced: Partial<CallerOperations>,
): CallerOperations {
  const names = Object.getOwnPropertyNames(bound)
  const own = Object.fromEntries(names.map((name) => [name, Reflect.get(bound, name)]))
  return { ...(own as unknown as CallerOperations), ...replaced }
}
