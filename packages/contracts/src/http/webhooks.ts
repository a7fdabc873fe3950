import { type Static, Type } from 'typebox'
import { accountEvents, operatorEvents } from '../events/event-types.ts'
import { described } from './described.ts'
import { patterns } from './patterns.ts'

const closed = { additionalProperties: false } as const
const Instant = Type.String({ format: 'date-time' })
const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()])

const Id = Type.String({ format: 'uuid' })
const Url = described('The `https://` address that gets the messages.', Type.String({ minLength: 1, maxLength: 2000 }))
const Description = described(
  'What the endpoint is for, in your words. Default: empty.',
  Type.String({ maxLength: 200, pattern: '^[^\\u0000-\\u001f\\u007f]*$' })
)

/** Names of event types. */
const typesOf = (events: object) => Type.Enum(Object.keys(events))
const aboutTypes = 'Types of events that the endpoint gets. Null or absent: all types, also those of later releases.'
const AccountTypes = Type.Array(typesOf(accountEvents), { minItems: 1, uniqueItems: true, description: aboutTypes })
const OperatorTypes = Type.Array(typesOf(operatorEvents), { minItems: 1, uniqueItems: true, description: aboutTypes })

/** An address that gets events. */
export const WebhookEndpoint = Type.Object({
  id: described('The id of the endpoint.', Id),
  url: described('The address that gets the messages.', Type.String()),
  description: described('What the endpoint is for, in your words.', Type.String()),
  event_types: described('Null for all types, also those of later releases.', orNull(Type.Array(Type.String()))),
  enabled: described('Whether it gets events.', Type.Boolean()),
  disabled_reason: described(
    'Why it gets no events; null if it does.',
    orNull(
      Type.Enum(['failing', 'gone', 'turned_off'], {
        description:
          '`failing`: every try of a day failed. `gone`: the receiver answered 410. `turned_off`: somebody turned it off.'
      })
    )
  ),
  disabled_at: described('When it was turned off; null if it is on.', orNull(Instant)),
  failing_since: described(
    'Since when every try has failed; null after a success, and before the first try.',
    orNull(Instant)
  ),
  old_secret_until: described(
    'After a rotation: until when messages are signed with the old secret, too.',
    orNull(Instant)
  ),
  created: described('When it was created.', Instant)
})
export type WebhookEndpoint = Static<typeof WebhookEndpoint>

const Secret = Type.String({
  description: 'The signing secret, `whsec_…`. It is shown only in this answer. Rotate it if you lose it.'
})

const createMembers = { url: Url, description: Type.Optional(Description) }
export const CreateWebhookRequest = Type.Object(
  { ...createMembers, event_types: Type.Optional(orNull(AccountTypes)) },
  { ...closed, examples: [{ url: 'https://example.com/hook', event_types: ['budget.threshold', 'key.revoked'] }] }
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
  { ...closed, examples: [{ enabled: true }] }
)
export type ChangeWebhookRequest = Static<typeof ChangeWebhookRequest>
export const ChangeOperatorWebhookRequest = Type.Object(
  { ...changeMembers, event_types: Type.Optional(orNull(OperatorTypes)) },
  closed
)

const RotateBody = Type.Object(
  {
    overlap_seconds: described(
      'How long messages are signed with the old secret, too; default one day.',
      Type.Optional(Type.Integer({ minimum: 0, maximum: 7 * 86_400 }))
    )
  },
  closed
)
/** The body may be missing or empty. */
export const RotateWebhookRequest = Type.Union([RotateBody, Type.Null()])

export const WebhookParams = Type.Object({ id: described('The id of the endpoint.', Type.String()) })
export const WebhookDeliveryParams = Type.Object({
  id: described('The id of the endpoint.', Type.String()),
  delivery_id: described('The `id` of the delivery.', Type.String())
})

export const WebhookResponse = Type.Object({
  endpoint: described('The endpoint, without its secret.', WebhookEndpoint)
})
export const ListWebhooksResponse = Type.Object({
  endpoints: described('All endpoints of the account, at most 20.', Type.Array(WebhookEndpoint))
})
export const WebhookSecretResponse = Type.Object({
  endpoint: described('The endpoint.', WebhookEndpoint),
  secret: Secret
})

/** One try to send a message. */
export const WebhookAttempt = Type.Object({
  at: described('When the try began.', Instant),
  duration_ms: described('How long it took, in milliseconds.', Type.Integer()),
  status: described("The status of the receiver's answer; null without one.", orNull(Type.Integer())),
  error: described('Why it failed, in words; null for a success.', orNull(Type.String()))
})

export const WebhookDelivery = Type.Object({
  id: described('The id of the delivery.', Id),
  message_id: described('The header `webhook-id` of every try.', Id),
  type: described('The type of the event.', Type.String()),
  status: described(
    '`pending`: it will be tried again. `failed`: all tries failed.',
    Type.Enum(['pending', 'delivered', 'failed'])
  ),
  created: described('When the event was recorded.', Instant),
  next_try: described('When it is tried next; null if it is not pending.', orNull(Instant)),
  message: described(
    'The body of every try.',
    Type.Object({
      type: described('The type of the event.', Type.String()),
      timestamp: described('When it happened.', Instant),
      data: described('The event itself, in the shape of its type.', Type.Object({}, { additionalProperties: true }))
    })
  ),
  attempts: described('The last 20 tries, newest first.', Type.Array(WebhookAttempt))
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const ListDeliveriesQuery = Type.Object(
  {
    status: described(
      'Only deliveries with this status. Default: all.',
      Type.Optional(WebhookDelivery.properties.status)
    ),
    limit: described('1 to 100; default 50.', Type.Optional(Type.String({ pattern: patterns.upTo100 }))),
    cursor: described(
      '`next_cursor` of the previous page.',
      Type.Optional(Type.String({ minLength: 1, maxLength: 100 }))
    )
  },
  closed
)
export type ListDeliveriesQuery = Static<typeof ListDeliveriesQuery>
export const ListDeliveriesResponse = Type.Object({
  deliveries: described('Newest first.', Type.Array(WebhookDelivery)),
  next_cursor: described('Null on the last page.', orNull(Type.String()))
})
export const WebhookDeliveryResponse = Type.Object({
  delivery: described('The delivery. The message is sent soon after this answer.', WebhookDelivery)
})

export const EventTypesResponse = Type.Object({
  event_types: described(
    'Every type of event that the account can get.',
    Type.Array(
      Type.Object({
        type: described('The name of the type.', Type.String()),
        description: described('What happened.', Type.String()),
        data: described(
          'JSON Schema of the member `data` of the message.',
          Type.Object({}, { additionalProperties: true })
        )
      })
    )
  )
})
