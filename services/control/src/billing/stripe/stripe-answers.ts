import { type Static, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'

const orNull = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])
const Id = Type.String({ minLength: 1 })
const Seconds = Type.Integer({ minimum: 0 })
/** An expandable member is an id or the object itself. */
const Reference = Type.Union([Id, Type.Object({ id: Id })])
const WebAddress = Type.String({ pattern: '^https?://' })
const Metadata = Type.Record(Type.String(), Type.String())

/*
 * The members of the provider's answers that control reads. The provider's client accepts any JSON without a member
 * `error`, even from a proxy in between, so control checks each answer.
 */

export const SubscriptionAnswer = Type.Object({
  object: Type.Literal('subscription'),
  id: Id,
  customer: Reference,
  status: Type.String(),
  created: Seconds,
  cancel_at: orNull(Seconds),
  cancel_at_period_end: Type.Boolean(),
  metadata: Metadata,
  latest_invoice: orNull(
    Type.Union([
      Id,
      Type.Object({ status: orNull(Type.String()), attempt_count: Type.Integer(), amount_remaining: Type.Integer() })
    ])
  ),
  items: Type.Object({
    data: Type.Array(Type.Object({ price: Type.Object({ id: Id }), current_period_end: Type.Optional(Seconds) }))
  })
})
export type SubscriptionAnswer = Static<typeof SubscriptionAnswer>

export const CustomerAnswer = Type.Object({
  object: Type.Literal('customer'),
  id: Id,
  deleted: Type.Optional(Type.Boolean())
})

export const CheckoutAnswer = Type.Object({
  object: Type.Literal('checkout.session'),
  id: Id,
  status: orNull(Type.String()),
  url: Type.Optional(orNull(WebAddress)),
  expires_at: Seconds,
  metadata: orNull(Metadata)
})
export type CheckoutAnswer = Static<typeof CheckoutAnswer>

export const OpenCheckoutAnswer = Type.Object({ ...CheckoutAnswer.properties, url: WebAddress })

/** The items of a subscription, whose ids a switch names. */
export const SubscriptionItemsAnswer = Type.Object({
  object: Type.Literal('subscription'),
  items: Type.Object({ data: Type.Array(Type.Object({ id: Id })) })
})

export const PortalAnswer = Type.Object({
  object: Type.Literal('billing_portal.session'),
  id: Id,
  url: WebAddress
})

export const InvoiceAnswer = Type.Object({
  object: Type.Literal('invoice'),
  id: Id,
  number: Type.Optional(orNull(Type.String())),
  total: Type.Integer(),
  currency: Type.String(),
  status: orNull(Type.String()),
  created: Seconds,
  due_date: Type.Optional(orNull(Seconds)),
  invoice_pdf: Type.Optional(orNull(WebAddress))
})
export type InvoiceAnswer = Static<typeof InvoiceAnswer>

/** A preview of an invoice that does not exist yet. */
export const PreviewAnswer = Type.Object({
  object: Type.Literal('invoice'),
  amount_due: Type.Integer(),
  currency: Type.String(),
  next_payment_attempt: Type.Optional(orNull(Seconds))
})
export type PreviewAnswer = Static<typeof PreviewAnswer>

export const PaidInvoiceAnswer = Type.Object({
  object: Type.Literal('invoice'),
  id: Id,
  customer: Type.Optional(orNull(Reference)),
  amount_paid: Type.Integer(),
  total: Type.Integer(),
  total_taxes: Type.Optional(orNull(Type.Array(Type.Object({ amount: Type.Integer() })))),
  currency: Type.String(),
  billing_reason: Type.Optional(orNull(Type.String())),
  created: Seconds,
  status_transitions: Type.Object({ paid_at: orNull(Seconds) })
})
export type PaidInvoiceAnswer = Static<typeof PaidInvoiceAnswer>

export const RefundAnswer = Type.Object({
  object: Type.Literal('refund'),
  id: Id,
  customer: Type.Optional(orNull(Reference)),
  payment_intent: orNull(Reference),
  amount: Type.Integer(),
  currency: Type.String(),
  created: Seconds,
  status: orNull(Type.String())
})
export type RefundAnswer = Static<typeof RefundAnswer>

export const InvoicePaymentAnswer = Type.Object({ object: Type.Literal('invoice_payment'), invoice: Reference })

/** A list of objects. */
export const listOf = <Item extends TSchema>(item: Item) =>
  Type.Object({ object: Type.Literal('list'), data: Type.Array(item), has_more: Type.Boolean() })

/** An answer does not have the provider's form. The message names the place, never the content. */
export class UnexpectedAnswerError extends Error {
  constructor(schema: TSchema, answer: unknown) {
    const [problem] = Value.Errors(schema, answer)
    super(`not an answer of the payment provider: ${problem?.instancePath || 'the whole'} ${problem?.message ?? ''}`)
    this.name = 'UnexpectedAnswerError'
  }
}

/** @throws UnexpectedAnswerError */
export function expectAnswer<Schema extends TSchema>(schema: Schema, answer: unknown): Static<Schema> {
  if (!Value.Check(schema, answer)) throw new UnexpectedAnswerError(schema, answer)
  return answer as Static<Schema>
}

export const idOf = (reference: Static<typeof Reference>): string =>
  typeof reference === 'string' ? reference : reference.id
