/** A subscriber of TypeORM that seals the column `token` of a table `integrations`. */

import type { Sealer } from 'cofferkit/seal'
import type {
  EntitySubscriberInterface,
  InsertEvent,
  UpdateEvent,
} from 'typeorm'

interface TokenRow {
  id: string
  account: string
  token: string
}

/** Add it to `dataSource.subscribers`. After a save, the entity has the sealed token. */
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
  async beforeUpdate({
    entity,
    databaseEntity,
  }: UpdateEvent<TokenRow>): Promise<void> {
    if (entity !== undefined && entity['token'] !== databaseEntity?.token)
      await this.#seal(entity as TokenRow)
  }
  async #seal(entity: TokenRow): Promise<void> {
    const box = await this.#sealer.box(entity.account)
    entity.token = box
      .column('integrations', 'token')
      .row(entity.id)
      .seal(entity.token)
  }
}
