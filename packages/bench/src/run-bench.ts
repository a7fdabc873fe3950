import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Arguments, readArguments, UsageError } from './arguments.ts'
import { Bench, fullTiming, profileTiming, quickTiming } from './bench.ts'
import { Children } from './children.ts'
import { pinLoadSide } from './measure/machine.ts'
import { type CpuProfile, type SelfTime, summarizeProfile } from './measure/profile.ts'
import { apisPart } from './parts/apis.ts'
import { control } from './parts/control.ts'
import { ladder } from './parts/ladder.ts'
import { latency } from './parts/latency.ts'
import { memory } from './parts/memory.ts'
import type { Part } from './parts/part.ts'
import { requestLog } from './parts/request-log.ts'
import { measureSaturation } from './parts/saturation.ts'
import { soak } from './parts/soak.ts'
import { stream } from './parts/stream.ts'
import { describeMachine, formatNumber, renderMachine, renderTable } from './report/table.ts'
import { gateway, relay } from './targets/gateway.ts'
import { bare, dispatch, type Target } from './targets/proxies.ts'

const functionsShown = 25
const packagesShown = 12

/** The lines of the report for each profile: packages and functions with the most time. */
function renderProfiles(profiles: ReadonlyMap<string, CpuProfile>): string[] {
  return [...profiles].flatMap(([name, profile]) => {
    const { functions, packages } = summarizeProfile(profile)
    return [
      '',
      `where the time goes: ${name}`,
      ...shares('package', packages.slice(0, packagesShown)),
      '',
      ...shares('function, self time', functions.slice(0, functionsShown))
    ]
  })
}

/** Writes each profile to `<directory>/<name>.cpuprofile`. Browser DevTools and VS Code can open it. */
function saveProfiles(profiles: ReadonlyMap<string, CpuProfile>, directory: string): void {
  mkdirSync(directory, { recursive: true })
  for (const [name, profile] of profiles) {
    writeFileSync(join(directory, `${name.replaceAll(' ', '-')}.cpuprofile`), JSON.stringify(profile))
  }
}

function shares(head: string, list: readonly SelfTime[]): string[] {
  const percent = (share: number) => `${formatNumber(share * 100, 1)} %`
  return renderTable({ head: [head, 'share'], rows: list.map(({ name, share }) => [name, percent(share)]) })
}

/** Non-streaming chat: requests of about 1 KB, answers of about 1 KB. */
const chat: Part = {
  name: 'chat',
  summary: 'non-streaming chat: CPU time per request, requests/s at saturation',
  async run(bench) {
    const { section, figures } = await measureSaturation(bench, 'chat', (side) => side.plainPlan())
    return { sections: [section], figures: { saturated: figures } }
  }
}

/** In the order of a whole run. */
const parts: readonly Part[] = [chat, stream, latency, memory, control, ladder, soak, requestLog, apisPart]
const targets: readonly [Target, ...Target[]] = [gateway, bare, dispatch, relay]

const usage = `npm run bench -- [part …] [option …]

Compares the gateway with a bare Fastify + undici proxy. Parts (all but the last four unless named):
${parts.map(({ name, summary }) => `  ${name.padEnd(13)}${summary}`).join('\n')}

Options:
  --target NAME      the proxy to measure: ${targets.map(({ name }) => name).join(', ')}
  --json FILE        write the figures of every round to a file
  --profile          profile the target; profiling slows it, so its figures are not comparable
  --profile-dir DIR  the same, and save the profiles
  --patience SECONDS wait for a quiet machine, this long in total, and repeat disturbed rounds
  --minutes N        duration of the soak; 10 by default
  --rows N           requests in the log of the part request-log; 100,000,000 by default: about 40 GB
  --pairs N          start both sides this often, with four rounds each time; 4 by default
  --quick            a short run that only shows that everything works; its figures mean nothing`

/** Runs the chosen parts. @returns the exit code: 1 if a part found a fault; figures alone are never a fault */
async function run(options: Arguments): Promise<number> {
  if (!existsSync('/proc/self/schedstat')) throw new Error('CPU time is read from /proc: the bench needs Linux')
  const pinning = pinLoadSide()
  const machine = describeMachine(pinning, new Date())
  const target = targets.find(({ name }) => name === options.target)!
  const chosen = parts.filter(({ name, onlyIfNamed }) =>
    options.parts.length === 0 ? onlyIfNamed !== true : options.parts.includes(name)
  )
  console.log(renderMachine(machine).join('\n'))
  console.log(`bare: ${bare.description}. ${target.name}: ${target.description}.`)

  const timing = options.quick ? quickTiming : options.profile ? profileTiming : fullTiming
  const children = new Children()
  process.once('exit', () => children.killAll())
  stopOnSignal(children)
  const started = performance.now()
  try {
    const bench = await Bench.start({
      target,
      children,
      cores: 'unpinned' in pinning ? null : pinning,
      timing: {
        ...timing,
        ...(options.pairs !== null && { pairs: options.pairs, rounds: options.pairs * (timing.rounds / timing.pairs) }),
        ...(options.minutes !== null && { soakMs: options.minutes * 60_000 }),
        ...(options.rows !== null && { loggedRequests: options.rows })
      },
      profile: options.profile,
      patienceMs: options.patienceSeconds * 1000,
      progress: (line) => console.error(`  ${line}`)
    })
    const figures: Record<string, unknown> = {}
    const faults: string[] = []
    for (const part of chosen) {
      const report = await part.run(bench)
      figures[part.name] = report.figures
      faults.push(...(report.faults ?? []))
      for (const { title, table, notes } of report.sections) {
        console.log(['', title, ...renderTable(table), ...notes].join('\n'))
      }
    }
    for (const line of renderProfiles(bench.profiles)) console.log(line)
    if (options.profileDir !== null) saveProfiles(bench.profiles, options.profileDir)
    if (options.quick) console.log('This was a quick run: its figures mean nothing.')
    console.log(`${Math.round((performance.now() - started) / 1000)} s`)
    if (options.json !== null) {
      const { target: targetName, quick, profile } = options
      writeFileSync(
        options.json,
        `${JSON.stringify({ machine, target: targetName, quick, profile, figures }, null, 2)}\n`
      )
    }
    for (const fault of faults) console.error(`FAULT: ${fault}`)
    return faults.length === 0 ? 0 : 1
  } finally {
    await children.stopAll()
  }
}

let isStopping = false

/** On a signal, stops all children and then this process. */
function stopOnSignal(children: Children): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143]
  ] as const) {
    process.once(signal, () => {
      isStopping = true
      void children.stopAll().then(() => process.exit(code))
    })
  }
}

try {
  const names = targets.map(({ name }) => name) as [string, ...string[]]
  const options = readArguments(process.argv.slice(2), { parts: parts.map(({ name }) => name), targets: names })
  if (options.help) console.log(usage)
  else process.exitCode = await run(options)
} catch (error) {
  if (error instanceof UsageError) console.error(`${error.message}\n\n${usage}`)
  // After a signal, errors about ended processes are expected.
  else if (!isStopping) console.error(error)
  process.exitCode = 1
}
