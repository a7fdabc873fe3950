import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { AdminCatalogResponse } from '@tollgate/contracts/http/admin/catalog.ts'
import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import type { LiveUpstreams } from '@tollgate/state/processes/heartbeat.ts'
import { type Test, test } from 'tap'
import type { StartControlOptions } from '../testing/control-options.ts'
import { newServerDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import {
  quotaAt,
  shippedUpstreams,
  untilLogged,
  untilQuota,
  withKeyQuota,
  withUpstream,
  writeFile
} from './testing/catalog-files.ts'

const linesAt = (logged: readonly string[], level: number): string[] =>
  logged.filter((line) => JSON.parse(line).level === level)

test('replicas of control share the catalog in force', async (t) => {
  const databaseUrl = await newServerDatabase(t)
  if (databaseUrl === null) return
  const redis = await leaseRedis()
  t.after(() => redis.giveBack())
  const shared = { databaseUrl, redisUrl: redis.url, isProjecting: true }
  const start = async (t: Test, options: StartControlOptions) => {
    const control = await startControl({ ...shared, ...options })
    t.after(() => control.close())
    return control
  }
  const directory = t.testdir()
  const five = writeFile(directory, 'five.yaml', withKeyQuota(5))
  const six = writeFile(directory, 'six.yaml', withKeyQuota(6))

  const one = await start(t, { catalogFile: { path: five } })
  const operator = await one.signUpOperator()
  const identityUrl = one.identity.url
  const readCatalog = async () =>
    (await one.call('GET', '/api/admin/catalog', { cookie: operator.cookie })).body as AdminCatalogResponse

  await t.test('a file that was never published is published, and other replicas follow', async (t) => {
    assert.equal(await quotaAt(one), 5)
    const two = await start(t, { catalogFile: { path: six }, identityUrl })
    assert.equal(await quotaAt(two), 6)
    t.comment(`the other replica followed after ${await untilQuota(one, 6)} ms`)
    assert.partialDeepStrictEqual(await readCatalog(), {
      catalog: { version: 2, published_by: 'file', operator_email: null, is_kept: true },
      yaml: withKeyQuota(6)
    })
  })

  await t.test('the last replica to start does not set the prices: a superseded file is not published', async (t) => {
    const late = await start(t, { catalogFile: { path: five }, identityUrl })
    assert.equal(await quotaAt(late), 6)
    const [warning, ...others] = linesAt(late.logged, 40)
    assert.match(warning!, /was in force before, as catalog 1\. Catalog 2 replaced it .* tollgate catalog apply /)
    assert.deepEqual(others, [])
    assert.equal((await readCatalog()).history.length, 2)
  })

  await t.test('going back is a deliberate act: a start that applies its file, or an operator', async (t) => {
    const applying = await start(t, { catalogFile: { path: five, mode: 'apply' }, identityUrl })
    assert.equal(await quotaAt(applying), 5)
    await untilQuota(one, 5)
    const applied = await applying.call('POST', '/api/admin/catalog', {
      cookie: operator.cookie,
      body: { version: 2, reason: 'more keys' }
    })
    assert.equal(applied.status, 200, JSON.stringify(applied.body))
    assert.equal(await quotaAt(applying), 6, 'in force at the answer')
    t.comment(`the other replica followed after ${await untilQuota(one, 6)} ms`)
    assert.deepEqual(
      (await readCatalog()).history.map(({ version, published_by }) => `${version} ${published_by}`),
      ['4 operator', '3 file', '2 file', '1 file']
    )
  })

  await t.test('a bad file does not stop a start while a catalog is in force', async (t) => {
    const bad = writeFile(directory, 'bad.yaml', 'models: {}\nplans: {}\n')
    const control = await start(t, { catalogFile: { path: bad }, identityUrl })
    assert.equal(await quotaAt(control), 6)
    const [error] = linesAt(control.logged, 50)
    assert.match(error!, /Catalog 4 stays in force\. .*bad\.yaml: plans: a plan named free is missing/)
  })

  await t.test(
    'a changed file is published without a restart, once it is good and gateways have its upstreams',
    async (t) => {
      const path = writeFile(directory, 'changing.yaml', withKeyQuota(6))
      let upstreams: LiveUpstreams | null = shippedUpstreams()
      const control = await start(t, {
        catalogFile: { path, intervalMs: 20, settleMs: 1 },
        identityUrl,
        liveUpstreams: async () => upstreams
      })
      writeFile(directory, 'changing.yaml', withKeyQuota(7))
      await untilQuota(control, 7)
      writeFile(directory, 'changing.yaml', withKeyQuota(8).replace('key_quota: 8', 'key_quota: many'))
      await untilLogged(control, /Catalog 5 stays in force\. .*changing\.yaml: plans\.pro\.key_quota: /)
      writeFile(directory, 'changing.yaml', withUpstream('azure').replace('key_quota: 5', 'key_quota: 9'))
      await untilLogged(control, /Catalog 5 stays in force\. .*no running gateway has the upstream azure/)
      assert.equal(await quotaAt(control), 7)
      upstreams = shippedUpstreams('azure')
      await untilQuota(control, 9)
      assert.equal(linesAt(control.logged, 50).length, 2, 'each refusal is logged once')
      writeFile(directory, 'changing.yaml', withKeyQuota(7))
      await untilLogged(control, /was in force before, as catalog 5\. Catalog 6 replaced it/)
      assert.equal(await quotaAt(control), 9)
    }
  )

  await t.test('a file that was damaged for a moment does not replace what an operator applied since', async (t) => {
    const path = writeFile(directory, 'damaged.yaml', withKeyQuota(6))
    const control = await start(t, { catalogFile: { path, mode: 'apply', intervalMs: 20, settleMs: 1 }, identityUrl })
    const applied = await control.call('POST', '/api/admin/catalog', {
      cookie: operator.cookie,
      body: { version: 1, reason: 'fewer keys' }
    })
    assert.equal(applied.status, 200)
    control.catalogFile.start()
    const refusals = () => control.logged.filter((line) => line.includes('The catalog file is not published')).length
    // A second refusal of the same text shows that the good text was seen in between.
    while (refusals() < 2) {
      for (const text of ['models: ', withKeyQuota(6)]) {
        writeFile(directory, 'damaged.yaml', text)
        await delay(50)
      }
    }
    assert.equal(await quotaAt(control), 5)
    assert.equal((await readCatalog()).catalog.published_by, 'operator')
  })
})
