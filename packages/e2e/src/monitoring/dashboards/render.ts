import type { Dashboard, Panel } from './dashboard.ts'

const columns = 24
const [rowHeight, panelHeight, numberHeight] = [1, 8, 5]
const datasource = { type: 'prometheus', uid: '$datasource' }
const filter = 'job=~"$job", instance=~"$instance"'

/** Grafana's JSON of a dashboard. Schema 39 is that of Grafana 11; later ones read it, too. */
export function renderDashboard({ uid, title, description, job, rows }: Dashboard): object {
  const panels: object[] = []
  let y = 0
  const nextId = () => panels.length + 1
  for (const { question, panels: inRow } of rows) {
    panels.push({
      id: nextId(),
      type: 'row',
      title: question,
      collapsed: false,
      gridPos: at(0, y, columns, rowHeight),
      panels: []
    })
    y += rowHeight
    let [x, lineHeight] = [0, 0]
    for (const panel of inRow) {
      const { width = columns / 3 } = panel
      const height = panel.form === 'number' ? numberHeight : panelHeight
      if (x + width > columns) {
        y += lineHeight
        ;[x, lineHeight] = [0, 0]
      }
      panels.push({ id: nextId(), gridPos: at(x, y, width, height), ...renderPanel(panel) })
      x += width
      lineHeight = Math.max(lineHeight, height)
    }
    y += lineHeight
  }
  return {
    uid,
    title,
    description,
    tags: ['tollgate'],
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    templating: { list: variables(job) },
    panels
  }
}

const at = (x: number, y: number, w: number, h: number) => ({ x, y, w, h })

function variables(job: string): object[] {
  const ofLabel = (name: string, label: string, query: string) => ({
    ...{ name, label, type: 'query', datasource, query, refresh: 2, sort: 1 },
    ...{ includeAll: true, multi: true, allValue: '.+', current: { text: 'All', value: '$__all' } }
  })
  return [
    { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', refresh: 1 },
    ofLabel('job', 'Job', `label_values(up{job=~"${job}"}, job)`),
    ofLabel('instance', 'Instance', 'label_values(up{job=~"$job"}, instance)')
  ]
}

function renderPanel(panel: Panel): object {
  const { title, description, unit, queries, form } = panel
  const targets = queries.map(({ expr, legend }, index) => ({
    refId: String.fromCharCode(65 + index),
    datasource,
    expr: expr.replaceAll('$filter', filter),
    legendFormat: legend,
    ...(form === undefined ? {} : { instant: true }),
    ...(form === 'table' ? { format: 'table' } : {})
  }))
  const common = { title, description, datasource, targets }
  if (form === 'number') return { ...common, type: 'stat', ...asNumber(panel) }
  if (form === 'table') return { ...common, type: 'table', ...asTable }
  return {
    ...common,
    type: 'timeseries',
    fieldConfig: {
      defaults: { unit, min: 0, custom: { fillOpacity: 8, lineWidth: 1, showPoints: 'never' } },
      overrides: []
    },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } }
  }
}

function asNumber({ unit, redFrom, redBelow }: Panel): object {
  const steps =
    redBelow !== undefined
      ? [
          { color: 'red', value: null },
          { color: 'green', value: redBelow }
        ]
      : [{ color: 'green', value: null }, ...(redFrom === undefined ? [] : [{ color: 'red', value: redFrom }])]
  return {
    fieldConfig: { defaults: { unit, thresholds: { mode: 'absolute', steps } }, overrides: [] },
    options: {
      reduceOptions: { calcs: ['lastNotNull'] },
      colorMode: 'value',
      graphMode: 'none',
      textMode: 'value_and_name'
    }
  }
}

const asTable = {
  fieldConfig: { defaults: { unit: 'string' }, overrides: [] },
  transformations: [{ id: 'organize', options: { excludeByName: { Time: true, Value: true } } }]
}
