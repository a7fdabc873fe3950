import assert from 'node:assert/strict'
import type {
  AdminCatalogResponse,
  CatalogDiffResponse,
  PublishedCatalog
} from '@tollgate/contracts/http/admin/catalog.ts'
import type { PricedModelsResponse } from '@tollgate/contracts/http/offered-models.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import type { LiveUpstreams } from '@tollgate/state/processes/heartbeat.ts'
import { readCatalog } from '@tollgate/state/projection/stored-catalog.ts'
import { quotaAt, shippedUpstreams, withKeyQuota, withUpstream } from '../catalog/testing/catalog-files.ts'
import { oldRows } from '../retention/old-rows.ts'
import { type Answer, codeOf } from '../testing/call-control.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'

const messageOf = ({ body }: Answer): string => (body as { error: { message: string } }).error.message

onDatabase('the catalog, for operators', async (t, newDatabase) => {
  const redis = await leaseRedis()
  t.after(() => redis.giveBack())
  let upstreams: LiveUpstreams | null = shippedUpstreams()
  const control = await startControl({
    databaseUrl: await newDatabase(),
    redisUrl: redis.url,
    liveUpstreams: async () => upstreams
  })
  t.after(() => control.close())
  const { call } = control
  const { cookie, email } = await control.signUpOperator()
  const ask = (path: string, body: object) => call('POST', `/api/admin/catalog${path}`, { cookie, body })
  const apply = (what: object) => ask('', { reason: 'a test', ...what })
  const read = async () => (await call('GET', '/api/admin/catalog', { cookie })).body as AdminCatalogResponse
  const diff = async (what: object) => (await ask('/diff', what)).body as CatalogDiffResponse

  await t.test('a diff says what changes, and for how many accounts, and changes nothing', async () => {
    await control.signUp({ plan: 'pro' })
    const { problems, warnings, changes } = await diff({ yaml: withKeyQuota(6) })
    assert.deepEqual([problems, warnings], [[], []])
    assert.deepEqual(changes, [
      {
        path: 'plans.pro.key_quota',
        kind: 'changed',
        from: '5',
        to: '6',
        meaning: 'The plan pro allows 6 API keys instead of 5.',
        accounts: 1
      }
    ])
    assert.deepEqual((await diff({ version: 1 })).warnings, ['This catalog is in force already.'])
    assert.equal((await read()).history.length, 1)
  })

  await t.test(
    'an applied catalog is in force at the answer, here and in Redis, and is logged with its reason',
    async () => {
      const answer = await apply({ yaml: withKeyQuota(6), reason: 'more keys for pro' })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      const { catalog } = answer.body as { catalog: PublishedCatalog }
      const about = { version: 2, published_by: 'operator', operator_email: email, reason: 'more keys for pro' }
      assert.partialDeepStrictEqual(catalog, { ...about, is_kept: true })
      assert.equal(await quotaAt(control), 6)
      assert.equal(JSON.parse((await readCatalog(control.redis))!.json).plans.pro.keyQuota, 6)
      const { yaml, history, missing_upstreams } = await read()
      assert.deepEqual([yaml, missing_upstreams, history[0]], [withKeyQuota(6), [], catalog])
      const acts = await call('GET', '/api/admin/audit', { cookie })
      assert.partialDeepStrictEqual(acts.body, {
        entries: [
          {
            action: 'catalog.applied',
            account_id: null,
            subject: '2',
            reason: 'more keys for pro',
            detail: { version: 2, replaced: 1, again: null }
          }
        ]
      })
      assert.equal((await apply({ yaml: withKeyQuota(6) })).status, 200)
      assert.equal((await read()).history.length, 2, 'a repeated call publishes nothing')
    }
  )

  await t.test('an earlier version can be applied again, as long as its content is kept', async () => {
    assert.equal((await apply({ version: 1 })).status, 200)
    assert.equal(await quotaAt(control), 5)
    assert.deepEqual((await diff({ yaml: withKeyQuota(6) })).warnings, [
      'This catalog was in force before, as catalog 2.'
    ])
    assert.equal(await oldRows.catalogs.prune(control.database.orm, new Date(Date.now() + 1000)), 2)
    assert.equal(await oldRows.catalogs.prune(control.database.orm, new Date(Date.now() + 1000)), 0)
    assert.partialDeepStrictEqual((await read()).history, [{ version: 3 }, { version: 2, is_kept: false, models: 0 }])
    assert.deepEqual(
      (await diff({ yaml: withKeyQuota(6) })).warnings,
      ['This catalog was in force before, as catalog 2.'],
      'its digest is kept'
    )
    const pruned = await apply({ version: 2 })
    assert.deepEqual([pruned.status, codeOf(pruned)], [400, 'catalog_refused'])
    assert.match(messageOf(pruned), /version: the content of catalog 2 is no longer kept/)
    assert.match(messageOf(await apply({ version: 99 })), /version: there is no catalog 99/)
  })

  await t.test('accounts of a plan that the catalog lost count as free, until it has the plan again', async () => {
    const ada = await control.signUp({ plan: 'pro' })
    const planOfAda = async () =>
      ((await call('GET', '/api/account', { cookie: ada.cookie })).body as { account: { plan: string } }).account.plan
    const renamed = withKeyQuota(5).replace('  pro:\n', '  gold:\n')
    const { changes } = await diff({ yaml: renamed })
    const lost = changes.find(({ path }) => path === 'plans.pro')
    assert.partialDeepStrictEqual(lost, { kind: 'removed', to: null, accounts: 2 })
    assert.equal((await apply({ yaml: renamed })).status, 200)
    assert.equal(await planOfAda(), 'free')
    assert.equal((await apply({ version: 3 })).status, 200)
    assert.equal(await planOfAda(), 'pro')
  })

  await t.test('a bad catalog is refused with its problems', async () => {
    const bad = { yaml: withKeyQuota(6).replace('key_quota: 6', 'key_quota: many') }
    const refused = await apply(bad)
    assert.deepEqual([refused.status, codeOf(refused)], [400, 'catalog_refused'])
    assert.match(messageOf(refused), /plans\.pro\.key_quota: /)
    assert.match((await diff(bad)).problems.join(), /plans\.pro\.key_quota: /)
    const bomb = `models: &a [x]\nplans: [${Array(200).fill('*a').join()}]`
    assert.equal(codeOf(await apply({ yaml: bomb })), 'catalog_refused')
    assert.equal(await quotaAt(control), 5)
  })

  await t.test('a catalog may have a million characters', async () => {
    const comment = `# ${'x'.repeat(999_000 - withKeyQuota(5).length)}\n`
    assert.deepEqual((await diff({ yaml: comment + withKeyQuota(5) })).problems, [])
    const long = await ask('/diff', { yaml: 'x'.repeat(1_200_000) })
    assert.deepEqual([long.status, codeOf(long)], [413, 'request_too_large'])
  })

  await t.test(
    'list prices and price groups show in a diff and on the models page, once all gateways know them',
    async () => {
      const groups = 'default_markup: 1.25\nprice_groups: { partner: 0.5 }\n'
      const sold = groups + withKeyQuota(5).replace('  pro:\n', '  pro:\n    price_group: partner\n')
      upstreams = { ...shippedUpstreams(), withoutListPrices: 1 }
      assert.match((await diff({ yaml: sold })).problems.join(), /1 running gateway is of a release that charges what/)
      upstreams = shippedUpstreams()
      const { problems, warnings, changes } = await diff({ yaml: sold })
      assert.deepEqual(problems, [])
      assert.ok(
        warnings.every((warning) => /in the price group partner: \w+ bills more than customers pay/.test(warning))
      )
      const saying = (path: string) => changes.find((change) => change.path === path)?.meaning
      assert.equal(saying('price_groups.partner'), 'Accounts in the price group partner pay 0.5 times the list prices.')
      assert.equal(saying('plans.pro.price_group'), 'The price group of pro changes from none to partner.')
      const inputOf = async (of: { cookie: string }, model: string): Promise<number> => {
        const { models } = (await call('GET', '/api/models', { cookie: of.cookie })).body as PricedModelsResponse
        return models.find(({ id }) => id === model)!.prices[0]!.rows[0]!.usd_per_million_tokens.input
      }
      const free = await control.signUp()
      const model = 'gpt-6-luna'
      const before = await inputOf(free, model)
      assert.equal((await apply({ yaml: sold })).status, 200)
      assert.equal(await inputOf(free, model), before * 1.25)
      assert.equal(await inputOf(await control.signUp({ plan: 'pro' }), model), (before * 1.25) / 2)
      const limits = { price_group: 'partner', ends_at: null }
      const change = (body: object) =>
        call('PATCH', `/api/admin/accounts/${free.id}`, { cookie, body: { reason: 'a partner', ...body } })
      assert.equal((await change({ limits: { ...limits, price_group: 'friend' } })).status, 400)
      assert.equal((await change({ limits })).status, 200)
      assert.equal(await inputOf(free, model), (before * 1.25) / 2)
      assert.equal((await apply({ yaml: withKeyQuota(5) })).status, 200)
      assert.equal(await inputOf(free, model), before)
    }
  )

  await t.test(
    'a route to an upstream that no running gateway has is refused; without gateways, it is a warning',
    async () => {
      const refused = await apply({ yaml: withUpstream('azure') })
      assert.deepEqual([refused.status, codeOf(refused)], [400, 'catalog_refused'])
      assert.match(messageOf(refused), /no running gateway has the upstream azure, which the routes of gpt-6-luna name/)
      upstreams = null
      const { problems, warnings } = await diff({ yaml: withUpstream('azure') })
      assert.deepEqual(problems, [])
      assert.match(warnings.join(), /No running gateway is known/)
      assert.equal((await apply({ yaml: withUpstream('azure') })).status, 200)
      upstreams = shippedUpstreams()
      assert.deepEqual((await read()).missing_upstreams, ['azure'])
    }
  )

  await t.test('while Redis is away, a catalog is saved but pending, and control answers by it', async () => {
    await redis.kill('SIGKILL')
    const pending = await apply({ yaml: withKeyQuota(8) })
    assert.deepEqual([pending.status, codeOf(pending)], [503, 'change_pending'])
    assert.equal(await quotaAt(control), 8)
  })
})
