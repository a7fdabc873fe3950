import type { Bench } from '../bench.ts'
import { type BenchApi, benchPaths } from '../load/requests.ts'
import { type Comparison, compare, comparisonRow, quietRounds } from '../report/comparison.ts'
import type { Part } from './part.ts'
import { measurePairs, saturate, warmUp } from './saturation.ts'

const apis = Object.keys(benchPaths) as BenchApi[]
const short = { chunks: 20, paceMs: 0 }
// See stream.ts.
const streams = 300
const endless = { chunks: 1_000_000, paceMs: 20 }

interface ApiFigures {
  whole: Comparison
  stream: Comparison
  chunk: Comparison
}

/** The cost of each API beside the bare proxy's: of a whole answer, of a short stream, and of a chunk. */
export const apisPart: Part = {
  name: 'apis',
  summary: 'chat, responses and messages: CPU time per request, per stream and per paced chunk',
  onlyIfNamed: true,
  async run(bench) {
    const figures = {} as Record<BenchApi, ApiFigures>
    for (const api of apis) figures[api] = await measureApi(bench, api)
    const rows = (figure: keyof ApiFigures, what: string) =>
      apis.map((api) => comparisonRow(`${api}: CPU per ${what}, µs`, figures[api][figure], 1))
    return {
      sections: [
        {
          title: 'APIs: requests of about 1 KB, answers of about 1 KB',
          table: {
            head: ['', 'bare', bench.targetName, 'ratio (quartiles)'],
            rows: [
              ...rows('whole', 'whole answer'),
              ...rows('stream', `stream of ${short.chunks} chunks`),
              ...rows('chunk', 'chunk')
            ]
          },
          notes: ['Responses and messages have longer events than chats, and more of them around the words.']
        }
      ],
      figures
    }
  }
}

async function measureApi(bench: Bench, api: BenchApi): Promise<ApiFigures> {
  const whole = await saturate(bench, api, (side) => side.plainPlan(api))
  await bench.setStreamShape(short)
  const stream = await saturate(bench, `${api} stream`, (side) => side.streamPlan(short, api))
  const warm = async () => {
    await bench.setStreamShape(short)
    await warmUp(bench, `${api} stream`, (side) => side.streamPlan(short, api))
    await bench.setStreamShape(endless)
  }
  const rounds = await measurePairs(bench, `paced ${api}`, bench.timing.pacedRounds, warm, (side) =>
    bench.measureWindow(side, side.streamPlan(endless, api), {
      connections: streams,
      openMs: 600,
      drain: false,
      profileAs: `paced ${api}`
    })
  )
  const { used } = quietRounds(rounds)
  return {
    whole: whole.cpuMicrosPerRequest,
    stream: stream.cpuMicrosPerRequest,
    chunk: compare(used, ({ cpuMicrosPerEvent }) => cpuMicrosPerEvent)
  }
}
