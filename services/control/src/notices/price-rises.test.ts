import assert from 'node:assert/strict'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { accountEvents } from '@tollgate/contracts/events/event-types.ts'
import { zeroCounts } from '@tollgate/contracts/meters/meters.ts'
import { type ListedPrices, type ModelPrices, standardTier } from '@tollgate/contracts/prices/model-prices.ts'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { eq } from 'drizzle-orm'
import { Value } from 'typebox/value'
import { accounts } from '../database/schema/accounts.ts'
import { mails } from '../database/schema/mails.ts'
import { events } from '../database/schema/notices.ts'
import { ledger } from '../database/schema/usage.ts'
import { expectStatus } from '../testing/call-control.ts'
import { repositoryCatalog } from '../testing/control-options.ts'
import { onDatabase } from '../testing/databases.ts'
import { startControl } from '../testing/start-control.ts'
import { addLedgerMonths } from '../usage/testing/memory-ledger.ts'
import { createNoticeSweeper } from './notice-sweeper.ts'

const dayMs = 86_400_000
const quiet = { info: () => {}, warn: () => {} }
const from = '2100-02-01T00:00:00.000Z'
const before: ListedPrices = { inputPicos: 80_000, cachedInputPicos: 20_000, outputPicos: 600_000 }

/** Prices that are others from a later day on. */
const dated = (changed: Partial<ListedPrices>): ModelPrices => ({
  ...before,
  periods: [
    { rows: [{ tier: standardTier, abovePromptTokens: 0, prices: before }] },
    {
      from: Date.parse(from) / 1000,
      rows: [{ tier: standardTier, abovePromptTokens: 0, prices: { ...before, ...changed } }]
    }
  ]
})

/** The shipped catalog with a price group, and models whose prices rise and fall. */
function readCatalog(): Catalog {
  const { models, ...rest } = loadCatalogFile(repositoryCatalog)
  const one = Object.values(models)[0]!
  return {
    ...rest,
    priceGroups: { partner: 0.5 },
    models: {
      ...models,
      rising: {
        ...one,
        aliases: [],
        retail: dated({ inputPicos: 100_001, outputPicos: 700_000, cachedInputPicos: 1 })
      },
      billed: { ...one, aliases: [], prices: dated({ outputPicos: 650_000 }) },
      falling: { ...one, aliases: [], retail: dated({ inputPicos: 70_000 }) },
      // Customers pay the same, whatever the provider bills.
      dearer: { ...one, aliases: [], prices: dated({ inputPicos: 90_000 }), retail: before }
    }
  }
}

onDatabase('a price rise is told before it applies', async (t, newDatabase) => {
  const catalog = readCatalog()
  const control = await startControl({ databaseUrl: await newDatabase(), catalog })
  t.after(() => control.close())
  const { call, database, identity, mailSender, noticeSweeper, redis } = control
  const { orm } = database
  const now = control.now().getTime()
  await addLedgerMonths(orm, ...[0, 29, 40].map((days) => new Date(now - days * dayMs)))
  const use = (accountId: string, model: string, daysAgo: number) =>
    orm.insert(ledger).values({
      accountId,
      hour: new Date(Math.floor((now - daysAgo * dayMs) / 3_600_000) * 3_600_000),
      run: 'run',
      keyId: 'key_1',
      model,
      revision: 1,
      ...zeroCounts,
      requests: 2
    })
  /** As two replicas, more than once. */
  const sweep = async () => {
    const other = createNoticeSweeper({
      orm,
      redis,
      clock: control.now,
      catalog: { ...catalog, version: 1 },
      log: quiet
    })
    for (const _round of [1, 2]) await Promise.all([noticeSweeper.runOnce(), other.runOnce()])
  }
  const toldTo = async (accountId: string) => {
    const rows = await orm.select().from(events).where(eq(events.accountId, accountId))
    const rises = rows.filter(({ type }) => type === 'prices.rising').map(({ data }) => data)
    for (const data of rises) assert.deepEqual([...Value.Errors(accountEvents['prices.rising'], data)], [])
    return rises
  }

  const [partner, usual, past] = [await control.signUp(), await control.signUp(), await control.signUp()]
  await orm
    .update(accounts)
    .set({ overrideLimits: { priceGroup: 'partner' } })
    .where(eq(accounts.id, partner.id))
  await use(partner.id, 'rising', 29)
  for (const model of ['billed', 'falling', 'dearer']) await use(usual.id, model, 1)
  await use(past.id, 'rising', 40)
  const newerThan = await latestMail(identity.mailboxUrl, partner.email)
  await sweep()
  await sweep()

  await t.test('an account that used the model hears once what it will pay itself', async () => {
    const tokens = '1M tokens'
    assert.deepEqual(await toldTo(partner.id), [
      {
        model: 'rising',
        from,
        prices: [
          { kind: 'input', unit: tokens, from_usd: '0.04', to_usd: '0.050001' },
          { kind: 'output', unit: tokens, from_usd: '0.30', to_usd: '0.35' }
        ]
      }
    ])
    const { body } = await expectStatus(call('GET', '/api/events', { cookie: partner.cookie }), 200)
    assert.partialDeepStrictEqual(body, { events: [{ type: 'prices.rising', data: { model: 'rising' } }] })
  })

  await t.test('without retail prices, those of the provider count; other models and a fall tell nobody', async () => {
    assert.deepEqual(await toldTo(usual.id), [
      { model: 'billed', from, prices: [{ kind: 'output', unit: '1M tokens', from_usd: '0.60', to_usd: '0.65' }] }
    ])
    assert.deepEqual(await toldTo(past.id), [])
  })

  await t.test('each hears by one mail, which nobody can switch off', async () => {
    const queued = await orm.select().from(mails).where(eq(mails.kind, 'prices'))
    assert.deepEqual(
      queued.map(({ accountId, count }) => `${accountId} ${count}`).toSorted(),
      [`${partner.id} 1`, `${usual.id} 1`].toSorted()
    )
    const body = { mails: { prices: false } }
    assert.equal((await call('PATCH', '/api/account/notifications', { cookie: partner.cookie, body })).status, 400)
    control.passTime(120_000)
    await mailSender.runOnce()
    const mail = await latestMail(identity.mailboxUrl, partner.email, { newerThan })
    assert.equal(mail.Subject, 'The price of rising rises on 1 February 2100')
    assert.match(
      mail.Text.replaceAll(/\s+/g, ' '),
      /rising, from 1 February 2100: input from \$0\.04 to \$0\.050001 for 1M tokens; output from \$0\.30 to \$0\.35 for 1M tokens/
    )
    assert.equal(linkIn(mail).href, 'http://localhost:3000/dashboard/models')
  })
})
