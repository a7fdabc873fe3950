import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { need } from '@tollgate/sandbox/need.ts'
import { test } from 'tap'
import { checkExpressions, promtool } from '../promtool.ts'
import { dashboardFiles } from './files.ts'

interface Position {
  x: number
  y: number
  w: number
  h: number
}
interface Panel {
  id: number
  type: string
  title: string
  description?: string
  gridPos: Position
  datasource?: { type: string; uid: string }
  fieldConfig?: { defaults: { unit?: string } }
  targets?: Array<{ refId: string; expr: string; legendFormat: string; datasource: { uid: string } }>
}
interface Dashboard {
  uid: string
  title: string
  schemaVersion: number
  templating: { list: Array<{ name: string; type: string }> }
  panels: Panel[]
}

/** Panels that every Grafana has, without a plugin. */
const builtIn = ['row', 'stat', 'table', 'timeseries']
const dashboards = dashboardFiles.map(({ path }) => JSON.parse(readFileSync(path, 'utf8')) as Dashboard)

test('the files are up to date: node packages/e2e/src/monitoring/dashboards/main.ts', async () => {
  for (const { path, text } of dashboardFiles) assert.equal(readFileSync(path, 'utf8'), text, path)
})

test('dashboards have unique ids, and a variable for the data source', async () => {
  assert.equal(new Set(dashboards.map(({ uid }) => uid)).size, dashboards.length)
  for (const { title, schemaVersion, templating, panels } of dashboards) {
    assert.ok(schemaVersion >= 39, 'the schema of Grafana 11')
    assert.deepEqual(
      templating.list.filter(({ type }) => type === 'datasource').map(({ name }) => name),
      ['datasource'],
      title
    )
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length, title)
    assert.equal(new Set(panels.map((panel) => panel.title)).size, panels.length, title)
  }
})

test('each row is a question, and each panel has a title, a description, a unit and named queries', async () => {
  for (const { title: dashboard, panels } of dashboards) {
    for (const { type, title, description, datasource, fieldConfig, targets } of panels) {
      const of = `${dashboard}: ${title}`
      assert.ok(builtIn.includes(type), of)
      if (type === 'row') {
        assert.match(title, /^(Is|Are|Do|How|What|Which) .*\?$/)
        continue
      }
      assert.match(description ?? '', /^.{20,}\.$/, of)
      assert.ok(fieldConfig?.defaults.unit, of)
      assert.deepEqual(datasource, { type: 'prometheus', uid: '$datasource' }, of)
      assert.ok(targets?.length, of)
      for (const target of targets) {
        assert.equal(target.datasource.uid, '$datasource', of)
        assert.notEqual(target.legendFormat, '', of)
      }
      assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, of)
    }
  }
})

test('no panel covers another or leaves the page', async () => {
  const cellsOf = ({ x, y, w, h }: Position) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`)
  for (const { title, panels } of dashboards) {
    for (const { gridPos } of panels) assert.ok(gridPos.x + gridPos.w <= 24, title)
    const cells = panels.flatMap(({ gridPos }) => cellsOf(gridPos))
    assert.equal(new Set(cells).size, cells.length, title)
  }
})

test('every query is valid PromQL, and is limited to the chosen job or to the names of Tollgate', async (t) => {
  const expressions = dashboards.flatMap(({ panels }) =>
    panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  )
  assert.ok(expressions.length > 50)
  for (const expr of expressions) assert.match(expr, /job=~"\$job"|tollgate/i)
  if (!need(t, 'promtool', promtool)) return
  await checkExpressions(expressions.map((expr) => expr.replaceAll('$__rate_interval', '5m')))
})
