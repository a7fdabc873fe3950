import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { need } from '@tollgate/sandbox/need.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { Counter, Registry } from 'prom-client'
import { test } from 'tap'
import { describeMetrics, generatedMark, labelsOf } from './describe-metrics.ts'
import { documentedMetrics } from './documented-metrics.ts'

test('the page about metrics lists every metric of the services, with type, labels and meaning', async (t) => {
  // Other systems have fewer metrics of the process.
  if (!need(t, 'Linux', process.platform === 'linux' ? 'Linux' : null)) return
  const [written, generated] = readFileSync(workspaceFile('docs/operate/metrics.md'), 'utf8').split(generatedMark)
  assert.equal(generated, describeMetrics(documentedMetrics()), 'run node packages/e2e/src/docs/write-metrics.ts')
  const metrics = documentedMetrics().flatMap(({ registry }) => registry.getMetricsAsArray())
  const names = new Set(metrics.flatMap((metric) => [metric.name, ...labelsOf(metric)]))
  for (const [, name] of written!.matchAll(/\b((?:tollgate|gen_ai)_\w+)/g)) {
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
