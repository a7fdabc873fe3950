import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { monthNumber } from '@tollgate/state/keyspace/names.ts'
import { readSpend } from '@tollgate/state/spend/spend.ts'
import { rawChat } from '../chaos/traffic/send-steadily.ts'
import { type OperatedSystem, type ServiceName, startOperatedSystem } from '../operation/start-operated-system.ts'
import { startSteadyRequests } from '../operation/steady-requests.ts'
import { Person } from '../person.ts'
import { newTerms } from './prices-and-budgets.ts'

const services: readonly ServiceName[] = ['control', 'control-2', 'gateway', 'gateway-2']

/** Dollars that a capped key may spend: a few requests, so that the cap is reached while both releases serve. */
const capUsd = 0.002

const question = { model: 'gpt-4o-mini', max_tokens: 50, messages: [{ role: 'user', content: 'Say 50 words.' }] }

const run = promisify(execFile)

/** The release before this one. Change it with each release. */
export const previousRelease = { version: '0.3.0', commit: 'aa2628525ca627b26781ad218b2b1796b34819c3' }
const pnpm = 'pnpm@12.21.0'

interface PreviousRelease {
  /** Programs of the services. */
  readonly control: string
  readonly gateway: string
  remove(): void
}

/** Why the release cannot run here. */
export interface Missing {
  readonly missing: string
}

/**
 * Takes the previous release from the history of this repository, and installs the dependencies of its services as its
 * own lock file names them.
 */
export async function installPreviousRelease(): Promise<PreviousRelease | Missing> {
  const { version, commit } = previousRelease
  const git = (...args: string[]) => run('git', ['-C', workspaceFile('.'), ...args])
  const isThere = await git('cat-file', '-e', `${commit}^{commit}`).then(
    () => true,
    () => false
  )
  if (!isThere) return { missing: `release ${version} (commit ${commit.slice(0, 8)}) in the history of this directory` }
  const directory = mkdtempSync(join(tmpdir(), `tollgate-${version}-`))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  try {
    const archive = `${directory}.tar`
    await git('archive', `--output=${archive}`, commit)
    await run('tar', ['-xf', archive, '-C', directory])
    rmSync(archive)
    const services = ['control', 'gateway'].flatMap((name) => ['--filter', `@tollgate/${name}...`])
    const options = ['--frozen-lockfile', '--prefer-offline', '--prod', '--ignore-scripts']
    await run('npx', ['--yes', pnpm, 'install', ...options, ...services], { cwd: directory })
  } catch (error) {
    remove()
    return { missing: `release ${version} with its dependencies: ${(error as Error).message.split('\n')[0]}` }
  }
  const main = (service: string) => join(directory, 'services', service, 'src/main.ts')
  return { control: main('control'), gateway: main('gateway'), remove }
}

/** A key for steady traffic, a capped one, one for a budget of a day, and keys to revoke. */
async function createKeys({ system }: OperatedSystem, person: Person) {
  const create = async (body: object) => {
    const answer = await person.call<{ key: { id: string; value: string } }>('POST', '/api/keys', body)
    assert.equal(answer.status, 201)
    return { id: answer.body.key.id, secret: answer.body.key.value }
  }
  const steady = await create({ label: 'steady' })
  const capped = await create({ label: 'capped', monthly_budget_usd: capUsd })
  const budgeted = await create({ label: 'budgeted' })
  const askAll = async (secret: string) => {
    const answers = system.addresses.gateways.map((url) => rawChat(url, { secret, account: '' }, question))
    return (await Promise.all(answers)).map(({ outcome }) => outcome)
  }
  return { steady, capped, budgeted, create, askAll }
}

/**
 * Starts the previous release, then replaces services by this release and back, one by one, under steady traffic. In
 * each mixture it creates and revokes keys through both replicas of control, and tries them at both gateways.
 *
 * While a gateway of the previous release runs, control must refuse list prices and budgets of a day. When none runs,
 * both are set and tried. Before the rollback, the list prices are removed, as docs/operate/upgrade.md says.
 *
 * @param replaced the services that are replaced, in this order, and back in the reverse order; the first is `control`
 * @returns the number of requests, and what the key with the budget of a day was charged, nanodollars
 * @throws AssertionError at the first broken promise
 */
