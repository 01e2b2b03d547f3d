/** Keeps the token of a user, and obtains a new one when etcd no longer accepts it. */

/** The current token. */
export interface TokenSource {
  /** Returns the token, which is obtained by the first call. */
  current(): Promise<string>
  /** Returns another token than `refused`. Concurrent calls obtain one together. */
  renew(refused: string): Promise<string>
}

/** Creates a source. `authenticate` obtains a token, and is called again if it failed. */
export function createTokenSource(authenticate: () => Promise<string>): TokenSource {
  let token: Promise<string> | undefined
  const current = (): Promise<string> => {
    if (token !== undefined) return token
    const pending = authenticate()
    token = pending
    pending.catch(() => {
      if (token === pending) token = undefined
    })
    return pending
  }
  return {
    current,
    async renew(refused) {
      const before = token
      const isCurrent = (await before?.catch(() => undefined)) === refused
      if (isCurrent && token === before) token = undefined
      return current()
    },
  }
}
