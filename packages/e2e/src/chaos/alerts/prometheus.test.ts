import assert from 'node:assert/strict'
import { test } from 'tap'
import { rulesText } from '../../monitoring/rules.ts'
import { shortenRules } from './prometheus.ts'

test('windows, offsets and waiting times become shorter, and thresholds stay', async () => {
  const rules = 'expr: increase(a_5m[10m]) > 60 unless a offset 1h\nfor: 30s'
  assert.equal(shortenRules(rules, 20), 'expr: increase(a_5m[30000ms]) > 60 unless a offset 180000ms\nfor: 1500ms')
})

test('no duration of the shipped rules is forgotten', async () => {
  const shortened = shortenRules(rulesText, 20)
  assert.doesNotMatch(shortened, /\[\d+[smhd]\]|^ *for: (?!\d+ms$)/m)
  assert.equal(shortened.match(/\d+ms\b/g)?.length, rulesText.match(/\[\d+[smh]\]|offset \d+[smh]|^ *for: /gm)?.length)
})
