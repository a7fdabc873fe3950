import assert from 'node:assert/strict'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { addServed, hourOf } from '@tollgate/state/served/served.ts'
import { noneServed } from '@tollgate/state/served/served-row.ts'
import { test } from 'tap'
import { expectStatus } from '../testing/call-control.ts'
import { repositoryCatalog } from '../testing/control-options.ts'
import { noteGateway } from '../testing/note-gateway.ts'
import { describeSite } from './site-facts.ts'
import { statusPage } from './status-page.ts'
import { openSite } from './testing/open-site.ts'

test('the status has what was measured and announced, and nothing that was not', async (t) => {
  const { control, open } = await openSite(t)
  const [model] = control.catalog.plans.free!.models as [string]
  const before = (await open('/status')).text
  assert.match(before, /No known incidents.*Speed and uptime appear once there are 20 requests/s)
  assert.match(before, /API<.*No report of a gateway is known.*No incidents reported in the last 90 days/s)
  assert.doesNotMatch(before, /<table|<svg role|id="providers"|\d %/)
  assert.match((await open(`/models/${model}`)).text, /Speed and uptime appear once there are 20 requests/)
  assert.doesNotMatch((await open('/')).text, /No known incidents/)
  const row = { ...noneServed(), successes: 49_999, failures: 1 }
  const report = { reporter: 'one', sequence: 1, rows: new Map([[model, row]]) }
  await addServed(control.redis, { hour: hourOf(control.now().getTime()), ...report })
  await noteGateway(control.redis)
  const { cookie } = await control.signUpOperator()
  const body = { level: 'outage', title: '<b>Fire</b>', text: '**Nothing** works. <img src=x onerror=alert(1)>' }
  await expectStatus(control.call('POST', '/api/admin/announcements', { cookie, body }), 201)
  control.passTime(61_000)
  const { text } = await open('/status')
  assert.match(text, /Most requests fail.*&#60;b&#62;Fire.*<strong>Nothing<\/strong> works/s)
  assert.doesNotMatch(text, /<img|<b>/)
  // 99.998 % is not 100 %.
  assert.match(text, new RegExp(`${model}</a>.*99\\.99\u00a0%`, 's'))
  assert.match(text, /aria-label="1 hour good, 23 hours not measured"/)
  assert.match(text, /aria-label="1 day good, 89 days not measured"/)
  assert.match(text, /99\.99\u00a0%<\/strong> of requests succeeded since .*Days before that were not measured/s)
  assert.match(text, /A gateway reported in the last minute/)
  assert.match((await open(`/models/${model}`)).text, /Speed and uptime<.*99\.99\u00a0%/s)
  assert.match((await open('/')).text, /<a href="\/status"[^>]*>.*Most requests fail/)
})

test('with the most models, providers and announcements, the page has 100 KB at most', async () => {
  const state = (index: number) => (['good', 'degraded', 'down', 'unknown'] as const)[index % 4]!
  const days = Array.from({ length: 90 }, (_, index) => state(Math.floor(index / 4)))
  const ofDays = { days, day_uptimes: days.map(() => 0.9), uptime_30_days: 0.9, uptime_90_days: 0.9 }
  const many = <Item>(count: number, make: (index: number) => Item) =>
    Array.from({ length: count }, (_, index) => make(index))
  const provider = (index: number) => `provider-${index % 15}`
  const base = describeSite(loadCatalogFile(repositoryCatalog), {
    leftOut: new Set(),
    spoken: null,
    now: new Date('2026-12-01T12:00:00Z'),
    status: {
      state: 'degraded',
      gateway: 'good',
      history: { first_day: '2026-09-03', measured_since: '2026-09-03', ...ofDays },
      providers: many(15, (index) => ({ name: provider(index), state: state(index), uptime: 0.9, ...ofDays })),
      models: many(60, (index) => ({
        ...{
          id: `a-model-with-quite-a-long-name-${index}`,
          provider: provider(index),
          state: state(index),
          uptime: 0.9
        },
        ...{ first_token_ms: { p50: 312, p95: 900 }, tokens_per_second: { p50: 91.2 } },
        hours: days.slice(0, 24)
      })),
      announcements: many(100, (index) => ({
        ...{ id: `${index}`, level: 'outage' as const, title: `Incident ${index}`, text: `text ${index} `.repeat(300) },
        starts_at: new Date(Date.UTC(2026, 10, 30) - index * 20 * 3_600_000).toISOString(),
        ...{ ends_at: new Date(Date.UTC(2026, 10, 30, 2) - index * 20 * 3_600_000).toISOString(), is_present: false }
      }))
    }
  })
  const body = String(statusPage(base, new Date('2026-12-01T12:00:00Z'), null).body)
  // The frame has some 8 KB.
  assert.ok(Buffer.byteLength(body) < 90_000, `${Buffer.byteLength(body)}`)
  assert.match(body, /November 2026<.*Incident 0<.*text 0 .*October 2026<.*Incident 49<.*All older ones/s)
  assert.doesNotMatch(body, /text 40 |Incident 50/)
  assert.match(body, /Disturbed days: .* and \d+ more/)
})
