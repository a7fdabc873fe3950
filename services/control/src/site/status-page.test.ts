import assert from 'node:assert/strict'
import { addServed, hourOf } from '@tollgate/state/served/served.ts'
import { noneServed } from '@tollgate/state/served/served-row.ts'
import { test } from 'tap'
import { expectStatus } from '../testing/call-control.ts'
import { openSite } from './testing/open-site.ts'

test('the status has what was measured and announced, and nothing that was not', async (t) => {
  const { control, open } = await openSite(t)
  const [model] = control.catalog.plans.free!.models as [string]
  const before = (await open('/status')).text
  assert.match(before, /No incidents reported.*Speed and uptime appear once there are 20 requests/s)
  assert.doesNotMatch(before, /<h2|<table/)
  assert.match((await open(`/models/${model}`)).text, /Speed and uptime appear once there are 20 requests/)
  assert.doesNotMatch((await open('/')).text, /No incidents/)
  const row = { ...noneServed(), successes: 49_999, failures: 1 }
  const report = { reporter: 'one', sequence: 1, rows: new Map([[model, row]]) }
  await addServed(control.redis, { hour: hourOf(control.now().getTime()), ...report })
  const { cookie } = await control.signUpOperator()
  const body = { level: 'outage', title: '<b>Fire</b>', text: '**Nothing** works. <img src=x onerror=alert(1)>' }
  await expectStatus(control.call('POST', '/api/admin/announcements', { cookie, body }), 201)
  control.passTime(61_000)
  const { text } = await open('/status')
  assert.match(text, /Most requests fail.*&#60;b&#62;Fire.*<strong>Nothing<\/strong> works/s)
  assert.doesNotMatch(text, /<img|<b>/)
  // 99.998 % is not 100 %.
  assert.match(text, new RegExp(`${model}</a>.*99\\.99 %`, 's'))
  assert.match(text, /aria-label="1 h good, 23 h not measured"/)
  assert.match((await open(`/models/${model}`)).text, /Speed and uptime<.*99\.99 %/s)
  assert.match((await open('/')).text, /<a href="\/status"[^>]*>.*Most requests fail/)
})
