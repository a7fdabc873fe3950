import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'
import { createFakeTerminal } from '../testing/fake-io.ts'
import type { PriceCheck } from './catalog-check.ts'

const shipped = workspaceFile('deploy/catalog.yaml')
const upstreams = workspaceFile('deploy/upstreams.yaml')
const terminal = createFakeTerminal()
const folder = mkdtempSync(join(tmpdir(), 'tollgate-prices-'))

/** Writes the shipped catalog with other prices. */
function changed(from: string, to: string): string {
  const text = readFileSync(shipped, 'utf8')
  assert.ok(text.includes(from))
  const path = join(folder, 'catalog.yaml')
  writeFileSync(path, text.replace(from, to))
  return path
}
const nano = 'input: 0.05, cached_input: 0.005, output: 0.40'

test('every difference of the shipped catalog from the list has a reason', async () => {
  const ran = await terminal.run(`catalog check ${shipped} --upstreams ${upstreams} --json`)
  assert.equal(ran.code, 0, ran.out + ran.err)
  const { ok, models, differences, list } = ran.json<PriceCheck & Record<string, unknown>>()
  assert.ok(ok && models > 0)
  assert.ok(list.age_days >= 0)
  assert.equal(list.is_old, list.age_days > 45)
  assert.ok(differences.length > 0)
  assert.deepEqual(
    differences.filter(({ because }) => because === null),
    []
  )
  const { out } = await terminal.run(`catalog check ${shipped} --upstreams ${upstreams}`)
  assert.match(out, /^claude-sonnet-5-5 +cached_input .* Anthropic lowered it on 2026-10-07, after the list$/m)
  assert.match(out, /^0 below the list, 0 above, 0 unknown, \d+ with a reason in the catalog\. /m)
})

test('a price that the list changes since its reason was written is named again', async () => {
  const path = changed('kind: cached_input, list: 0.2, because: "Anth', 'kind: cached_input, list: 0.3, because: "Anth')
  const ran = await terminal.run(`catalog check ${path}`)
  assert.equal(ran.code, 1)
  assert.match(ran.out, /^claude-sonnet-5-5 +cached_input +any +now +0.1 +0.2 .* BELOW$/m)
})

test('a price below the list exits with 1, and the line names it', async () => {
  const path = changed(nano, 'input: 0.04, cached_input: 0.005, output: 0.50')
  const before = readFileSync(path, 'utf8')
  const ran = await terminal.run(`catalog check ${path}`)
  assert.equal(ran.code, 1)
  assert.match(ran.out, /^Price list: @pydantic\/genai-prices \S+ of \S+, \d+ days old$/m)
  assert.match(ran.out, /^gpt-5-nano +input +any +now +0.04 +0.05 +-0.01 \(-20.0%\) +openai\/gpt-5-nano +BELOW$/m)
  assert.match(ran.out, /^gpt-5-nano +output +any +now +0.5 +0.4 +\+0.1 \(\+25.0%\) +openai\/gpt-5-nano +above$/m)
  assert.match(ran.out, /^1 below the list, 1 above, 0 unknown/m)
  assert.equal(readFileSync(path, 'utf8'), before)
})

test('a price above the list, and a model that it lacks, are notes', async () => {
  const above = await terminal.run(`catalog check ${changed(nano, 'input: 0.06, cached_input: 0.005, output: 0.40')}`)
  assert.equal(above.code, 0)
  assert.match(above.out, /^0 below the list, 1 above, 0 unknown/m)
  const path = changed('route: [{ upstream: openai }]', 'route: [{ upstream: openai, model: my-own }]')
  const unknown = await terminal.run(`catalog check ${path}`)
  assert.equal(unknown.code, 0)
  assert.match(unknown.out, /^gpt-6-luna +all .* not listed: openai\/my-own +unknown$/m)
})

test('equal prices give no table', async () => {
  const models = readFileSync(shipped, 'utf8')
  const path = join(folder, 'equal.yaml')
  const start = models.indexOf('  gpt-6-luna:')
  const [model] = /^ {2}gpt-4o:\n(?: {4}.*\n)+/m.exec(models)!
  const plans = models.slice(models.indexOf('\nplans:')).replace(/models:\s+\[[^\]]*\]/, 'models: all')
  writeFileSync(path, `${models.slice(0, start)}${model}${plans}`)
  const ran = await terminal.run(`catalog check ${path}`)
  assert.match(ran.out, /All prices of \d+ models are those of the list/)
})

test('a variable’s base URL decides the provider, as at the gateway', async () => {
  const env = { OPENAI_BASE_URL: 'https://name.openai.azure.com/openai/v1' }
  const path = changed(nano, 'input: 0.04, cached_input: 0.005, output: 0.40')
  const ran = await terminal.run(`catalog check ${path} --upstreams ${upstreams}`, { env })
  assert.match(ran.out, /azure\/gpt-5-nano/)
})

test('a file that is missing or not valid is named', async () => {
  const missing = await terminal.run('catalog check missing.yaml')
  assert.equal(missing.code, 2)
  assert.match(missing.err, /missing.yaml cannot be read \(ENOENT\)/)
  const path = join(folder, 'wrong.yaml')
  writeFileSync(path, 'models: 1\n')
  const wrong = await terminal.run(`catalog check ${path} --json`)
  assert.equal(wrong.code, 1)
  assert.match(wrong.json<{ error: { message: string } }>().error.message, /wrong.yaml: models: /)
  const routes = await terminal.run(`catalog check ${shipped} --upstreams ${path}`)
  assert.equal(routes.code, 1)
  assert.match(routes.err, /wrong.yaml/)
})
