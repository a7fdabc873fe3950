import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import type { Key } from '@tollgate/contracts/http/keys.ts'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { sql } from 'drizzle-orm'
import { queryRows } from '../database/connect.ts'
import { mails } from '../database/schema/mails.ts'
import type { Answer } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { codeOf, outcomeOf, teamOf } from './testing/team-of.ts'

const day = 24 * 3600 * 1000
const keyOf = (answer: Answer) => (answer.body as { key: { id: string; value: string } }).key
const planOf = (answer: Answer) => (answer.body as { user: { plan: string } }).user.plan

onDatabase('team', async (t, newDatabase) => {
  const control = await startControl({ databaseUrl: await newDatabase() })
  t.after(() => control.close())
  const { call } = control
  const { orm } = control.database
  const { invite, accept, remove, invited, joined, team, account, record, planAtProvider } = teamOf(control)
  const owner = await control.signUp({ plan: 'team', name: 'Olive Owner' })
  const actions = async (accountId: string) =>
    (
      await queryRows<{ action: string }>(
        orm,
        sql`select action from audit_log where account_id = ${accountId} order by id`
      )
    ).map(({ action }) => action)
  const createKey = (cookie: string, label = 'k', body = {}) =>
    call('POST', '/api/keys', { cookie, body: { label, ...body } })

  await t.test('a new account is a team of one, with the seats of its plan', async () => {
    const { members, seats, invitations, ...rest } = await team(owner)
    assert.deepEqual(rest, { id: owner.id, plan: 'team' })
    assert.deepEqual(seats, { used: 1, limit: 10 })
    assert.deepEqual(invitations, [])
    assert.equal(members.length, 1)
    assert.match(members[0]!.joined, /^\d{4}-.*Z$/)
    assert.deepEqual(
      { ...members[0], joined: '' },
      {
        id: owner.id,
        email: owner.email,
        name: 'Olive Owner',
        role: 'owner',
        joined: ''
      }
    )
    assert.equal((await team(await control.signUp({ plan: 'enterprise' }))).seats.limit, null)
  })

  await t.test('an invited user who accepts acts for the team, and their own keys are refused', async () => {
    const ada = await control.signUp({ plan: 'enterprise' })
    const own = keyOf(await createKey(ada.cookie)).id
    const body = { label: 'server', scope: 'management' }
    const ownServer = keyOf(await call('POST', '/api/keys', { cookie: ada.cookie, body }))
    assert.equal((await record(ada.id)).status, 'active')
    const { token } = await invited(owner, { email: ada.email.toUpperCase() })
    assert.deepEqual((await accept(ada, token)).body, { ok: true })

    assert.equal(planOf(await call('GET', '/api/auth/me', { cookie: ada.cookie })), 'team')
    assert.deepEqual(await account(ada), { ...(await account(owner)), role: 'seat' })
    assert.deepEqual(
      (await team(ada)).members.map(({ id, role }) => [id, role]),
      [
        [owner.id, 'owner'],
        [ada.id, 'seat']
      ]
    )
    assert.deepEqual((await team(ada)).invitations, [])
    assert.deepEqual(await record(ada.id), {
      plan: 'enterprise',
      status: 'suspended',
      isOwnerInTeam: true,
      ownCapNanos: null
    })
    const asServer = await call('GET', '/api/keys', { headers: { authorization: `Bearer ${ownServer.value}` } })
    assert.deepEqual([asServer.status, codeOf(asServer)], [403, 'account_suspended'])
    assert.match(JSON.stringify(asServer.body), /personal account that is paused while its owner is in a team/)
    assert.equal((await record(owner.id)).status, 'active')
    assert.deepEqual((await call('GET', '/api/keys', { cookie: ada.cookie })).body, { keys: [], next_cursor: null })

    // Their keys belong to the team, and stay there when they leave.
    const made = keyOf(await createKey(ada.cookie, 'made by a seat', { account_id: owner.id })).id
    // A page that still shows their own account creates no key in the team.
    const stale = await createKey(ada.cookie, 'for their own account', { account_id: ada.id })
    assert.deepEqual([stale.status, codeOf(stale)], [409, 'account_changed'])
    const idsOf = async (cookie: string) =>
      ((await call('GET', '/api/keys', { cookie })).body as { keys: Array<{ id: string }> }).keys.map(({ id }) => id)
    assert.deepEqual(await idsOf(owner.cookie), [made])

    // The owner may change and revoke any key of the team, other members only their own.
    const owners = keyOf(await createKey(owner.cookie, 'made by the owner')).id
    const changeable = async (cookie: string) =>
      ((await call('GET', '/api/keys', { cookie })).body as { keys: Key[] }).keys
        .filter(({ can_change }) => can_change)
        .map(({ id }) => id)
    assert.deepEqual(await changeable(ada.cookie), [made])
    assert.deepEqual(new Set(await changeable(owner.cookie)), new Set([owners, made]))
    for (const [method, path, body] of [
      ['PATCH', '', { label: 'x' }],
      ['POST', '/rotate', {}],
      ['DELETE', '', {}]
    ] as const) {
      const answer = await call(method, `/api/keys/${owners}${path}`, { cookie: ada.cookie, body })
      assert.deepEqual([answer.status, codeOf(answer)], [403, 'forbidden'], method)
      assert.equal((await call(method, `/api/keys/${owners}${path}`, { cookie: owner.cookie, body })).status, 200)
    }
    const management = { label: 'server', scope: 'management' }
    const refused = await call('POST', '/api/keys', { cookie: ada.cookie, body: management })
    assert.deepEqual([refused.status, codeOf(refused)], [403, 'forbidden'])
    assert.equal((await call('PATCH', `/api/keys/${made}`, { cookie: ada.cookie, body: { label: 'y' } })).status, 200)

    assert.deepEqual((await remove(ada, ada.id)).body, { ok: true })
    assert.deepEqual(await idsOf(owner.cookie), [made])
    assert.deepEqual(new Set(await idsOf(ada.cookie)), new Set([own, ownServer.id]))
    assert.equal((await record(ada.id)).status, 'active')
    assert.equal(planOf(await call('GET', '/api/auth/me', { cookie: ada.cookie })), 'enterprise')
    assert.deepEqual(
      (await actions(owner.id)).filter((action) => action.startsWith('team.')),
      ['team.invited', 'team.joined', 'team.left']
    )
    assert.deepEqual(
      (await actions(ada.id)).filter((action) => action.startsWith('account.')),
      ['account.suspended', 'account.resumed']
    )
  })

  await t.test('a new user gets a mail, chooses a password, and accepts', async () => {
    const email = 'newcomer@example.com'
    const { token } = await invited(owner, { email })
    const link = linkIn(await latestMail(control.identity.mailboxUrl, email))
    assert.equal(link.origin + link.pathname, `http://localhost:3000/invitations/${token}`)
    const tokenHash = new URLSearchParams(link.hash.slice(1)).get('token_hash')!
    const body = { token_hash: tokenHash, password: 'a password of their own', sign_in: true }
    const chosen = await call('POST', '/api/auth/reset-password', { body })
    assert.equal((chosen.body as { user: { email: string } }).user.email, email)
    const cookie = chosen.cookies.find((one) => one.startsWith('svc_session='))!.split(';')[0]!
    assert.equal(outcomeOf(await accept({ cookie }, token)), '200', 'one password, typed once')
    const { members } = await team(owner)
    assert.equal(members.at(-1)!.email, email)
    await remove(owner, members.at(-1)!.id)
  })

  await t.test('whoever has the link of an open invitation sees who invites, and nothing else', async () => {
    const read = (token: string) => call('GET', `/api/team/invitations/${token}`)
    const ada = await control.signUp()
    const first = await invited(owner, ada)
    const { token, id } = await invited(owner, ada)
    const answer = await read(token)
    const { expires_at: expiresAt, ...invitation } = (answer.body as { invitation: { expires_at: string } }).invitation
    assert.deepEqual(invitation, { invited_by: { name: 'Olive Owner', email: owner.email } })
    assert.match(expiresAt, /^\d{4}-.*Z$/)
    assert.deepEqual(answer.cookies, [])
    const wrong = ['x', first.token, `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`, "'--", id]
    for (const one of wrong) assert.equal(outcomeOf(await read(encodeURIComponent(one))), '404 invitation_invalid', one)
    await remove(owner, id)
    assert.equal(outcomeOf(await read(token)), '404 invitation_invalid', 'withdrawn')
    const { token: used } = await invited(owner, ada)
    assert.equal(outcomeOf(await accept(ada, used)), '200')
    assert.equal(outcomeOf(await read(used)), '404 invitation_invalid', 'accepted')
    await remove(owner, ada.id)
  })

  await t.test('an existing user gets a mail whose link signs nobody in', async () => {
    const ada = await control.signUp()
    const confirmation = await latestMail(control.identity.mailboxUrl, ada.email)
    const { token } = await invited(owner, ada)
    const mail = await latestMail(control.identity.mailboxUrl, ada.email, { newerThan: confirmation })
    assert.equal(mail.Subject, 'You have been invited to a team')
    assert.equal(linkIn(mail).href, `http://localhost:3000/invitations/${token}`)
    assert.doesNotMatch(mail.HTML, /token_hash|access_token/)
    assert.doesNotMatch(mail.Text, /\b\d{6}\b/, 'no code')
    const opened = await call('GET', `/invitations/${token}`)
    assert.deepEqual(opened.cookies, [])
    assert.equal((await call('POST', `/api/team/invitations/${token}/accept`)).status, 401)
    assert.equal(outcomeOf(await accept(ada, token)), '200')
    await remove(owner, ada.id)
  })

  await t.test(
    'the answer does not tell whether the address is known, and only its link contains the token',
    async () => {
      const user = await control.signUp()
      const answers = await Promise.all([invite(owner, user.email), invite(owner, 'unknown@example.com')])
      for (const { status, body } of answers) {
        assert.equal(status, 201)
        const { invitation } = body as { invitation: Record<string, string> }
        assert.deepEqual(Object.keys(invitation).sort(), ['created', 'email', 'expires_at', 'id', 'link'])
        const token = invitation.link!.split('/').at(-1)!
        assert.match(token, /^[A-Za-z0-9_-]{43}$/)
        assert.equal(JSON.stringify(await team(owner)).includes(token), false)
        const rows = await queryRows<{ token_hash: string }>(
          orm,
          sql`select * from invitations where id = ${invitation.id}::uuid`
        )
        assert.equal(rows[0]!.token_hash, hash('sha256', token, 'hex'))
        assert.equal(JSON.stringify(rows).includes(token), false)
        assert.equal(control.logged.join('').includes(token), false)
      }
      for (const { id } of (await team(owner)).invitations) await remove(owner, id)
    }
  )

  await t.test(
    'an invitation works once for its address within seven days, unless it is revoked or replaced',
    async () => {
      const [ada, bob] = [await control.signUp(), await control.signUp()]
      const first = await invited(owner, ada)
      const second = await invited(owner, ada)
      assert.equal((await team(owner)).invitations.length, 1)
      assert.equal(outcomeOf(await accept(ada, first.token)), '404 invitation_invalid', 'replaced')
      assert.equal(outcomeOf(await accept(bob, second.token)), '403 forbidden', 'a user with another address')
      assert.equal((await call('POST', `/api/team/invitations/${second.token}/accept`)).status, 401)
      for (const token of ['', 'x', '..', second.token.slice(1), `${second.token}A`, '%00', "'--", 'é'.repeat(43)]) {
        assert.equal((await accept(ada, encodeURIComponent(token))).status, 404, token)
      }
      assert.deepEqual((await remove(owner, second.id)).body, { ok: true })
      assert.equal(outcomeOf(await accept(ada, second.token)), '404 invitation_invalid', 'revoked')
      assert.equal(outcomeOf(await remove(owner, second.id)), '404 not_found')

      const third = await invited(owner, ada)
      assert.equal(outcomeOf(await call('GET', `/api/team/invitations/${third.token}`)), '200')
      control.passTime(7 * day - 5 * 60_000)
      const cookie = await control.signIn(ada)
      assert.equal((await team(owner)).invitations.length, 1)
      control.passTime(5 * 60_000)
      assert.equal(outcomeOf(await accept({ cookie }, third.token)), '404 invitation_invalid', 'expired')
      owner.cookie = await control.signIn(owner)
      assert.deepEqual((await team(owner)).invitations, [])

      const fourth = await invited(owner, ada)
      assert.equal(outcomeOf(await accept({ cookie }, fourth.token)), '200')
      assert.equal(outcomeOf(await accept({ cookie }, fourth.token)), '404 invitation_invalid', 'used')
      assert.equal(outcomeOf(await invite(owner, ada.email)), '409 already_member')
      assert.equal(outcomeOf(await invite(owner, owner.email)), '409 already_member')
      await remove(owner, ada.id)
    }
  )

  await t.test('only the owner may manage the team; nobody can change another team', async () => {
    const [ada, bob, stranger] = [
      await control.signUp(),
      await control.signUp(),
      await control.signUp({ plan: 'team' })
    ]
    await joined(owner, ada)
    await joined(owner, bob)
    const pending = await invited(owner, { email: 'pending@example.com' })
    const elsewhere = await invited(stranger, { email: 'elsewhere@example.com' })
    assert.equal(outcomeOf(await invite(ada, 'x@example.com')), '403 forbidden')
    for (const id of [owner.id, bob.id, pending.id]) assert.equal(outcomeOf(await remove(ada, id)), '403 forbidden')
    for (const id of [stranger.id, elsewhere.id, crypto.randomUUID(), 'x', '..%2f', owner.id.toUpperCase()]) {
      assert.equal(outcomeOf(await remove(ada, id)), '404 not_found', id)
      assert.equal(outcomeOf(await remove(owner, id)), '404 not_found', id)
    }
    assert.equal(outcomeOf(await remove(owner, owner.id)), '403 forbidden')
    const budget = { monthly_budget_usd: 1 }
    assert.equal(outcomeOf(await call('PATCH', '/api/account', { cookie: ada.cookie, body: budget })), '403 forbidden')
    assert.equal(outcomeOf(await call('GET', '/api/audit', { cookie: ada.cookie })), '403 forbidden')

    assert.equal(outcomeOf(await remove(owner, bob.id)), '200')
    assert.equal(outcomeOf(await remove(owner, bob.id)), '404 not_found')
    assert.equal((await account(bob)).id, bob.id)
    assert.equal((await account(bob)).role, 'owner')
    assert.equal((await record(bob.id)).status, 'active')
    assert((await actions(owner.id)).includes('team.seat_removed'))
    await remove(ada, ada.id)
  })

  await t.test('a member whom the owner removes gets a mail that says so; one who leaves gets none', async () => {
    const [removed, left] = [await control.signUp(), await control.signUp()]
    for (const user of [removed, left]) await joined(owner, user)
    await remove(owner, removed.id)
    await remove(left, left.id)
    const queued = await orm.select().from(mails)
    const toldTo = (id: string) => queued.filter(({ accountId }) => accountId === id).flatMap(({ notices }) => notices)
    assert.deepEqual(
      toldTo(removed.id).map(({ type, data }) => ({ type, data })),
      [{ type: 'seat.removed', data: { owner: `Olive Owner (${owner.email})` } }]
    )
    assert.deepEqual(toldTo(left.id), [])
  })

  await t.test('a user can be in one team at a time, and in none with their own subscription', async () => {
    const other = await control.signUp({ plan: 'team' })
    const [ada, bob] = [await control.signUp({ plan: 'team' }), await control.signUp()]
    await joined(ada, bob)
    const toAda = await invited(owner, ada)
    assert.equal(outcomeOf(await accept(ada, toAda.token)), '409 team_has_members')
    const toBob = await invited(owner, bob)
    assert.equal(outcomeOf(await accept(bob, toBob.token)), '409 already_in_team')
    await remove(bob, bob.id)
    assert.equal(outcomeOf(await accept(bob, toBob.token)), '200')

    await orm.execute(sql`update accounts set subscription_status = 'active' where id = ${ada.id}`)
    assert.equal(outcomeOf(await accept(ada, toAda.token)), '409 subscription_active')
    await orm.execute(sql`update accounts set subscription_status = 'canceled' where id = ${ada.id}`)
    const fromAda = await invited(ada, other)
    assert.equal(outcomeOf(await accept(ada, toAda.token)), '200')
    assert.equal(
      outcomeOf(await accept(other, fromAda.token)),
      '403 account_suspended',
      'the inviting team’s owner is a seat elsewhere'
    )
    await remove(owner, ada.id)
    await remove(owner, bob.id)
    assert.equal(outcomeOf(await accept(other, fromAda.token)), '200', 'the owner is back')
    await remove(ada, other.id)
  })

  await t.test(
    'a plan without seats refuses invitations; a lowered plan keeps its members and admits no more',
    async () => {
      const pro = await control.signUp({ plan: 'pro' })
      assert.equal(outcomeOf(await invite(pro, 'x@example.com')), '403 seat_limit_reached')
      const lowered = await control.signUp({ plan: 'team' })
      const [ada, bob] = [await control.signUp(), await control.signUp()]
      await joined(lowered, ada)
      const { token } = await invited(lowered, bob)
      await control.setPlan(lowered.id, 'free')
      lowered.cookie = await control.signIn(lowered)
      assert.deepEqual((await team(lowered)).seats, { used: 2, limit: 1 })
      assert.equal(outcomeOf(await accept(bob, token)), '403 seat_limit_reached')
      assert.equal(outcomeOf(await invite(lowered, 'x@example.com')), '403 seat_limit_reached')
      assert.equal((await account(ada)).id, lowered.id)
    }
  )

  await t.test('the provider has the team’s plan for a seat, and the user’s own plan after leaving', async () => {
    const boss = await control.signUp({ plan: 'team' })
    const ada = await control.signUp()
    await joined(boss, ada)
    await control.planWriter.writeAll()
    assert.equal(await planAtProvider(ada.id), 'team')
    assert.equal(await planAtProvider(boss.id), 'team')

    // Signing in again shows the provider's plan, which is the team's and not their own.
    ada.cookie = await control.signIn(ada)
    assert.equal((await account(ada)).id, boss.id)
    const own = () => queryRows<{ plan: string }>(orm, sql`select plan from accounts where id = ${ada.id}`)
    assert.equal((await own())[0]!.plan, 'free')

    await control.setPlan(boss.id, 'enterprise')
    await control.signIn(boss)
    assert.equal(planOf(await call('GET', '/api/auth/me', { cookie: ada.cookie })), 'enterprise')
    await control.planWriter.writeAll()
    assert.equal(await planAtProvider(ada.id), 'enterprise')

    await remove(boss, ada.id)
    assert.equal(planOf(await call('GET', '/api/auth/me', { cookie: ada.cookie })), 'free')
    ada.cookie = await control.signIn(ada)
    assert.equal(
      planOf(await call('GET', '/api/auth/me', { cookie: ada.cookie })),
      'free',
      'before the plan is written'
    )
    await control.planWriter.writeAll()
    assert.equal(await planAtProvider(ada.id), 'free')
    assert.equal((await own())[0]!.plan, 'free')
  })

  await t.test('invalid input is refused, and the error names the member', async () => {
    const refused: unknown[] = [
      {},
      { email: '' },
      { email: 'nobody' },
      { email: 7 },
      { email: ['a@example.com'] },
      { email: 'a@example.com', role: 'owner' },
      { email: `${'x'.repeat(300)}@example.com` },
      { email: 'a\0@example.com' },
      { email: 'a b@example.com' },
      []
    ]
    for (const body of refused) {
      const answer = await call('POST', '/api/team/seats', { cookie: owner.cookie, body })
      assert.equal(outcomeOf(answer), '400 invalid_request', JSON.stringify(body))
    }
    const odd = await invite(owner, `'; drop table invitations; --@example.com`.replaceAll(' ', ''))
    assert.equal(odd.status, 201)
    for (const path of ['/api/team', '/api/account']) assert.equal((await call('GET', path)).status, 401)
    assert.equal(
      codeOf(await call('POST', '/api/team/seats', { body: { email: 'a@example.com' } })),
      'not_authenticated'
    )
    const foreign = { cookie: owner.cookie, origin: 'https://evil.example', body: { email: 'a@example.com' } }
    assert.equal(codeOf(await call('POST', '/api/team/seats', foreign)), 'csrf_rejected')
  })

  await t.test('a deleted user frees their seat', async () => {
    const ada = await control.signUp()
    await joined(owner, ada)
    const before = (await team(owner)).seats.used
    assert.equal(outcomeOf(await call('DELETE', '/api/auth/me', { cookie: ada.cookie })), '200')
    assert.equal((await team(owner)).seats.used, before - 1)
    assert.equal((await record(ada.id)).status, 'suspended')
  })
})
