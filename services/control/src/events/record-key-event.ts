import type { EventData } from '@tollgate/contracts/events/event-types.ts'
import type { Transaction } from '../database/connect.ts'
import type { keys } from '../database/schema/keys.ts'
import { recordEvent, recordEvents } from './record-event.ts'

/** The columns of a key that events name. */
export type NamedKey = Pick<typeof keys.$inferSelect, 'id' | 'accountId' | 'label' | 'scope' | 'metadata'>

export const toEventKey = ({ id, label, scope, metadata }: NamedKey): EventData<'key.created'>['key'] => ({
  ...{ id, label, scope, metadata }
})

export async function recordKeyCreated(tx: Transaction, key: NamedKey, at: Date): Promise<void> {
  await recordEvent(tx, { type: 'key.created', accountId: key.accountId, data: { key: toEventKey(key) }, at })
}

/** @param oldSecretUntil how long the old secret works; null if it stopped at once */
export async function recordKeyRotated(
  tx: Transaction,
  key: NamedKey,
  oldSecretUntil: Date | null,
  at: Date
): Promise<void> {
  const data = { key: toEventKey(key), old_secret_until: oldSecretUntil?.toISOString() ?? null }
  await recordEvent(tx, { type: 'key.rotated', accountId: key.accountId, data, at })
}

/** @param note why an operator did it */
export async function recordKeysRevoked(
  tx: Transaction,
  revoked: readonly NamedKey[],
  at: Date,
  note?: string
): Promise<void> {
  const why = note === undefined ? {} : { note }
  await recordEvents(
    tx,
    revoked.map((key) => ({
      type: 'key.revoked',
      accountId: key.accountId,
      data: { key: toEventKey(key), ...why },
      at
    }))
  )
}
