import type { Catalog, Model } from '@tollgate/contracts/catalog/catalog.ts'
import { chargedPrices, listPrices, type PriceGroup } from '@tollgate/contracts/catalog/list-prices.ts'
import { findPriceRises, laterPriceDates, type PriceRise } from '@tollgate/contracts/catalog/price-rises.ts'
import { and, asc, eq, gt, gte, inArray, sql } from 'drizzle-orm'
import { priceGroupInForce } from '../catalog/plans.ts'
import type { Orm, Transaction } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { noticeSweeps } from '../database/schema/notices.ts'
import { ledger } from '../database/schema/usage.ts'
import { type NewEvent, recordEvents } from '../events/record-event.ts'

const dayMs = 86_400_000
/** Accounts that used a model in the last days are told. */
const usedDays = 30

/** A dated price of a model that is dearer for customers without a price group, or with some group. */
interface Dated {
  /** Of its sweep: the progress is stored under it. */
  readonly name: string
  readonly model: string
  /** Unix milliseconds. */
  readonly from: number
}

/**
 * Records `prices.rising` for each account that used a model in the last 30 days and will pay more for it from a later
 * date on. A model and date are told once, in the transaction that notes it: any number of replicas may run this, every
 * few seconds.
 *
 * @throws the error of PostgreSQL
 */
export async function tellPriceRises(orm: Orm, inForce: Catalog, now: Date): Promise<void> {
  const { models, plans, priceGroups = {} } = inForce
  // The one in force may be replaced meanwhile.
  const catalog: Catalog = { models, plans, priceGroups }
  const risesOf = createRises(catalog, now.getTime())
  const dated = Object.entries(models).flatMap(([model, one]) =>
    laterPriceDates(listPrices(one), now.getTime()).map(
      (from): Dated => ({ name: `prices_rising:${model}:${new Date(from).toISOString()}`, model, from })
    )
  )
  const untold = await withoutTold(orm, dated)
  const groups = [null, ...Object.entries(priceGroups).map(([name, multiplier]): PriceGroup => ({ name, multiplier }))]
  // The date of a price that falls stays untold: a later catalog may make it a rise.
  const rising = untold.filter(({ model, from }) =>
    groups.some((group) => risesOf(model, group).some((rise) => rise.from === from))
  )
  if (rising.length > 0) await orm.transaction((tx) => tell(tx, { catalog, risesOf, rising, now }))
}

async function withoutTold(orm: Orm, dated: readonly Dated[]): Promise<Dated[]> {
  if (dated.length === 0) return []
  const rows = await orm
    .select({ name: noticeSweeps.name })
    .from(noticeSweeps)
    .where(
      inArray(
        noticeSweeps.name,
        dated.map(({ name }) => name)
      )
    )
  const told = new Set(rows.map(({ name }) => name))
  return dated.filter(({ name }) => !told.has(name))
}

type RisesOf = (model: string, group: PriceGroup | null) => readonly PriceRise[]

/** The rises that customers of a price group will see. Many accounts have the same group, so each is found once. */
function createRises({ models }: Pick<Catalog, 'models'>, now: number): RisesOf {
  const found = new Map<Model, Map<string | null, readonly PriceRise[]>>()
  return (id, group) => {
    const model = models[id]!
    const byGroup = found.get(model) ?? new Map<string | null, readonly PriceRise[]>()
    found.set(model, byGroup)
    const name = group?.name ?? null
    const rises = byGroup.get(name) ?? findPriceRises(chargedPrices(model, group), now)
    byGroup.set(name, rises)
    return rises
  }
}

interface Telling {
  readonly catalog: Catalog
  readonly risesOf: RisesOf
  readonly rising: readonly Dated[]
  readonly now: Date
}

async function tell(tx: Transaction, { catalog, risesOf, rising, now }: Telling): Promise<void> {
  // In one order, so that two replicas do not deadlock: the second one waits here, and then finds nothing to tell.
  const ordered = rising.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const noted = await tx
    .insert(noticeSweeps)
    .values(ordered.map(({ name, from }) => ({ name, until: new Date(from) })))
    .onConflictDoNothing()
    .returning({ name: noticeSweeps.name })
  const own = new Set(noted.map(({ name }) => name))
  const datesOf = Map.groupBy(
    ordered.filter(({ name }) => own.has(name)),
    ({ model }) => model
  )
  if (datesOf.size === 0) return
  const users = await readUsers(tx, [...datesOf.keys()], now)
  await recordEvents(
    tx,
    users.flatMap(({ accountId, model, ...account }): NewEvent[] =>
      risesOf(model, priceGroupInForce(catalog, account))
        .filter((rise) => datesOf.get(model)!.some(({ from }) => from === rise.from))
        .map((rise) => toEvent(accountId, model, rise, now))
    )
  )
}

function toEvent(accountId: string, model: string, { from, prices }: PriceRise, at: Date): NewEvent {
  const instant = new Date(from).toISOString()
  return {
    type: 'prices.rising',
    accountId,
    at,
    data: { model, from: instant, prices: [...prices] },
    once: `prices.rising:${accountId}:${model}:${instant}`
  }
}

/** The accounts that used each of some models in the last days. Those of one account follow each other: one mail. */
function readUsers(tx: Transaction, models: readonly string[], now: Date) {
  // Hours of former days may be folded into their day.
  const since = new Date(Math.floor(now.getTime() / dayMs - usedDays) * dayMs)
  return tx
    .selectDistinct({
      accountId: ledger.accountId,
      model: ledger.model,
      planInForce: accounts.planInForce,
      overrideLimits: accounts.overrideLimits
    })
    .from(ledger)
    .innerJoin(accounts, eq(accounts.id, ledger.accountId))
    .where(
      and(
        inArray(ledger.model, [...models]),
        gte(ledger.hour, since),
        gt(ledger.requests, 0),
        sql`not 'deleted' = any (${accounts.suspensions})`
      )
    )
    .orderBy(asc(ledger.accountId), asc(ledger.model))
}
