import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'
import { alerts, metricsIn, pageOf, recordings, ruleTestsPath } from './rules.ts'

const runbooks = workspaceFile('docs/operate/runbooks')
const template = '{{ with $externalLabels.tollgate_docs_url }}{{ . }}{{ else }}docs{{ end }}/operate/runbooks/'

test('each alert is tested', async () => {
  const tests = readFileSync(ruleTestsPath, 'utf8')
  const untested = alerts.filter(({ alert }) => !tests.includes(`alertname="${alert}"`))
  assert.deepEqual(untested, [])
  assert.ok(alerts.length > 20, String(alerts.length))
})

test('each alert says what happens in a sentence, how urgent it is, and where its page is', async () => {
  for (const { alert, labels, annotations } of alerts) {
    assert.match(alert, /^Tollgate[A-Z]/)
    assert.match(labels.severity, /^(critical|warning)$/, alert)
    assert.match(annotations.summary, /[^.]$/, alert)
    assert.match(annotations.description, /^[A-Z{].*\.$/s, alert)
    assert.equal(annotations.runbook_url, `${template}${pageOf(alert)}.md`)
  }
  assert.equal(new Set(alerts.map(({ alert }) => alert)).size, alerts.length)
})

test('each alert has a page that names it and its severity, and each page has an alert', async () => {
  const pages = globSync('*.md', { cwd: runbooks }).filter((file) => file !== 'README.md')
  assert.deepEqual(pages.toSorted(), alerts.map(({ alert }) => `${pageOf(alert)}.md`).toSorted())
  for (const { alert, labels } of alerts) {
    const text = readFileSync(`${runbooks}/${pageOf(alert)}.md`, 'utf8')
    assert.ok(text.includes(`\nAlert \`${alert}\`, ${labels.severity}.\n`), alert)
    for (const part of ['It means:', 'Customers', 'Look at:', 'Do:', 'It ends']) {
      assert.ok(text.includes(`\n**${part}**`), `${alert}: ${part}`)
    }
  }
})

test('the list of runbooks has every alert with its severity and its time', async () => {
  const text = readFileSync(`${runbooks}/README.md`, 'utf8')
  const rows = [...text.matchAll(/^\| \[([\w-]+)\.md\]\(\1\.md\) *\| (\w+) *\| ([\w ]+?) *\|/gm)]
  const listed = rows.map(([, page, severity, time]) => `${basename(page!)} ${severity} ${time}`)
  const expected = alerts.map(
    ({ alert, labels, for: time = 'at once' }) => `${pageOf(alert)} ${labels.severity} ${time}`
  )
  assert.deepEqual(listed.toSorted(), expected.toSorted())
})

test('a recorded metric is used by an alert or a dashboard, and exists', async () => {
  const dashboards = globSync(workspaceFile('deploy/grafana/dashboards/*.json')).map((file) =>
    readFileSync(file, 'utf8')
  )
  const used = [...alerts.map(({ expr }) => expr), ...dashboards].join('\n')
  for (const { record } of recordings) assert.ok(used.includes(record), record)
  const recorded = new Set(recordings.map(({ record }) => record))
  const missing = alerts
    .flatMap(({ expr }) => metricsIn(expr))
    .filter((name) => name.includes(':') && !recorded.has(name))
  assert.deepEqual(missing, [])
})
