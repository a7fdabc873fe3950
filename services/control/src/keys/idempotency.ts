import { hash } from 'node:crypto'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { Parameter } from '@tollgate/contracts/openapi/document.ts'
import { and, eq, gt, lte } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Orm, Transaction } from '../database/connect.ts'
import { idempotencyKeys } from '../database/schema/keys.ts'

/** The header that makes a creation or a rotation repeatable. */
export const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A random text. Within 24 hours, a request with the same one creates nothing, and gets 409 with the id of the key.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' }
}

/** @throws ServiceError `invalid_request` */
export function idempotencyOf({ headers }: FastifyRequest, operation: string): string | null {
  const header = headers['idempotency-key']
  if (header === undefined) return null
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw new ServiceError('invalid_request', {
      message: 'Idempotency-Key: must have 1 to 255 printable ASCII characters, without spaces'
    })
  }
  return idempotencyHash(operation, header)
}

/** The answer to a repeated request. It counts as a failure. */
export function alreadyCreated(id: string, { docsUrl, failures }: Pick<FastifyInstance, 'docsUrl' | 'failures'>) {
  failures.add('already_created')
  return { ...new ServiceError('already_created').toBody(docsUrl), key: { id } }
}

/** Control recognises a repeated request for 24 hours. */
const keptMs = 86_400_000

/**
 * The stored form of an `Idempotency-Key` and its operation.
 *
 * @param operation such as `create`: a client may send the same header for another operation
 */
export const idempotencyHash = (operation: string, header: string): string =>
  hash('sha256', JSON.stringify([operation, header]))

/** The key that an earlier request with the same header created, else null. */
export async function findMade(orm: Orm, accountId: string, hash: string, now: Date): Promise<string | null> {
  const [made] = await orm
    .select({ keyId: idempotencyKeys.keyId })
    .from(idempotencyKeys)
    .where(
      and(eq(idempotencyKeys.accountId, accountId), eq(idempotencyKeys.hash, hash), gt(idempotencyKeys.endsAt, now))
    )
  return made?.keyId ?? null
}

/** Stores what a request created, in the same transaction, and deletes expired rows. */
export async function rememberMade(
  tx: Transaction,
  accountId: string,
  hash: string,
  keyId: string,
  now: Date
): Promise<void> {
  await tx.delete(idempotencyKeys).where(lte(idempotencyKeys.endsAt, now))
  await remember(tx, accountId, hash, keyId, now)
}

/** {@link rememberMade} without deleting expired rows: outside the lock of changes, two deletions could deadlock. */
export async function remember(orm: Orm, accountId: string, hash: string, keyId: string, now: Date): Promise<void> {
  const made = { keyId, endsAt: new Date(now.getTime() + keptMs) }
  await orm
    .insert(idempotencyKeys)
    .values({ accountId, hash, ...made })
    .onConflictDoUpdate({ target: [idempotencyKeys.accountId, idempotencyKeys.hash], set: made })
}
