import { type Static, Type } from 'typebox'
import { closed, Instant, SignedUsd, AccountId as Uuid } from './admin/adjustments.ts'
import { ExportedUsage } from './admin/usage.ts'
import { AuditEntry } from './audit.ts'
import { Session, User } from './auth.ts'
import { described } from './described.ts'
import { Key } from './keys.ts'
import { EventNotice, MailKind } from './notices.ts'
import { LoggedRequest } from './requests.ts'
import { Invitation, TeamMember } from './team.ts'
import { Adjustment } from './usage.ts'
import { WebhookEndpoint } from './webhooks.ts'

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()])

const { can_change: _, ...keyMembers } = Key.properties
/** A key as it is stored, without its secret. */
export const ExportedKey = Type.Object(
  {
    ...keyMembers,
    account_id: described('The account that the key belongs to.', Uuid),
    revoked_at: described('When it was revoked; null if it was not.', orNull(Instant))
  },
  closed
)
export type ExportedKey = Static<typeof ExportedKey>

const {
  account_id: _account,
  upstream: _upstream,
  provider_cost_usd: _cost,
  margin_usd: _margin,
  ...usageMembers
} = ExportedUsage.properties
/** Usage of a key and a model on one day, without what only operators see. */
export const ExportedOwnUsage = Type.Object(usageMembers, closed)

const { seen: _seen, ...eventMembers } = EventNotice.properties
const { current: _current, ...sessionMembers } = Session.properties
const { id, email, name } = User.properties
const userMembers = { id, email, name }

/** Money at the payment provider. */
const payment = {
  id: described("The payment provider's id.", Type.String()),
  amount: described("Money in the currency's smallest unit, such as cents.", Type.Integer()),
  currency: described('In lower case, such as `usd`.', Type.String())
}

/**
 * Everything that is stored about the caller: as a user, in their own account, and in the team that they have a seat
 * in. Secrets are not part of it.
 */
export const AccountExport = Type.Object(
  {
    exported_at: described('When this was read.', Instant),
    user: described('You.', Type.Object(userMembers, closed)),
    seat: described(
      'The seat in another account; null without one.',
      orNull(
        Type.Object(
          { account_id: described('The id of that account.', Uuid), joined: described('When you joined it.', Instant) },
          closed
        )
      )
    ),
    account: described(
      'Your own account.',
      Type.Object(
        {
          id: described('The id of the account.', Uuid),
          plan: described('The id of its plan.', Type.String()),
          status: described('Whether an operator suspended it.', Type.Enum(['active', 'suspended'])),
          monthly_budget_usd: described(
            "The owner's own monthly budget, in US dollars; null without one.",
            orNull(SignedUsd)
          ),
          budgets: described(
            'Further budgets of the account and its members, such as `$5 a day`.',
            Type.Array(Type.String())
          ),
          created: described('When it was created.', Instant)
        },
        closed
      )
    ),
    sessions: described('Where the user is signed in.', Type.Array(Type.Object(sessionMembers, closed))),
    recovery_codes: described(
      'Recovery codes of the second factor, without the codes.',
      Type.Array(
        Type.Object(
          {
            created: described('When it was made.', Instant),
            used: described('When it was used; null if it was not.', orNull(Instant))
          },
          closed
        )
      )
    ),
    customer: described(
      'The customer at the payment provider; null without one.',
      orNull(
        Type.Object(
          {
            id: described('Its id there.', Type.String()),
            subscription_id: described('The subscription; null without one.', orNull(Type.String()))
          },
          closed
        )
      )
    ),
    invoices: described(
      "Paid invoices. The amount is in the currency's smallest unit.",
      Type.Array(Type.Object({ ...payment, paid_at: described('When it was paid.', Instant) }, closed))
    ),
    refunds: described(
      "What was refunded, with tax, in the currency's smallest unit.",
      Type.Array(Type.Object({ ...payment, at: described('When it was refunded.', Instant) }, closed))
    ),
    members: described("The own account's members and open invitations.", Type.Array(TeamMember)),
    invitations: described('Invitations that nobody has accepted yet.', Type.Array(Invitation)),
    keys: described('Keys of the own account, and those that the user created in a team.', Type.Array(ExportedKey)),
    webhooks: described('Webhook endpoints of the own account, without their secrets.', Type.Array(WebhookEndpoint)),
    adjustments: described("Corrections of the own account's usage by operators.", Type.Array(Adjustment)),
    audit: described("The own account's log, and what the user did in the team's.", Type.Array(AuditEntry)),
    events: described(
      'What happened in the own account, as far as it is still kept.',
      Type.Array(Type.Object(eventMembers, closed))
    ),
    mails: described(
      'Mails to the owner of the own account, as far as they are still kept, and what they told.',
      Type.Array(
        Type.Object(
          {
            kind: described('The kind of the mail.', MailKind),
            queued_at: described('When the mail was written.', Instant),
            sent_at: described('When it was sent; null if it was not.', orNull(Instant)),
            notices: described(
              'What the mail told.',
              Type.Array(
                Type.Object(
                  {
                    type: described('What happened.', Type.String()),
                    data: described('More about it.', Type.Object({}, { additionalProperties: true })),
                    at: described('When it happened.', Instant)
                  },
                  closed
                )
              )
            )
          },
          closed
        )
      )
    ),
    muted_mails: described('Kinds of mails that the user switched off.', Type.Array(MailKind)),
    usage: described("The own account's usage.", Type.Array(ExportedOwnUsage)),
    requests: described("The own account's requests, as long as the request log keeps them.", Type.Array(LoggedRequest))
  },
  closed
)
export type AccountExport = Static<typeof AccountExport>
