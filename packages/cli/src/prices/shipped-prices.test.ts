import assert from 'node:assert/strict'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'
import { comparePrices } from './compare-prices.ts'
import { openPriceList } from './price-list.ts'

const hourMs = 3_600_000
const monday = Date.parse('2026-11-23')
/** Every hour of eight days with a weekend, then once a day until all dated prices have begun or ended. */
const times = [
  ...Array.from({ length: 8 * 24 }, (_, hour) => monday + hour * hourMs),
  ...Array.from({ length: 120 }, (_, day) => monday + day * 24 * hourMs)
]

test('at every hour and day, a difference of the shipped catalog from the list has a reason', async () => {
  const catalog = loadCatalogFile(workspaceFile('deploy/catalog.yaml'))
  const differences = comparePrices(catalog, await openPriceList(new Map()), times)
  assert.deepEqual(
    differences.filter(({ because }) => because === null),
    []
  )
  const weekend = differences.find(({ model, kind }) => model === 'deepseek-v4-pro' && kind === 'input')!
  assert.equal(new Date(weekend.at).getUTCDay(), 6)
  assert.deepEqual([weekend.catalogUsd, weekend.listUsd, weekend.result], [0.66, 1.32, 'below'])
})

test('no reason of the shipped catalog is out of use', async () => {
  const { models } = loadCatalogFile(workspaceFile('deploy/catalog.yaml'))
  const differences = comparePrices({ models }, await openPriceList(new Map()), times)
  for (const [name, { prices }] of Object.entries(models)) {
    for (const difference of prices.listDifferences ?? []) {
      const used = differences.some(
        ({ model, kind, listUsd }) =>
          model === name && kind === (difference.kind ?? null) && listUsd === (difference.listUsd ?? null)
      )
      assert.ok(used, `${name}: ${JSON.stringify(difference)}`)
    }
  }
})
