import assert from 'node:assert/strict'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { diffCatalogs } from './diff-catalogs.ts'

const shipped = loadCatalogFile(workspaceFile('deploy/catalog.yaml'))

type Path = Array<string | number>
type Container = Record<string | number, unknown>

/** Paths of all values in a catalog. */
function leavesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([name, member]) => leavesIn(member, [...path, name]))
}

/** The same member of two models or plans is of one kind, and so are the items of a list. */
const kindOf = ([part, _name, ...rest]: Path): string =>
  [part, ...rest.map((name) => (/^\d+$/.test(String(name)) ? '#' : name))].join('.')

/** One value of each kind. */
const leaves = [...new Map(leavesIn(shipped).map((leaf) => [kindOf(leaf), leaf])).values()]

/** Gives each of these values another one of its type. */
function withChanges(paths: readonly Path[]): Catalog {
  const changed = structuredClone(shipped)
  for (const path of paths) {
    const parent = path.slice(0, -1).reduce((value, name) => value[name] as Container, changed as unknown as Container)
    const name = path.at(-1)!
    const value = parent[name]
    if (typeof value === 'number') parent[name] = value + 1
    else if (typeof value === 'boolean') parent[name] = !value
    else if (value === null) parent[name] = name === 'tokenizer' ? 'o200k_base' : 1
    else parent[name] = name === 'currency' ? 'jpy' : `${value}-x`
  }
  return changed
}

const pathsOf = (catalog: Catalog): string[] => diffCatalogs(shipped, catalog).map(({ path }) => path)

test('equal catalogs have no differences', async () => {
  assert.deepEqual(diffCatalogs(shipped, structuredClone(shipped)), [])
})

test('every changed value is listed, alone and with others, at its model or plan', async () => {
  assert.ok(leaves.length > 20, String(leaves.length))
  const alone = leaves.map((leaf) => {
    const paths = pathsOf(withChanges([leaf]))
    const [part, name] = leaf
    assert.ok(paths.length > 0, leaf.join('.'))
    for (const path of paths) assert.ok(`${path}.`.startsWith(`${part}.${name}.`), `${leaf.join('.')}: ${path}`)
    return paths
  })
  const some = fc.uniqueArray(fc.nat({ max: leaves.length - 1 }), { minLength: 2, maxLength: 20 })
  fc.assert(
    fc.property(some, (chosen) => {
      const paths = new Set(pathsOf(withChanges(chosen.map((index) => leaves[index]!))))
      for (const index of chosen) for (const path of alone[index]!) assert.ok(paths.has(path), path)
    }),
    { numRuns: 20 }
  )
})

test('a new and a removed model or plan, and another order, are one difference each', async () => {
  const { free, ...others } = shipped.plans
  const [[first, model], ...models] = Object.entries(shipped.models) as [[string, Catalog['models'][string]]]
  const without = { ...shipped, models: Object.fromEntries(models) }
  assert.partialDeepStrictEqual(diffCatalogs(shipped, without), [
    { path: `models.${first}`, kind: 'removed', to: null, plans: ['free', 'pro', 'team', 'enterprise'] }
  ])
  assert.partialDeepStrictEqual(diffCatalogs(without, shipped), [
    { path: `models.${first}`, kind: 'added', from: null }
  ])
  const turned = {
    ...shipped,
    models: Object.fromEntries([...models, [first, model]]),
    plans: { ...others, free: free! }
  }
  assert.deepEqual(pathsOf(turned), ['models', 'plans'])
  const unsold = { ...shipped, plans: { free: free! } }
  assert.deepEqual(pathsOf(unsold), ['plans.pro', 'plans.team', 'plans.enterprise'])
})

test('each difference says in a sentence what it means', async () => {
  const cases: Array<[change: (catalog: Catalog) => void, path: string, meaning: string]> = [
    [
      ({ models }) => (models['gpt-4o']!.prices.outputPicos *= 1.25),
      'models.gpt-4o.usd_per_million_tokens.output',
      'Output of gpt-4o costs 25 % more.'
    ],
    [
      ({ models }) => (models['gpt-4o']!.prices.inputPicos *= 0.995),
      'models.gpt-4o.usd_per_million_tokens.input',
      'Input of gpt-4o costs 0.5 % less.'
    ],
    [
      ({ models }) => (models['gpt-4o']!.prices.outputPicos = 0),
      'models.gpt-4o.usd_per_million_tokens.output',
      'Output of gpt-4o becomes free.'
    ],
    [
      ({ models }) => (models['gpt-4o']!.prices.reasoningPicos = 12_000_000),
      'models.gpt-4o.usd_per_million_tokens.reasoning',
      'Reasoning of gpt-4o has its own price: USD 12.00 per million tokens.'
    ],
    [
      ({ providers }) => (providers!.groq!.trains = true),
      'providers.groq',
      'Pages say something else of the provider groq.'
    ],
    [
      ({ models }) => (models['gpt-4o']!.route[0]!.upstream = 'azure'),
      'models.gpt-4o.route',
      'The route of gpt-4o changes from openai (gpt-4o) to azure (gpt-4o).'
    ],
    [
      ({ plans }) => (plans.pro!.keyQuota = null),
      'plans.pro.key_quota',
      'The plan pro allows unlimited API keys instead of 5.'
    ],
    [
      ({ plans }) => (plans.pro!.caps.monthlyNanos = 12_500_000_000),
      'plans.pro.caps_usd.month',
      'Accounts of the plan pro can spend USD 12.50 a month instead of USD 100.00.'
    ],
    [({ plans }) => plans.free!.models.push('gpt-4o'), 'plans.free.models.gpt-4o', 'The plan free includes gpt-4o.']
  ]
  for (const [change, path, meaning] of cases) {
    const changed = structuredClone(shipped)
    change(changed)
    assert.partialDeepStrictEqual(diffCatalogs(shipped, changed), [{ path, meaning }], path)
  }
})
