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

type Execute = (operation: unknown, request: Request) => Promise<unknown>

function membersOf(service: VaultService): Record<string, unknown> {
  const names = Object.getOwnPropertyNames(service)
  return Object.fromEntries(names.map((name) => [name, Reflect.get(service, name)]))
}
