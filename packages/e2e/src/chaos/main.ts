import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import type { Check } from './checks/check.ts'
import { rebuild } from './checks/rebuild.ts'
import { writing } from './checks/writing.ts'
import type { Fault } from './fault.ts'
import { faults } from './faults/all.ts'
import { isDisturbed, judge } from './measure/judge.ts'
import type { Measured } from './measure/measurement.ts'
import { runFault } from './run-fault.ts'
import { type ChaosSystem, type Conditions, startChaosSystem } from './system/chaos-system.ts'
import { describeMeasured, tableOf } from './table.ts'

const checks: readonly Check[] = [writing, rebuild]

const usage = `npm run chaos -- [name …]

Inflicts faults on a whole system of real servers and processes while it serves traffic, and tells what became of the
promises. The status is not 0 if one was broken. All but the last unless named:
${[...faults, ...checks].map(({ name, summary }) => `  ${name.padEnd(20)}${summary}`).join('\n')}`

/** The system of the fault before, if the next one needs no other, and it has come through well. */
let kept: ChaosSystem | null = null
let keptFor: Conditions | undefined

async function systemFor({ conditions }: Fault): Promise<ChaosSystem> {
  if (kept !== null && conditions === keptFor) return kept
  await dismiss()
  keptFor = conditions
  kept = await startChaosSystem(conditions)
  if (kept === null) throw new Error('this needs redis-server (or valkey-server) and PostgreSQL')
  return kept
}

async function dismiss(): Promise<void> {
  const { stop } = kept ?? {}
  kept = null
  await stop?.()
}

type Inflicted = {
  measured: Measured | null
  /** A line for each promise that was broken. */
  broken: string[]
  /** What the services wrote meanwhile. */
  lines: string[]
}

async function inflict(fault: Fault): Promise<Inflicted> {
  const { lines } = await systemFor(fault)
  lines.length = 0
  try {
    const measured = await runFault(fault, kept!)
    const broken = judge(measured, fault.allowed)
    if (broken.length > 0) await dismiss()
    return { measured, broken, lines }
  } catch (error) {
    await dismiss()
    return { measured: null, broken: [error instanceof Error ? error.message : String(error)], lines }
  }
}

async function run(names: readonly string[]): Promise<number> {
  const unknown = names.find((name) => ![...faults, ...checks].some((one) => one.name === name))
  if (unknown !== undefined) throw new Error(`there is no ${unknown}\n\n${usage}`)
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
      const { measured, broken, lines } = await inflict(fault)
      if (measured !== null) {
        all.push(measured)
        for (const line of describeMeasured(measured)) console.log(`  ${line}`)
        if (isDisturbed(measured)) disturbed++
      }
      for (const line of broken) console.log(`  BROKEN: ${line}`)
      if (broken.length > 0) for (const line of lines) console.log(`    ${line}`)
      brokenCount += broken.length
      const [load] = loadavg()
      console.log(`  ${Math.round((performance.now() - startedAt) / 1000)} s in all, load average ${load!.toFixed(1)}`)
    }
  } finally {
    await dismiss()
  }
  for (const check of checks) {
    const isMeant = names.length === 0 ? check.onlyIfNamed !== true : names.includes(check.name)
    if (isMeant) brokenCount += await runCheck(check)
  }
  if (all.length > 0) console.log(['', ...tableOf(all)].join('\n'))
  if (disturbed > 0) console.log(`\nThe machine was too busy to judge the times of ${disturbed} faults.`)
  console.log(brokenCount === 0 ? '\nEvery promise was kept.' : `\n${brokenCount} promises were broken.`)
  return brokenCount === 0 ? 0 : 1
}

/** @returns how many promises were broken */
async function runCheck({ name, summary, run: runIt }: Check): Promise<number> {
  console.log(`\n${name}: ${summary}`)
  const { seen, broken } = await runIt()
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
