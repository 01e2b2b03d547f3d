/** Hooks of ORMs that seal the tokens of integrations, as docs/seal-hooks.md shows them. */

import type { EntitySubscriberInterface, InsertEvent, UpdateEvent } from 'typeorm'
import type { RowPart, SealedBox, Sealer } from '../../../../src/seal.js'

interface WithToken {
  readonly id?: RowPart
  readonly token?: string
}
interface WriteArguments {
  readonly data: WithToken
  readonly where: WithToken
  readonly create: WithToken
  readonly update: WithToken
}
interface Call<Arguments> {
  readonly args: Arguments
  query(args: object): Promise<unknown>
}

/** An extension of Prisma for the requests of one tenant. */
export function sealTokens(box: SealedBox): object {
  const tokens = box.column('integrations', 'token')
  // Without an id, or with a token such as { set: '…' }, this throws a TypeError.
  const seal = <Data extends WithToken>(id: RowPart | undefined, data: Data): Data =>
    data.token === undefined ? data : { ...data, token: tokens.seal(id as RowPart, data.token) }
  const create = ({ args, query }: Call<WriteArguments>) =>
    query({ ...args, data: [args.data].flat().map((data) => seal(data.id, data)) })
  const refuse = ({ args, query }: Call<WriteArguments>) => {
    if (args.data.token !== undefined) throw new TypeError('a token is sealed for one row')
    return query(args)
  }
  return {
    query: {
      integration: {
        create: ({ args, query }: Call<WriteArguments>) =>
          query({ ...args, data: seal(args.data.id, args.data) }),
        createMany: create,
        createManyAndReturn: create,
        update: ({ args, query }: Call<WriteArguments>) =>
          query({ ...args, data: seal(args.where.id, args.data) }),
        updateMany: refuse,
        updateManyAndReturn: refuse,
        upsert: ({ args, query }: Call<WriteArguments>) =>
          query({
            ...args,
            create: seal(args.create.id, args.create),
            update: seal(args.where.id, args.update),
          }),
      },
    },
    result: {
      integration: {
        token: {
          needs: { id: true, token: true },
          compute: ({ id, token }: { id: bigint; token: string }) => tokens.open(id, token),
        },
      },
    },
  }
}

interface TokenRow {
  id: string
  account: string
  token: string
}

/** A subscriber of TypeORM. The token of an entity that was saved is the sealed one. */
export class TokenSubscriber implements EntitySubscriberInterface<TokenRow> {
  readonly #sealer: Sealer
  constructor(sealer: Sealer) {
    this.#sealer = sealer
  }
  listenTo() {
    return 'integrations'
  }
  async beforeInsert({ entity }: InsertEvent<TokenRow>): Promise<void> {
    await this.#seal(entity)
  }
  async beforeUpdate({ entity, databaseEntity }: UpdateEvent<TokenRow>): Promise<void> {
    if (entity !== undefined && entity['token'] !== databaseEntity?.token)
      await this.#seal(entity as TokenRow)
  }
  async #seal(entity: TokenRow): Promise<void> {
    const box = await this.#sealer.box(entity.account)
    entity.token = box.column('integrations', 'token').seal(entity.id, entity.token)
  }
}
