import { hash, randomBytes } from 'node:crypto'
import { toRecoveryCode } from '@tollgate/contracts/http/recovery-code.ts'
import { and, eq, isNull } from 'drizzle-orm'
import type { By } from '../audit/by.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Orm, Transaction } from '../database/connect.ts'
import { recoveryCodes } from '../database/schema/recovery-codes.ts'
import { users } from '../database/schema/users.ts'
import type { RecoveryCodeUsed } from '../mail/mail-content.ts'
import { queueMail } from '../mail/queue-mail.ts'

const codesPerSet = 10
/** Base32 without letters that look like digits. 16 characters are 80 bits: nobody guesses them, even from their hashes. */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'
const groups = 4

/** Replaces all recovery codes of a user. @returns the new ones, which nobody can read later */
export async function replaceRecoveryCodes(tx: Transaction, userId: string, now: Date): Promise<string[]> {
  // Orders two replacements at the same time: the codes of one of them remain.
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
  await forgetRecoveryCodes(tx, userId)
  const codes = Array.from({ length: codesPerSet }, newCode)
  await tx
    .insert(recoveryCodes)
    .values(codes.map((code) => ({ userId, codeHash: hashCode(userId, code), createdAt: now })))
  return codes
}

export async function forgetRecoveryCodes(tx: Transaction, userId: string): Promise<void> {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
}

/** How many codes still work. */
export const countRecoveryCodes = (orm: Orm, userId: string): Promise<number> =>
  orm.$count(recoveryCodes, and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt)))

/** Uses a code up in the form of `toRecoveryCode`, notes it in the audit log, and mails the user. @returns false for a wrong or used code */
export async function takeRecoveryCode(orm: Orm, userId: string, code: string, by: By): Promise<boolean> {
  return orm.transaction(async (tx) => {
    const taken = await tx
      .update(recoveryCodes)
      .set({ usedAt: by.at })
      .where(
        and(
          eq(recoveryCodes.userId, userId),
          eq(recoveryCodes.codeHash, hashCode(userId, code)),
          isNull(recoveryCodes.usedAt)
        )
      )
      .returning({ userId: recoveryCodes.userId })
    if (taken.length === 0) return false
    const left = await countRecoveryCodes(tx, userId)
    await recordAudit(tx, { accountId: userId, ...by, action: 'auth.recovery_code_used', detail: { left } })
    const notice = { type: 'recovery_code.used', data: { left } satisfies RecoveryCodeUsed, at: by.at.toISOString() }
    await queueMail(tx, { accountId: userId, kind: 'account', notices: [notice], at: by.at })
    return true
  })
}

function newCode(): string {
  const letters = [...randomBytes(groups * 4)].map((byte) => alphabet[byte % alphabet.length])
  const code = letters.join('').replace(/.{4}(?=.)/g, '$&-')
  if (toRecoveryCode(code) !== code) throw new Error('a recovery code has another form')
  return code
}

const hashCode = (userId: string, code: string): string => hash('sha256', `${userId} ${code}`, 'hex')
