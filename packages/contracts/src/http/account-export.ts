import { type Static, Type } from 'typebox'
import { closed, Instant, SignedUsd, AccountId as Uuid } from './admin/adjustments.ts'
import { ExportedUsage } from './admin/usage.ts'
import { AuditEntry } from './audit.ts'
import { Session } from './auth.ts'
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
export const ExportedKey = Type.Object({ ...keyMembers, account_id: Uuid, revoked_at: orNull(Instant) }, closed)
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

/**
 * Everything that is stored about the caller: as a user, in their own account, and in the team that they have a seat
 * in. Secrets are not part of it.
 */
export const AccountExport = Type.Object(
  {
    exported_at: Instant,
    user: Type.Object({ id: Uuid, email: Type.String(), name: Type.String() }, closed),
    /** The seat in another account; null without one. */
    seat: orNull(Type.Object({ account_id: Uuid, joined: Instant }, closed)),
    account: Type.Object(
      {
        id: Uuid,
        plan: Type.String(),
        status: Type.Enum(['active', 'suspended']),
        monthly_budget_usd: orNull(SignedUsd),
        /** Further budgets of the account and its members, such as `$5 a day`. */
        budgets: Type.Array(Type.String()),
        created: Instant
      },
      closed
    ),
    /** Where the user is signed in. */
    sessions: Type.Array(Type.Object(sessionMembers, closed)),
    /** Recovery codes of the second factor, without the codes. */
    recovery_codes: Type.Array(Type.Object({ created: Instant, used: orNull(Instant) }, closed)),
    /** The customer at the payment provider; null without one. */
    customer: orNull(Type.Object({ id: Type.String(), subscription_id: orNull(Type.String()) }, closed)),
    /** Paid invoices. The amount is in the currency's smallest unit. */
    invoices: Type.Array(
      Type.Object({ id: Type.String(), amount: Type.Integer(), currency: Type.String(), paid_at: Instant }, closed)
    ),
    /** What was refunded, with tax, in the currency's smallest unit. */
    refunds: Type.Array(
      Type.Object({ id: Type.String(), amount: Type.Integer(), currency: Type.String(), at: Instant }, closed)
    ),
    /** The own account's members and open invitations. */
    members: Type.Array(TeamMember),
    invitations: Type.Array(Invitation),
    /** Keys of the own account, and those that the user created in a team. */
    keys: Type.Array(ExportedKey),
    /** Webhook endpoints of the own account, without their secrets. */
    webhooks: Type.Array(WebhookEndpoint),
    /** Corrections of the own account's usage by operators. */
    adjustments: Type.Array(Adjustment),
    /** The own account's log, and what the user did in the team's. */
    audit: Type.Array(AuditEntry),
    /** What happened in the own account, as far as it is still kept. */
    events: Type.Array(Type.Object(eventMembers, closed)),
    /** Mails of Tollgate to the owner of the own account, as far as they are still kept, and what they told. */
    mails: Type.Array(
      Type.Object(
        {
          kind: MailKind,
          queued_at: Instant,
          sent_at: orNull(Instant),
          notices: Type.Array(
            Type.Object(
              { type: Type.String(), data: Type.Object({}, { additionalProperties: true }), at: Instant },
              closed
            )
          )
        },
        closed
      )
    ),
    /** Kinds of mails that the user switched off. */
    muted_mails: Type.Array(MailKind),
    /** The own account's usage. */
    usage: Type.Array(ExportedOwnUsage),
    /** The own account's requests, as long as the request log keeps them. */
    requests: Type.Array(LoggedRequest)
  },
  closed
)
export type AccountExport = Static<typeof AccountExport>
