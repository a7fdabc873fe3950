import type { Operations } from './operation-text.ts'

export const teamOperations: Operations = {
  'GET /api/team': { operationId: 'getTeam', summary: 'List seats and invitations', auth: 'session' },
  'POST /api/team/seats': {
    operationId: 'inviteSeat',
    summary: 'Invite a user to a seat',
    description: 'Only this answer contains the link. Control also mails it if it can.',
    auth: 'session',
    isLimited: true,
    errors: ['forbidden', 'account_suspended', 'seat_limit_reached', 'already_member', 'address_not_allowed']
  },
  'GET /api/team/invitations/{token}': {
    operationId: 'getInvitation',
    summary: 'Get who sent an invitation',
    description: 'For the holder of its link. No session is needed.',
    auth: 'none',
    isLimited: true,
    errors: ['invitation_invalid']
  },
  'POST /api/team/invitations/{token}/accept': {
    operationId: 'acceptInvitation',
    summary: 'Accept an invitation to a seat',
    description:
      'The keys of the user’s personal account are suspended until the user gives up the seat. After success gateways refuse them. After `change_pending`, repeat the call within 24 hours.',
    auth: 'session',
    isLimited: true,
    errors: [
      'invitation_invalid',
      'forbidden',
      'account_suspended',
      'already_in_team',
      'already_member',
      'team_has_members',
      'seat_limit_reached',
      'subscription_active',
      'change_pending'
    ]
  },
  'DELETE /api/team/seats/{id}': {
    operationId: 'removeSeat',
    summary: 'Remove a seat, give up your own, or withdraw an invitation',
    description:
      'After success gateways accept the keys of the former member’s personal account again. After `change_pending`, repeat the call within 24 hours.',
    auth: 'session',
    errors: ['forbidden', 'not_found', 'change_pending']
  }
}
