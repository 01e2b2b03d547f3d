/** An extension of Prisma that seals the column `token` of a table `integrations`, and opens it. */

import type { RowPart, SealedBox } from 'cofferkit/seal'

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

/** Returns the extension for the requests of one tenant: `prisma.$extends(sealTokens(box))`. */
export function sealTokens(box: SealedBox): object {
  const tokens = box.column('integrations', 'token')
  // Without an id, or with a token such as { set: '…' }, this throws a TypeError.
  const seal = <Data extends WithToken>(
    id: RowPart | undefined,
    data: Data,
  ): Data =>
    data.token === undefined
      ? data
      : { ...data, token: tokens.row(id as RowPart).seal(data.token) }
  const create = ({ args, query }: Call<WriteArguments>) =>
    query({
      ...args,
      data: [args.data].flat().map((data) => seal(data.id, data)),
    })
  const refuse = ({ args, query }: Call<WriteArguments>) => {
    if (args.data.token !== undefined)
      throw new TypeError('a token is sealed for one row')
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
          compute: ({ id, token }: { id: bigint; token: string }) =>
            tokens.row(id).open(token),
        },
      },
    },
  }
}
