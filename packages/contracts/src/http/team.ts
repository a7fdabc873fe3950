import { type Static, Type } from 'typebox'
import { described } from './described.ts'

const closed = { additionalProperties: false } as const
const Instant = Type.String({ format: 'date-time' })
const Uuid = Type.String({ format: 'uuid' })

export const TeamMember = Type.Object({
  id: described('Id of the user. It names the seat.', Uuid),
  email: described('The e-mail address of the person.', Type.String()),
  name: described('How the person is called.', Type.String()),
  role: described('`owner` pays and manages the account, `seat` uses it.', Type.Enum(['owner', 'seat'])),
  joined: described('When the person joined.', Instant)
})
export type TeamMember = Static<typeof TeamMember>

/** An open invitation. */
export const Invitation = Type.Object({
  id: described('Names the seat until the invitation is accepted.', Uuid),
  email: described('Who is invited.', Type.String()),
  created: described('When it was made.', Instant),
  expires_at: described('When its link stops working.', Instant)
})
export type Invitation = Static<typeof Invitation>

export const Team = Type.Object({
  id: described('Id of the account.', Uuid),
  plan: described('The id of the plan.', Type.String()),
  seats: described(
    'Invitations use no seat. `limit` is null for any number.',
    Type.Object({
      used: described('People who share the account, with the owner.', Type.Integer()),
      limit: described('How many the plan allows; null for any number.', Type.Union([Type.Integer(), Type.Null()]))
    })
  ),
  members: described('The owner comes first.', Type.Array(TeamMember)),
  invitations: described('Invitations that nobody has accepted yet.', Type.Array(Invitation))
})
export type Team = Static<typeof Team>

export const TeamResponse = Type.Object({ team: described('The account with its people.', Team) })

/** The pattern checks only the rough form of an address. */
export const InviteRequest = Type.Object(
  {
    email: described(
      'Whom to invite.',
      Type.String({
        minLength: 3,
        maxLength: 255,
        pattern: '^[^\\s@\\u0000-\\u001f\\u007f]+@[^\\s@\\u0000-\\u001f\\u007f]+$'
      })
    )
  },
  closed
)
export type InviteRequest = Static<typeof InviteRequest>

/** A new invitation. Its link is shown only once. */
export const InviteResponse = Type.Object({
  invitation: described(
    'The invitation.',
    Type.Object({
      ...Invitation.properties,
      link: described('The link that accepts it. It is shown only in this answer.', Type.String())
    })
  )
})

/** What the holder of an invitation's link learns before joining. */
export const OpenInvitationResponse = Type.Object({
  invitation: described(
    'The invitation.',
    Type.Object({
      invited_by: described(
        'Who invites: the owner of the team, which has no other name. `name` may be empty.',
        Type.Object({
          name: described('Their name; may be empty.', Type.String()),
          email: described('Their e-mail address.', Type.String())
        })
      ),
      expires_at: described('When the link stops working.', Instant)
    })
  )
})
export type OpenInvitation = Static<typeof OpenInvitationResponse>['invitation']

export const InvitationParams = Type.Object({ token: described("The token of the invitation's link.", Type.String()) })
export type InvitationParams = Static<typeof InvitationParams>

export const SeatParams = Type.Object({ id: described('The id of the person, or of the invitation.', Type.String()) })
export type SeatParams = Static<typeof SeatParams>
