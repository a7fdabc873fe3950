import assert from 'node:assert/strict'
import { testsAll } from '@tollgate/sandbox/property-runs.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { sql } from 'drizzle-orm'
import { queryRows } from '../database/connect.ts'
import { onDatabase } from '../testing/databases.ts'
import type { TestUser } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'
import { outcomeOf, teamOf } from './testing/team-of.ts'

const shipped = loadCatalogFile(workspaceFile('deploy/catalog.yaml'))
/** Teams of two, so that all users want the last seat. */
const catalog = { ...shipped, plans: { ...shipped.plans, team: { ...shipped.plans.team!, seats: 2 } } }
const rounds = testsAll ? 5 : 2

onDatabase('concurrent changes of teams', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase(), catalog })
  t.after(() => control.close())
  const { call } = control
  const { orm } = control.database
  const { accept, remove, invited, joined, team, account, record } = teamOf(control)
  const [owner, other] = [await control.signUp({ plan: 'team' }), await control.signUp({ plan: 'team' })]
  const [ada, bob] = [await control.signUp(), await control.signUp()]
  const everybody = [owner, other, ada, bob]

  /** Asserts the rules that are true between calls. */
  async function check(): Promise<void> {
    const rows = await queryRows<
      Record<'id' | 'status' | 'reasons', string> & { seat_of: string | null; seats: number }
    >(
      orm,
      sql`
        select a.id::text, a.status, array_to_string(a.suspensions, ',') as reasons, m.account_id::text as seat_of,
          (select count(*)::int from members where account_id = a.id) as seats
        from accounts a left join members m on m.user_id = a.id`
    )
    for (const { id, status, reasons, seat_of: seatOf, seats } of rows) {
      assert.equal(reasons, seatOf === null ? '' : 'team', 'suspended if and only if the user has a seat elsewhere')
      assert.equal((await record(id)).status, status, 'Redis and PostgreSQL agree')
      assert(seats <= 1, `${seats} seats beside the owner's`)
      assert(seats === 0 || seatOf === null, 'an owner with seats has no seat elsewhere')
    }
  }

  async function reset(): Promise<void> {
    for (const user of everybody) {
      const { role } = await account(user)
      if (role === 'seat') assert.equal(outcomeOf(await remove(user, user.id)), '200')
    }
    for (const user of everybody) {
      for (const { id } of (await team(user)).invitations) await remove(user, id)
    }
    await check()
  }

  async function eachRound(play: (round: number) => Promise<void>): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      await play(round)
      await check()
      await reset()
    }
  }

  await t.test('only one of several concurrent acceptances of an invitation succeeds', async () => {
    await eachRound(async () => {
      const { token } = await invited(owner, ada)
      const outcomes = (await Promise.all(Array.from({ length: 6 }, () => accept(ada, token)))).map(outcomeOf)
      assert.deepEqual(outcomes.sort(), ['200', ...Array(5).fill('404 invitation_invalid')])
      assert.equal((await team(owner)).seats.used, 2)
    })
    const joins = await queryRows<{ n: number }>(
      orm,
      sql`select count(*)::int as n from audit_log where action = 'team.joined'`
    )
    assert.equal(joins[0]!.n, rounds)
  })

  await t.test('only one of two users gets the last seat', async () => {
    await eachRound(async () => {
      const [toAda, toBob] = [await invited(owner, ada), await invited(owner, bob)]
      const outcomes = (await Promise.all([accept(ada, toAda.token), accept(bob, toBob.token)])).map(outcomeOf)
      assert.deepEqual(outcomes.sort(), ['200', '403 seat_limit_reached'])
    })
  })

  await t.test('an invitation is accepted or revoked, not both', async () => {
    await eachRound(async (round) => {
      const { token, id } = await invited(owner, ada)
      const both =
        round % 2 === 0 ? [accept(ada, token), remove(owner, id)] : [remove(owner, id), accept(ada, token)].reverse()
      const outcomes = (await Promise.all(both)).map(outcomeOf)
      const isIn = (await account(ada)).role === 'seat'
      assert.deepEqual(outcomes, isIn ? ['200', '404 not_found'] : ['404 invitation_invalid', '200'])
    })
  })

  await t.test('a seat is removed once if its user and the owner remove it at the same moment', async () => {
    await eachRound(async () => {
      await joined(owner, ada)
      const outcomes = (await Promise.all([remove(owner, ada.id), remove(ada, ada.id)])).map(outcomeOf)
      // A user who left acts for their own account.
      assert(['200,403 forbidden', '200,404 not_found', '404 not_found,200'].includes(outcomes.join()), outcomes.join())
      assert.equal((await account(ada)).role, 'owner')
    })
  })

  await t.test('a user who is removed while accepting is in at most one team', async () => {
    await eachRound(async () => {
      await joined(owner, ada)
      const toBob = await invited(other, ada)
      await Promise.all([remove(owner, ada.id), accept(ada, toBob.token)])
      const { id, role } = await account(ada)
      assert.equal(id, role === 'seat' ? other.id : ada.id)
    })
  })

  await t.test('no user joins two teams, and two owners cannot join each other', async () => {
    await eachRound(async () => {
      const [one, two] = [await invited(owner, ada), await invited(other, ada)]
      const outcomes = (await Promise.all([accept(ada, one.token), accept(ada, two.token)])).map(outcomeOf)
      assert.deepEqual(outcomes.sort(), ['200', '409 already_in_team'])
    })
    await eachRound(async () => {
      const [toOther, toOwner] = [await invited(owner, other), await invited(other, owner)]
      const outcomes = (await Promise.all([accept(other, toOther.token), accept(owner, toOwner.token)])).map(outcomeOf)
      assert.equal(outcomes.filter((outcome) => outcome === '200').length, 1, outcomes.join())
    })
  })

  await t.test('if the plan is lowered while a user joins, they are fully in or fully out', async () => {
    await eachRound(async () => {
      const { token } = await invited(owner, ada)
      await control.setPlan(owner.id, 'pro')
      const [outcome] = await Promise.all([accept(ada, token), control.signIn(owner)])
      assert(['200', '403 seat_limit_reached'].includes(outcomeOf(outcome)), outcomeOf(outcome))
      await control.planWriter.writeAll()
      await control.setPlan(owner.id, 'team')
      await control.signIn(owner)
    })
  })

  await t.test('random concurrent actions never fail, and never break a rule', async () => {
    const outcomes = new Set<string>()
    const act = async (user: TestUser, step: number) => {
      const peer = everybody[(everybody.indexOf(user) + 1 + (step % 3)) % everybody.length]!
      const invitation = await call('POST', '/api/team/seats', { cookie: user.cookie, body: { email: peer.email } })
      outcomes.add(outcomeOf(invitation))
      const token = (invitation.body as { invitation?: { link: string } }).invitation?.link.split('/').at(-1)
      const answers = await Promise.all([
        token === undefined ? team(user).then(() => null) : accept(peer, token),
        call('POST', '/api/keys', { cookie: user.cookie, body: { label: 'k' } }),
        call('PATCH', '/api/account', { cookie: user.cookie, body: { monthly_budget_usd: step % 2 } }),
        step % 2 === 0 ? remove(user, user.id) : control.signIn(user).then(() => null)
      ])
      for (const answer of answers) if (answer !== null) outcomes.add(outcomeOf(answer))
    }
    for (let step = 0; step < 8; step++) {
      await Promise.all([...everybody.map((user) => act(user, step)), control.planWriter.writeAll()])
      await check()
    }
    assert.deepEqual(
      control.logged.filter((line) => line.includes('request failed')),
      []
    )
    assert.deepEqual(
      [...outcomes].filter((outcome) => outcome.startsWith('5')),
      []
    )
    assert(outcomes.has('200') && outcomes.has('201'))
  })
})
