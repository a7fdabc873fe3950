import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { installPreviousRelease, previousRelease, serveTogether } from '../upgrade/previous-release.ts'
import { alerts } from './checks/alerts.ts'
import { rebuild } from './checks/rebuild.ts'
import { restore } from './checks/restore.ts'
import { writing } from './checks/writing.ts'
import type { Check, Fault } from './fault.ts'
import { faults } from './faults/all.ts'
import { findBrokenPromises, isDisturbed } from './measure/broken-promises.ts'
import type { Measured } from './measure/measured.ts'
import { runFault } from './run-fault.ts'
import { type ChaosSystem, startChaosSystem } from './system/chaos-system.ts'
import type { Conditions } from './system/servers.ts'
import { describeMeasured, tableOf } from './table.ts'

/** Every mixture of the previous release and this one, as an upgrade and a rollback make them. */
const upgrade: Check = {
  name: 'upgrade',
  summary: `replaces all services of ${previousRelease.version} by this release and back, one by one, while they serve`,
  async run() {
    const previous = await installPreviousRelease()
    if ('missing' in previous) return { seen: [`SKIPPED: there is no ${previous.missing}`], broken: [] }
    await using parts = new AsyncDisposableStack()
    parts.defer(() => previous.remove())
    try {
      const replaced = ['control', 'control-2', 'gateway', 'gateway-2'] as const
      const { chats, calls, newTermsNanos } = await serveTogether(
        { teardown: (stop) => parts.defer(stop) },
        previous,
        replaced
      )
      const terms =
        `list prices and a budget of a day: refused beside gateways of ${previousRelease.version}, ` +
        `enforced without them; ${newTermsNanos / 1e9} USD charged`
      return { seen: [`${chats} chats and ${calls} calls of the API, none failed`, terms], broken: [] }
    } catch (error) {
      return { seen: [], broken: [error instanceof Error ? error.message : String(error)] }
    }
  }
}

const checks: readonly Check[] = [writing, upgrade, rebuild, restore, alerts]

const usage = `npm run chaos -- [name …]

Injects faults into a whole system of real servers and processes while it serves traffic, and checks every promise.
The exit status is 1 if a promise was broken. Without names, it runs all but the last three. After alerts, name some alerts
(alerts GatewayDown) to raise only these:
${[...faults, ...checks].map(({ name, summary }) => `  ${name.padEnd(20)}${summary}`).join('\n')}`

/** The running system. The next fault reuses it if its conditions are the same and no promise was broken. */
let current: ChaosSystem | null = null
let currentConditions: Conditions | undefined

async function systemFor({ conditions }: Fault): Promise<ChaosSystem> {
  if (current !== null && conditions === currentConditions) return current
  await stopSystem()
  currentConditions = conditions
  current = await startChaosSystem(conditions)
  if (current === null) throw new Error('this needs redis-server (or valkey-server) and PostgreSQL')
  return current
}

async function stopSystem(): Promise<void> {
  const { stop } = current ?? {}
  current = null
  await stop?.()
}

interface Injected {
  measured: Measured | null
  /** One line per broken promise. */
  broken: string[]
  /** Log lines of the services. */
  lines: string[]
}

async function inject(fault: Fault): Promise<Injected> {
  const { lines } = await systemFor(fault)
  lines.length = 0
  try {
    const measured = await runFault(fault, current!)
    const broken = findBrokenPromises(measured, fault.allowed)
    if (broken.length > 0) await stopSystem()
    return { measured, broken, lines }
  } catch (error) {
    await stopSystem()
    return { measured: null, broken: [error instanceof Error ? error.message : String(error)], lines }
  }
}

async function run(names: readonly string[]): Promise<number> {
  const parts = checks.flatMap((check) => check.parts ?? [])
  const unknown = names.find(
    (name) => !parts.includes(name) && ![...faults, ...checks].some((one) => one.name === name)
  )
  if (unknown !== undefined) throw new Error(`unknown fault ${unknown}\n\n${usage}`)
  const all: Measured[] = []
  let brokenCount = 0
  let disturbed = 0
  try {
    for (const fault of faults.filter(({ name }) => names.length === 0 || names.includes(name))) {
      const missing = fault.missing?.() ?? null
      console.log(`\n${fault.name}: ${fault.summary}`)
      if (missing !== null) {
        console.log(`  SKIPPED: ${missing}`)
        continue
      }
      const startedAt = performance.now()
      const { measured, broken, lines } = await inject(fault)
      if (measured !== null) {
        all.push(measured)
        for (const line of describeMeasured(measured)) console.log(`  ${line}`)
        if (isDisturbed(measured)) disturbed++
      }
      for (const line of broken) console.log(`  BROKEN: ${line}`)
      if (broken.length > 0) for (const line of lines) console.log(`    ${line}`)
      brokenCount += broken.length
      const [load] = loadavg()
      console.log(
        `  ${Math.round((performance.now() - startedAt) / 1000)} s in total, load average ${load!.toFixed(1)}`
      )
    }
  } finally {
    await stopSystem()
  }
  for (const check of checks) {
    const isChosen = names.length === 0 ? check.onlyIfNamed !== true : names.includes(check.name)
    if (isChosen) brokenCount += await runCheck(check, names)
  }
  if (all.length > 0) console.log(['', ...tableOf(all)].join('\n'))
  if (disturbed > 0) console.log(`\nThe machine was too busy to check times during ${disturbed} faults.`)
  console.log(brokenCount === 0 ? '\nEvery promise was kept.' : `\n${brokenCount} promises were broken.`)
  return brokenCount === 0 ? 0 : 1
}

/** @returns the number of broken promises */
async function runCheck({ name, summary, run: runIt }: Check, names: readonly string[]): Promise<number> {
  console.log(`\n${name}: ${summary}`)
  const { seen, broken } = await runIt(names)
  for (const line of seen) console.log(`  ${line}`)
  for (const line of broken) console.log(`  BROKEN: ${line}`)
  return broken.length
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h' } }
})
if (values.help === true) console.log(usage)
else process.exitCode = await run(positionals)
