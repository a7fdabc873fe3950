import assert from 'node:assert/strict'
import t from 'tap'
import { LabelNames } from './label-names.ts'
import { createMetrics } from './metrics.ts'

const hourMs = 3_600_000

t.test('a name is a label while it is in force, and an hour longer', (t) => {
  let now = 0
  const names = new LabelNames(() => now)
  assert.equal(names.labelOf('a'), 'other')
  names.replace(['a', 'b'])
  assert.deepEqual([...names.replace(['b'])], [])
  now = hourMs - 1
  assert.deepEqual([...names.replace(['b'])], [])
  assert.equal(names.labelOf('a'), 'a')
  now = hourMs
  assert.deepEqual([...names.replace(['b'])], ['a'])
  assert.equal(names.labelOf('a'), 'other')
  assert.equal(names.labelOf('b'), 'b')
  names.replace(['a'])
  assert.equal(names.labelOf('a'), 'a', 'it may come back')
  t.end()
})

t.test('series of former models, plans and upstreams do not pile up', async () => {
  let now = 0
  const metrics = createMetrics(() => now)
  const sizes: number[] = []
  for (let version = 0; version < 50; version++) {
    now += hourMs
    const [model, plan, upstream] = [`model-${version}`, `plan-${version}`, `upstream-${version}`]
    metrics.useCatalog({ models: () => [[model, null]], planNames: () => [plan] })
    metrics.useUpstreams([upstream])
    metrics.answers.answered({ endpoint: '/v1', model, plan, status: 400, code: 'invalid_request' })
    metrics.cost.series(model, plan).add(1)
    metrics.countUnavailable(model)
    metrics.upstreams.failed(upstream, false)
    for (const metric of Object.values(metrics.genAi)) {
      const labels: Record<string, string> = { gen_ai_request_model: model, gen_ai_provider_name: upstream }
      metric.series(...metric.labelNames.map((label) => labels[label] ?? ''))
    }
    sizes.push((await metrics.registry.metrics()).length)
  }
  assert.ok(sizes.at(-1)! < sizes[2]! + 500, `${sizes[2]} then ${sizes.at(-1)} characters`)
  assert.ok(!(await metrics.registry.metrics()).includes('-40"'))
})
