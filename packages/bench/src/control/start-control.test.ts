import assert from 'node:assert/strict'
import { test } from 'tap'
import { parsePlans, tablesScanned } from './start-control.ts'

const log = `2026-11-21 07:00:00.000 UTC [7] LOG:  received SIGHUP, reloading configuration files
2026-11-21 07:00:01.000 UTC [9] LOG:  duration: 0.031 ms  plan:
\tQuery Text: select "id" from "keys"
\t  where "account_id" = $1
\tLimit  (cost=0.42..8.44 rows=1 width=10) (actual rows=1 loops=1)
\t  ->  Index Scan using keys_account on keys  (cost=0.42..8.44 rows=1 width=10) (actual rows=1 loops=1)
\t        Index Cond: (account_id = '1'::uuid)
2026-11-21 07:00:02.000 UTC [9] LOG:  duration: 1.5 ms  plan:
\tQuery Text: select 1 from users
\tSeq Scan on users  (cost=0.00..1.00 rows=1 width=4) (actual rows=1 loops=1)
2026-11-21 07:00:03.000 UTC [9] ERROR:  something else
`

test('statements and their plans are found in the log', async () => {
  const plans = parsePlans(log)
  assert.deepEqual(
    plans.map(({ statement }) => statement),
    ['select "id" from "keys" where "account_id" = $1', 'select 1 from users']
  )
  assert.deepEqual(
    plans.map(({ backend }) => backend),
    [9, 9]
  )
  assert.equal(plans[0]!.lines.length, 3)
  assert.match(plans[0]!.lines[1]!, /^ {2}-> {2}Index Scan using keys_account on keys/)
  assert.deepEqual(plans.map(tablesScanned), [[], ['users']])
  assert.deepEqual(parsePlans(''), [])
})
