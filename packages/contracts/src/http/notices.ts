import { type Static, Type } from 'typebox'
import { accountEvents, operatorEvents } from '../events/event-types.ts'
import { described } from './described.ts'
import { Thresholds } from './thresholds.ts'

const closed = { additionalProperties: false } as const
const Instant = Type.String({ format: 'date-time' })

/** Kinds of mails, and what they are about. The last five go to operators. */
const aboutMails = {
  budget: 'budgets and forecasts',
  refusals: 'keys that refuse requests',
  keys: 'keys that expire, and old secrets that end',
  webhooks: 'webhook endpoints that were disabled',
  prices: 'prices that rise',
  account: 'failed payments, suspensions, and keys that an operator revoked',
  providers: 'providers that fail (operators only)',
  spend: 'unusual spend (operators only)',
  payments: 'payments that came twice or have an unknown price (operators only)',
  acts: 'acts that wait for a second operator (operators only)',
  approvals: 'accounts that wait for approval (operators only)'
} as const
export type MailKind = keyof typeof aboutMails
export const mailKinds = Object.keys(aboutMails) as readonly MailKind[]
export const MailKind = described('The kind of the mail.', Type.Enum([...mailKinds]))

const EventType = Type.Enum([...new Set([...Object.keys(accountEvents), ...Object.keys(operatorEvents)])])

/** Something that happened. `data` has the shape of the type; see the section about webhooks. */
export const EventNotice = Type.Object({
  id: described('Also the id of its webhook messages.', Type.String({ format: 'uuid' })),
  type: described('Later versions may add more.', EventType),
  at: described('When it happened.', Instant),
  data: described(
    'More about it, in the shape of the type: see the guide to webhooks.',
    Type.Object({}, { additionalProperties: true })
  ),
  seen: described('Whether the caller has marked it, or a later one, as seen.', Type.Boolean())
})
export type EventNotice = Static<typeof EventNotice>

export const EventsQuery = Type.Object(
  {
    limit: described('1 to 100; default 50.', Type.Optional(Type.String({ pattern: '^([1-9][0-9]?|100)$' }))),
    cursor: described(
      '`next_cursor` of the previous page.',
      Type.Optional(Type.String({ minLength: 1, maxLength: 100 }))
    )
  },
  closed
)
export type EventsQuery = Static<typeof EventsQuery>

export const EventsResponse = Type.Object({
  events: described('Newest first.', Type.Array(EventNotice)),
  unread: described(
    'Events that the caller has not seen, without keys that were created and rotated. 100 stands for 100 or more.',
    Type.Integer({ minimum: 0, maximum: 100 })
  ),
  has_more: described('Whether there is a further page.', Type.Boolean()),
  next_cursor: described('Null on the last page.', Type.Union([Type.String(), Type.Null()]))
})
export type EventsResponse = Static<typeof EventsResponse>

/** The newest event that the caller has seen. It and all earlier ones count as seen. */
export const SeenEventsRequest = Type.Object(
  {
    id: described(
      'Id of the newest event that you have seen. It and all earlier ones count as seen.',
      Type.String({ format: 'uuid' })
    )
  },
  closed
)

export const SeenEventsResponse = Type.Object({ unread: EventsResponse.properties.unread })

/** The caller's mails, and the account's thresholds. */
export const Notifications = Type.Object({
  mails: described(
    'Which mails you get.',
    Type.Array(
      Type.Object({
        kind: MailKind,
        on: described('Whether you get it.', Type.Boolean()),
        required: described('Whether it cannot be switched off.', Type.Boolean())
      })
    )
  ),
  thresholds: described(
    'Percent of each budget of the account and its members at which its owner is told, in order.',
    Type.Array(Type.Integer())
  ),
  key_thresholds: described(
    'The same, for the budgets of keys without thresholds of their own.',
    Type.Array(Type.Integer())
  )
})
export type Notifications = Static<typeof Notifications>

export const NotificationsResponse = Type.Object({
  notifications: described('Your mails, and the thresholds of the account.', Notifications)
})

/** Members that are left out stay. Thresholds are for the account's owner to change; null restores the default ones. */
export const ChangeNotificationsRequest = Type.Object(
  {
    mails: described(
      'Kinds of mails to switch on or off. Absent kinds do not change.',
      Type.Optional(
        Type.Object(
          Object.fromEntries(
            mailKinds.map((kind) => [
              kind,
              Type.Optional(Type.Boolean({ description: `Whether you get mails about ${aboutMails[kind]}.` }))
            ])
          ),
          closed
        )
      )
    ),
    thresholds: described(
      "Percent of each budget of the account and its members at which its owner is told. Empty: never. Null: the defaults. Only the account's owner can change them.",
      Type.Optional(Type.Union([Thresholds, Type.Null()]))
    ),
    key_thresholds: described(
      'The same, for the budgets of keys without thresholds of their own.',
      Type.Optional(Type.Union([Thresholds, Type.Null()]))
    )
  },
  { ...closed, minProperties: 1, examples: [{ mails: { budget: false } }] }
)
export interface ChangeNotificationsRequest {
  mails?: { [Kind in MailKind]?: boolean }
  thresholds?: number[] | null
  key_thresholds?: number[] | null
}
