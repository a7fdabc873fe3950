import type { Bench } from '../bench.ts'
import { callers, seedDatabase } from '../control/seed-database.ts'
import {
  type ExecutedPlan,
  type RunningControl,
  recordPlans,
  startControl,
  tablesScanned
} from '../control/start-control.ts'
import type { RequestPlan } from '../load/protocol.ts'
import { median } from '../measure/statistics.ts'
import { type WindowFigures, windowFigures } from '../report/comparison.ts'
import { formatNumber, formatShare } from '../report/table.ts'
import type { Part, PartReport } from './part.ts'

/** Enough to keep control and the database busy at the same time. */
const connections = 16
/** With this many keys, reading a whole table is a fault. With fewer, it may be PostgreSQL's quickest plan. */
const largeDatabaseKeys = 100_000

const requests = [
  { name: 'GET /api/auth/me', path: '/api/auth/me', session: callers.small.session },
  { name: 'GET /api/keys, 10 keys', path: '/api/keys', session: callers.small.session },
  { name: 'GET /api/keys, a tenth of all, first page', path: '/api/keys', session: callers.large.session }
] as const

/** Control's two most frequent endpoints, with few and with many keys in a real PostgreSQL. */
export const control: Part = {
  name: 'control',
  summary: 'control: the signed-in user and the list of keys, with 1 k and 1 M keys in PostgreSQL',
  async run(bench) {
    const running = await startControl(bench)
    try {
      const measured = []
      for (const keys of bench.timing.keys) {
        bench.progress(`control: filling the database up to ${formatNumber(keys, 0)} keys`)
        await seedDatabase(running.sql, keys)
        for (const request of requests) measured.push({ keys, ...(await measure(bench, running, request, keys)) })
      }
      return report(measured)
    } finally {
      await running.stop()
    }
  }
}

interface Measured {
  keys: number
  name: string
  rounds: WindowFigures[]
  bytes: number
  plans: ExecutedPlan[]
}

async function measure(
  bench: Bench,
  running: RunningControl,
  { name, path, session }: (typeof requests)[number],
  keys: number
): Promise<Omit<Measured, 'keys'>> {
  const cookie = `svc_session=${session}`
  let bytes = 0
  const plans = await recordPlans(running.sql, async () => {
    const answer = await fetch(`http://127.0.0.1:${running.port}${path}`, { headers: { cookie } })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${text}`)
    bytes = text.length
  })
  assertIndexesUsed(name, plans, keys)

  const { port } = running
  const head = [`GET ${path} HTTP/1.1`, `host: 127.0.0.1:${port}`, 'connection: keep-alive', `cookie: ${cookie}`]
  const plan: RequestPlan = { port, text: `${head.join('\r\n')}\r\n\r\n`, events: 0 }
  await bench.load({ kind: 'open', plan, connections, overMs: 0 })
  await bench.load({ kind: 'measure', forMs: bench.timing.warmUpMs, watch: {} })
  await bench.load({ kind: 'close', drain: true })
  const side = { child: running.child, helpers: await running.backends(), redisUrl: null, inspector: null }
  const rounds: WindowFigures[] = []
  for (let round = 1; round <= bench.timing.rounds; round++) {
    bench.progress(`control: ${name}, ${formatNumber(keys, 0)} keys, round ${round} of ${bench.timing.rounds}`)
    await bench.patience.untilQuiet()
    rounds.push(windowFigures(await bench.measureWindow(side, plan, { connections, drain: true, profileAs: name })))
  }
  return { name, rounds, bytes, plans }
}

/** @throws if a statement reads a whole large table, or if no statement was recorded */
function assertIndexesUsed(name: string, plans: readonly ExecutedPlan[], keys: number): void {
  if (plans.length === 0) throw new Error(`${name}: no statement was recorded`)
  if (keys < largeDatabaseKeys) return
  for (const plan of plans) {
    const scanned = tablesScanned(plan).filter((table) => ['keys', 'accounts', 'users', 'sessions'].includes(table))
    if (scanned.length > 0) {
      throw new Error(
        `${name} reads whole tables, ${scanned.join(', ')}:\n${[plan.statement, ...plan.lines].join('\n')}`
      )
    }
  }
}

function report(measured: readonly Measured[]): PartReport {
  const postgresMicros = ({ helperMicrosPerAnswer }: WindowFigures) =>
    Object.values(helperMicrosPerAnswer).reduce((sum, micros) => sum + micros, 0)
  const medianOf = ({ rounds }: Measured, figure: (figures: WindowFigures) => number) => median(rounds.map(figure))
  const largest = Math.max(...measured.map(({ keys }) => keys))
  return {
    sections: [
      {
        title: `control: as fast as it goes, ${connections} connections`,
        table: {
          head: [
            '',
            'keys',
            'bytes',
            'requests/s',
            'CPU per request, µs',
            'PostgreSQL, µs',
            'busy: control',
            'busy: rest'
          ],
          rows: measured.map((one) => [
            one.name,
            formatNumber(one.keys, 0),
            formatNumber(one.bytes, 0),
            formatNumber(
              medianOf(one, ({ answersPerSecond }) => answersPerSecond),
              0
            ),
            formatNumber(
              medianOf(one, ({ cpuMicrosPerAnswer }) => cpuMicrosPerAnswer),
              0
            ),
            formatNumber(medianOf(one, postgresMicros), 0),
            formatShare(medianOf(one, ({ measuredShare }) => measuredShare)),
            formatShare(medianOf(one, ({ loadShare }) => loadShare))
          ])
        },
        notes: [
          'PostgreSQL shares a core with the load generator. Where that core is busier, it limits requests/s, not control.',
          ...measured
            .filter(({ keys }) => keys === largest)
            .flatMap(({ name, keys, plans }) => [
              '',
              `${name}, with ${formatNumber(keys, 0)} keys:`,
              ...plans.flatMap(({ statement, lines }) => [`  ${statement}`, ...lines.map((line) => `    ${line}`)])
            ])
        ]
      }
    ],
    figures: { connections, measured }
  }
}
