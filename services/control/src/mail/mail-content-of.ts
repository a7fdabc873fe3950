import type { MailKind } from '@tollgate/contracts/http/notices.ts'
import type { StoredNotice } from '../database/schema/mails.ts'
import { accountMail } from './account-mail.ts'
import { type MailContent, moment, type NoticeOf, quoted } from './mail-content.ts'
import {
  actsMail,
  approvalsMail,
  paymentsMail,
  pricesMail,
  providersMail,
  spendMail,
  webhookMail
} from './other-mails.ts'
import { maxNotices } from './queue-mail.ts'
import { budgetMail, refusalsMail } from './spend-mails.ts'

type Told = NoticeOf<'key.expiring' | 'key.grace_ending'>

/** A mail about keys that soon stop working. @param count how many keys; `notices` has only the first */
function keyMail(notices: readonly Told[], count: number): MailContent {
  const button = { text: 'See your keys', path: '/dashboard/keys' }
  const [only, ...others] = notices
  if (only !== undefined && others.length === 0 && count === 1) return { ...oneKey(only), button }
  const title = `${count} of your API keys soon stop working`
  return {
    subject: title,
    title,
    button,
    items: notices.map(lineOf),
    paragraphs: [
      'Create new keys or use the new secrets before these times. Otherwise your apps’ requests are refused.'
    ]
  }
}

function oneKey({ type, data, at }: Told): Omit<MailContent, 'button'> {
  const label = quoted(data.key.label)
  if (type === 'key.grace_ending') {
    const title = `The old secret of your API key ${label} soon stops working`
    return {
      subject: title,
      title,
      paragraphs: [
        `You rotated this key. Its old secret works until ${moment(data.old_secret_until)}.`,
        'Check that all your apps use the new secret.'
      ]
    }
  }
  const days = Math.max(1, Math.round((Date.parse(data.expires_at) - Date.parse(at)) / 86_400_000))
  const title = `Your API key ${label} expires in ${days === 1 ? 'one day' : `${days} days`}`
  return {
    subject: title,
    title,
    paragraphs: [
      `It works until ${moment(data.expires_at)}. After that, requests with it are refused.`,
      'Create a new key before then, or give this one a later end.'
    ]
  }
}

const lineOf = ({ type, data }: Told): string =>
  type === 'key.expiring'
    ? `${quoted(data.key.label)} expires on ${moment(data.expires_at)}`
    : `The old secret of ${quoted(data.key.label)} ends on ${moment(data.old_secret_until)}`

/**
 * The writers by kind. The stored notices have the types of the kind, so their data has the shape that its writer
 * expects.
 */
const writers: Readonly<Record<MailKind, (notices: never, count: number) => MailContent>> = {
  budget: budgetMail,
  refusals: refusalsMail,
  keys: keyMail,
  webhooks: webhookMail,
  prices: pricesMail,
  account: accountMail,
  providers: providersMail,
  spend: spendMail,
  payments: paymentsMail,
  acts: actsMail,
  approvals: approvalsMail
}

/** Writes the words of a mail. @param count of all notices, of which only the first are stored */
export function mailContentOf(kind: MailKind, notices: readonly StoredNotice[], count: number): MailContent {
  const firstNotices = notices.slice(0, maxNotices)
  const content = writers[kind](firstNotices as never, count)
  const more = count - firstNotices.length
  if (more <= 0 || content.items === undefined) return content
  return { ...content, items: [...content.items, `and ${more} more`] }
}
