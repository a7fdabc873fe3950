import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'tap'
import { type AcceptanceFacts, checkAcceptance, hasFreeSeat, normalizeEmail } from './accept-invitation.ts'

const now = new Date('2026-11-21T12:00:00Z')
const good = {
  now,
  invitation: { accountId: 'team', email: 'ada@example.com', endsAt: new Date(now.getTime() + 1) },
  invitee: { id: 'ada', email: 'Ada@example.com', seatOf: null, ownSeats: 0, subscriptionStatus: null },
  team: { isSuspended: false, seats: 0, seatLimit: 2 }
} as const satisfies AcceptanceFacts

const refusals: Array<[code: string, facts: AcceptanceFacts]> = [
  ['invitation_invalid', { ...good, invitation: null }],
  ['invitation_invalid', { ...good, team: null }],
  ['invitation_invalid', { ...good, invitation: { ...good.invitation, endsAt: now } }],
  ['forbidden', { ...good, invitee: { ...good.invitee, email: 'bob@example.com' } }],
  ['forbidden', { ...good, invitee: { ...good.invitee, email: '' } }],
  ['already_member', { ...good, invitee: { ...good.invitee, seatOf: 'team' } }],
  ['already_member', { ...good, invitee: { ...good.invitee, id: 'team' } }],
  ['already_in_team', { ...good, invitee: { ...good.invitee, seatOf: 'another' } }],
  ['team_has_members', { ...good, invitee: { ...good.invitee, ownSeats: 1 } }],
  ['subscription_active', { ...good, invitee: { ...good.invitee, subscriptionStatus: 'active' } }],
  ['subscription_active', { ...good, invitee: { ...good.invitee, subscriptionStatus: 'past_due' } }],
  ['subscription_active', { ...good, invitee: { ...good.invitee, subscriptionStatus: 'paused' } }],
  ['account_suspended', { ...good, team: { ...good.team, isSuspended: true } }],
  ['seat_limit_reached', { ...good, team: { ...good.team, seats: 1 } }],
  ['seat_limit_reached', { ...good, team: { ...good.team, seatLimit: 1 } }]
]

test('a user who meets every rule is accepted, and each refusal has its code', async () => {
  assert.equal(checkAcceptance(good), null)
  assert.equal(checkAcceptance({ ...good, team: { ...good.team, seats: 1e6, seatLimit: null } }), null)
  assert.equal(checkAcceptance({ ...good, invitee: { ...good.invitee, subscriptionStatus: 'canceled' } }), null)
  for (const [code, facts] of refusals) assert.equal(checkAcceptance(facts), code, JSON.stringify(facts))
})

const accounts = fc.constantFrom('a', 'b', 'c')
const email = fc.constantFrom('a@x', 'b@x')
const seldom = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) })
const facts: fc.Arbitrary<AcceptanceFacts> = fc.record({
  now: fc.constant(now),
  invitation: fc.option(
    fc.record({ accountId: accounts, email, endsAt: fc.integer({ min: -1, max: 3 }).map((ms) => new Date(+now + ms)) })
  ),
  invitee: fc.record({
    id: accounts,
    email: email.map((address) => address.toUpperCase()),
    seatOf: fc.oneof(fc.constant(null), accounts),
    ownSeats: seldom,
    subscriptionStatus: fc.option(fc.constantFrom('active', 'trialing', 'unpaid', 'canceled', 'incomplete_expired'))
  }),
  team: fc.option(
    fc.record({
      isSuspended: seldom.map(Boolean),
      seats: fc.nat({ max: 3 }),
      seatLimit: fc.option(fc.integer({ min: 1, max: 4 }))
    })
  )
})

test('a user is accepted if and only if every rule is met', async () => {
  let accepted = 0
  fc.assert(
    fc.property(facts, ({ invitation, invitee, team, now }) => {
      const isWithinRules =
        invitation !== null &&
        team !== null &&
        now < invitation.endsAt &&
        invitation.email === normalizeEmail(invitee.email) &&
        invitee.id !== invitation.accountId &&
        invitee.seatOf === null &&
        invitee.ownSeats === 0 &&
        !['active', 'trialing', 'unpaid'].includes(invitee.subscriptionStatus ?? '') &&
        !team.isSuspended &&
        (team.seatLimit === null || team.seats + 2 <= team.seatLimit)
      if (isWithinRules) accepted++
      assert.equal(checkAcceptance({ invitation, invitee, team, now }) === null, isWithinRules)
    }),
    { numRuns: 5000 }
  )
  assert(accepted > 10)
})

/** Applies the rules to random actions of users, in memory. */
test('no sequence of joining and leaving breaks a limit or puts a user in two teams', async () => {
  const people = ['p0', 'p1', 'p2', 'p3', 'p4']
  const person = fc.nat({ max: people.length - 1 })
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant('join' as const), who: person, where: person }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const), who: person, where: person }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('limit' as const), who: person, where: person }) }
  )
  let joined = 0
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const seatOf = new Map<string, string>()
      const limits = new Map<string, number>(people.map((id) => [id, 3]))
      const seatsOf = (account: string) => [...seatOf.values()].filter((of) => of === account).length
      for (const { do: action, who, where } of steps) {
        const [user, account] = [people[who]!, people[where]!]
        if (action === 'leave') seatOf.delete(user)
        else if (action === 'limit') limits.set(account, 1 + (who % 4))
        else {
          const before = seatsOf(account)
          const refusal = checkAcceptance({
            now,
            invitation: { accountId: account, email: user, endsAt: new Date(+now + 1) },
            invitee: {
              id: user,
              email: user,
              seatOf: seatOf.get(user) ?? null,
              ownSeats: seatsOf(user),
              subscriptionStatus: null
            },
            // The personal account of a user with a seat is suspended.
            team: { isSuspended: seatOf.has(account), seats: before, seatLimit: limits.get(account)! }
          })
          if (refusal !== null) continue
          joined++
          assert(!seatOf.has(user))
          seatOf.set(user, account)
          assert(before + 2 <= limits.get(account)!)
        }
        for (const [seat, of] of seatOf) {
          assert.notEqual(seat, of)
          assert.equal(seatOf.has(of), false, `${of} is a seat and has seats`)
        }
      }
    })
  )
  assert(joined > 20)
})

test('a seat is free while the owner and the seats are fewer than the limit', async () => {
  assert.equal(hasFreeSeat({ seats: 0, seatLimit: 1 }), false)
  assert.equal(hasFreeSeat({ seats: 8, seatLimit: 10 }), true)
  assert.equal(hasFreeSeat({ seats: 9, seatLimit: 10 }), false)
  assert.equal(hasFreeSeat({ seats: 12, seatLimit: 10 }), false)
  assert.equal(hasFreeSeat({ seats: 1e9, seatLimit: null }), true)
})
