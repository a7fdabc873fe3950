import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isLong } from '@tollgate/cli/testing/list-files.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { test } from 'tap'
import { type GuaranteedPromise, readPromises } from './promises.ts'

const root = workspaceFile('')
const text = readFileSync(join(root, 'docs/guarantees.md'), 'utf8')
const promises = readPromises()
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

/** What is wrong with the proof of a promise; null if nothing is. */
function faultOf({ file, test: name, command }: GuaranteedPromise): string | null {
  if (!existsSync(join(root, file))) return `${file} does not exist`
  if (!readFileSync(join(root, file), 'utf8').includes(name)) return `${file} has no test "${name}"`
  const [, script, argument] = /^npm (?:run )?(\S+)(?: -- (\S+))?$/.exec(command) ?? []
  const run = scripts[script ?? '']
  if (run === undefined) return `package.json lacks ${command}`
  if (file.endsWith('.test.ts')) {
    const right = isLong(file) ? 'npm run test:all' : 'npm test'
    return command === right ? null : `${file} runs in ${right}, not in ${command}`
  }
  const program = run.split(' ').find((part) => part.endsWith('.ts')) ?? ''
  if (!file.startsWith(`${dirname(program)}/`)) return `${command} does not run ${file}`
  return argument === undefined || argument === name ? null : `${command} does not run "${name}"`
}

test('each promise has a test that exists, and the command that runs it', async () => {
  assert.ok(promises.length >= 50, String(promises.length))
  const faults = promises.flatMap((one) => faultOf(one) ?? [])
  assert.deepEqual(faults, [])
  const texts = promises.map(({ promise }) => promise)
  assert.deepEqual(
    texts.filter((one, at) => texts.indexOf(one) !== at),
    [],
    'no promise is listed twice'
  )
})

test('every row of the table is read', async () => {
  const [, table] = /\n\| Promise +\| Test.*\n\|[-| ]+\|\n((?:\|.*\n)+)/.exec(text) ?? []
  const rows = table?.trimEnd().split('\n') ?? []
  assert.equal(rows.length, promises.length)
})

test('npm test proves a promise of every section, except the sections about no promise', async () => {
  const sections = text.split(/^## /m).slice(1)
  const titles = sections.map((section) => section.split('\n')[0]!)
  const proved = promises.filter(({ command }) => command === 'npm test').map(({ promise }) => promise)
  const anchors = proved.map((promise) => /\]\(#([\w-]+)\)/.exec(promise)?.[1])
  const anchorOf = (title: string) =>
    title
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, '')
      .replaceAll(' ', '-')
  const unproved = titles.filter((title) => !anchors.includes(anchorOf(title)))
  assert.deepEqual(unproved, ['Promises and their tests', 'A run'])
})
