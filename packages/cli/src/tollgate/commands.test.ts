import assert from 'node:assert/strict'
import { version } from '@tollgate/service/workspace.ts'
import { test } from 'tap'
import { createFakeTerminal } from '../testing/fake-io.ts'
import { commandTable } from './commands.ts'

const terminal = createFakeTerminal()

test('help and version are results, as JSON too', async () => {
  assert.equal((await terminal.run('--version')).out, `${version}\n`)
  assert.deepEqual((await terminal.run('--version --json')).json(), { version })
  const all = await terminal.run('help')
  for (const { name } of commandTable) assert.match(all.out, new RegExp(`^  ${name} `, 'm'))
  const one = await terminal.run('help account')
  assert.match(one.out, /^tollgate account suspend ACCOUNT$/m)
  assert.equal((await terminal.run('account suspend --help')).code, 0)
  const listed = (await terminal.run('help --json')).json<{ commands: Array<{ name: string }> }>()
  assert.deepEqual(
    listed.commands.map(({ name }) => name),
    commandTable.map(({ name }) => name)
  )
})

test('every command explains its forms, and prints JSON', async () => {
  for (const { name, summary, usage } of commandTable) {
    assert.match(usage, new RegExp(`tollgate ${name}\\b`))
    assert.match(usage, /^ {2}--json +print/m, name)
    assert.match(summary, /^[a-z].*[^.]$/, name)
    assert.equal((await terminal.run(`${name} --help`)).code, 0, name)
  }
})

test('wrong usage exits with 2 and says what to type', async () => {
  const table: Array<[args: string, said: RegExp]> = [
    ['acount', /"acount" is not a command. Run: tollgate help/],
    ['account', /tollgate account has list, show, .* Run: tollgate help account/],
    ['account halt', /"halt" is unknown/],
    ['account show', /ACCOUNT is missing/],
    ['account show a b', /Unexpected: "b"/],
    ['account list --colour', /'--colour'. Run: tollgate account list --help/],
    ['account suspend a', /--reason is missing/],
    ['account adjust a --reason x', /either --charge or --credit/],
    ['account adjust a --reason x --charge 1,50', /--charge: write a number such as 20 or 0.50, with a point/],
    ['account limit a --reason x', /at least one limit, or --clear/],
    ['account limit a --reason x --key-quota 1 --until tomorrow', /--until: write a day or a time in UTC/],
    ['usage export --from today', /--from: write a day such as/],
    ['usage export --group day,colour', /"colour" is not one of/],
    ['catalog diff', /either a catalog file or --version/],
    ['catalog diff missing.yaml', /missing.yaml cannot be read \(ENOENT\)/],
    ['ledger verify --map small', /"small" is not THEIRS=OURS/],
    ['login --url localhost', /is not the address of control/],
    ['migrate', /DATABASE_URL is not set/]
  ]
  for (const [args, said] of table) {
    const ran = await terminal.run(args)
    assert.match(ran.err, said, args)
    assert.deepEqual([ran.code, ran.out], [2, ''], args)
  }
})

test('without a session, a command exits with 3, and with JSON says so on standard output', async () => {
  const ran = await terminal.run('account list --json')
  assert.equal(ran.code, 3)
  assert.deepEqual(ran.json(), { error: { message: 'You are not signed in. Run: tollgate login', code: null } })
})

test('control that does not answer is exit code 4', async () => {
  const ran = await terminal.run('login --email a@b.c --url http://127.0.0.1:9', { answers: ['secret'] })
  assert.equal(ran.code, 4)
  assert.match(ran.err, /Control does not answer at http:\/\/127.0.0.1:9/)
  assert.doesNotMatch(ran.err, /secret/)
})
