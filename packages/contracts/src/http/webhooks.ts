import { type Static, Type } from 'typebox'
import { accountEvents, operatorEvents } from '../events/event-types.ts'
import { patterns } from './patterns.ts'

const closed = { additionalProperties: false } as const
const Instant = Type.String({ format: 'date-time' })
const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()])

const Id = Type.String({ format: 'uuid' })
const Url = Type.String({ minLength: 1, maxLength: 2000 })
const Description = Type.String({ maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })

/** Names of event types. */
const typesOf = (events: object) => Type.Enum(Object.keys(events))
const AccountTypes = Type.Array(typesOf(accountEvents), { minItems: 1, uniqueItems: true })
const OperatorTypes = Type.Array(typesOf(operatorEvents), { minItems: 1, uniqueItems: true })

/** An address that gets events. */
export const WebhookEndpoint = Type.Object({
  id: Id,
  url: Type.String(),
  description: Type.String(),
  /** Null for all types, also those of later releases. */
  event_types: orNull(Type.Array(Type.String())),
  enabled: Type.Boolean(),
  /** Why it gets no events; null if it does. */
  disabled_reason: orNull(
    Type.Enum(['failing', 'gone', 'turned_off'], {
      description:
        '`failing`: every try of a day failed. `gone`: the receiver answered 410. `turned_off`: somebody turned it off.'
    })
  ),
  disabled_at: orNull(Instant),
  /** Since when every try has failed; null after a success, and before the first try. */
  failing_since: orNull(Instant),
  /** After a rotation: until when messages are signed with the old secret, too. */
  old_secret_until: orNull(Instant),
  created: Instant
})
export type WebhookEndpoint = Static<typeof WebhookEndpoint>

const Secret = Type.String({
  description: 'The signing secret, `whsec_…`. It is shown only in this answer. Rotate it if you lose it.'
})

const createMembers = { url: Url, description: Type.Optional(Description) }
export const CreateWebhookRequest = Type.Object(
  { ...createMembers, event_types: Type.Optional(orNull(AccountTypes)) },
  closed
)
export type CreateWebhookRequest = Static<typeof CreateWebhookRequest>
export const CreateOperatorWebhookRequest = Type.Object(
  { ...createMembers, event_types: Type.Optional(orNull(OperatorTypes)) },
  closed
)

const changeMembers = {
  url: Type.Optional(Url),
  description: Type.Optional(Description),
  enabled: Type.Optional(
    Type.Boolean({
      description: '`true` ends `failing_since`, and new events are sent again. `false` gives up what waits.'
    })
  )
}
/** Absent members do not change. */
export const ChangeWebhookRequest = Type.Object(
  { ...changeMembers, event_types: Type.Optional(orNull(AccountTypes)) },
  closed
)
export type ChangeWebhookRequest = Static<typeof ChangeWebhookRequest>
export const ChangeOperatorWebhookRequest = Type.Object(
  { ...changeMembers, event_types: Type.Optional(orNull(OperatorTypes)) },
  closed
)

const RotateBody = Type.Object(
  {
    /** How long messages are signed with the old secret, too; default one day. */
    overlap_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 7 * 86_400 }))
  },
  closed
)
/** The body may be missing or empty. */
export const RotateWebhookRequest = Type.Union([RotateBody, Type.Null()])

export const WebhookParams = Type.Object({ id: Type.String() })
export const WebhookDeliveryParams = Type.Object({ id: Type.String(), delivery_id: Type.String() })

export const WebhookResponse = Type.Object({ endpoint: WebhookEndpoint })
export const ListWebhooksResponse = Type.Object({ endpoints: Type.Array(WebhookEndpoint) })
export const WebhookSecretResponse = Type.Object({ endpoint: WebhookEndpoint, secret: Secret })

/** One try to send a message. */
export const WebhookAttempt = Type.Object({
  at: Instant,
  duration_ms: Type.Integer(),
  /** The status of the receiver's answer; null without one. */
  status: orNull(Type.Integer()),
  /** Why it failed, in words; null for a success. */
  error: orNull(Type.String())
})

export const WebhookDelivery = Type.Object({
  id: Id,
  /** The header `webhook-id` of every try. */
  message_id: Id,
  type: Type.String(),
  status: Type.Enum(['pending', 'delivered', 'failed']),
  created: Instant,
  /** When it is tried next; null if it is not pending. */
  next_try: orNull(Instant),
  /** The body of every try. */
  message: Type.Object({
    type: Type.String(),
    timestamp: Instant,
    data: Type.Object({}, { additionalProperties: true })
  }),
  /** The last 20 tries, newest first. */
  attempts: Type.Array(WebhookAttempt)
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const ListDeliveriesQuery = Type.Object(
  {
    status: Type.Optional(WebhookDelivery.properties.status),
    /** 1 to 100; default 50. */
    limit: Type.Optional(Type.String({ pattern: patterns.upTo100 })),
    /** `next_cursor` of the previous page. */
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 100 }))
  },
  closed
)
export type ListDeliveriesQuery = Static<typeof ListDeliveriesQuery>
export const ListDeliveriesResponse = Type.Object({
  deliveries: Type.Array(WebhookDelivery),
  /** Null on the last page. */
  next_cursor: orNull(Type.String())
})
export const WebhookDeliveryResponse = Type.Object({ delivery: WebhookDelivery })

export const EventTypesResponse = Type.Object({
  event_types: Type.Array(
    Type.Object({
      type: Type.String(),
      description: Type.String(),
      /** JSON Schema of the member `data` of the message. */
      data: Type.Object({}, { additionalProperties: true })
    })
  )
})
