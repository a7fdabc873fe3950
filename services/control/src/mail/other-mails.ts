import { dayName, dollars, type MailContent, moment, type NoticeOf } from './mail-content.ts'

/** A mail about webhook endpoints that get no more events. */
export function webhookMail(notices: ReadonlyArray<NoticeOf<'webhook.disabled'>>): MailContent {
  const title = notices.length === 1 ? 'A webhook endpoint is disabled' : 'Webhook endpoints are disabled'
  return {
    subject: title,
    title,
    items: notices.map(({ data }) => data.url),
    paragraphs: [
      'It answered no message for a day, so we send no more. Repair it, then enable it again: you can send missed messages once more.'
    ],
    button: { text: 'See your endpoints', path: '/dashboard/webhooks' }
  }
}

/** A mail about prices that rise. @param count of all notices */
export function pricesMail(notices: ReadonlyArray<NoticeOf<'prices.rising'>>, count: number): MailContent {
  const models = [...new Set(notices.map(({ data }) => data.model))]
  const days = [...new Set(notices.map(({ data }) => data.from))].toSorted().map(dayName)
  const isOne = models.length === 1 && count === notices.length
  const title = isOne
    ? `The price of ${models[0]} rises on ${days[0]}`
    : `Prices of models rise${days.length === 1 ? '' : ', the first ones'} on ${days[0]}`
  return {
    subject: title,
    title,
    paragraphs: [
      `You used ${isOne ? 'this model' : 'these models'} in the last 30 days. These are the prices that you pay. A day begins at 00:00 UTC.`,
      'Requests before that day keep the old price. You need to do nothing.'
    ],
    items: notices.map(({ data: { model, from, prices } }) => {
      const changes = prices.map(
        ({ kind, unit, from_usd, to_usd }) =>
          `${kind.replaceAll('_', ' ')} from $${from_usd} to $${to_usd} for ${aUnit(unit)}`
      )
      return `${model}, from ${dayName(from)}: ${changes.join('; ')}`
    }),
    button: { text: 'See the models', path: '/dashboard/models' }
  }
}

/** `1M tokens`, but `one second`. */
const aUnit = (unit: string): string => (/^\d/.test(unit) ? unit : `one ${unit}`)

/** A mail for operators about providers that keep failing. */
export function providersMail(notices: ReadonlyArray<NoticeOf<'provider.failing' | 'webhook.disabled'>>): MailContent {
  const failing = notices.filter((notice) => notice.type === 'provider.failing')
  if (failing.length === 0) return webhookMail(notices.filter((notice) => notice.type === 'webhook.disabled'))
  const names = [...new Set(failing.map(({ data }) => data.upstream))]
  const title = names.length === 1 ? `The provider ${names[0]} keeps failing` : `${names.length} providers keep failing`
  return {
    subject: title,
    title,
    paragraphs: [
      'Most calls fail, so gateways avoid it. Models with another upstream in their route still answer; requests for others fail.'
    ],
    items: failing.map(({ data }) => `${data.upstream}: failing since ${moment(data.since)}`),
    button: { text: 'See the system', path: '/dashboard/operator/system' }
  }
}

/** A mail for operators about accounts that spend far more than usual. @param count of all accounts */
export function spendMail(notices: ReadonlyArray<NoticeOf<'spend.unusual'>>, count: number): MailContent {
  const title = count === 1 ? 'An account spends far more than usual' : `${count} accounts spend far more than usual`
  return {
    subject: title,
    title,
    paragraphs: ['Its keys may have leaked, or an app may repeat requests. The monthly budget still limits it.'],
    items: notices.map(
      ({ data }) =>
        `${data.account_id}: ${dollars(data.spent_usd)} in the hour of ${moment(data.hour)}, at most ${dollars(data.usual_usd)} an hour before`
    ),
    button: { text: 'See the accounts', path: '/dashboard/operator/accounts' }
  }
}

/** A mail for operators about payments for unknown prices, and second payments. @param count of all notices */
export function paymentsMail(
  notices: ReadonlyArray<NoticeOf<'payment.unmatched' | 'payment.duplicate'>>,
  count: number
): MailContent {
  const title = count === 1 ? 'A payment needs you' : `${count} payments need you`
  return {
    subject: title,
    title,
    paragraphs: [
      'For a price that no plan has: add the price to the catalog, or refund the payment. The account keeps its plan until then.',
      'For a second subscription: the payment provider credits it to the next invoices. If the customer wants the money back, refund the payment.'
    ],
    items: notices.map(({ type, data: { account_id, subscription_id, price_ids } }) =>
      type === 'payment.unmatched'
        ? `${account_id}: no plan has the price ${price_ids.join(', ')} of ${subscription_id}`
        : `${account_id}: paid twice; ${subscription_id} (${price_ids.join(', ')}) ends`
    ),
    button: { text: 'See the accounts', path: '/dashboard/operator/accounts' }
  }
}

/** A mail for operators about acts that wait for a second one. @param count of all notices */
export function actsMail(notices: ReadonlyArray<NoticeOf<'act.pending'>>, count: number): MailContent {
  const title = count === 1 ? 'An act waits for a second operator' : `${count} acts wait for a second operator`
  return {
    subject: title,
    title,
    paragraphs: [
      'It is above the amount that one operator may give. Nothing is done before another operator confirms it. Whoever asked cannot confirm it.'
    ],
    items: notices.map(
      ({ data: { account_id, action, ends_at } }) =>
        `${account_id}: ${action === 'account.adjusted' ? 'usage adjusted' : 'plan or limits changed'}; waits until ${moment(ends_at)}`
    ),
    button: { text: 'See what waits', path: '/dashboard/operator/accounts' }
  }
}

/** A mail for operators about accounts that wait for approval. The last notice counts all of them. */
export function approvalsMail(notices: ReadonlyArray<NoticeOf<'account.waiting'>>): MailContent {
  const waiting = notices.at(-1)!.data.waiting
  const title = waiting === 1 ? 'An account waits for approval' : `${waiting} accounts wait for approval`
  return {
    subject: title,
    title,
    paragraphs: [
      'They have no API keys and can buy nothing until an operator approves them. Delete the accounts that you do not want.',
      'You get at most one such mail an hour, however many people register.'
    ],
    button: { text: 'See who waits', path: '/dashboard/operator/accounts?status=waiting' }
  }
}
