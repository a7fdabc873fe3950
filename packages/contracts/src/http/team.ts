import { type Static, Type } from 'typebox'

const closed = { additionalProperties: false } as const
const Instant = Type.String({ format: 'date-time' })
const Uuid = Type.String({ format: 'uuid' })

export const TeamMember = Type.Object({
  /** Id of the user. It names the seat. */
  id: Uuid,
  email: Type.String(),
  name: Type.String(),
  role: Type.Enum(['owner', 'seat']),
  joined: Instant
})
export type TeamMember = Static<typeof TeamMember>

/** An open invitation. */
export const Invitation = Type.Object({
  /** Names the seat until the invitation is accepted. */
  id: Uuid,
  email: Type.String(),
  created: Instant,
  expires_at: Instant
})
export type Invitation = Static<typeof Invitation>

export const Team = Type.Object({
  /** Id of the account. */
  id: Uuid,
  plan: Type.String(),
  /** Invitations use no seat. `limit` is null for any number. */
  seats: Type.Object({ used: Type.Integer(), limit: Type.Union([Type.Integer(), Type.Null()]) }),
  /** The owner comes first. */
  members: Type.Array(TeamMember),
  invitations: Type.Array(Invitation)
})
export type Team = Static<typeof Team>

export const TeamResponse = Type.Object({ team: Team })

/** The pattern checks only the rough form of an address. */
export const InviteRequest = Type.Object(
  {
    email: Type.String({
      minLength: 3,
      maxLength: 255,
      pattern: '^[^\\s@\\u0000-\\u001f\\u007f]+@[^\\s@\\u0000-\\u001f\\u007f]+$'
    })
  },
  closed
)
export type InviteRequest = Static<typeof InviteRequest>

/** A new invitation. Its link is shown only once. */
export const InviteResponse = Type.Object({
  invitation: Type.Object({ ...Invitation.properties, link: Type.String() })
})

/** What the holder of an invitation's link learns before joining. */
export const OpenInvitationResponse = Type.Object({
  invitation: Type.Object({
    /** Who invites: the owner of the team, which has no other name. `name` may be empty. */
    invited_by: Type.Object({ name: Type.String(), email: Type.String() }),
    expires_at: Instant
  })
})
export type OpenInvitation = Static<typeof OpenInvitationResponse>['invitation']

export const InvitationParams = Type.Object({ token: Type.String() })
export type InvitationParams = Static<typeof InvitationParams>

export const SeatParams = Type.Object({ id: Type.String() })
export type SeatParams = Static<typeof SeatParams>
