import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { Counter, Registry } from 'prom-client'
import { test } from 'tap'
import { describeMetrics, documentedMetrics, labelsOf } from './documented-metrics.ts'

test('the page about metrics names only metrics that a service has', async () => {
  const document = readFileSync(workspaceFile('docs/operate/metrics.md'), 'utf8')
  const metrics = documentedMetrics().flatMap(({ registry }) => registry.getMetricsAsArray())
  const names = new Set(metrics.flatMap((metric) => [metric.name, ...labelsOf(metric)]))
  for (const [, name] of document.matchAll(/\b((?:tollgate|gen_ai)_\w+)/g)) {
    assert.ok(names.has(name!) || names.has(name!.replace(/_(?:bucket|count|sum)$/, '')), `no service has ${name}`)
  }
})

// prom-client's types do not name `labelNames`: see docs/library-internals.md.
test('labels of prom-client’s own metrics are listed, and a bar in a text does not break the table', async () => {
  const registry = new Registry()
  new Counter({ name: 'a_total', help: 'one | two', labelNames: ['x', 'y'], registers: [registry] })
  assert.match(
    describeMetrics([{ title: 'T', intro: 'I', registry }]),
    /\| `a_total` \| counter \| `x`, `y` \| one \\\| two \|/
  )
})
