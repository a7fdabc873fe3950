import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { sql } from 'drizzle-orm'
import { ensurePersonalAccount } from '../accounts/account-plan.ts'
import { intendPlan } from '../accounts/plan-intention.ts'
import { openDatabase, queryRows } from '../database/connect.ts'
import { migrate } from '../database/migrate.ts'
import type { IdentityUser } from '../identity/identity.ts'
import { createMailboxes } from '../signup/mailbox.ts'
import { onDatabase } from '../testing/databases.ts'
import { adoptUser, readPlanMark, syncUser } from './adopt-user.ts'
import { createPlanWriter, type PlanWriterOptions } from './plan-writer.ts'

const catalog = loadCatalogFile(workspaceFile('deploy/catalog.yaml'))
const away = new ServiceError('identity_unavailable')

/** An identity provider with one attribute. Its merge takes a moment, like the real one's. */
function createProvider() {
  const plans = new Map<string, string | null>()
  const underWay = new Set<string>()
  const provider = {
    plans,
    writes: [] as Array<[user: string, plan: string]>,
    /** Called before and after a write takes effect. */
    before: async () => {},
    after: async () => {}
  }
  const userOf = (id: string): IdentityUser | null => {
    const plan = plans.get(id)
    return plan === undefined
      ? null
      : { id, email: `${id}@example.com`, name: 'N', plan, isOperator: false, operatorRoles: null, isBanned: false }
  }
  const identity: PlanWriterOptions['identity'] = {
    startDeadline: () => AbortSignal.timeout(5000),
    findUser: async (id) => userOf(id),
    setPlan: async (id, plan) => {
      assert.equal(underWay.has(id), false, 'two writers lease the same user')
      underWay.add(id)
      try {
        await provider.before()
        await delay(1)
        plans.set(id, plan)
        provider.writes.push([id, plan])
        await provider.after()
      } finally {
        underWay.delete(id)
      }
    }
  }
  return { provider, identity, userOf }
}