export async function serveTogether(
  t: { teardown(handler: () => Promise<void>): void },
  previous: PreviousRelease,
  replaced: readonly ServiceName[]
): Promise<{ chats: number; calls: number; newTermsNanos: number }> {
  const programOf = (name: ServiceName) => (name.startsWith('control') ? previous.control : previous.gateway)
  const operated = (await startOperatedSystem(t, {
    scripts: new Map(services.map((name) => [name, programOf(name)]))
  }))!
  const { system, scripts, sql } = operated
  const versions = () => Promise.all(system.addresses.gatewayAdmins.map(async (url) => (await versionOf(url)).version))
  assert.deepEqual(await versions(), [previousRelease.version, previousRelease.version])
  const ada = await new Person(system, 'ada').join('enterprise')
  const { steady, capped, budgeted, create, askAll } = await createKeys(operated, ada)
  const traffic = startSteadyRequests(operated, () => [steady.secret], ada)
  t.teardown(() => traffic.stop())
  const outcomes = new Set<string>()

  /** What must hold while any mixture of both releases runs. */
  async function check(mixture: string): Promise<void> {
    await traffic.more(10)
    assert.deepEqual(traffic.failures, [], mixture)
    for (const control of system.addresses.controls) {
      const { id, secret } = await create({ label: mixture })
      assert.deepEqual(await askAll(secret), ['200', '200'], `${mixture}: a new key`)
      assert.equal((await ada.through(control).revokeKey(id)).status, 200)
      assert.deepEqual(
        await askAll(secret),
        ['401 revoked_api_key', '401 revoked_api_key'],
        `${mixture}: a revoked key`
      )
    }
    for (const outcome of await askAll(capped.secret)) outcomes.add(outcome)
  }

  await check(`only ${previousRelease.version}`)
  const hasOldGateway = async () => (await versions()).includes(previousRelease.version)
  // Both call `control`. It is of this release from the first upgrade to the last rollback.
  const operator = new Person(system, 'olga')
  const terms = newTerms(operated, operator, ada, budgeted)
  for (const name of replaced) {
    scripts.delete(name)
    await system.part(name).restart()
    await check(`after the upgrade of ${name}`)
    if (name === 'control') await operator.joinAsOperator()
    if (await hasOldGateway()) await terms.areRefused(`after the upgrade of ${name}`)
  }
  const replacedGateways = replaced.filter((name) => name.startsWith('gateway')).length
  const replacedVersions = (await versions()).filter((version) => version !== previousRelease.version)
  assert.equal(replacedVersions.length, replacedGateways)
  const isWhole = !(await hasOldGateway())
  if (isWhole) {
    await terms.areEnforced()
    await terms.removeListPrices()
  }
  for (const name of replaced.toReversed()) {
    scripts.set(name, programOf(name))
    await system.part(name).restart()
    await check(`after the rollback of ${name}`)
    if (name.startsWith('control')) continue
    await terms.areRefused(`after the rollback of ${name}`)
    if (isWhole) await terms.areIgnoredBy(system.addresses.gateways[name === 'gateway' ? 0 : 1]!)
  }
  assert.deepEqual(await versions(), [previousRelease.version, previousRelease.version])
  await traffic.stop()
  assert.deepEqual(traffic.failures, [])

  for (;;) {
    const { outcome } = await rawChat(system.addresses.gateway, { ...capped, account: '' }, question)
    outcomes.add(outcome)
    if (outcome !== '200') break
  }
  assert.deepEqual([...outcomes].sort(), ['200', '402 key_budget_exceeded'])
  const [{ account }] = await sql<[{ account: string }]>`
    select account_id::text as account from keys where id = ${steady.id}`
  const ledger = await untilCopied(operated, account)
  const ofKey = (id: string) => ledger.find(({ key }) => key === id)
  assert.equal(Number(ofKey(steady.id)?.requests), traffic.served().chats, 'every chat is in the ledger, once')
  assert.ok(Number(ofKey(capped.id)?.cost) <= capUsd * 1e9)
  assert.equal(Number(ofKey(budgeted.id)?.cost ?? 0), terms.chargedNanos(), 'list prices, then what the provider bills')
  return { ...traffic.served(), newTermsNanos: terms.chargedNanos() }
}

/** The account's ledger, once it has all that Redis has counted. */
async function untilCopied({ sql, link }: OperatedSystem, account: string) {
  for (;;) {
    const spend = await readSpend(link, account, monthNumber(new Date()))
    const rows = await sql<Array<{ key: string; requests: string; cost: string }>>`
      select key_id as key, sum(requests)::text as requests, sum(cost_nanos)::text as cost
      from ledger where account_id = ${account} group by 1`
    if (spend?.reserved === 0 && rows.reduce((sum, { cost }) => sum + Number(cost), 0) === spend.settled) return rows
    await delay(20)
  }
}

async function versionOf(admin: string): Promise<{ version: string }> {
  return (await (await fetch(`${admin}/livez`)).json()) as { version: string }
}
