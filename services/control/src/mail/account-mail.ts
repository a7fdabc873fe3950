import {
  type KeyRevokedByOperator,
  type MailContent,
  moment,
  type NewBrowser,
  type NoticeOf,
  quoted,
  type RecoveryCodeUsed,
  type SeatRemoved
} from './mail-content.ts'

type Told = NoticeOf<
  | 'payment.failed'
  | 'payment.unmatched'
  | 'payment.duplicate'
  | 'account.suspended'
  | 'account.resumed'
  | 'key.revoked_by_operator'
  | 'recovery_code.used'
  | 'seat.removed'
  | 'sign_in.guessed'
  | 'sign_in.new_browser'
>

/** A mail about the account itself. If several things happened at once, it has the title of the last one. */
export function accountMail(notices: readonly Told[]): MailContent {
  const all = notices.map(contentOf)
  return {
    ...all.at(-1)!,
    paragraphs: all.toReversed().flatMap(({ paragraphs }) => paragraphs),
    namesSupport: all.some(({ namesSupport }) => namesSupport === true)
  }
}

function contentOf(notice: Told): MailContent {
  switch (notice.type) {
    case 'payment.failed':
      return {
        subject: 'Your payment failed',
        title: 'Your payment failed',
        paragraphs: [
          'We could not collect the payment for your plan. Your keys still work, and we try again in the next days.',
          'If the payment keeps failing, your plan ends. Please check your payment method.'
        ],
        button: { text: 'Check your payment method', path: '/dashboard/billing' }
      }
    case 'payment.unmatched':
      return {
        subject: 'Your payment needs our help',
        title: 'Your payment needs our help',
        paragraphs: [
          'You paid for a subscription whose price belongs to none of our plans. So your plan did not change.',
          'We have been told, and will assign the plan or refund the payment. You need not pay again.'
        ],
        button: { text: 'See billing', path: '/dashboard/billing' }
      }
    case 'payment.duplicate':
      return {
        subject: 'You paid twice',
        title: 'You paid twice',
        paragraphs: [
          'You paid for two subscriptions. We keep the one with the better plan, and end the other one.',
          'Its unused time is credited to your next invoices. If you want the money back, please contact us.'
        ],
        button: { text: 'See billing', path: '/dashboard/billing' }
      }
    case 'account.suspended':
      return {
        subject: 'Your account is suspended',
        title: 'Your account is suspended',
        paragraphs: [
          'All requests with your API keys are refused now.',
          ...(notice.data.reason === 'operator'
            ? whySuspended(notice.data.note)
            : ['The account’s user is blocked or was deleted at sign-in. If this is a mistake, please contact us.'])
        ],
        namesSupport: true,
        button: { text: 'Open your account', path: '/dashboard' }
      }
    case 'account.resumed':
      if (notice.data.reason === 'approval') return approved
      return {
        subject: 'Your account works again',
        title: 'Your account works again',
        paragraphs: ['The suspension of your account has ended. Your API keys work again.'],
        button: { text: 'Open your account', path: '/dashboard' }
      }
    case 'key.revoked_by_operator':
      return revokedKey(notice.data)
    case 'recovery_code.used':
      return usedCode(notice.data)
    case 'seat.removed':
      return removedSeat(notice.data)
    case 'sign_in.guessed':
      return guessed
    case 'sign_in.new_browser':
      return newBrowser(notice.data, notice.at)
  }
}

const approved: MailContent = {
  subject: 'Your account is approved',
  title: 'Your account is approved',
  paragraphs: ['You can use it now: create an API key, or choose a plan.'],
  button: { text: 'Open your account', path: '/dashboard' }
}

const whySuspended = (note: string | undefined): string[] =>
  note === undefined
    ? ['We suspended the account. If you do not know why, please contact us.']
    : ['We suspended the account.', `Reason: ${note}`, 'If this is a mistake, please contact us.']

function revokedKey({ label, scope, prefix, reason }: KeyRevokedByOperator): MailContent {
  const title = `Your API key ${quoted(label)} was revoked`
  const beginning = `${scope === 'management' ? 'tgm' : 'tg'}_${prefix}`
  return {
    subject: title,
    title,
    paragraphs: [
      `We revoked the API key ${quoted(label)} (${beginning}…) of your account. Requests with this key are now refused.`,
      `Reason: ${reason}`,
      'If your apps use this key, create a new key and use it there. If somebody else may have used it, check your usage.'
    ],
    namesSupport: true,
    button: { text: 'Create a new key', path: '/dashboard/keys' }
  }
}

function usedCode({ left }: RecoveryCodeUsed): MailContent {
  const title = 'Somebody used a recovery code of your account'
  return {
    subject: title,
    title,
    paragraphs: [
      `A recovery code replaced the code of your authenticator app. ${left === 0 ? 'No recovery code is left.' : left === 1 ? 'One recovery code is left.' : `${left} recovery codes are left.`}`,
      'If it was you, set up your second factor again or make new codes. If not, change your password and sign out everywhere now.'
    ],
    button: { text: 'Open your account page', path: '/dashboard/account' }
  }
}

const guessed: MailContent = {
  subject: 'Somebody tries to guess your password',
  title: 'Somebody tries to guess your password',
  paragraphs: [
    'Too many wrong passwords or codes were entered for your account today. We refuse more of them for up to 24 hours.',
    'Browsers that you used before still work. In another browser, choose “Forgot your password?” to get a link by mail.',
    'If your password is short, or you use it elsewhere, change it and turn on the second factor.'
  ],
  button: { text: 'Open your account page', path: '/dashboard/account' }
}

function newBrowser({ browser, ip }: NewBrowser, at: string): MailContent {
  const title = 'New sign-in to your account'
  return {
    subject: title,
    title,
    paragraphs: [
      `${browser ?? 'A new browser or program'} signed in from the address ${ip} on ${moment(at)}.`,
      'If it was you, there is nothing to do. If not, change your password and sign out everywhere now.'
    ],
    button: { text: 'Open your account page', path: '/dashboard/account' }
  }
}

function removedSeat({ owner }: SeatRemoved): MailContent {
  return {
    subject: 'You are no longer in the team',
    title: 'You are no longer in the team',
    paragraphs: [
      `${owner} removed you from their team. From now on you use your own account, with its own plan and keys.`,
      'Keys that you created in the team stay there. Apps of your own need a key of your own account.'
    ],
    button: { text: 'Open your account', path: '/dashboard' }
  }
}
