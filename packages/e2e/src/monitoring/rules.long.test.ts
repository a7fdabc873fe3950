import { need } from '@tollgate/sandbox/need.ts'
import { test } from 'tap'
import { promtool, rulesPath, ruleTestsPath, runPromtool } from './rules.ts'

test('the rules are valid', async (t) => {
  if (!need(t, 'promtool', promtool)) return
  await runPromtool('check', 'rules', rulesPath)
})

test('each alert fires in its fault after its time, and no alert fires otherwise', async (t) => {
  if (!need(t, 'promtool', promtool)) return
  await runPromtool('test', 'rules', ruleTestsPath)
})
