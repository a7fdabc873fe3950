import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { RevokedKeyResponse, RevokeReportedKeyRequest } from '@tollgate/contracts/http/admin/keys.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import type { By } from '../audit/by.ts'
import type { Orm } from '../database/connect.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { findReportedKey, type ReportedKey } from '../keys/find-reported-key.ts'
import { revokeActiveKey } from '../keys/revoke-key.ts'
import { renderMail } from '../mail/render-mail.ts'
import { revokedKeyMail } from '../mail/revoked-key-mail.ts'
import type { AdminContext } from './admin-context.ts'
import { byOperator, recordAct } from './record-act.ts'

/** `POST /keys/revoke`: revokes a key that somebody reported, ends its open requests, and mails the owner of its account. */
export function revokeReportedKey(app: TypedApp, context: AdminContext): void {
  const { database, projector, mailer, publicUrl, clock } = context

  /** @returns whether the owner gets a mail */
  function mailOwner(key: ReportedKey, reason: string): boolean {
    const { accountId, ownerEmail } = key
    // After the owner is deleted there is no address.
    if (ownerEmail === null || ownerEmail === '') return false
    const mail = renderMail(ownerEmail, revokedKeyMail(key, reason, publicUrl))
    return mailer.send(mail, { what: 'mail about a revoked key', accountId })
  }

  app.post(
    '/keys/revoke',
    {
      onRequest: app.requireOperator,
      schema: { body: RevokeReportedKeyRequest, response: answers({ 200: RevokedKeyResponse }) }
    },
    async (request) => {
      const key = await findReportedKey(database.orm, request.body)
      if (key === null) {
        throw new ServiceError('not_found', { message: 'No key matches. Check that you pasted all of it.' })
      }
      const { reason } = request.body
      const isNew = await revoke(database.orm, key, reason, byOperator(request, clock()))
      const { id, label, prefix, accountId } = key
      // Before the wait for Redis: a repeated call sends no mail, so the mail is lost if control ends before it is sent.
      const isMailed = isNew && mailOwner(key, reason)
      // A repeated call reports whether the revocation is in force now.
      const isInForce = await projector.keyRevoked(accountId, id)
      if (!isInForce) throw new ServiceError('revocation_pending')
      return { key: { id, label, prefix, account_id: accountId }, mailed: isMailed }
    }
  )
}

/** @returns false if the key was revoked before */
async function revoke(
  orm: Orm,
  { id, accountId, label, prefix, status }: ReportedKey,
  reason: string,
  by: By & { actorId: string }
): Promise<boolean> {
  if (status === 'revoked') return false
  return await orm.transaction(async (tx) => {
    if (!(await revokeActiveKey(tx, { accountId, id, cutStreams: true }, { ...by, note: reason, detail: {} })))
      return false
    await recordAct(tx, by, { action: 'key.revoked', accountId, subject: id, reason, detail: { label, prefix } })
    return true
  })
}
