import assert from 'node:assert/strict'
import { createClient } from '@supabase/supabase-js'
import { sql } from 'drizzle-orm'
import { queryRows } from '../database/connect.ts'
import { sweeps } from '../database/schema/users.ts'
import { claimSweep } from '../leased-rows/sweep-lease.ts'
import type { Answer } from '../testing/call-control.ts'
import { serviceRoleKey } from '../testing/control-options.ts'
import { onDatabase } from '../testing/databases.ts'
import { startIdentityProxy } from '../testing/identity-proxy.ts'
import { movedTime } from '../testing/moved-time.ts'
import type { RunningControl } from '../testing/running-control.ts'
import { startControl } from '../testing/start-control.ts'
import { createSweeper } from './sweep-users.ts'

const minute = 60_000
const hour = 60 * minute
/** The period for few users. */
const period = 10 * minute
const codeOf = (answer: Answer) => (answer.body as { error: { code: string } }).error.code
const planOf = (answer: Answer) => (answer.body as { user: { plan: string } }).user.plan

const adminOf = ({ identity }: RunningControl) =>
  createClient(identity.url, serviceRoleKey, { auth: { persistSession: false, autoRefreshToken: false } }).auth.admin

/** How far the comparison is. */
const progress = sql`select page, coalesce(finished_at >= started_at, false) as is_done from sweeps`

type State = { plan: string; status: string; sessions: number }

async function stateOf({ database }: RunningControl, id: string): Promise<State> {
  const [row] = await queryRows<State>(
    database.orm,
    sql`
      select plan, status, (select count(*)::int from sessions where user_id = ${id}) as sessions
      from accounts where id = ${id}`
  )
  return row!
}