onDatabase('plan writer', async (t, newDatabase) => {
  const database = await openDatabase(await newDatabase())
  t.after(() => database.close())
  await migrate(database.orm)
  const { orm } = database
  const { provider, identity, userOf } = createProvider()
  const warnings: unknown[] = []
  const log = { info: () => undefined, warn: (...args: unknown[]) => void warnings.push(args) }
  const projector = { accountChanged: async () => true }
  const mailboxes = createMailboxes('a secret')
  const now = new Date()
  const newWriter = (intervalMs = 10) =>
    createPlanWriter({ database, identity, catalog, mailboxes, projector, clock: () => now, log, intervalMs })

  async function newUser(plan: string | null = null): Promise<string> {
    const id = randomUUID()
    provider.plans.set(id, plan)
    await sync(id)
    return id
  }
  /** Stores a user and creates their account, like a sign-in. */
  const sync = (id: string) =>
    orm.transaction(async (tx) => {
      const user = userOf(id)!
      await syncUser(tx, user, now)
      await ensurePersonalAccount(tx, catalog, id, now)
    })
  const intend = (id: string, plan: string) => orm.transaction((tx) => intendPlan(tx, id, plan))
  const rowOf = async (id: string) =>
    (
      await queryRows<{ pending: boolean; ours: string[]; intended: string; leased: boolean }>(
        orm,
        sql`select pending, ours, intended, lease_ends_at is not null as leased from plan_writes where user_id = ${id}`
      )
    )[0]!
  const personalPlanOf = async (id: string) =>
    (await queryRows<{ plan: string }>(orm, sql`select plan from accounts where id = ${id}`))[0]!.plan
  /** Ends leases, as if writers had crashed and time had passed. */
  const endLeases = () => orm.execute(sql`update plan_writes set lease_ends_at = now() - interval '1 s' where pending`)

  t.afterEach(() => {
    provider.before = provider.after = async () => {}
    provider.writes = []
    warnings.length = 0
  })

  await t.test('an intended plan is written once and read back', async () => {
    const id = await newUser()
    await intend(id, 'team')
    await newWriter().writeAll()
    assert.equal(provider.plans.get(id), 'team')
    assert.deepEqual(await rowOf(id), { pending: false, ours: ['team'], intended: 'team', leased: false })
    await newWriter().writeAll()
    assert.deepEqual(provider.writes, [[id, 'team']])
  })

  await t.test('a plan that the provider already has is not written', async () => {
    const id = await newUser('team')
    await intend(id, 'team')
    await newWriter().writeAll()
    assert.deepEqual(provider.writes, [])
    assert.equal((await rowOf(id)).pending, false)
  })

  await t.test(
    'the free plan is written for a new user, also after a crash, and does not count as set by hand',
    async () => {
      const id = await newUser()
      assert.deepEqual(await rowOf(id), { pending: true, ours: [], intended: 'free', leased: false })
      // The write arrives, but its answer does not.
      provider.after = async () => {
        throw away
      }
      await newWriter().writeAll()
      assert.equal(provider.plans.get(id), 'free')
      assert.deepEqual((await rowOf(id)).ours, ['free'])
      await sync(id)
      provider.after = async () => {}
      await endLeases()
      await newWriter().writeAll()
      assert.deepEqual(await rowOf(id), { pending: false, ours: ['free'], intended: 'free', leased: false })
      assert.deepEqual(provider.writes, [[id, 'free']])
      // A plan that is bought later replaces it.
      await intend(id, 'pro')
      await newWriter().writeAll()
      assert.equal(provider.plans.get(id), 'pro')
      await sync(id)
      assert.equal(await personalPlanOf(id), 'pro')
    }
  )

  await t.test('a plan that an operator set before the first sign-in, or before the write, stays', async () => {
    const early = await newUser('pro')
    const late = await newUser()
    provider.plans.set(late, 'enterprise')
    await newWriter().writeAll()
    assert.deepEqual(provider.writes, [])
    assert.deepEqual([provider.plans.get(early), provider.plans.get(late)], ['pro', 'enterprise'])
    assert.deepEqual([await personalPlanOf(early), await personalPlanOf(late)], ['pro', 'enterprise'])
  })

  await t.test('a plan set by hand is in force after the attempt to write', async () => {
    const id = await newUser()
    provider.plans.set(id, 'enterprise')
    await intend(id, 'team')
    await newWriter().writeAll()
    assert.equal(await personalPlanOf(id), 'enterprise')
  })

  await t.test('two plans of ours, written one after the other, do not count as set by hand', async () => {
    const id = await newUser()
    for (const plan of ['pro', 'team', 'free']) {
      // Only the writer asks the provider in between.
      await orm.transaction(async (tx) => {
        await intendPlan(tx, id, plan)
        await ensurePersonalAccount(tx, catalog, id, now)
      })
      assert.equal(await personalPlanOf(id), plan)
      await newWriter().writeAll()
      assert.equal(await personalPlanOf(id), plan)
    }
  })

  await t.test('a plan set by hand stays until it is removed', async () => {
    const id = await newUser()
    await intend(id, 'team')
    await newWriter().writeAll()
    provider.plans.set(id, 'enterprise')
    await intend(id, 'free')
    await newWriter().writeAll()
    assert.equal(provider.plans.get(id), 'enterprise')
    await sync(id)
    assert.equal(await personalPlanOf(id), 'enterprise')
    assert.equal((await rowOf(id)).pending, false)
    // This is also true for a plan that control wrote once.
    provider.plans.set(id, 'team')
    await intend(id, 'pro')
    await newWriter().writeAll()
    assert.equal(provider.plans.get(id), 'team')

    provider.plans.set(id, null)
    await sync(id)
    assert.equal(await personalPlanOf(id), 'pro')
    await newWriter().writeAll()
    assert.equal(provider.plans.get(id), 'pro')
  })

  await t.test('a plan of ours that was read before we wrote the next one does not count as set by hand', async () => {
    const id = await newUser()
    const read = async () => ({ planMark: await readPlanMark(orm, id), seen: userOf(id) })
    const adopt = ({ seen, planMark }: Awaited<ReturnType<typeof read>>) =>
      orm.transaction((tx) => adoptUser(tx, { catalog, mailboxes }, id, seen, now, { planMark }))
    const change = async (plan: string) => {
      await orm.transaction(async (tx) => {
        await intendPlan(tx, id, plan)
        await ensurePersonalAccount(tx, catalog, id, now)
      })
      await newWriter().writeAll()
    }
    await change('team')
    const early = await read()
    await change('free')
    assert.partialDeepStrictEqual(await adopt(early), { isPlanOld: true, isAccountChanged: false })
    assert.equal(await personalPlanOf(id), 'free')
    const due = await queryRows(orm, sql`select id from users where id = ${id} and due_at <= now()`)
    assert.equal(due.length, 1, 'it is read again')

    provider.plans.set(id, 'team')
    assert.partialDeepStrictEqual(await adopt(await read()), { isPlanOld: false, isAccountChanged: true })
    assert.equal(await personalPlanOf(id), 'team', 'an operator set it')
  })

  await t.test('it continues after every kind of failure, and no plan of ours counts as set by hand', async () => {
    for (const moment of ['before', 'after'] as const) {
      const id = await newUser()
      await intend(id, 'team')
      await newWriter().writeAll()
      provider[moment] = async () => {
        throw away
      }
      await intend(id, 'enterprise')
      await newWriter().writeAll()
      assert.equal(warnings.length, 1)
      assert.equal((await rowOf(id)).pending, true)
      await sync(id)
      assert.equal(await personalPlanOf(id), 'enterprise', 'the intended plan applies here')
      // Until the lease ends, the abandoned write may still arrive.
      provider[moment] = async () => {}
      await newWriter().writeAll()
      assert.equal((await rowOf(id)).pending, true)
      await endLeases()
      await newWriter().writeAll()
      assert.equal(provider.plans.get(id), 'enterprise')
      assert.deepEqual(await rowOf(id), { pending: false, ours: ['enterprise'], intended: 'enterprise', leased: false })
      warnings.length = 0
    }
  })

  await t.test(
    'an intention that changes meanwhile is written next, and a plan set by hand meanwhile stays',
    async () => {
      const id = await newUser()
      await intend(id, 'team')
      provider.after = async () => {
        provider.after = async () => {}
        await intend(id, 'free')
      }
      await newWriter().writeAll()
      assert.equal(provider.plans.get(id), 'free')
      assert.deepEqual(provider.writes, [
        [id, 'team'],
        [id, 'free']
      ])

      provider.after = async () => void provider.plans.set(id, 'by hand')
      await intend(id, 'pro')
      await newWriter().writeAll()
      assert.equal(provider.plans.get(id), 'by hand')
      assert.equal((await rowOf(id)).pending, false)
    }
  )

  await t.test('no plan is written for a deleted user', async () => {
    const id = await newUser()
    await intend(id, 'team')
    provider.plans.delete(id)
    await newWriter().writeAll()
    assert.deepEqual([(await rowOf(id)).pending, warnings.length], [false, 0])
  })

  await t.test(
    'a write that the provider loses is repeated; after repeated losses it waits for the next round',
    async () => {
      const id = await newUser()
      await intend(id, 'team')
      provider.after = async () => {
        provider.plans.set(id, null)
        provider.after = async () => {}
      }
      await newWriter().writeAll()
      assert.equal(provider.plans.get(id), 'team')
      provider.after = async () => void provider.plans.set(id, 'team')
      await intend(id, 'free')
      await newWriter().writeAll()
      assert.deepEqual([(await rowOf(id)).pending, warnings.length], [true, 1])
      provider.after = async () => {}
      await endLeases()
      await newWriter().writeAll()
      assert.equal(provider.plans.get(id), 'free')
    }
  )

  await t.test('several writers share the work, and never lease the same user at once', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => newUser()))
    for (const plan of ['team', 'enterprise', 'free']) {
      await Promise.all([
        ...ids.map((id) => intend(id, plan)),
        ...Array.from({ length: 4 }, () => newWriter().writeAll())
      ])
    }
    await newWriter().writeAll()
    assert.deepEqual(new Set(ids.map((id) => provider.plans.get(id))), new Set(['free']))
    for (const id of ids) assert.equal((await rowOf(id)).pending, false)
    assert.deepEqual(warnings, [])
  })

  await t.test('its loop writes at once when woken, otherwise after its interval, and can be stopped', async () => {
    const writer = newWriter(60_000)
    const looking = newWriter()
    const written = (id: string) =>
      new Promise<void>((resolve) => {
        provider.after = async () => {
          if (provider.plans.get(id) === 'team') resolve()
        }
      })
    const woken = await newUser()
    writer.start()
    await intend(woken, 'team')
    const isWritten = written(woken)
    writer.wake()
    await isWritten
    await writer.stop()

    const user = await newUser()
    looking.start()
    const isFound = written(user)
    await intend(user, 'team')
    await isFound
    await looking.stop()
    assert.equal((await rowOf(user)).pending, false)
  })
})
