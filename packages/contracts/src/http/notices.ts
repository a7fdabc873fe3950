import { type Static, Type } from 'typebox'
import { accountEvents, operatorEvents } from '../events/event-types.ts'
import { Thresholds } from './thresholds.ts'

const closed = { additionalProperties: false } as const
const Instant = Type.String({ format: 'date-time' })

/**
 * Kinds of mails. `budget`: budgets and forecasts. `refusals`: keys that refuse requests. `keys`: keys that expire, old
 * secrets that end. `webhooks`: endpoints that were disabled. `prices`: prices that rise. `account`: payments that failed, came twice or have an
 * unknown price, suspensions, keys that an operator revoked. Of operators: `providers` that fail, unusual `spend`,
 * `payments` that came twice or have an unknown price, `acts` that wait for a second operator, and accounts that wait
 * for `approvals`.
 */
export const mailKinds = [
  'budget',
  'refusals',
  'keys',
  'webhooks',
  'prices',
  'account',
  'providers',
  'spend',
  'payments',
  'acts',
  'approvals'
] as const
export type MailKind = (typeof mailKinds)[number]
export const MailKind = Type.Enum([...mailKinds])

const EventType = Type.Enum([...new Set([...Object.keys(accountEvents), ...Object.keys(operatorEvents)])])

/** Something that happened. `data` has the shape of the type; see the section about webhooks. */
export const EventNotice = Type.Object({
  /** Also the id of its webhook messages. */
  id: Type.String({ format: 'uuid' }),
  /** Later versions may add more. */
  type: EventType,
  at: Instant,
  data: Type.Object({}, { additionalProperties: true }),
  /** Whether the caller has marked it, or a later one, as seen. */
  seen: Type.Boolean()
})
export type EventNotice = Static<typeof EventNotice>

export const EventsQuery = Type.Object(
  {
    /** 1 to 100; default 50. */
    limit: Type.Optional(Type.String({ pattern: '^([1-9][0-9]?|100)$' })),
    /** `next_cursor` of the previous page. */
    cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 100 }))
  },
  closed
)
export type EventsQuery = Static<typeof EventsQuery>

export const EventsResponse = Type.Object({
  /** Newest first. */
  events: Type.Array(EventNotice),
  /** Events that the caller has not seen, without keys that were created and rotated. 100 stands for 100 or more. */
  unread: Type.Integer({ minimum: 0, maximum: 100 }),
  has_more: Type.Boolean(),
  /** Null on the last page. */
  next_cursor: Type.Union([Type.String(), Type.Null()])
})
export type EventsResponse = Static<typeof EventsResponse>

/** The newest event that the caller has seen. It and all earlier ones count as seen. */
export const SeenEventsRequest = Type.Object({ id: Type.String({ format: 'uuid' }) }, closed)

export const SeenEventsResponse = Type.Object({ unread: EventsResponse.properties.unread })

/** The caller's mails, and the account's thresholds. */
export const Notifications = Type.Object({
  mails: Type.Array(
    Type.Object({
      kind: MailKind,
      on: Type.Boolean(),
      /** Whether it cannot be switched off. */
      required: Type.Boolean()
    })
  ),
  /** Percent of each budget of the account and its members at which its owner is told, in order. */
  thresholds: Type.Array(Type.Integer()),
  /** The same, for the budgets of keys without thresholds of their own. */
  key_thresholds: Type.Array(Type.Integer())
})
export type Notifications = Static<typeof Notifications>

export const NotificationsResponse = Type.Object({ notifications: Notifications })

/** Members that are left out stay. Thresholds are for the account's owner to change; null restores the default ones. */
export const ChangeNotificationsRequest = Type.Object(
  {
    mails: Type.Optional(
      Type.Object(Object.fromEntries(mailKinds.map((kind) => [kind, Type.Optional(Type.Boolean())])), closed)
    ),
    thresholds: Type.Optional(Type.Union([Thresholds, Type.Null()])),
    key_thresholds: Type.Optional(Type.Union([Thresholds, Type.Null()]))
  },
  { ...closed, minProperties: 1 }
)
export interface ChangeNotificationsRequest {
  mails?: { [Kind in MailKind]?: boolean }
  thresholds?: number[] | null
  key_thresholds?: number[] | null
}
