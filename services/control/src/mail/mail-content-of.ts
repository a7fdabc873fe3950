import type { MailKind } from '@tollgate/contracts/http/notices.ts'
import type { StoredNotice } from '../database/schema/mails.ts'
import { accountMail } from './account-mail.ts'
import { budgetMail } from './budget-mail.ts'
import { keyMail } from './key-mail.ts'
import type { MailContent } from './mail-content.ts'
import { actsMail, approvalsMail, paymentsMail, providersMail, spendMail, webhookMail } from './other-mails.ts'
import { maxNotices } from './queue-mail.ts'
import { refusalsMail } from './refusals-mail.ts'

/** The writers by kind. The stored notices have the types of the kind, so their data has the shape that its writer expects. */
const writers: Readonly<Record<MailKind, (notices: never, count: number) => MailContent>> = {
  budget: budgetMail,
  refusals: refusalsMail,
  keys: keyMail,
  webhooks: webhookMail,
  account: accountMail,
  providers: providersMail,
  spend: spendMail,
  payments: paymentsMail,
  acts: actsMail,
  approvals: approvalsMail
}

/** Writes the words of a mail. @param count of all notices, of which only the first are stored */
export function mailContentOf(kind: MailKind, notices: readonly StoredNotice[], count: number): MailContent {
  const shown = notices.slice(0, maxNotices)
  const content = writers[kind](shown as never, count)
  const more = count - shown.length
  if (more <= 0 || content.items === undefined) return content
  return { ...content, items: [...content.items, `and ${more} more`] }
}
