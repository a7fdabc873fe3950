import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'
import { dashboardQueries, metricsIn, recordings } from './rules.ts'

// docs/operate/metrics.md is written from the registries of both services.
test('every metric that a dashboard queries exists', async () => {
  const page = readFileSync(workspaceFile('docs/operate/metrics.md'), 'utf8')
  const recorded = new Set(recordings.map(({ record }) => record))
  const named = [...new Set(dashboardQueries.flatMap(metricsIn))]
  const isDocumented = (name: string) => page.includes(`\`${name}\``)
  const missing = named.filter(
    (name) =>
      // Prometheus makes these two.
      !['up', 'ALERTS'].includes(name) &&
      !recorded.has(name) &&
      !isDocumented(name) &&
      !isDocumented(name.replace(/_(bucket|sum|count)$/, ''))
  )
  assert.deepEqual(missing, [])
  assert.ok(named.length > 30, String(named.length))
})