onDatabase('a user who is signed in', async (t, newDatabase) => {
  const proxy = await startIdentityProxy()
  t.after(() => proxy.close())
  const control = await startControl({ databaseUrl: await newDatabase(), identityUrl: proxy.url })
  t.after(() => control.close())
  proxy.target = control.identity.url
  const me = (cookie: string) => control.call('GET', '/api/auth/me', { cookie })
  const countReads = () => proxy.calls.filter((call) => call.startsWith('GET /admin/users/')).length

  await t.test('gets the free plan at the provider after the first sign-in', async () => {
    const { id, cookie } = await control.signUp()
    const { data: before } = await adminOf(control).getUserById(id)
    assert.equal(before.user!.app_metadata.plan, undefined)
    await control.planWriter.writeAll()
    const { data: after } = await adminOf(control).getUserById(id)
    assert.equal(after.user!.app_metadata.plan, 'free')
    // It does not count as set by hand: a plan set by hand replaces it.
    await control.setPlan(id, 'pro')
    control.passTime(minute)
    assert.equal(planOf(await me(cookie)), 'pro')
  })

  await t.test('is compared with the provider at most once a minute', async () => {
    const { cookie } = await control.signUp()
    const before = countReads()
    await Promise.all(Array.from({ length: 10 }, () => me(cookie)))
    assert.equal(countReads(), before)
    control.passTime(minute)
    await Promise.all(Array.from({ length: 10 }, () => me(cookie)))
    assert.equal(countReads(), before + 1)
    await me(cookie)
    assert.equal(countReads(), before + 1)
  })

  await t.test('gets a plan that was set by hand within a minute', async () => {
    const { id, cookie } = await control.signUp()
    await control.setPlan(id, 'enterprise')
    assert.equal(planOf(await me(cookie)), 'free')
    control.passTime(minute)
    assert.equal(planOf(await me(cookie)), 'enterprise')
    assert.equal((await stateOf(control, id)).plan, 'enterprise')
  })

  await t.test(
    'loses the session within a minute of a ban, and the account is suspended until it is lifted',
    async () => {
      const user = await control.signUp()
      await adminOf(control).updateUserById(user.id, { ban_duration: '24h' })
      control.passTime(minute)
      const answer = await me(user.cookie)
      assert.equal(answer.status, 401)
      assert.equal(codeOf(answer), 'not_authenticated')
      assert.deepEqual(await stateOf(control, user.id), { plan: 'free', status: 'suspended', sessions: 0 })

      await adminOf(control).updateUserById(user.id, { ban_duration: 'none' })
      const cookie = await control.signIn(user)
      assert.equal((await me(cookie)).status, 200)
      assert.equal((await stateOf(control, user.id)).status, 'active')
    }
  )

  await t.test('loses the session within a minute of a deletion', async () => {
    const { id, cookie } = await control.signUp()
    await adminOf(control).deleteUser(id)
    control.passTime(minute)
    assert.equal((await me(cookie)).status, 401)
    assert.deepEqual(await stateOf(control, id), { plan: 'free', status: 'suspended', sessions: 0 })
  })

  await t.test(
    'keeps the session while the provider is away, with a short wait, and is compared when it is back',
    async () => {
      const { id, cookie } = await control.signUp()
      await control.setPlan(id, 'pro')
      for (const fate of ['fail', 'hang'] as const) {
        // Longer than the pause after the last failure.
        control.passTime(minute)
        proxy.before = (call) => (call.startsWith('GET /admin/users/') ? fate : 'pass')
        const started = performance.now()
        const answers = await Promise.all(Array.from({ length: 5 }, () => me(cookie)))
        const tookMs = performance.now() - started
        for (const answer of answers) {
          assert.equal(answer.status, 200, fate)
          assert.equal(planOf(answer), 'free')
        }
        // The provider's own timeout is half a minute here.
        assert(tookMs < 10_000, `${fate}: ${tookMs} ms`)
      }
      proxy.before = () => 'pass'
      const deadline = performance.now() + 15_000
      let plan = ''
      while (plan !== 'pro' && performance.now() < deadline) {
        control.passTime(minute)
        plan = planOf(await me(cookie))
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      assert.equal(plan, 'pro')
    }
  )

  await t.test('is read by only one of the replicas', async () => {
    const user = await control.signUp()
    control.passTime(minute)
    await control.database.orm.execute(
      sql`update users set checked_at = now() + interval '1 day' where id = ${user.id}`
    )
    const before = countReads()
    assert.equal((await me(user.cookie)).status, 200)
    assert.equal(countReads(), before, 'another replica reads the user')
  })
})

onDatabase('the comparison of all users', async (t, newDatabase) => {
  const proxy = await startIdentityProxy()
  t.after(() => proxy.close())
  const control = await startControl({
    databaseUrl: await newDatabase(),
    identityUrl: proxy.url
  })
  t.after(() => control.close())
  proxy.target = control.identity.url
  const admin = adminOf(control)
  const listed = () => proxy.calls.filter((call) => call === 'GET /admin/users').length
  const [banned, deleted, planned, renamed, ...others] = await Promise.all(
    Array.from({ length: 8 }, () => control.signUp())
  )
  // This user never signed in here.
  await admin.createUser({ email: 'stranger@example.com', password: 'correct horse', email_confirm: true })

  await t.test('finds changes of users who send no requests', async () => {
    await admin.updateUserById(banned!.id, { ban_duration: '24h' })
    await admin.deleteUser(deleted!.id)
    await control.setPlan(planned!.id, 'pro')
    await admin.updateUserById(renamed!.id, { user_metadata: { display_name: 'New' }, email: 'new@example.com' })
    assert.equal(await control.sweeper.look(), true)
    assert.deepEqual(await stateOf(control, banned!.id), { plan: 'free', status: 'suspended', sessions: 0 })
    assert.deepEqual(await stateOf(control, deleted!.id), { plan: 'free', status: 'suspended', sessions: 0 })
    assert.deepEqual(await stateOf(control, planned!.id), { plan: 'pro', status: 'active', sessions: 1 })
    const [row] = await queryRows(control.database.orm, sql`select name, email from users where id = ${renamed!.id}`)
    assert.deepEqual({ ...row }, { name: 'New', email: 'new@example.com' })
    for (const { id } of others) {
      assert.deepEqual(await stateOf(control, id), { plan: 'free', status: 'active', sessions: 1 })
    }
    assert.equal((await queryRows(control.database.orm, sql`select id from users`)).length, 8)
  })

  await t.test('runs once per period, in one replica', async () => {
    assert.equal(await control.sweeper.look(), false)
    control.passTime(10 * minute - 5000)
    assert.equal(await control.sweeper.look(), false)
    control.passTime(5000)
    const before = listed()
    const looks = await Promise.all(Array.from({ length: 4 }, () => control.sweeper.look()))
    assert.deepEqual(
      looks.filter((isDone) => isDone),
      [true]
    )
    // Eight users in pages of three, and an empty page at the end.
    assert.equal(listed() - before, 4)
  })

  await t.test('runs less often with more users', async () => {
    const { orm } = control.database
    const many = sql`insert into users (id, email, name, synced_at) select gen_random_uuid(), '', 'crowd', now() from generate_series(1, 20000)`
    await orm.execute(many)
    control.passTime(2 * period - minute)
    assert.equal(await control.sweeper.look(), false)
    control.passTime(2 * minute)
    assert.equal(await control.sweeper.look(), true)
    // Nothing refers to them. To look for that would take PGlite seconds, in which no connection is served.
    await orm.transaction(async (tx) => {
      await tx.execute(sql`set local session_replication_role = replica`)
      await tx.execute(sql`delete from users where name = 'crowd'`)
    })
  })

  await t.test('resumes an account whose ban was lifted', async () => {
    await admin.updateUserById(banned!.id, { ban_duration: 'none' })
    control.passTime(period)
    assert.equal(await control.sweeper.look(), true)
    assert.equal((await stateOf(control, banned!.id)).status, 'active')
    assert.equal((await stateOf(control, deleted!.id)).status, 'suspended')
  })

  await t.test('continues where the provider failed, and suspends nobody because of the failure', async () => {
    control.passTime(period)
    let pages = 0
    proxy.before = (call) => (call === 'GET /admin/users' && ++pages > 2 ? 'fail' : 'pass')
    await assert.rejects(control.sweeper.look(), /identity provider is temporarily unavailable/)
    for (const { id } of others) assert.equal((await stateOf(control, id)).status, 'active')
    const [row] = await queryRows(control.database.orm, progress)
    assert.deepEqual({ ...row }, { page: 3, is_done: false })

    proxy.before = () => 'pass'
    const before = listed()
    assert.equal(await control.sweeper.look(), true)
    assert.equal(listed() - before, 2, 'pages 1 and 2 are not read again')
  })

  await t.test('is continued for a replica that crashed, but not for one that works', async () => {
    control.passTime(period)
    let passed = 10 * hour
    const claim = () =>
      claimSweep(
        control.database.orm,
        hour,
        sweeps,
        movedTime(() => passed)
      )
    const crashed = await claim()
    assert.notEqual(crashed, null)
    assert.equal(await claim(), null)
    passed += minute + 1
    const next = await claim()
    assert.deepEqual(next?.sweep.startedAt, crashed?.sweep.startedAt)
    await assert.rejects(crashed!.keep(2), /another replica/)
    await next!.keep(2)
    await crashed!.end(true)
    const [row] = await queryRows(control.database.orm, progress)
    assert.deepEqual({ ...row }, { page: 2, is_done: false }, 'a replica without the lease changes nothing')
    await next!.end(true)
  })

  await t.test('reads every user by id that a changing list misses, and does not suspend them', async () => {
    control.passTime(24 * hour)
    // Users were deleted while control read the list: the others moved up, and the list missed one.
    const deletedUser = await control.signUp()
    let isFirst = true
    proxy.after = async (call) => {
      if (call !== 'GET /admin/users' || !isFirst) return
      isFirst = false
      await admin.deleteUser(deletedUser.id)
    }
    assert.equal(await control.sweeper.look(), true)
    proxy.after = async () => {}
    assert(proxy.calls.filter((call) => call.startsWith('GET /admin/users/')).length > 0)
    for (const { id } of others) assert.equal((await stateOf(control, id)).status, 'active')
  })

  await t.test('suspends nobody if the provider lists no users', async () => {
    control.passTime(24 * hour)
    const empty = await startControl({ redisUrl: `redis://127.0.0.1:${control.redis.client.options.port}` })
    proxy.target = empty.identity.url
    await assert.rejects(control.sweeper.look(), /lists no users/)
    proxy.target = control.identity.url
    for (const { id } of others) assert.equal((await stateOf(control, id)).status, 'active')
    await empty.close()
  })

  await t.test('stops on request, and stores its place', async () => {
    control.passTime(24 * hour)
    const { database, catalog, projector } = control
    let sweeper: ReturnType<typeof createSweeper> | null = null
    const page = [
      {
        id: others[0]!.id,
        email: others[0]!.email,
        name: 'x',
        plan: null,
        isOperator: false,
        operatorRoles: null,
        isBanned: false
      }
    ]
    const identity = {
      listUsers: async () => {
        void sweeper!.stop()
        return page
      }
    }
    sweeper = createSweeper({
      database,
      redis: control.redis,
      catalog,
      mailboxes: control.mailboxes,
      projector,
      customerRefresher: control.customerRefresher,
      identity: identity as unknown as Parameters<typeof createSweeper>[0]['identity'],
      sharedTime: movedTime(() => 100 * 24 * hour),
      log: { info() {}, warn() {}, error() {} },
      pauseMs: 60_000
    })
    assert.equal(await sweeper.look(), false)
    const [row] = await queryRows(database.orm, progress)
    assert.deepEqual({ ...row }, { page: 2, is_done: false })
  })
})
