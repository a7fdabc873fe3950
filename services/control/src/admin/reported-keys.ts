import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import {
  FindReportedKeyRequest,
  FoundKeyResponse,
  RevokedKeyResponse,
  RevokeReportedKeyRequest
} from '@tollgate/contracts/http/admin/keys.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { digestSecret } from '@tollgate/contracts/keys/secret.ts'
import { eq, or, type SQL } from 'drizzle-orm'
import type { By } from '../audit/record-audit.ts'
import type { Orm } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { formerSecrets, keys } from '../database/schema/keys.ts'
import { users } from '../database/schema/users.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { revokeActiveKey } from '../keys/revoke-key.ts'
import type { KeyRevokedByOperator } from '../mail/mail-content.ts'
import { queueMail } from '../mail/queue-mail.ts'
import { readKey } from './account-parts.ts'
import { byOperator, recordAct } from './acts.ts'
import type { AdminContext } from './admin-context.ts'

/**
 * `POST /keys/find`: whose key somebody reported. `POST /keys/revoke`: revokes it, ends its open requests, and mails
 * the owner of its account.
 */
export function reportedKeys(app: TypedApp, context: AdminContext): void {
  const { database, projector, isMailing, clock } = context

  // Not in an address, which logs and browsers would keep with the secret.
  app.post(
    '/keys/find',
    {
      onRequest: app.requireOperator,
      schema: {
        operationId: 'findReportedKey',
        summary: 'Get whose key somebody reported',
        description:
          'Name the key by its id, its secret, or the SHA-256 (hex) of its secret. A secret that a rotation replaced also names its key. Nothing changes.',
        errors: ['not_found'],
        body: FindReportedKeyRequest,
        response: answers({ 200: FoundKeyResponse })
      }
    },
    async (request) => {
      const { id, accountId, ownerEmail, ownerName } = await findKey(database.orm, request.body)
      const key = await readKey(database.orm, id, clock())
      return { key: { ...key, account_id: accountId, owner_email: ownerEmail ?? '', owner_name: ownerName ?? '' } }
    }
  )

  app.post(
    '/keys/revoke',
    {
      onRequest: [app.requireSupport, app.requireOperatorConfirmation],
      schema: {
        operationId: 'revokeReportedKey',
        summary: 'Revoke a key that somebody reported, for instance a leaked one',
        description:
          'Needs the role `support` and a confirmation. Name the key by its id, its secret, or the SHA-256 (hex) of its secret. A secret that a rotation replaced also names its key. After success, gateways admit no request with the key. The owner of the account gets one mail. `revocation_pending` means that the key is revoked, but some gateways may still accept it for a moment. Safe to repeat.',
        errors: ['not_found', 'revocation_pending'],
        body: RevokeReportedKeyRequest,
        response: answers({ 200: RevokedKeyResponse })
      }
    },
    async (request) => {
      const key = await findKey(database.orm, request.body)
      const { reason } = request.body
      const isNew = await revoke(database.orm, key, reason, byOperator(request, clock()))
      const { id, label, prefix, accountId } = key
      // After the owner is deleted there is no address.
      const isMailed = isNew && isMailing && key.ownerEmail !== null && key.ownerEmail !== ''
      // A repeated call reports whether the revocation is in force now.
      const isInForce = await projector.keyRevoked(accountId, id)
      if (!isInForce) throw new ServiceError('revocation_pending')
      return { key: { id, label, prefix, account_id: accountId }, mailed: isMailed }
    }
  )
}

/** @throws ServiceError `not_found` */
async function findKey(orm: Orm, reported: FindReportedKeyRequest): Promise<ReportedKey> {
  const key = await findReportedKey(orm, reported)
  if (key === null) {
    throw new ServiceError('not_found', { message: 'No key matches. Check that you pasted all of it.' })
  }
  return key
}

/** Revokes a key, and queues the mail to its owner. @returns false if the key was revoked before */
async function revoke(
  orm: Orm,
  { id, accountId, label, scope, prefix, status }: ReportedKey,
  reason: string,
  by: By & { actorId: string }
): Promise<boolean> {
  if (status === 'revoked') return false
  return await orm.transaction(async (tx) => {
    if (!(await revokeActiveKey(tx, { accountId, id, cutStreams: true }, { ...by, note: reason, detail: {} })))
      return false
    await recordAct(tx, by, { action: 'key.revoked', accountId, subject: id, reason, detail: { label, prefix } })
    const data = { label, scope, prefix, reason } satisfies KeyRevokedByOperator
    const notices = [{ type: 'key.revoked_by_operator', data, at: by.at.toISOString() }]
    await queueMail(tx, { accountId, kind: 'account', notices, at: by.at })
    return true
  })
}

type ReportedKey = NonNullable<Awaited<ReturnType<typeof findReportedKey>>>

/**
 * Finds a key of any account, with the owner of the account. A secret or hash may also be one that a rotation replaced.
 *
 * @returns null if there is no such key
 */
async function findReportedKey(orm: Orm, reported: FindReportedKeyRequest) {
  const [key] = await orm
    .select({
      id: keys.id,
      accountId: keys.accountId,
      label: keys.label,
      scope: keys.scope,
      prefix: keys.prefix,
      status: keys.status,
      ownerEmail: users.email,
      ownerName: users.name
    })
    .from(keys)
    .innerJoin(accounts, eq(accounts.id, keys.accountId))
    .leftJoin(users, eq(users.id, accounts.ownerId))
    .where('id' in reported ? eq(keys.id, reported.id) : hasSecret(orm, digestOf(reported)))
  return key ?? null
}

type ReportedSecret = Exclude<FindReportedKeyRequest, { id: string }>

/** People paste secrets with spaces and line breaks around them. */
const digestOf = (reported: ReportedSecret): string =>
  'hash' in reported ? reported.hash : digestSecret(reported.value.trim())

function hasSecret(orm: Orm, digest: string): SQL | undefined {
  const replaced = orm.select({ id: formerSecrets.keyId }).from(formerSecrets).where(eq(formerSecrets.digest, digest))
  // Compared as one value, so that both sides use an index.
  return or(eq(keys.digest, digest), eq(keys.id, replaced))
}
