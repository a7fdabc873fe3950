import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { CatalogChange } from '@tollgate/contracts/http/admin/catalog.ts'
import {
  describeModel,
  describePlan,
  describeProvider,
  type Leaf,
  leavesOfModel,
  leavesOfPlan,
  orders
} from './catalog-leaves.ts'

export interface CatalogDifference extends Omit<CatalogChange, 'accounts'> {
  /** The plans that the change touches. */
  readonly plans: readonly string[]
}

/** Lists what differs between two catalogs: each value, and each model or plan that is new or removed. */
export function diffCatalogs(from: Catalog, to: Catalog): CatalogDifference[] {
  return [
    ...diffModels(from, to),
    ...diffPlans(from, to),
    ...diffGroups(from, to),
    ...diffProviders(from, to),
    ...diffOrders(from, to)
  ]
}

function diffModels(from: Catalog, to: Catalog): CatalogDifference[] {
  return namesIn(from.models, to.models).flatMap((name) => {
    const [before, after] = [own(from.models, name), own(to.models, name)]
    const path = `models.${name}`
    const plans = [...new Set([...plansWith(from, name), ...plansWith(to, name)])]
    if (before === null) {
      const text = describeModel(after!)
      return { path, kind: 'added', from: null, to: text, meaning: `The model ${name} is new.`, plans }
    }
    if (after === null) {
      const meaning = `The model ${name} is removed. Requests for it get 403.`
      return { path, kind: 'removed', from: describeModel(before), to: null, meaning, plans }
    }
    return diffLeaves(leavesOfModel(before), leavesOfModel(after), path, name, plans)
  })
}

function diffPlans(from: Catalog, to: Catalog): CatalogDifference[] {
  return namesIn(from.plans, to.plans).flatMap((id) => {
    const [before, after] = [own(from.plans, id), own(to.plans, id)]
    const [path, plans] = [`plans.${id}`, [id]]
    if (before === null) {
      return { path, kind: 'added', from: null, to: describePlan(after!), meaning: `The plan ${id} is new.`, plans }
    }
    if (after === null) {
      const meaning = `The plan ${id} is removed. Its accounts get the free plan.`
      return { path, kind: 'removed', from: describePlan(before), to: null, meaning, plans }
    }
    return diffLeaves(leavesOfPlan(before), leavesOfPlan(after), path, id, plans)
  })
}

/** Factors of price groups. */
function diffGroups(
  { priceGroups: before = {} }: Catalog,
  { priceGroups: after = {}, plans }: Catalog
): CatalogDifference[] {
  return namesIn(before, after).flatMap((name) => {
    const [from, to] = [own(before, name), own(after, name)]
    if (from === to) return []
    const touched = Object.entries(plans).flatMap(([id, { priceGroup }]) => (priceGroup === name ? [id] : []))
    const meaning =
      to === null
        ? `The price group ${name} is removed. Accounts that had it from an operator pay the prices of their plan.`
        : `Accounts in the price group ${name} pay ${to} times the list prices.`
    const [textFrom, textTo] = [from, to].map((factor) => ({ text: factor === null ? null : String(factor) }))
    return difference(`price_groups.${name}`, textFrom!, textTo!, meaning, touched)
  })
}

/** What public pages say of providers. */
function diffProviders({ providers: before = {} }: Catalog, { providers: after = {} }: Catalog): CatalogDifference[] {
  return namesIn(before, after).flatMap((name) => {
    const [from, to] = [before, after].map((all) => {
      const provider = own(all, name)
      return { text: provider && describeProvider(provider) }
    })
    const meaning = `Pages say something else of the provider ${name}.`
    return from!.text === to!.text ? [] : difference(`providers.${name}`, from!, to!, meaning, [])
  })
}

const absent = { text: null, number: null }

function diffLeaves(
  before: readonly Leaf[],
  after: readonly Leaf[],
  parent: string,
  name: string,
  plans: readonly string[]
): CatalogDifference[] {
  const [old, young] = [byPath(before), byPath(after)]
  return [...new Set([...old.keys(), ...young.keys()])].flatMap((path) => {
    const [from, to] = [old.get(path), young.get(path)]
    if ((from?.text ?? null) === (to?.text ?? null)) return []
    const { say } = (to ?? from)!
    return difference(`${parent}.${path}`, from ?? absent, to ?? absent, say(name, from ?? absent, to ?? absent), plans)
  })
}

/** Models and plans that both catalogs have, but in another order. */
function diffOrders(from: Catalog, to: Catalog): CatalogDifference[] {
  const after = new Map(orders(to).map(({ path, names }) => [path, names]))
  return orders(from).flatMap(({ path, names }) => {
    const next = after.get(path) ?? []
    const [order, nextOrder] = [
      names.filter((name) => next.includes(name)),
      next.filter((name) => names.includes(name))
    ]
    if (order.join('\n') === nextOrder.join('\n')) return []
    const meaning =
      path === 'plans'
        ? 'The plans change their order. Of two plans, the later one counts as better.'
        : 'The models are listed in another order.'
    return difference(path, { text: order.join(', ') }, { text: nextOrder.join(', ') }, meaning, [])
  })
}

function difference(
  path: string,
  from: { readonly text: string | null },
  to: { readonly text: string | null },
  meaning: string,
  plans: readonly string[]
): CatalogDifference {
  const kind = from.text === null ? 'added' : to.text === null ? 'removed' : 'changed'
  return { path, kind, from: from.text, to: to.text, meaning, plans }
}

const byPath = (leaves: readonly Leaf[]): Map<string, Leaf> => new Map(leaves.map((leaf) => [leaf.path, leaf]))

const namesIn = (from: object, to: object): string[] => [...new Set([...Object.keys(from), ...Object.keys(to)])]

const own = <Value>(record: Readonly<Record<string, Value>>, name: string): Value | null =>
  Object.hasOwn(record, name) ? record[name]! : null

const plansWith = ({ plans }: Catalog, model: string): string[] =>
  Object.entries(plans).flatMap(([id, { models }]) => (models.includes(model) ? [id] : []))
