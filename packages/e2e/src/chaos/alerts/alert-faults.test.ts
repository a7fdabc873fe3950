import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'
import { alerts } from '../../monitoring/rules.ts'
import { alertFaults, raisedBy } from './alert-faults.ts'

test('each fault of a real system raises alerts that are shipped', async () => {
  const shipped = new Set(alerts.map(({ alert }) => alert.replace('Tollgate', '')))
  assert.deepEqual(
    alertFaults.flatMap(raisedBy).filter((alert) => !shipped.has(alert)),
    []
  )
})

test('the runbooks list these alerts with their faults and measured times', async () => {
  const text = readFileSync(workspaceFile('docs/operate/runbooks/README.md'), 'utf8')
  const rows = [...text.matchAll(/^\| (\w+) *\| ([^|]+?) *\| \d+\.\d s *\| \d+\.\d s *\| [^|]*\|$/gm)]
  const listed = rows.map(([, alert, fault]) => `${alert}: ${fault}`)
  const expected = alertFaults.flatMap((fault) => raisedBy(fault).map((alert) => `${alert}: ${fault.summary}`))
  assert.deepEqual(listed.toSorted(), expected.toSorted())
})
