import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { Counter, Registry } from 'prom-client'
import { test } from 'tap'
import { describeMetrics, generatedMark } from './describe-metrics.ts'
import { documentedMetrics } from './documented-metrics.ts'

test('the page about metrics lists every metric of the services, with type, labels and meaning', async () => {
  const [written, generated] = readFileSync(workspaceFile('docs/operate/metrics.md'), 'utf8').split(generatedMark)
  assert.equal(generated, describeMetrics(documentedMetrics()), 'run node packages/e2e/src/docs/write-metrics.ts')
  const names = new Set(
    documentedMetrics().flatMap(({ registry }) => registry.getMetricsAsArray().map(({ name }) => name))
  )
  for (const [, name] of written!.matchAll(/\b((?:tollgate|gen_ai)_\w+)/g)) {
    const metric = name!.replace(/_(?:bucket|count|sum)$/, '')
    assert.ok(names.has(metric) || names.has(name!), `the page names ${name}, which no service has`)
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
